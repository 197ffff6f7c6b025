import JOSE

struct KeyVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "generate": try generate(rest)
    case "public": try showPublic(rest)
    case "thumbprint": try thumbprint(rest)
    default: throw .usage("key needs generate, public or thumbprint")
    }
  }

  private func generate(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["alg", "crv", "kid"])
    try arguments.requireNoOperands()
    let name = try arguments.required("alg")
    let keyID = arguments["kid"]
    let curve = try arguments.agreementCurve()
    let key: JWK
    if let algorithm = KeyManagementAlgorithm(name: name), algorithm != .dir, !algorithm.usesPassword {
      key = try attempt { () throws(JOSEError) in try JWK.generate(algorithm, curve: curve, keyID: keyID) }
    } else if curve != nil {
      throw .usage("--crv belongs to a key for agreement (ECDH-ES)")
    } else if let algorithm = SignatureAlgorithm(name: name) {
      key = JWK.generate(algorithm, keyID: keyID)
    } else if let algorithm = ContentEncryptionAlgorithm(name: name) {
      key = JWK.generate(algorithm, keyID: keyID)
    } else {
      throw .usage("no key can be generated for this algorithm")
    }
    console.write(key.serializedWithPrivateKey() + [0x0A])
  }

  private func showPublic(_ arguments: [String]) throws(CommandFailure) {
    let key = try readKey(arguments)
    console.write(try attempt { () throws(JOSEError) in try key.serialized() } + [0x0A])
  }

  private func thumbprint(_ arguments: [String]) throws(CommandFailure) {
    let key = try readKey(arguments)
    let thumbprint =
      key.keyType == .oct ? key.secretKeyThumbprint() : try attempt { () throws(JOSEError) in try key.thumbprint() }
    console.write(thumbprint + "\n")
  }

  private func readKey(_ arguments: [String]) throws(CommandFailure) -> JWK {
    try Arguments(arguments, options: []).requireNoOperands()
    let input = try console.readInput()
    return try attempt { () throws(JOSEError) in try JWK(parsing: input) }
  }
}

extension Arguments {
  /// The curve that `--crv` names.
  fileprivate func agreementCurve() throws(CommandFailure) -> Curve? {
    guard let name = self["crv"] else { return nil }
    guard let curve = Curve(name: name) else { throw .usage("the curve is not implemented") }
    return curve
  }
}
