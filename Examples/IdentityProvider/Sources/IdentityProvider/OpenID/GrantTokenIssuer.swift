import NativeSSOKit
import JOSE
import OpenIDKit

/// Issues the tokens of a login: an access token, and a refresh token if the scope asks for one.
package struct GrantTokenIssuer: TokenIssuer {
  let provider: Provider
  /// The thumbprint of the key that the client has proved possession of.
  package var confirmation: String?
  /// The individual claims that the request asked for.
  var userInfo: [String] = []

  package init(provider: Provider) { self.provider = provider }

  package func issue(_ grant: TokenGrant) async throws -> RefreshedTokens {
    var granted = grant.granted
    let (clientID, scope) = (granted.clientID, granted.scope)
    let client = try await provider.serving { () async throws -> Client? in
      try await provider.clients.enabledClient(id: clientID)
    }
    // The refresh tokens of a client that authenticates are bound to that authentication (RFC 9449 §5).
    if client?.isPublic ?? true { granted.confirmation = confirmation }
    let type = confirmation == nil ? "Bearer" : "DPoP"
    let lifetime = Duration.seconds(provider.settings.accessTokenLifetime)
    let isRefreshable =
      grant.includesRefreshToken
      && (scope.contains("offline_access") || scope.contains("device_sso"))
    var login: (refreshToken: String, grant: RefreshedGrant)?
    if isRefreshable {
      login = try grant.code?.issueRefreshToken(for: granted)
      if login == nil { login = try await provider.refreshTokens.issue(granted) }
    }
    do {
      let (bound, family) = (granted, login?.grant.family)
      let token = try await provider.serving { () async throws -> String in
        try await provider.accessToken(
          for: bound, scope: scope, consent: try await provider.consent(for: bound), family: family,
          userInfo: userInfo, confirmation: confirmation)
      }
      return RefreshedTokens(
        accessToken: token, tokenType: type, expiresIn: lifetime, refreshToken: login?.refreshToken)
    } catch {
      guard let login else { throw error }
      // A family that would be stored with its code isn't, and one that is stored ends.
      grant.code?.withdraw(login.grant.family)
      try await provider.refreshTokens.revoke(login.grant.family, .notIssued)
      throw error
    }
  }

  /// Ends the refresh tokens of a session, except those that outlive it.
  package func revokeTokens(sessionID: String) async throws {
    try await provider.refreshTokens.endSession(sessionID)
  }

  package func revokeTokens(deviceSecretID id: String) async throws {
    try await provider.refreshTokens.revoke(.deviceSecret(id), .sessionEnded)
  }

  package func revoke(_ token: String, clientID: String) async throws {
    try await provider.refreshTokens.revoke(refreshToken: token, clientID: clientID)
  }
}

extension Provider {
  /// An access token by RFC 9068.
  ///
  /// - Parameters:
  ///   - grant: the user, the client and what was granted.
  ///   - scope: the scope of this token.
  ///   - consent: the user's consent, if the grant came from a code.
  ///   - family: the refresh token family; when that ends, so does the token.
  ///   - userInfo: the individual claims that the request asked for.
  ///   - confirmation: the thumbprint of the key that it is bound to.
  func accessToken(
    for grant: RefreshGrant, scope: [String], consent: Consent?, family: RefreshTokenFamily.ID?,
    userInfo: [String] = [], confirmation: String?
  ) async throws -> String {
    let now = clock.now
    var claims: JSONObject = [
      "iss": .string(settings.issuer), "sub": .string(grant.subject), "aud": .string(settings.issuer),
      "client_id": .string(grant.clientID), "iat": .number(JSONNumber(now.wholeSeconds)),
      "exp": .number(JSONNumber(now.advanced(by: .seconds(settings.accessTokenLifetime)).wholeSeconds)),
      "jti": .string(RandomText.make(byteCount: 16)), "scope": .string(scope.joined(separator: " ")),
    ]
    if let time = grant.authenticationTime { claims["auth_time"] = .number(JSONNumber(time.wholeSeconds)) }
    if let context = grant.authenticationContext { claims["acr"] = .string(context) }
    if let session = grant.sessionID { claims["sid"] = .string(session) }
    if let family { claims["family"] = .string(family.text) }
    if let grantID = grant.grantID {
      claims["grant"] = .string(grantID)
      if let name = consent?.name { claims["consent"] = .string(name) }
    }
    if !userInfo.isEmpty { claims["userinfo"] = .strings(userInfo) }
    if let confirmation { claims["cnf"] = ["jkt": .string(confirmation)] }
    return try JWT.sign(claims, with: try await keys.signingKey("ES256"), type: "at+jwt")
  }
}
