import JOSE

struct VerifyVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["key", "alg"])
    try arguments.requireNoOperands()
    let file = try KeyFile.read(arguments, console)
    let token = try console.readToken()
    switch file {
    case .key(let jwk):
      let algorithm = try arguments.signatureAlgorithm(for: jwk)
      let verified = try attempt { () throws(JOSEError) in
        try JWS.verify(token, with: VerificationKey(jwk, algorithm: algorithm))
      }
      console.write(verified.payload)
    case .set(let keys):
      guard arguments["alg"] == nil else { throw .usage("--alg goes with a single key") }
      let verified = try attempt { () throws(JOSEError) in
        try JWS.verify(token, with: keys, algorithms: SignatureAlgorithm.allCases)
      }
      console.write(verified.payload)
    }
  }
}
