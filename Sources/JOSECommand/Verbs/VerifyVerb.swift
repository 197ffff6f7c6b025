import JOSE

struct VerifyVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["key"])
    try arguments.requireNoOperands()
    let file = try KeyFile.read(arguments, console)
    let token = try console.readToken()
    let verified = try attempt { () throws(JOSEError) in
      switch file {
      case .key(let jwk):
        return try JWS.verify(token, with: VerificationKey(jwk, algorithm: jwk.signatureAlgorithmIfUnnamed))
      case .set(let keys):
        return try JWS.verify(token, with: keys, algorithms: SignatureAlgorithm.allCases)
      }
    }
    console.write(verified.payload)
  }
}
