import PureCrypto

/// Wycheproof's exact signatures from a seed: deterministic ones, and with given randomness or a given µ.
struct WycheproofMLDSASignGroup: VectorGroup {
  private let parameterSet: MLDSAParameterSet
  private let seed: [UInt8]?
  private let publicKey: [UInt8]?
  private let privateKeyFile: [UInt8]?
  private static let noSeed = VectorFault.notImplemented("an ML-DSA private key without its seed")

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    parameterSet = try MLDSAParameterSet(named: file.algorithm)
    seed = try group.octets(ifPresent: "privateSeed")
    guard seed != nil || !group.has("privateKey") else {
      throw Self.noSeed
    }
    // Null beside a seed of a wrong length.
    publicKey = try group.value(ifPresent: "publicKey")?.isNull != false ? nil : group.octets("publicKey")
    privateKeyFile = try group.octets(ifPresent: "privateKeyPkcs8")
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let context = try test.octets(ifPresent: "ctx") ?? []
    let message = try test.octets(ifPresent: "msg")
    let mu = try test.octets(ifPresent: "mu")
    let randomness = try test.mlDSARandomness("rnd", or: "randomness")
    let signature = try test.octets("sig")
    // Some files have the key in each test, and its expanded form beside the seed.
    guard seed != nil || test.has("privateSeed") || !test.has("privateKey") else { throw Self.noSeed }
    let seed = try seed ?? test.octets("privateSeed")
    let publicKey = try test.octets(ifPresent: "publicKey") ?? publicKey
    let expanded = try test.octets(ifPresent: "privateKey")
    let key = try MLDSASigningKey(parameterSet, seed: SecretBytes(copying: seed))
    guard publicKey == nil || key.publicKey.rawRepresentation == publicKey else {
      return .wrong("the public key differs")
    }
    guard expanded == nil || key.expandedRepresentation.octets == expanded else {
      return .wrong("the expanded key differs")
    }
    if let privateKeyFile {
      guard try MLDSASigningKey(derRepresentation: privateKeyFile).publicKey == key.publicKey,
        key.derRepresentation.octets == privateKeyFile,
        try MLDSASigningKey(pemRepresentation: key.pemRepresentation).publicKey == key.publicKey
      else { return .wrong("the key file differs") }
    }
    let digest = try key.publicKey.digest(of: message, context: context, stated: mu)
    let made = try key.signature(externalMu: digest, randomness: SecretBytes(copying: randomness))
    if let message {
      guard key.publicKey.isValidSignature(made, for: message, context: context) else {
        return .wrong("does not verify")
      }
    }
    return .accepted(if: made == signature, otherwise: "the signature differs")
  }
}

/// Wycheproof's signatures, right and wrong ones, of messages or of their digests.
struct WycheproofMLDSAVerifyGroup: VectorGroup {
  private let parameterSet: MLDSAParameterSet
  private let publicKey: [UInt8]
  private let publicKeyFile: [UInt8]?

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    parameterSet = try MLDSAParameterSet(named: file.algorithm)
    publicKey = try group.octets("publicKey")
    publicKeyFile = try group.octets(ifPresent: "publicKeyDer")
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let (message, context) = (try test.octets(ifPresent: "msg"), try test.octets(ifPresent: "ctx") ?? [])
    let (mu, signature) = (try test.octets(ifPresent: "mu"), try test.octets("sig"))
    let key = try MLDSAVerificationKey(parameterSet, rawRepresentation: publicKey)
    guard key.rawRepresentation == publicKey, try MLDSAVerificationKey(pemRepresentation: key.pemRepresentation) == key
    else { return .wrong("the key is written in another way") }
    if let publicKeyFile {
      guard key.derRepresentation == publicKeyFile, try MLDSAVerificationKey(derRepresentation: publicKeyFile) == key
      else { return .wrong("the key is written in another way") }
    }
    let digest = try key.digest(of: message, context: context, stated: mu)
    let isValid = key.isValidSignature(signature, externalMu: digest)
    if let message, key.isValidSignature(signature, for: message, context: context) != isValid {
      return .wrong("the message and its digest don't come to the same")
    }
    return .accepted(if: isValid)
  }
}

extension MLDSAVerificationKey {
  /// µ of a message, or the µ that stands in its place; both must be the same.
  fileprivate func digest(of message: [UInt8]?, context: [UInt8], stated: [UInt8]?) throws -> [UInt8] {
    let own = try message.map { try externalMu(for: $0, context: context) }
    guard let digest = own ?? stated else { throw VectorFault.malformed("msg and mu are missing") }
    guard stated == nil || stated == digest else { throw VectorFault.malformed("mu is not that of msg") }
    return digest
  }
}

extension MemberReader {
  /// The randomness of a signature, from whichever of its names is there; otherwise the zeros of a deterministic one.
  func mlDSARandomness(_ name: String, or other: String? = nil) throws(VectorFault) -> [UInt8] {
    var randomness = try octets(ifPresent: name)
    if let other, randomness == nil { randomness = try octets(ifPresent: other) }
    guard let randomness else { return [UInt8](repeating: 0, count: 32) }
    guard randomness.count == 32 else { throw .malformed("member \(name) is not 32 octets long") }
    return randomness
  }
}

/// Keys and deterministic signatures of the empty message for many seeds, and a digest of them, as C2SP's CCTV has it.
struct MLDSAAccumulatedGroup: VectorGroup {
  private let parameterSet: MLDSAParameterSet

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    parameterSet = try MLDSAParameterSet(named: try group.string("parameterSet"))
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let count = try test.integer("count", in: 1...10_000)
    let digest = try test.octets("digest")
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
