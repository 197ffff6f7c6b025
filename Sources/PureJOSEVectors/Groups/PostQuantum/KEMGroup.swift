import PureCrypto

/// Key derivation, encapsulation with given randomness, and decapsulation of the KEMs of HPKE.
struct KEMGroup: VectorGroup {
  private let scheme: KEMScheme

  init(reading group: MemberReader, in file: FileContext) throws(VectorFault) {
    switch (try group.string("kem"), try group.integer("kemId")) {
    case ("ML-KEM-768", 0x41): scheme = .mlKEM(.mlKEM768)
    case ("ML-KEM-1024", 0x42): scheme = .mlKEM(.mlKEM1024)
    case ("MLKEM768-X25519", 0x647a): scheme = .xWing
    case (let name, _): throw .notImplemented(name)
    }
  }

  func run(_ test: MemberReader) throws -> Verdict {
    let seed = try test.octets("sk")
    let (ciphertext, secret) = (try test.octets("ct"), try test.octets("ss"))
    // A ciphertext that was changed comes without what it was made of.
    if let material = try test.octets(ifPresent: "ikm") {
      let publicKeyDigest = try test.octets("pkSha256")
      let randomness = try test.octets("randomness")
      guard randomness.count == scheme.randomnessByteCount else {
        throw VectorFault.malformed("member randomness is not \(scheme.randomnessByteCount) octets long")
      }
      guard scheme.derivedSeed(material) == seed else { return .wrong("the derived seed differs") }
      guard Array(SHA2.SHA256.hash(try scheme.publicKey(seed))) == publicKeyDigest else {
        return .wrong("the public key differs")
      }
      let made = try scheme.encapsulated(seed, randomness)
      guard made.ciphertext == ciphertext, made.sharedSecret.octets == secret else {
        return .wrong("the encapsulated secret differs")
      }
    }
    return .accepted(
      if: try scheme.decapsulated(seed, ciphertext).octets == secret, otherwise: "the secret differs")
  }
}

/// The KEMs that this package has.
enum KEMScheme {
  case mlKEM(MLKEMParameterSet)
  case xWing

  /// Its number in HPKE's registry.
  private var identifier: UInt16 {
    switch self {
    case .mlKEM(let parameterSet): parameterSet == .mlKEM768 ? 0x41 : 0x42
    case .xWing: 0x647a
    }
  }

  func publicKey(_ seed: [UInt8]) throws(CryptoError) -> [UInt8] {
    let seed = SecretBytes(copying: seed)
    return switch self {
    case .mlKEM(let parameterSet): try MLKEMPrivateKey(parameterSet, seed: seed).publicKey.rawRepresentation
    case .xWing: try XWingPrivateKey(seed: seed).publicKey.rawRepresentation
    }
  }

  /// How much randomness an encapsulation takes.
  var randomnessByteCount: Int { if case .xWing = self { 64 } else { 32 } }

  /// Encapsulates to the key's own public half, as its bytes say it.
  /// - Parameter randomness: as much as ``randomnessByteCount`` says.
  func encapsulated(
    _ seed: [UInt8], _ randomness: [UInt8]
  ) throws(CryptoError) -> (sharedSecret: SecretBytes, ciphertext: [UInt8]) {
    let bytes = try publicKey(seed)
    switch self {
    case .mlKEM(let parameterSet):
      return try MLKEMPublicKey(parameterSet, rawRepresentation: bytes).encapsulate(SecretBytes(copying: randomness))
    case .xWing:
      return try XWingPublicKey(rawRepresentation: bytes).encapsulate(
        message: SecretBytes(copying: randomness.prefix(32)),
        ephemeral: X25519PrivateKey(rawRepresentation: randomness.dropFirst(32)))
    }
  }

  func decapsulated(_ seed: [UInt8], _ ciphertext: [UInt8]) throws(CryptoError) -> SecretBytes {
    let seed = SecretBytes(copying: seed)
    return switch self {
    case .mlKEM(let parameterSet): try MLKEMPrivateKey(parameterSet, seed: seed).decapsulate(ciphertext)
    case .xWing: try XWingPrivateKey(seed: seed).decapsulate(ciphertext)
    }
  }

  /// DeriveKeyPair of the post-quantum KEMs: LabeledDerive(ikm, "DeriveKeyPair", "", length of the seed).
  func derivedSeed(_ material: [UInt8]) -> [UInt8] {
    let label = Array("DeriveKeyPair".utf8)
    let count: UInt8 = if case .xWing = self { 32 } else { 64 }
    var shake = SHAKE.shake256
    shake.update(material)
    shake.update("HPKE-v1KEM".utf8)
    shake.update([UInt8(identifier >> 8), UInt8(identifier & 0xff), 0, UInt8(label.count)] + label + [0, count])
    return shake.output(byteCount: Int(count))
  }
}
