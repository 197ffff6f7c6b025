import JOSE

struct UserClaims: Codable {
  let sub: String
  let admin: Bool
  let exp: NumericDate
}

/// Tokens that one service makes and another reads.
struct UserTokens {
  let key: SigningKey
  let verifier: JWTVerifier

  init(privateKeyPEM: String, publicKeyPEM: String) throws {
    key = try SigningKey(pemRepresentation: privateKeyPEM, algorithm: .rs256, keyID: "KeyID1")
    verifier = JWTVerifier(
      key: try VerificationKey(pemRepresentation: publicKeyPEM, algorithm: .rs256),
      policy: JWTPolicy(issuer: .notChecked, audience: .absent, leeway: .seconds(10)))
  }

  func token(for user: String, admin: Bool) throws -> String {
    let claims = UserClaims(sub: user, admin: admin, exp: WallClock.system.now.advanced(by: .seconds(3600)))
    return try JWT.sign(claims, with: key)
  }

  func claims(of token: String) throws -> UserClaims {
    try verifier.verify(token, as: UserClaims.self).claims
  }
}
