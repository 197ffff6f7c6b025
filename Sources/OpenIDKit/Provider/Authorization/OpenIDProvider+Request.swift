import JOSE
import StrictJSON

extension OpenIDProvider {
  /// An authorization request whose client and redirect URI are registered, and which the provider answers.
  ///
  /// - Throws: `OAuthAuthorizationRequest.Refusal`, and what the directory of clients throws.
  package func authorizationRequest(
    _ fields: FormFields, isPushed: Bool
  ) async throws -> (asked: OAuthAuthorizationRequest, client: RegisteredClient) {
    var client: RegisteredClient?
    if let id = fields.values("client_id").first(where: { !$0.isEmpty }) { client = try await clients.client(id: id) }
    let asked = try OAuthAuthorizationRequest(fields, of: client, isPushed: isPushed)
    let sizes = fields.fields.map { (name: $0.name, count: $0.name.utf8.count + $0.value.utf8.count) }
    guard sizes.allSatisfy({ $0.count <= Self.lengths[WireName($0.name), default: 512] }),
      sizes.reduce(0, { $0 + $1.count }) <= 16_384
    else { throw asked.refusal("invalid_request", "A parameter is longer than the server accepts") }
    guard let client, policy.accepts(asked.scopes) else {
      throw asked.refusal("invalid_scope", "scope must contain openid")
    }
    return (asked, client)
  }

  /// The largest sizes in octets of parameters that may exceed 512. They are limited because they are stored while the
  /// user logs in.
  private static let lengths: [WireName: Int] = [
    "claims": 4096, "id_token_hint": 8192, "redirect_uri": 2048, "scope": 2048, "state": 2048,
  ]

  /// The subject of an ID token of this provider; nil for any other text.
  func subject(ofHint hint: String?) -> String? {
    guard let hint else { return nil }
    let verifier = JWTVerifier(
      keys: keys.verification, algorithms: keys.algorithms, policy: .idTokenHint(issuer: issuer, clock: clock))
    return (try? verifier.verify(hint))?.registeredClaims.subject
  }
}
