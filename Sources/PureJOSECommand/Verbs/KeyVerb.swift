import JOSE

struct KeyVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "generate": try generate(rest)
    case "public": try showPublic(rest)
    case "thumbprint": try thumbprint(rest)
    case "pem": try showPEM(rest)
    case "import": try importKey(rest)
    default: throw .usage("key needs generate, public, thumbprint, pem or import")
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
    let key = try readKey(Arguments(arguments, options: []))
    console.write(try attempt { () throws(JOSEError) in try key.serialized() } + [0x0A])
  }

  private func thumbprint(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: [], flags: ["uri"])
    let key = try readKey(arguments)
    if arguments.has("uri") {
      return console.write(try attempt { () throws(JOSEError) in try key.thumbprintURI() } + "\n")
    }
    let thumbprint =
      key.keyType == .oct ? key.secretKeyThumbprint() : try attempt { () throws(JOSEError) in try key.thumbprint() }
    console.write(thumbprint + "\n")
  }

  /// A JWK to PEM: the public half unless the private one is asked for.
  private func showPEM(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: [], flags: ["private"])
    let key = try readKey(arguments)
    let text = arguments.has("private") ? key.privatePEMRepresentation : key.publicPEMRepresentation
    guard let text else { throw .invalid("keyMismatch: the key has no such PEM") }
    console.write(text)
  }

  /// A key or certificate in PEM or DER to a JWK.
  private func importKey(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["alg", "kid"])
    try arguments.requireNoOperands()
    let input = try console.readInput()
    var key = try attempt { () throws(JOSEError) in try JWK(file: input) }
    key.algorithm = arguments["alg"]
    key.keyID = arguments["kid"]
    console.write(key.serializedWithPrivateKey() + [0x0A])
  }

  private func readKey(_ arguments: Arguments) throws(CommandFailure) -> JWK {
    try arguments.requireNoOperands()
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

extension JWK {
  /// Reads PEM or DER of a key, or of a certificate, which then stands in `x5c` beside its thumbprint.
  fileprivate init(file octets: [UInt8]) throws(JOSEError) {
    let text = String(validating: octets, as: UTF8.self)
    let certificate =
      if let text { try? LeafCertificate(pemRepresentation: text) } else {
        try? LeafCertificate(derRepresentation: octets)
      }
    if let certificate {
      self = certificate.publicKey
      otherMembers = [
        "x5c": [.string(Base64.encode(certificate.derRepresentation))],
        "x5t#S256": .string(certificate.sha256Thumbprint),
      ]
    } else if let text {
      try self.init(pemRepresentation: text)
    } else {
      try self.init(derRepresentation: octets)
    }
  }
}
