import JOSE

struct Claims: Decodable {
  let sub: String
}

/// usage: verify JWKS TOKEN ISSUER AUDIENCE; prints the subject.
@main
struct Verify {
  static func main() throws {
    let arguments = CommandLine.arguments
    let verifier = JWTVerifier(
      keys: try JWKSet(parsing: arguments[1]), algorithms: [.es256], issuer: arguments[3], audience: arguments[4])
    print(try verifier.verify(arguments[2], as: Claims.self).claims.sub)
  }
}
