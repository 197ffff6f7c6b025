import PureCrypto
import Testing

extension HPKE.KEM {
  /// Those of DHKEM.
  static let allOfCurves: [HPKE.KEM] = [.p256, .p384, .p521, .x25519]
  static let allKnown: [HPKE.KEM] = allOfCurves + LatticeKEM.allCases.map(HPKE.KEM.lattice)
}

extension HPKE.Ciphersuite {
  /// The named ones with ML-KEM in them.
  static let allPostQuantum: [HPKE.Ciphersuite] = [
    .mlKEM768P256SHAKE256AES256GCM, .mlKEM768X25519SHAKE256AES256GCM, .mlKEM1024P384SHAKE256AES256GCM,
    .mlKEM768SHAKE256AES256GCM, .mlKEM1024SHAKE256AES256GCM,
  ]

  /// Every combination with a curve alone, that of one stage included, and some with ML-KEM.
  static let allKnown: [HPKE.Ciphersuite] =
    allOfCurves + allPostQuantum
    + LatticeKEM.allCases.map { HPKE.Ciphersuite(kem: .lattice($0), kdf: .hkdfSHA256, aead: .chaCha20Poly1305) }

  private static let allOfCurves = HPKE.KEM.allOfCurves.flatMap { kem in
    [HPKE.KDF.hkdfSHA256, .hkdfSHA384, .hkdfSHA512, .shake256].flatMap { kdf in
      [HPKE.AEAD.aes128GCM, .aes256GCM, .chaCha20Poly1305, .exportOnly].map { aead in
        HPKE.Ciphersuite(kem: kem, kdf: kdf, aead: aead)
      }
    }
  }

  /// Those that seal.
  static let allSealing = allKnown.filter { $0.aead != .exportOnly }
}

extension HPKE.Ciphersuite: CustomTestStringConvertible {
  /// The numbers in the registries.
  public var testDescription: String { "KEM \(kem.identifier), KDF \(kdf.identifier), AEAD \(aead.identifier)" }
}

/// What a test does with keys of any KEM.
protocol HPKEKeyTest {
  func run<Key: HPKEPrivateKey>(_ makeKey: () -> Key) throws
}

extension HPKEKeyTest {
  /// Runs with the keys of a KEM.
  func run(_ kem: HPKE.KEM) throws {
    switch kem {
    case .p256: try run(P256AgreementPrivateKey.init)
    case .p384: try run(P384AgreementPrivateKey.init)
    case .p521: try run(P521AgreementPrivateKey.init)
    case .x25519: try run(X25519PrivateKey.init)
    default:
      let lattice = try #require(LatticeKEM(rawValue: kem.identifier))
      try run { LatticeKEMPrivateKey(lattice) }
    }
  }
}

extension HPKE.Sender {
  init(
    _ key: some HPKEPublicKey, _ suite: HPKE.Ciphersuite, info: [UInt8] = [],
    psk: (key: SecretBytes, identifier: [UInt8])? = nil, sequenceNumber: UInt64 = 0
  ) throws(CryptoError) {
    try self.init(key: key, suite: suite, info: info, preSharedKey: psk, sequenceNumber: sequenceNumber)
  }
}

extension HPKE.Recipient {
  init(
    _ key: some HPKEPrivateKey, _ encapsulatedKey: [UInt8], _ suite: HPKE.Ciphersuite, info: [UInt8] = [],
    psk: (key: SecretBytes, identifier: [UInt8])? = nil, sequenceNumber: UInt64 = 0
  ) throws(CryptoError) {
    try self.init(
      key: key, encapsulatedKey: encapsulatedKey, suite: suite, info: info, preSharedKey: psk,
      sequenceNumber: sequenceNumber)
  }
}
