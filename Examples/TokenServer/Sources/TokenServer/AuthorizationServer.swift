import Hummingbird
import JOSE
import JOSEHummingbird
import OpenIDKit

/// Issues access tokens to clients that authenticate with registered keys.
struct AuthorizationServer: Sendable {
  let provider: OpenIDProvider

  /// - Parameters:
  ///   - key: signs the tokens.
  ///   - resource: the resource server that the tokens are for.
  ///   - clients: the keys that each client has registered.
  init(issuer: String, key: SigningKey, resource: String, clients: [String: JWKSet]) throws {
    let records = MemoryRecordStore()
    let registered = clients.map { id, keys in
      // The client makes an assertion, for this server, just now, and once.
      let policy = JWTPolicy.clientAssertion(clientID: id, audience: [issuer])
      let verifier = JWTVerifier(keys: keys, algorithms: [.es256], policy: policy)
      return RegisteredClient(
        id: id, authentication: .assertion(SingleUseJWTVerifier(verifier, records: records)), isNative: false)
    }
    var policy = ProviderPolicy()
    policy.hasUsers = false
    var provider = try OpenIDProvider(
      issuer: issuer, keys: IssuerKeys(signing: key), clients: StaticClientDirectory(registered),
      sessions: SessionRecords(),
      refreshTokens: RefreshTokenFormat(key: (0..<32).map { _ in .random(in: .min ... .max) }),
      records: records, policy: policy)
    provider.proofs = DPoPVerifier(algorithms: [.es256, .ed25519], records: records)
    provider.grants = [
      TokenEndpoint.Grant("client_credentials") { request in
        try Self.tokens(for: request.client, from: issuer, to: resource, with: key)
      }
    ]
    self.provider = provider
  }

  /// An access token, bound to the key of the request's proof if there is one.
  private static func tokens(
    for client: AuthenticatedClient, from issuer: String, to resource: String, with key: SigningKey
  ) throws(JOSEError) -> TokenAnswer {
    var claims = JWTClaims.accessToken(
      issuer: issuer, audience: [resource], subject: client.id, clientID: client.id, scope: "orders",
      lifetime: .seconds(300))
    if let thumbprint = client.confirmation { try claims.set("cnf", to: ["jkt": thumbprint]) }
    return TokenAnswer(
      accessToken: try JWT.sign(claims, with: key), tokenType: client.confirmation == nil ? "Bearer" : "DPoP",
      expiresIn: .seconds(300), scope: "orders")
  }

  func addRoutes(to router: Router<BasicRequestContext>) {
    ProviderRoutes(provider).add(to: router) { _, _ in "" }
  }
}
