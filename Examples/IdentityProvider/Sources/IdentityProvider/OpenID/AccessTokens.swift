import JOSE
import OpenIDKit

/// A valid access token.
struct Access: Sendable {
  let userID: String
  let clientID: String
  let scopes: [String]
  let claims: JSONObject

  fileprivate init?(_ claims: JSONObject) {
    guard let user = claims["sub"]?.stringValue, let client = claims["client_id"]?.stringValue else { return nil }
    (userID, clientID, self.claims) = (user, client, claims)
    scopes = claims["scope"]?.stringValue?.split(separator: " ").map(String.init) ?? []
  }

  /// The key that it is bound to.
  var keyThumbprint: String? { claims["cnf"]?.objectValue?["jkt"]?.stringValue }
}

/// Checks the provider's own access tokens.
extension Provider {
  /// The rights of a token; nil if it is invalid, expired or revoked.
  func access(_ token: String) async throws -> Access? {
    var policy = JWTPolicy.accessToken(
      issuer: settings.issuer, audience: settings.issuer, bindingIsChecked: true, clock: clock)
    // The provider's own machines wrote it, whose clocks are that close to the database's.
    policy.leeway = .seconds(5)
    let verifier = JWTVerifier(keys: try await keys.snapshot().published, algorithms: [.es256], policy: policy)
    guard let claims = (try? verifier.verify(token))?.claims, let access = Access(claims) else { return nil }
    return try await isLasting(access) ? access : nil
  }

  /// The access tokens that were revoked before they expired.
  var revokedTokens: RevokedTokens { RevokedTokens(records: database.records, clock: clock) }

  /// Whether user, client, consent and session or refresh token family of a token still exist.
  private func isLasting(_ access: Access) async throws -> Bool {
    let claims = access.claims
    guard let id = claims["jti"]?.stringValue else { return false }
    let grant = claims["grant"]?.stringValue.map { [AccessTokenSelection.grant($0)] } ?? []
    if try await revokedTokens.isRevoked(anyOf: [.token(id)] + grant) { return false }
    guard try await sessions.isActive(userID: access.userID),
      try await clients.enabledClient(id: access.clientID) != nil
    else { return false }
    // A token from a code needs its user's consent.
    if !grant.isEmpty {
      let consent = try await sessions.consent(of: access.userID, at: access.clientID)
      guard consent.name == claims["consent"]?.stringValue, consent.covers(access.scopes) else { return false }
    }
    if let text = claims["family"]?.stringValue {
      guard let family = RefreshTokenFamily.ID(text: text) else { return false }
      return try await refreshTokens.isAccessTokenActive(family: family, generation: 0)
    }
    guard let session = claims["sid"]?.stringValue else { return true }
    return try await sessions.session(id: session)?.isActive == true
  }
}
