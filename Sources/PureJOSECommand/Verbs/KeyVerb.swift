import JOSE
import PureCrypto

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
    case let other:
      throw .unknownWord(other, after: "key", among: ["generate", "public", "thumbprint", "pem", "import"])
    }
  }

  private func generate(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["alg", "crv", "kid", "size", "output"])
    try arguments.requireNoOperands()
    let name = try arguments.required("alg")
    let curve = try arguments.agreementCurve()
    var key: JWK
    if let bitCount = try arguments.number("size") {
      guard curve == nil else { throw .usage("--size and --crv belong to keys of different types") }
      key = try Self.generate(name, bitCount: bitCount)
    } else if let algorithm = KeyManagementAlgorithm(name: name), algorithm != .dir, !algorithm.usesPassword {
      key = try attempt { try JWK.generate(algorithm, curve: curve) }
    } else if curve != nil {
      throw .usage("--crv belongs to a key for agreement (ECDH-ES)")
    } else if let algorithm = SignatureAlgorithm(name: name) {
      key = JWK.generate(algorithm)
    } else if let algorithm = ContentEncryptionAlgorithm(name: name) {
      key = JWK.generate(algorithm)
    } else {
      throw .notImplemented("algorithm", name, among: CompletionVerb.keyAlgorithms)
    }
    key.keyID = arguments["kid"]
    try arguments.write(key.serializedWithPrivateKey() + [0x0A], console)
  }

  /// A key whose length the algorithm leaves open: of RSA, or a secret of HMAC.
  private static func generate(_ name: String, bitCount: Int) throws(CommandFailure) -> JWK {
    let signature = SignatureAlgorithm(name: name)
    let isHMAC = signature.map { [.hs256, .hs384, .hs512].contains($0) } ?? false
    if isHMAC {
      guard bitCount & 7 == 0, bitCount <= 8192 else {
        throw .usage("--size of a secret is a multiple of 8, up to 8192")
      }
      let key = JWK(.octets(.random(count: bitCount / 8)), algorithm: name, use: "sig")
      // Whether it is long enough, and, with next to no chance, whether it looks like a key file.
      _ = try attempt { try SigningKey(key) }
      return key
    }
    let isRSA = name.hasPrefix("RS") || name.hasPrefix("PS")
    guard isRSA, signature != nil || KeyManagementAlgorithm(name: name) != nil else {
      throw .usage("--size belongs to a key of RSA or HMAC")
    }
    guard let key = try? AnyRSAPrivateKey(bitCount: bitCount) else {
      throw .usage("--size of RSA is 2048, 3072 or 4096")
    }
    return JWK(.privateKey(.rsa(key)), algorithm: name, use: signature == nil ? "enc" : "sig")
  }

  private func showPublic(_ arguments: [String]) throws(CommandFailure) {
    let key = try readKey(Arguments(arguments, options: []))
    console.write(try attempt { try key.serialized() } + [0x0A])
  }

  private func thumbprint(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["hash"], flags: ["uri"])
    guard arguments.has("uri") || arguments["hash"] == nil else { throw .usage("--hash goes with --uri") }
    let name = WireName(arguments["hash"] ?? "sha-256")
    guard let hash = ThumbprintHash.allCases.first(where: { $0.name == name }) else {
      throw .usage("--hash is sha-256, sha-384 or sha-512")
    }
    let key = try readKey(arguments)
    if arguments.has("uri") {
      return console.write(try attempt { try key.thumbprintURI(hash) } + "\n")
    }
    let thumbprint =
      key.keyType == .oct ? key.secretKeyThumbprint() : try attempt { try key.thumbprint() }
    console.write(thumbprint + "\n")
  }

  /// A JWK to PEM: the public half unless the private one is asked for.
  private func showPEM(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["output"], flags: ["private"])
    let key = try readKey(arguments)
    let text = arguments.has("private") ? key.privatePEMRepresentation : key.publicPEMRepresentation
    guard let text else { throw .invalid("keyMismatch: the key has no such PEM") }
    try arguments.write(Array(text.utf8), console)
  }

  /// A key or certificate in PEM or DER to a JWK.
  private func importKey(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: ["alg", "kid", "password-file", "output"])
    let password = try console.password(of: arguments)
    let input = try console.inputText(of: arguments)
    guard !input.isPKCS12 else {
      throw .invalid(
        "malformed: the file is PKCS#12, which is not read: openssl pkcs12 -in FILE -nodes -out key.pem makes PEM of it"
      )
    }
    var key = try attempt {
      guard let password else { return try JWK(file: input) }
      return try JWK(encryptedFile: input, password: password)
    }
    key.keyID = arguments["kid"]
    if let name = arguments["alg"] {
      key.algorithm = name
      try key.requireFit(for: name)
    } else if key.keyType == .akp, key.algorithm == nil {
      throw .usage("a key of ML-KEM is for one algorithm, which its file doesn't name: --alg HPKE-12, or another")
    }
    try arguments.write(key.serializedWithPrivateKey() + [0x0A], console)
  }

  private func readKey(_ arguments: Arguments) throws(CommandFailure) -> JWK {
    let input = try console.inputText(of: arguments)
    return try attempt { try JWK(parsing: input) }
  }
}

extension Arguments {
  /// The curve that `--crv` names.
  fileprivate func agreementCurve() throws(CommandFailure) -> Curve? {
    guard let name = self["crv"] else { return nil }
    guard let curve = Curve(name: name) else {
      throw .notImplemented("curve", name, among: CompletionVerb.agreementCurves)
    }
    return curve
  }
}

extension JWK {
  /// Reads PEM or DER of a key, or of a certificate, which then stands in `x5c` beside its thumbprint.
  fileprivate init(file octets: [UInt8]) throws(JOSEError) {
    let text = octets.isOneDERSequence ? nil : String(decoding: octets, as: UTF8.self)
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

  /// Reads PEM or DER of an encrypted private key.
  fileprivate init(encryptedFile octets: [UInt8], password: [UInt8]) throws(JOSEError) {
    if octets.isOneDERSequence {
      try self.init(encryptedDERRepresentation: octets, password: password)
    } else {
      try self.init(encryptedPEMRepresentation: String(decoding: octets, as: UTF8.self), password: password)
    }
  }

  /// Requires an algorithm that is implemented and that a key of this kind can have.
  fileprivate func requireFit(for name: String) throws(CommandFailure) {
    let isPrivate = isPrivate
    if let algorithm = SignatureAlgorithm(name: name) {
      try attempt {
        if isPrivate {
          _ = try SigningKey(self, algorithm: algorithm)
        } else {
          _ = try VerificationKey(self, algorithm: algorithm)
        }
      }
    } else if let algorithm = KeyManagementAlgorithm(name: name) {
      try attempt {
        if isPrivate {
          _ = try DecryptionKey(self, algorithm: algorithm)
        } else {
          _ = try EncryptionKey(self, algorithm: algorithm)
        }
      }
    } else {
      throw .notImplemented("algorithm", name, among: CompletionVerb.keyAlgorithms)
    }
  }
}
