import JOSE

/// A resource server that takes access tokens of one authorization server.
struct Orders {
  let verifier: RemoteJWTVerifier

  init(send: @escaping HTTPTransport) {
    let issuer = "https://idp.example.com"
    verifier = RemoteJWTVerifier(
      keys: RemoteKeySet(issuer: issuer, metadata: .oauth, transport: send), algorithms: [.es256, .ed25519],
      policy: .accessToken(issuer: issuer, audience: "https://orders.example.com"))
  }

  func subject(of token: String) async throws -> String? {
    try await verifier.verify(token).registeredClaims.subject
  }
}

/// The last step of a login with Google.
struct GoogleLogin {
  let keys: RemoteKeySet
  let clientID: String

  func account(of idToken: String, nonce: String) async throws -> String? {
    let policy = JWTPolicy.idToken(from: .google(), clientID: clientID, answering: IDTokenRequest(nonce: nonce))
    let verifier = RemoteJWTVerifier(keys: keys, algorithms: [.rs256], policy: policy)
    return try await verifier.verify(idToken).registeredClaims.subject
  }
}

/// The authorization server's side.
struct AccessTokens {
  let key: SigningKey

  func token(for user: String, client: String) throws -> String {
    let claims = JWTClaims.accessToken(
      issuer: "https://idp.example.com", audience: "https://orders.example.com", subject: user, clientID: client,
      scope: "orders", lifetime: .seconds(600))
    return try JWT.sign(claims, with: key)
  }
}
