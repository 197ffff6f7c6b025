import PureCrypto
import Testing

extension HPKE.KEM {
  static let allKnown: [HPKE.KEM] = [.p256, .p384, .p521, .x25519]
}

extension HPKE.Ciphersuite {
  /// Every combination, that of one stage included.
  static let allKnown: [HPKE.Ciphersuite] = HPKE.KEM.allKnown.flatMap { kem in
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
  func run<Key: HPKEPrivateKey>(_ type: Key.Type) throws
}

extension HPKEKeyTest {
  /// Runs with the keys of a KEM.
  func run(_ kem: HPKE.KEM) throws {
    switch kem {
    case .p256: try run(P256AgreementPrivateKey.self)
    case .p384: try run(P384AgreementPrivateKey.self)
    case .p521: try run(P521AgreementPrivateKey.self)
    default: try run(X25519PrivateKey.self)
    }
  }
}

extension HPKE.Sender {
  /// With a new key for one use.
  init<Key: HPKEPrivateKey>(
    _ type: Key.Type, to publicKey: Key.PublicKey, _ suite: HPKE.Ciphersuite, info: [UInt8] = [],
    psk: (key: SecretBytes, identifier: [UInt8])? = nil, sequenceNumber: UInt64 = 0
  ) throws(CryptoError) {
    try self.init(
      to: publicKey, ephemeral: Key(), suite: suite, info: info, preSharedKey: psk, sequenceNumber: sequenceNumber)
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
