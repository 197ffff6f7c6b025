extension HPKE {
  /// How sender and recipient come to a shared secret: by Diffie-Hellman with a key of the sender's for one use, or by
  /// a KEM with ML-KEM in it.
  ///
  /// Source: RFC 9180 §4.1, §7.1, draft-ietf-hpke-pq-05.
  package struct KEM: Hashable, Sendable {
    /// The number in the registry.
    package let identifier: UInt16
    /// The function that the KEM derives with, whatever the suite has.
    let kdf: KDF

    /// DHKEM(P-256, HKDF-SHA256). Encapsulated keys have 65 bytes.
    package static let p256 = KEM(identifier: 0x0010, kdf: .hkdfSHA256)
    /// DHKEM(P-384, HKDF-SHA384). Encapsulated keys have 97 bytes.
    package static let p384 = KEM(identifier: 0x0011, kdf: .hkdfSHA384)
    /// DHKEM(P-521, HKDF-SHA512). Encapsulated keys have 133 bytes.
    package static let p521 = KEM(identifier: 0x0012, kdf: .hkdfSHA512)
    /// DHKEM(X25519, HKDF-SHA256). Encapsulated keys have 32 bytes.
    package static let x25519 = KEM(identifier: 0x0020, kdf: .hkdfSHA256)

    /// A KEM with ML-KEM in it.
    package static func lattice(_ kem: LatticeKEM) -> KEM { KEM(identifier: kem.rawValue, kdf: .shake256) }

    /// The KDF with labels, bound to the KEM's number.
    var labeled: LabeledKDF { LabeledKDF(kdf, suiteID: Array("KEM".utf8) + bigEndianBytes(identifier)) }

    /// Makes a secret, and what its other owner learns it from.
    /// - Throws: `.unsupportedKey` for a key of another KEM, `.invalidPublicKey` for a point of small order.
    ///
    /// Timing: depends on the public key only.
    package func encapsulate(
      to publicKey: some HPKEPublicKey
    ) throws(CryptoError) -> (sharedSecret: SecretBytes, encapsulatedKey: [UInt8]) {
      try require(publicKey)
      return try publicKey.hpkeEncapsulate(for: self)
    }

    /// The same with given randomness. For vectors.
    package func encapsulate(
      to publicKey: some HPKEPublicKey, randomness: SecretBytes
    ) throws(CryptoError) -> (sharedSecret: SecretBytes, encapsulatedKey: [UInt8]) {
      try require(publicKey)
      return try publicKey.hpkeEncapsulate(for: self, randomness: randomness)
    }

    /// The same with a given key for one use. For vectors.
    package func encapsulate<Key: DHKEMPublicKey>(
      to publicKey: Key, ephemeral: Key.Ephemeral
    ) throws(CryptoError) -> (sharedSecret: SecretBytes, encapsulatedKey: [UInt8]) {
      try require(publicKey)
      return try publicKey.hpkeEncapsulate(for: self, ephemeral: ephemeral)
    }

    /// Learns the secret from what the sender has sent.
    /// - Throws: `.unsupportedKey` for a key of another KEM, `.invalidPublicKey` for a point that is not on the curve
    ///   and, but for KEMs with ML-KEM, of small order; for a wrong length `.invalidPublicKey` of DHKEM,
    ///   `.decryptionFailed` of KEMs with ML-KEM.
    ///
    /// Timing: depends on the encapsulated key only.
    package func decapsulate(
      _ encapsulatedKey: [UInt8], with privateKey: some HPKEPrivateKey
    ) throws(CryptoError) -> SecretBytes {
      try require(privateKey.publicKey)
      return try privateKey.hpkeDecapsulate(encapsulatedKey, for: self)
    }

    private func require(_ publicKey: some HPKEPublicKey) throws(CryptoError) {
      guard publicKey.hpkeKEM == self else { throw Self.otherKey }
    }

    static var otherKey: CryptoError { CryptoError(.unsupportedKey, "the key is not one of the suite's KEM") }

    /// What DHKEM makes of the secret that two keys agree on.
    func extractAndExpand(_ agreed: SharedSecret, context: [UInt8]) throws(CryptoError) -> SecretBytes {
      let labeled = labeled
      let key = try agreed.withUnsafeBytes { agreed throws(CryptoError) in
        try labeled.extract(salt: nil, "eae_prk", agreed)
      }
      return try labeled.expand(key, "shared_secret", context, kdf.digestByteCount)
    }
  }
}

/// The two bytes of a number, most significant first.
func bigEndianBytes(_ number: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: number &>> 8), UInt8(number & 0xff)] }
