import JOSE

/// Knows the clients of an authorization server by the tokens that they sign (`private_key_jwt`).
struct ClientAuthentication {
  /// The keys that each client has registered.
  let keys: [String: JWKSet]
  let records = MemoryRecordStore()

  /// Throws unless the client made the assertion, for this server, just now, and for the first time.
  func authenticate(_ clientID: String, assertion: String) async throws {
    let policy = JWTPolicy.clientAssertion(clientID: clientID, audience: ["https://idp.example.com"])
    let verifier = JWTVerifier(keys: keys[clientID] ?? JWKSet([]), algorithms: [.es256], policy: policy)
    _ = try await SingleUseJWTVerifier(verifier, records: records).verify(assertion)
  }
}
