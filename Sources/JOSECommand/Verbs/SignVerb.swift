import JOSE

struct SignVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["key", "typ", "kid"])
    try arguments.requireNoOperands()
    let jwk = try KeyFile.read(arguments, console).singleKey()
    let payload = try console.readInput()
    let token = try attempt { () throws(JOSEError) in
      let key = try SigningKey(jwk, algorithm: jwk.signatureAlgorithmIfUnnamed)
      return try JWS.sign(payload, with: key, header: HeaderParameters(type: arguments["typ"], keyID: arguments["kid"]))
    }
    console.write(token + "\n")
  }
}
