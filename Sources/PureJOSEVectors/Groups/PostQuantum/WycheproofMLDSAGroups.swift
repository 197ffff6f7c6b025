import PureCrypto

/// Wycheproof's exact signatures from a seed: deterministic ones, and with given randomness or a given µ.
struct WycheproofMLDSASignGroup: VectorGroup {
  private let parameterSet: MLDSAParameterSet
  private let seed: [UInt8]
  private let publicKey: [UInt8]?
  private let privateKeyFile: [UInt8]?

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    parameterSet = try MLDSAParameterSet(named: file.algorithm)
    seed = try group.octets("privateSeed")
    // Null beside a seed of a wrong length.
    publicKey = try group.value("publicKey").isNull ? nil : try group.octets("publicKey")
    privateKeyFile = try group.octets(ifPresent: "privateKeyPkcs8")
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let context = try test.octets(ifPresent: "ctx") ?? []
    let message = try test.octets(ifPresent: "msg")
    let mu = try test.octets(ifPresent: "mu")
    let randomness = try test.octets(ifPresent: "rnd") ?? [UInt8](repeating: 0, count: 32)
    let signature = try test.octets("sig")
    let key = try MLDSASigningKey(parameterSet, seed: SecretBytes(copying: seed))
    guard key.publicKey.rawRepresentation == publicKey else { return .wrong("the public key differs") }
    if let privateKeyFile {
      guard try MLDSASigningKey(derRepresentation: privateKeyFile).publicKey == key.publicKey,
        key.derRepresentation.withUnsafeBytes({ $0.elementsEqual(privateKeyFile) }),
        try MLDSASigningKey(pemRepresentation: key.pemRepresentation).publicKey == key.publicKey
      else { return .wrong("the key file differs") }
    }
    let ownMu = try message.map { try key.publicKey.externalMu(for: $0, context: context) }
    guard let digest = ownMu ?? mu else { throw VectorFault.malformed("msg and mu are missing") }
    if let mu, mu != digest { return .wrong("µ differs") }
    let made = try key.signature(externalMu: digest, randomness: SecretBytes(copying: randomness))
    if let message {
      guard key.publicKey.isValidSignature(made, for: message, context: context) else {
        return .wrong("does not verify")
      }
    }
    return .accepted(if: made == signature, otherwise: "the signature differs")
  }
}

/// Wycheproof's signatures, right and wrong ones.
struct WycheproofMLDSAVerifyGroup: VectorGroup {
  private let parameterSet: MLDSAParameterSet
  private let publicKey: [UInt8]
  private let publicKeyFile: [UInt8]

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    parameterSet = try MLDSAParameterSet(named: file.algorithm)
    publicKey = try group.octets("publicKey")
    publicKeyFile = try group.octets("publicKeyDer")
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let (message, context) = (try test.octets("msg"), try test.octets(ifPresent: "ctx") ?? [])
    let signature = try test.octets("sig")
    let key = try MLDSAVerificationKey(parameterSet, rawRepresentation: publicKey)
    guard key.rawRepresentation == publicKey, key.derRepresentation == publicKeyFile,
      try MLDSAVerificationKey(derRepresentation: publicKeyFile) == key,
      try MLDSAVerificationKey(pemRepresentation: key.pemRepresentation) == key
    else { return .wrong("the key is written in another way") }
    return .accepted(if: key.isValidSignature(signature, for: message, context: context))
  }
}

/// Keys and deterministic signatures of the empty message for many seeds, and a digest of them, as C2SP's CCTV has it.
struct MLDSAAccumulatedGroup: VectorGroup {
  private let parameterSet: MLDSAParameterSet

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    parameterSet = try MLDSAParameterSet(named: try group.string("parameterSet"))
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let count = try test.integer("count")
    let digest = try test.octets("digest")
    guard (1...10_000).contains(count) else { throw VectorFault.malformed("member count is out of range") }
    return .accepted(if: try parameterSet.accumulatedDigest(count: count) == digest, otherwise: "the digest differs")
  }
}

extension MLDSAParameterSet {
  init(named name: String) throws(VectorFault) {
    switch name {
    case "ML-DSA-44": self = .mlDSA44
    case "ML-DSA-65": self = .mlDSA65
    case "ML-DSA-87": self = .mlDSA87
    default: throw .notImplemented(name)
    }
  }

  /// SHAKE128 of public keys and signatures, whose seeds are SHAKE128 of nothing.
  func accumulatedDigest(count: Int) throws(CryptoError) -> [UInt8] {
    let seeds = SHAKE.shake128.output(byteCount: 32 * count)
    var accumulated = SHAKE.shake128
    for start in stride(from: 0, to: seeds.count, by: 32) {
      let key = try MLDSASigningKey(self, seed: SecretBytes(copying: seeds[start..<(start + 32)]))
      accumulated.update(key.publicKey.rawRepresentation)
      accumulated.update(try key.signature(for: [], deterministically: true))
    }
    return accumulated.output(byteCount: 32)
  }
}
