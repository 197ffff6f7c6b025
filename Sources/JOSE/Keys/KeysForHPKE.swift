import PureCrypto

extension PublicKey {
  /// The KEM that the key is one of, if there is one.
  var kem: HPKE.KEM? {
    switch self {
    case .ec(.p256): .p256
    case .ec(.p384): .p384
    case .ec(.p521): .p521
    case .x25519: .x25519
    case .lattice(let key): .lattice(key.kem)
    case .ec(.secp256k1), .rsa, .ed25519, .mlDSA: nil
    }
  }

  /// Makes a secret for the owner of the key.
  ///
  /// - Throws: as ``HPKE/Sender``, `.unsupportedKey` among it for a key that is not one of the suite's KEM.
  func sender(_ suite: HPKE.Ciphersuite, _ agreed: HPKEAgreement) throws(CryptoError) -> HPKE.Sender {
    switch self {
    case .ec(.p256(let key)): try Self.sender(key, suite, agreed)
    case .ec(.p384(let key)): try Self.sender(key, suite, agreed)
    case .ec(.p521(let key)): try Self.sender(key, suite, agreed)
    case .x25519(let key): try Self.sender(key, suite, agreed)
    case .lattice(let key): try Self.sender(key, suite, agreed)
    case .ec(.secp256k1), .rsa, .ed25519, .mlDSA: throw CryptoError.noKEM
    }
  }

  private static func sender(
    _ key: some HPKEPublicKey, _ suite: HPKE.Ciphersuite, _ agreed: HPKEAgreement
  ) throws(CryptoError) -> HPKE.Sender {
    try HPKE.Sender(key: key, suite: suite, info: agreed.info, preSharedKey: agreed.preSharedKey)
  }
}

extension PrivateKey {
  /// A fresh key of a KEM, or nil if it is not implemented in JOSE.
  init?(_ kem: HPKE.KEM) {
    switch kem {
    case .p256: self.init(on: .p256)
    case .p384: self.init(on: .p384)
    case .p521: self.init(on: .p521)
    case .x25519: self.init(on: .x25519)
    default:
      guard let lattice = LatticeKEM(kem) else { return nil }
      self = .lattice(LatticeKEMPrivateKey(lattice))
    }
  }

  /// Learns the secret of a sender.
  ///
  /// - Throws: as ``HPKE/Recipient``, `.unsupportedKey` among it for a key that is not one of the suite's KEM.
  func recipient(
    of encapsulatedKey: [UInt8], _ suite: HPKE.Ciphersuite, _ agreed: HPKEAgreement
  ) throws(CryptoError) -> HPKE.Recipient {
    switch self {
    case .ec(.p256(let key)): try Self.recipient(key, encapsulatedKey, suite, agreed)
    case .ec(.p384(let key)): try Self.recipient(key, encapsulatedKey, suite, agreed)
    case .ec(.p521(let key)): try Self.recipient(key, encapsulatedKey, suite, agreed)
    case .x25519(let key): try Self.recipient(key, encapsulatedKey, suite, agreed)
    case .lattice(let key): try Self.recipient(key, encapsulatedKey, suite, agreed)
    case .ec(.secp256k1), .rsa, .ed25519, .mlDSA: throw CryptoError.noKEM
    }
  }

  private static func recipient(
    _ key: some HPKEPrivateKey, _ encapsulatedKey: [UInt8], _ suite: HPKE.Ciphersuite, _ agreed: HPKEAgreement
  ) throws(CryptoError) -> HPKE.Recipient {
    try HPKE.Recipient(
      key: key, encapsulatedKey: encapsulatedKey, suite: suite, info: agreed.info, preSharedKey: agreed.preSharedKey)
  }
}

extension LatticeKEM {
  /// Nil for a KEM of Diffie-Hellman alone.
  init?(_ kem: HPKE.KEM) { self.init(rawValue: kem.identifier) }

  /// What decapsulating costs, in the units of a curve's.
  var operationCost: Int {
    switch self {
    case .mlKEM768: 60
    case .mlKEM1024: 90
    case .mlKEM768P256, .mlKEM768X25519: 100
    case .mlKEM1024P384: 350
    }
  }
}

extension CryptoError {
  fileprivate static var noKEM: CryptoError { CryptoError(.unsupportedKey, "the key is not one of the suite's KEM") }
}
