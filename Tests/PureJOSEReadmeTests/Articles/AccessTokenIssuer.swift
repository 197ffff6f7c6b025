import JOSE

/// Signs access tokens, and publishes the key that verifies them.
struct AccessTokenIssuer {
  let key: SigningKey

  /// - Parameter pem: a P-256 private key, PKCS#8 or SEC1.
  init(pem: String) throws {
    key = try SigningKey(pemRepresentation: pem, algorithm: .es256, keyID: "2026-11")
  }

  func token(for user: String, client: String, scope: String) throws -> String {
    let claims = JWTClaims.accessToken(
      issuer: "https://idp.example.com", audience: "https://api.example.com", subject: user, clientID: client,
      scope: scope, lifetime: .seconds(3600))
    return try JWT.sign(claims, with: key)
  }

  /// What the issuer's `jwks_uri` answers. Public members only.
  var keySet: [UInt8] {
    JWKSet([key.verificationKey.publicJWK].compactMap { $0 }).serialized()
  }
}
