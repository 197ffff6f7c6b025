import JOSE

struct AccessTokenClaims: Encodable {
  var iss = "https://idp.example.com"
  var aud = "https://api.example.com"
  let sub: String
  let iat: NumericDate
  let exp: NumericDate
}

/// Signs access tokens, and publishes the key that verifies them.
struct AccessTokenIssuer {
  let key: SigningKey

  /// - Parameter pem: a P-256 private key, PKCS#8 or SEC1.
  init(pem: String) throws {
    key = try SigningKey(pemRepresentation: pem, algorithm: .es256, keyID: "2026-11")
  }

  func token(for user: String) throws -> String {
    let now = WallClock.system.now
    let claims = AccessTokenClaims(sub: user, iat: now, exp: now.advanced(by: 300))
    return try JWT.sign(claims, with: key, type: "at+jwt")
  }

  /// What the issuer's `jwks_uri` answers. Public members only.
  var keySet: [UInt8] {
    JWKSet([key.verificationKey.publicJWK].compactMap { $0 }).serialized()
  }
}
