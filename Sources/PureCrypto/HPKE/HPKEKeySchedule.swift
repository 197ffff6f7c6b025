extension HPKE {
  /// What sender and recipient derive from the shared secret.
  ///
  /// Source: RFC 9180 §5.1.
  package struct KeySchedule: Sendable {
    package let key: SecretBytes
    package let baseNonce: SecretBytes
    package let exporterSecret: SecretBytes

    /// `key_schedule_context`, which is public.
    package let context: [UInt8]
    /// `secret`; a KDF of one stage has none. For vectors.
    package let secret: SecretBytes?

    let labeled: LabeledKDF

    /// Derives everything.
    /// - Parameter kem: the KEM's number.
    /// - Parameter preSharedKey: its presence chooses the mode psk.
    /// - Throws: `.lengthLimitExceeded` when `info` or the identifier has more than 65 535 bytes, `.invalidKeyLength`
    ///   when the pre-shared key has not 32 to 65 535 bytes or the identifier none.
    ///
    /// Timing: depends on the lengths only.
    package init(
      kem: UInt16, kdf: KDF, aead: AEAD, sharedSecret: SecretBytes, info: [UInt8],
      preSharedKey: (key: SecretBytes, identifier: [UInt8])?
    ) throws(CryptoError) {
      if let preSharedKey { try Self.check(preSharedKey) }
      guard info.count <= 65_535 else {
        throw CryptoError(.lengthLimitExceeded, "info has 65535 bytes at most")
      }
      let suiteID =
        Array("HPKE".utf8) + bigEndianBytes(kem) + bigEndianBytes(kdf.identifier) + bigEndianBytes(aead.identifier)
      let mode: UInt8 = preSharedKey == nil ? 0x00 : 0x01
      let identifier = preSharedKey?.identifier ?? []
      let presharedKey = preSharedKey?.key ?? SecretBytes(count: 0) { _ in }
      labeled = LabeledKDF(kdf, suiteID: suiteID)
      let (keyEnd, nonceEnd) = (aead.keyByteCount, aead.keyByteCount &+ aead.nonceByteCount)
      if kdf.isOneStage {
        context = [mode] + Self.prefixed(identifier) + Self.prefixed(info)
        let material = [
          Self.length(presharedKey), presharedKey, Self.length(sharedSecret), sharedSecret,
        ]
        let secrets = try labeled.derive(material, "secret", context, nonceEnd &+ kdf.digestByteCount)
        (key, baseNonce, exporterSecret) = secrets.withUnsafeBytes { secrets in
          (
            SecretBytes(copying: secrets[..<keyEnd]), SecretBytes(copying: secrets[keyEnd..<nonceEnd]),
            SecretBytes(copying: secrets[nonceEnd...])
          )
        }
        secret = nil
      } else {
        let labeled = labeled
        context =
          [mode] + (try Self.publicHash(labeled, "psk_id_hash", identifier))
          + (try Self.publicHash(labeled, "info_hash", info))
        let secret = try labeled.extract(salt: sharedSecret, "secret", presharedKey)
        key = try labeled.expand(secret, "key", context, aead.keyByteCount)
        baseNonce = try labeled.expand(secret, "base_nonce", context, aead.nonceByteCount)
        exporterSecret = try labeled.expand(secret, "exp", context, kdf.digestByteCount)
        self.secret = secret
      }
    }

    private static func check(_ preSharedKey: (key: SecretBytes, identifier: [UInt8])) throws(CryptoError) {
      guard preSharedKey.key.count >= 32, preSharedKey.key.count <= 65_535 else {
        throw CryptoError(.invalidKeyLength, "a pre-shared key has 32 to 65535 bytes")
      }
      guard !preSharedKey.identifier.isEmpty else {
        throw CryptoError(.invalidKeyLength, "a pre-shared key has an identifier")
      }
      guard preSharedKey.identifier.count <= 65_535 else {
        throw CryptoError(.lengthLimitExceeded, "the identifier of a pre-shared key has 65535 bytes at most")
      }
    }

    /// LabeledExtract of what is public.
    private static func publicHash(
      _ labeled: LabeledKDF, _ label: String, _ bytes: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
      try withContiguousBytes(bytes) { bytes throws(CryptoError) in
        try labeled.extract(salt: nil, label, bytes).unwipedOctets
      }
    }

    /// The length in two bytes, then the bytes.
    private static func prefixed(_ bytes: [UInt8]) -> [UInt8] {
      bigEndianBytes(UInt16(truncatingIfNeeded: bytes.count)) + bytes
    }

    private static func length(_ bytes: SecretBytes) -> SecretBytes {
      SecretBytes(copying: bigEndianBytes(UInt16(truncatingIfNeeded: bytes.count)))
    }
  }
}

extension HPKE.KeySchedule: Redacted {}
