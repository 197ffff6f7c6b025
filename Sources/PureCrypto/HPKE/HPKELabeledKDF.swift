extension HPKE {
  /// A KDF whose inputs say what they are for.
  ///
  /// Labels and contexts are public.
  /// Timing: depends on the lengths only.
  /// Source: RFC 9180 §4.
  struct LabeledKDF {
    private let kdf: KDF
    /// "HPKE-v1" ‖ suite_id.
    private let prefix: [UInt8]

    init(_ kdf: KDF, suiteID: [UInt8]) {
      self.kdf = kdf
      self.prefix = Array("HPKE-v1".utf8) + suiteID
    }

    /// LabeledExtract.
    /// - Parameter salt: secret, or nil for the empty one.
    /// - Throws: `.invalidKeyLength` for a KDF of one stage.
    func extract(
      salt: SecretBytes?, _ label: String, _ material: UnsafeRawBufferPointer
    ) throws(CryptoError) -> SecretBytes {
      switch kdf.function {
      case .sha256: extract(SHA2.SHA256.self, salt, label, material)
      case .sha384: extract(SHA2.SHA384.self, salt, label, material)
      case .sha512: extract(SHA2.SHA512.self, salt, label, material)
      case .shake256: throw CryptoError(.invalidKeyLength, "SHAKE256 derives in one stage")
      }
    }

    func extract(salt: SecretBytes?, _ label: String, _ material: SecretBytes) throws(CryptoError) -> SecretBytes {
      try material.withUnsafeBytes { material throws(CryptoError) in try extract(salt: salt, label, material) }
    }

    private func extract<Function: SHA2Function>(
      _: Function.Type, _ salt: SecretBytes?, _ label: String, _ material: UnsafeRawBufferPointer
    ) -> SecretBytes {
      // HMAC of prefix ‖ label ‖ material, in pieces: the material isn't copied.
      var code = salt.map { HMACSHA2<Function>(anyKey: $0) } ?? HMACSHA2<Function>(anyKey: EmptyCollection())
      defer { withUnsafeMutableBytes(of: &code) { wipe($0) } }
      code.update(prefix)
      code.update(label.utf8)
      code.update(material)
      var digest = code.finalize()
      defer { wipe(&digest) }
      return SecretBytes(copying: digest)
    }

    /// LabeledExpand.
    /// - Parameter key: what ``extract(salt:_:_:)`` gave.
    /// - Parameter byteCount: 0 to the KDF's maximum.
    /// - Throws: `.invalidKeyLength` for any other length, and for a KDF of one stage.
    func expand(
      _ key: SecretBytes, _ label: String, _ info: [UInt8], _ byteCount: Int
    ) throws(CryptoError) -> SecretBytes {
      try checkLength(byteCount)
      guard byteCount > 0 else { return SecretBytes(count: 0) { _ in } }
      let info = bigEndianBytes(UInt16(truncatingIfNeeded: byteCount)) + prefix + Array(label.utf8) + info
      return switch kdf.function {
      case .sha256: try HKDFSHA2<SHA2.SHA256>.expand(pseudorandomKey: key, info: info, byteCount: byteCount)
      case .sha384: try HKDFSHA2<SHA2.SHA384>.expand(pseudorandomKey: key, info: info, byteCount: byteCount)
      case .sha512: try HKDFSHA2<SHA2.SHA512>.expand(pseudorandomKey: key, info: info, byteCount: byteCount)
      case .shake256: throw CryptoError(.invalidKeyLength, "SHAKE256 derives in one stage")
      }
    }

    /// LabeledDerive, of SHAKE256.
    /// - Parameter material: pieces, one after the other.
    /// - Parameter byteCount: 0 to the KDF's maximum.
    /// - Throws: `.invalidKeyLength` for any other length.
    /// Source: draft-ietf-hpke-hpke-05.
    func derive(
      _ material: [SecretBytes], _ label: String, _ context: [UInt8], _ byteCount: Int
    ) throws(CryptoError) -> SecretBytes {
      try checkLength(byteCount)
      var sponge = KeccakSponge.shake256
      defer { wipe(&sponge) }
      for piece in material { piece.withUnsafeBytes { sponge.update($0) } }
      let label = Array(label.utf8)
      let end =
        prefix + bigEndianBytes(UInt16(truncatingIfNeeded: label.count)) + label
        + bigEndianBytes(UInt16(truncatingIfNeeded: byteCount)) + context
      end.withUnsafeBytes { sponge.update($0) }
      return SecretBytes(count: byteCount) { sponge.finalize(into: $0) }
    }

    private func checkLength(_ byteCount: Int) throws(CryptoError) {
      guard byteCount >= 0, byteCount <= kdf.maximumByteCount else {
        throw CryptoError(.invalidKeyLength, "HKDF gives 0 to 255 times its digest's length, SHAKE256 0 to 65535 bytes")
      }
    }
  }
}
