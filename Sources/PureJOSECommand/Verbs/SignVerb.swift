import JOSE

struct SignVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments, options: ["alg", "typ", "cty", "kid", "serialization", "max-size", "password-file"],
      repeatable: ["key"],
      flags: ["detached", "unencoded"])
    try arguments.requireAtMostOneOperand()
    let keys = try KeyFile.readAll(arguments, console)
    let serialization = try arguments.serialization(keyCount: keys.count)
    let header = HeaderParameters(
      type: arguments["typ"], contentType: arguments["cty"], keyID: arguments["kid"])
    let isDetached = arguments.has("detached")
    let encoding: JWSPayloadEncoding = arguments.has("unencoded") ? .unencoded : .base64url
    guard encoding == .base64url || serialization != nil || isDetached else {
      throw .usage("a compact token takes --unencoded with --detached only")
    }
    var signers: [JWSSigner] = []
    for jwk in keys {
      let algorithm = try arguments.signatureAlgorithm(for: jwk)
      signers.append(
        try attempt { JWSSigner(key: try SigningKey(jwk, orNamed: algorithm), header: header) })
    }
    let payload = try console.input(of: arguments, upTo: .payload(arguments))
    let signed = try attempt {
      if let serialization {
        return try JWS.signJSON(
          payload, with: signers, serialization: serialization, isDetached: isDetached, encoding: encoding)
      }
      return isDetached
        ? try JWS.signDetached(payload, with: signers[0].key, header: header, encoding: encoding)
        : try JWS.sign(payload, with: signers[0].key, header: header)
    }
    console.write(signed + "\n")
  }
}
