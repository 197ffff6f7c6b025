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
      var client = RegisteredClient(
        id: id, authentication: .assertion(SingleUseJWTVerifier(verifier, records: records)), isNative: false)
      client.machineScopes = ["orders"]
      return client
    }
    var policy = ProviderPolicy()
    (policy.hasUsers, policy.machineAudience) = (false, [resource])
    policy.rotation.accessTokenLifetime = .seconds(300)
    var provider = try OpenIDProvider(
      issuer: issuer, keys: IssuerKeys(signing: key), clients: StaticClientDirectory(registered),
      sessions: SessionRecords(),
      refreshTokens: RefreshTokenFormat(key: (0..<32).map { _ in .random(in: .min ... .max) }),
      records: records, policy: policy)
    provider.proofs = DPoPVerifier(algorithms: [.es256, .ed25519], records: records)
    self.provider = provider
  }

  func addRoutes(to router: Router<BasicRequestContext>) {
    ProviderRoutes(provider).add(to: router) { _, _ in "" }
  }
}
