import PureCrypto

/// What a run of HPKE begins with: algorithms, what the sender's randomness and the recipient's key are made of, and
/// what both sides know.
struct HPKEInputs {
  let suite: HPKE.Ciphersuite
  let info: [UInt8]
  let preSharedKey: (key: SecretBytes, identifier: [UInt8])?
  /// The material of the sender's key for one use, or the randomness of a KEM with ML-KEM in it.
  let randomness: SecretBytes
  private let recipientMaterial: SecretBytes

  init(reading members: MemberReader) throws(VectorFault) {
    suite = HPKE.Ciphersuite(
      kem: try Self.algorithm(
        [.p256, .p384, .p521, .x25519] + LatticeKEM.allCases.map(HPKE.KEM.lattice), "KEM",
        try members.integer("kemId"), \.identifier),
      kdf: try Self.algorithm(
        [.hkdfSHA256, .hkdfSHA384, .hkdfSHA512, .shake256], "KDF", try members.integer("kdfId"), \.identifier),
      aead: try Self.algorithm(
        [.aes128GCM, .aes256GCM, .chaCha20Poly1305, .exportOnly], "AEAD", try members.integer("aeadId"), \.identifier))
    info = try members.octets("info")
    switch try members.integer("mode") {
    case 0: preSharedKey = nil
    case 1: preSharedKey = (SecretBytes(copying: try members.octets("psk")), try members.octets("pskId"))
    case let mode: throw .notImplemented("mode \(mode) of HPKE")
    }
    randomness = SecretBytes(copying: try members.octets("ikmE"))
    recipientMaterial = SecretBytes(copying: try members.octets("ikmR"))
  }

  private static func algorithm<Algorithm>(
    _ known: [Algorithm], _ kind: String, _ number: Int, _ identifier: (Algorithm) -> UInt16
  ) throws(VectorFault) -> Algorithm {
    guard let algorithm = known.first(where: { Int(identifier($0)) == number }) else {
      throw .notImplemented("\(kind) \(number) of HPKE")
    }
    return algorithm
  }

  /// Calls `body` with the recipient's key.
  func withKey<Result>(_ body: any HPKEKeyUser<Result>) throws -> Result {
    switch suite.kem {
    case .p256: try body.use(recipient(P256AgreementPrivateKey.self))
    case .p384: try body.use(recipient(P384AgreementPrivateKey.self))
    case .p521: try body.use(recipient(P521AgreementPrivateKey.self))
    case .x25519: try body.use(recipient(X25519PrivateKey.self))
    default: try body.use(recipient(LatticeKEMPrivateKey.self))
    }
  }

  private func recipient<Key: HPKEPrivateKey>(_: Key.Type) throws(CryptoError) -> Key {
    try Key(deriving: recipientMaterial, for: suite.kem)
  }

  func sender(
    to recipient: some HPKEPrivateKey, sequenceNumber: UInt64 = 0
  ) throws(CryptoError) -> HPKE.Sender {
    try HPKE.Sender(
      key: recipient.publicKey, randomness: randomness, suite: suite, info: info, preSharedKey: preSharedKey,
      sequenceNumber: sequenceNumber)
  }

  func receiver(
    _ recipient: some HPKEPrivateKey, _ encapsulatedKey: [UInt8], sequenceNumber: UInt64 = 0
  ) throws(CryptoError) -> HPKE.Recipient {
    try HPKE.Recipient(
      key: recipient, encapsulatedKey: encapsulatedKey, suite: suite, info: info, preSharedKey: preSharedKey,
      sequenceNumber: sequenceNumber)
  }
}

/// What is done with a recipient's key of any KEM.
protocol HPKEKeyUser<Result> {
  associatedtype Result

  func use(_ recipient: some HPKEPrivateKey) throws -> Result
}
