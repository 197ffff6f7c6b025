extension HPKE {
  /// How sender and recipient come to a shared secret: Diffie-Hellman with a key of the sender's for one use.
  ///
  /// Source: RFC 9180 §4.1, §7.1.
  package struct KEM: Hashable, Sendable {
    /// The number in the registry.
    package let identifier: UInt16
    /// The function that DHKEM derives with, whatever the suite has.
    let kdf: KDF

    /// DHKEM(P-256, HKDF-SHA256). Encapsulated keys have 65 bytes.
    package static let p256 = KEM(identifier: 0x0010, kdf: .hkdfSHA256)
    /// DHKEM(P-384, HKDF-SHA384). Encapsulated keys have 97 bytes.
    package static let p384 = KEM(identifier: 0x0011, kdf: .hkdfSHA384)
    /// DHKEM(P-521, HKDF-SHA512). Encapsulated keys have 133 bytes.
    package static let p521 = KEM(identifier: 0x0012, kdf: .hkdfSHA512)
    /// DHKEM(X25519, HKDF-SHA256). Encapsulated keys have 32 bytes.
    package static let x25519 = KEM(identifier: 0x0020, kdf: .hkdfSHA256)

    /// The functions of DHKEM, bound to its number.
    var labeled: LabeledKDF { LabeledKDF(kdf, suiteID: Array("KEM".utf8) + bigEndianBytes(identifier)) }

    /// Encapsulates with a given key for one use: a secret, and what its other owner learns it from.
    /// - Throws: `.unsupportedKey` for a key of another KEM, `.invalidPublicKey` for a point of small order.
    ///
    /// Timing: depends on the public key only.
    /// Source: RFC 9180 §4.1.
    package func encapsulate<Key: HPKEPrivateKey>(
      to publicKey: Key.PublicKey, ephemeral: Key
    ) throws(CryptoError) -> (sharedSecret: SecretBytes, encapsulatedKey: [UInt8]) {
      try require(Key.PublicKey.self)
      let encapsulatedKey = ephemeral.publicKey.hpkeSerialization
      let sharedSecret = try extractAndExpand(
        ephemeral.sharedSecret(with: publicKey), context: encapsulatedKey + publicKey.hpkeSerialization)
      return (sharedSecret, encapsulatedKey)
    }

    /// Learns the secret from what the sender has sent.
    /// - Throws: `.unsupportedKey` for a key of another KEM, `.invalidPublicKey` for a wrong length, a point that is
    ///   not on the curve, and one of small order.
    ///
    /// Timing: depends on the encapsulated key only.
    /// Source: RFC 9180 §4.1.
    package func decapsulate<Key: HPKEPrivateKey>(
      _ encapsulatedKey: [UInt8], with privateKey: Key
    ) throws(CryptoError) -> SecretBytes {
      try require(Key.PublicKey.self)
      let ephemeral = try Key.PublicKey(hpkeSerialization: encapsulatedKey)
      return try extractAndExpand(
        privateKey.sharedSecret(with: ephemeral), context: encapsulatedKey + privateKey.publicKey.hpkeSerialization)
    }

    /// Makes a key pair of key material. For vectors.
    /// - Parameter material: at least as long as a private key, and as hard to guess.
    /// - Throws: `.unsupportedKey` for a key of another KEM, `.invalidPrivateKey` if no candidate is in range, which
    ///   does not happen by chance.
    ///
    /// Timing: depends on the length and on how many candidates are out of range.
    /// Source: RFC 9180 §7.1.3.
    package func deriveKey<Key: HPKEPrivateKey>(
      _ type: Key.Type = Key.self, from material: SecretBytes
    ) throws(CryptoError) -> Key {
      try require(Key.PublicKey.self)
      let (labeled, count) = (labeled, Key.hpkeByteCount)
      let key = try labeled.extract(salt: nil, "dkp_prk", material)
      if self == .x25519 { return try Key(rawRepresentation: labeled.expand(key, "sk", [], count)) }
      for counter in UInt8.min...UInt8.max {
        var candidate = try labeled.expand(key, "candidate", [counter], count)
        // The order of P-521 has 521 bits.
        if self == .p521 {
          candidate = candidate.withUnsafeBytes { bytes in
            SecretBytes(count: count) { masked in
              masked.copyMemory(from: bytes)
              masked[0] &= 1
            }
          }
        }
        if let key = try? Key(rawRepresentation: candidate) { return key }
      }
      throw CryptoError(.invalidPrivateKey, "no candidate for a private key is in range")
    }

    private func require(_ type: (some HPKEPublicKey).Type) throws(CryptoError) {
      guard type.hpkeKEM == self else {
        throw CryptoError(.unsupportedKey, "the key is not one of the suite's KEM")
      }
    }

    private func extractAndExpand(_ agreed: SharedSecret, context: [UInt8]) throws(CryptoError) -> SecretBytes {
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
