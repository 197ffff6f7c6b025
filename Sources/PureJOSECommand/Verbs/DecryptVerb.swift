import JOSE

struct DecryptVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(
      arguments,
      options: [
        "key", "apu", "apv", "inflate", "max-size", "verify-key", "verify-alg", "password-file",
        "max-work", "max-lifetime",
      ] + SharedOfHPKE.options,
      repeatable: ["alg"])
    let file = try KeyFile.read(arguments, console)
    if case .key = file, arguments.values("alg").count > 1 { throw .usage("several --alg go with a key set") }
    let parties = AgreedParties(partyUInfo: try arguments.octets("apu"), partyVInfo: try arguments.octets("apv"))
    var limits = Limits.default
    try limits.raise(arguments)
    limits.decompressedByteCount = try arguments.number("inflate")
    let verifier = try innerVerifier(arguments, limits)
    let token = try console.readToken(arguments, upTo: .message(limits))
    let keys = try DecryptionKeys(file, arguments, SharedOfHPKE(arguments, console))
    console.write(
      try attempt(upTo: limits) {
        if let verifier { return try keys.verifyNested(token, verifier).claims.serialized() + [0x0A] }
        return try keys.decrypt(token, parties, limits)
      })
  }

  /// What the signed token inside has to satisfy, if a key for it is named: a signature, and times that fit now.
  private func innerVerifier(_ arguments: Arguments, _ limits: Limits) throws(CommandFailure) -> JWTVerifier? {
    guard arguments["verify-key"] != nil else {
      guard arguments["verify-alg"] == nil, arguments["max-lifetime"] == nil else {
        throw .usage("--verify-alg and --max-lifetime go with --verify-key")
      }
      return nil
    }
    guard arguments["apu"] == nil, arguments["apv"] == nil else {
      throw .usage("--apu and --apv do not go with --verify-key")
    }
    var policy = JWTPolicy(
      issuer: .notChecked, audience: .notChecked, type: .notChecked, requiredClaims: [], limits: limits)
    try policy.raise(arguments)
    switch try KeyFile.read(arguments, console, option: "verify-key") {
    case .set(let keys):
      guard arguments["verify-alg"] == nil else { throw .usage("--verify-alg goes with a single key") }
      return JWTVerifier(keys: keys, algorithms: SignatureAlgorithm.allCases, policy: policy)
    case .key(let jwk):
      let algorithm = try arguments.signatureAlgorithm(for: jwk, option: "verify-alg")
      return try attempt { JWTVerifier(key: try VerificationKey(jwk, orNamed: algorithm), policy: policy) }
    }
  }
}

/// What `--key` opens with. Passwords are taken only where they are named.
private enum DecryptionKeys {
  case key(DecryptionKey)
  case set(JWKSet, [KeyManagementAlgorithm])

  private static let contentEncryption = ContentEncryptionAlgorithm.allCases

  init(_ file: KeyFile, _ arguments: Arguments, _ shared: SharedOfHPKE?) throws(CommandFailure) {
    switch file {
    case .set(let keys):
      guard shared == nil else { throw .usage("--info and --psk go with a single key") }
      self = .set(keys, try arguments.keyManagementAlgorithms())
    case .key(let jwk):
      let algorithm = try arguments.keyManagementAlgorithm(for: jwk)
      self = .key(
        try attempt {
          let key = try DecryptionKey(jwk, algorithm: algorithm)
          return try shared?.bound(key) ?? key
        })
    }
  }

  func decrypt(_ token: String, _ parties: AgreedParties, _ limits: Limits) throws(JOSEError) -> [UInt8] {
    switch self {
    case .key(let key):
      token.isJSONSerialization
        ? try JWE.decryptJSON(
          token, with: key, contentEncryption: Self.contentEncryption, agreedParties: parties, limits: limits
        ).plaintext
        : try JWE.decrypt(
          token, with: key, contentEncryption: Self.contentEncryption, agreedParties: parties, limits: limits
        ).plaintext
    case .set(let keys, let algorithms):
      token.isJSONSerialization
        ? try JWE.decryptJSON(
          token, with: keys, keyManagement: algorithms, contentEncryption: Self.contentEncryption,
          agreedParties: parties, limits: limits
        ).plaintext
        : try JWE.decrypt(
          token, with: keys, keyManagement: algorithms, contentEncryption: Self.contentEncryption,
          agreedParties: parties, limits: limits
        ).plaintext
    }
  }

  func verifyNested(_ token: String, _ verifier: JWTVerifier) throws(JOSEError) -> VerifiedJWT<JSONObject> {
    switch self {
    case .key(let key):
      try NestedJWTVerifier(
        decryptionKey: key, contentEncryption: Self.contentEncryption, verifier: verifier
      ).verify(token)
    case .set(let keys, let algorithms):
      try NestedJWTVerifier(
        decryptionKeys: keys, keyManagement: algorithms, contentEncryption: Self.contentEncryption,
        verifier: verifier
      ).verify(token)
    }
  }
}
