import JOSE

/// The sample at the top of README, whose lines stand here as they stand there.
func subjectOfFirstToken() throws -> String? {
  let key = try SigningKey.generate(.es256, keyID: "2026-11")
  let claims = JWTClaims(
    issuer: "https://idp.example.com", audience: "https://api.example.com", subject: "jane", lifetime: .seconds(300))
  let token = try JWT.sign(claims, with: key)

  let verifier = JWTVerifier(
    key: key.verificationKey, issuer: "https://idp.example.com", audience: "https://api.example.com")
  let verified = try verifier.verify(token)  // throws a JOSEError that says what is wrong with the token
  let user = verified.registeredClaims.subject
  return user
}
