import PureCrypto

extension PublicKey {
  /// The KEM that the key is one of, if there is one.
  var kem: HPKE.KEM? {
    switch self {
    case .ec(.p256): .p256
    case .ec(.p384): .p384
    case .ec(.p521): .p521
    case .x25519: .x25519
    case .ec(.secp256k1), .rsa, .ed25519, .mlDSA: nil
    }
  }

  /// Makes a secret for the owner of the key.
  ///
  /// - Throws: as ``HPKE/Sender``, `.unsupportedKey` among it for a key that is not one of the suite's KEM.
  func sender(_ suite: HPKE.Ciphersuite, _ agreed: HPKEAgreement) throws(CryptoError) -> HPKE.Sender {
    let (info, preSharedKey) = (agreed.info, agreed.preSharedKey)
    return switch self {
    case .ec(.p256(let key)):
      try HPKE.Sender(to: key, ephemeral: P256PrivateKey(), suite: suite, info: info, preSharedKey: preSharedKey)
    case .ec(.p384(let key)):
      try HPKE.Sender(to: key, ephemeral: P384PrivateKey(), suite: suite, info: info, preSharedKey: preSharedKey)
    case .ec(.p521(let key)):
      try HPKE.Sender(to: key, ephemeral: P521PrivateKey(), suite: suite, info: info, preSharedKey: preSharedKey)
    case .x25519(let key):
      try HPKE.Sender(to: key, ephemeral: X25519PrivateKey(), suite: suite, info: info, preSharedKey: preSharedKey)
    case .ec(.secp256k1), .rsa, .ed25519, .mlDSA: throw CryptoError.noKEM
    }
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
    default: return nil
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

extension CryptoError {
  fileprivate static var noKEM: CryptoError { CryptoError(.unsupportedKey, "the key is not one of the suite's KEM") }
}
