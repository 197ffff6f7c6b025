import JOSE

struct SessionClaims: Codable {
  let sub: String
  let exp: NumericDate
}

/// Session tokens that one server both makes and reads.
struct SessionTokens: Sendable {
  let key: SigningKey
  let verifier: JWTVerifier

  /// - Parameter secret: at least 32 octets from a random generator; a password is refused when it is shorter.
  init(secret: [UInt8]) throws {
    key = try SigningKey(secret: secret, algorithm: .hs256)
    verifier = JWTVerifier(
      key: key.verificationKey, policy: JWTPolicy(issuer: .notChecked, audience: .absent))
  }

  func token(for user: String) throws -> String {
    let claims = SessionClaims(sub: user, exp: WallClock.system.now.advanced(by: .seconds(3600)))
    return try JWT.sign(claims, with: key)
  }

  func user(of token: String) throws -> String {
    try verifier.verify(token, as: SessionClaims.self).claims.sub
  }
}
