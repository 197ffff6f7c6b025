import JOSE
import OpenIDKit

/// An authorization request whose client and redirect URI are registered, with the client.
struct AuthorizationRequest: Sendable {
  let client: Client
  let parameters: OAuthAuthorizationRequest
  let claims: ClaimsRequest

  /// Checks the parameters.
  ///
  /// - Parameters:
  ///   - fields: as they arrived, or as they were pushed.
  ///   - isPushed: whether they were.
  /// - Throws: `OAuthAuthorizationRequest.Refusal`, and what the database throws.
  init(_ fields: FormFields, isPushed: Bool, clients: ClientRepository) async throws {
    var client: Client?
    if let id = fields.values("client_id").first(where: { !$0.isEmpty }) {
      client = try await clients.enabledClient(id: id)
    }
    parameters = try OAuthAuthorizationRequest(fields, of: client?.authorization, isPushed: isPushed)
    let sizes = fields.fields.map { (name: $0.name, count: $0.name.utf8.count + $0.value.utf8.count) }
    guard sizes.allSatisfy({ $0.count <= Self.lengths[$0.name, default: 512] }),
      sizes.reduce(0, { $0 + $1.count }) <= 16_384
    else { throw parameters.refusal("invalid_request", "A parameter is longer than the server accepts") }
    guard let client, parameters.scopes.contains("openid") else {
      throw parameters.refusal("invalid_scope", "scope must contain openid")
    }
    guard parameters.codeChallenge != nil || !client.requiresPKCE else {
      throw parameters.refusal("invalid_request", "code_challenge is required")
    }
    self.client = client
    claims = ClaimsRequest(asked: parameters.claims)
  }

  /// The largest sizes in octets of parameters that may exceed 512. They are limited because they are stored while the
  /// user logs in.
  private static let lengths = [
    "claims": 4096, "id_token_hint": 8192, "redirect_uri": 2048, "scope": 2048, "state": 2048,
  ]

  /// Whether another program could get the code instead of the client, since any program can take an app's port or
  /// scheme. Then the user is asked each time (RFC 8252 §8.6).
  var isImpersonable: Bool { client.isPublic && !parameters.redirectURI.hasPrefix("https://") }

  /// The scopes and claims that a user must agree to.
  func consents(of user: User) -> [String] { parameters.scopes + claimsToAgree(of: user).map(Consent.text(ofClaim:)) }

  /// The claims that a user is asked for one by one.
  func claimsToAgree(of user: User) -> [String] {
    ReleasedClaims.namesToAgree(of: claims.names, scopes: parameters.scopes, user: user)
  }
}

extension Client {
  /// The parts that the authorization endpoint needs.
  fileprivate var authorization: OAuthAuthorizationRequest.Client {
    OAuthAuthorizationRequest.Client(
      id: id, redirectURIs: redirectURIs, scopes: scopes + (isNativeSSOEnabled ? ["device_sso"] : []),
      isPublic: isPublic, requiresPushedRequests: requiresPushedRequests, requiredContexts: requiredContexts)
  }
}
