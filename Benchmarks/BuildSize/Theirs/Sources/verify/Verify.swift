import JWTKit

struct Claims: JWTPayload {
  let sub: SubjectClaim
  let iss: IssuerClaim
  let aud: AudienceClaim
  let exp: ExpirationClaim

  func verify(using algorithm: some JWTAlgorithm) throws {
    try exp.verifyNotExpired()
    try aud.verifyIntendedAudience(includes: CommandLine.arguments[4])
    guard iss.value == CommandLine.arguments[3] else {
      throw JWTError.claimVerificationFailure(failedClaim: iss, reason: "another issuer")
    }
  }
}

/// usage: verify JWKS TOKEN ISSUER AUDIENCE; prints the subject.
@main
struct Verify {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let keys = try await JWTKeyCollection().add(jwksJSON: arguments[1])
    print(try await keys.verify(arguments[2], as: Claims.self).sub.value)
  }
}
