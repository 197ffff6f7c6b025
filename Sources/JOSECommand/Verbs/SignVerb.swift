import JOSE

struct SignVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["key", "alg", "typ", "kid"])
    try arguments.requireNoOperands()
    let jwk = try KeyFile.read(arguments, console).singleKey()
    let payload = try console.readInput()
    let algorithm = try arguments.signatureAlgorithm(for: jwk)
    let token = try attempt { () throws(JOSEError) in
      let key = try SigningKey(jwk, algorithm: algorithm)
      return try JWS.sign(payload, with: key, header: HeaderParameters(type: arguments["typ"], keyID: arguments["kid"]))
    }
    console.write(token + "\n")
  }
}
