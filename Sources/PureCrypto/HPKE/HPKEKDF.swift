extension HPKE {
  /// How keys are derived from the shared secret.
  ///
  /// Source: RFC 9180 §7.2.
  package struct KDF: Hashable, Sendable {
    enum Function { case sha256, sha384, sha512, shake256 }

    /// The number in the registry.
    package let identifier: UInt16
    let function: Function

    /// HKDF over SHA-256.
    package static let hkdfSHA256 = KDF(identifier: 0x0001, function: .sha256)
    /// HKDF over SHA-384.
    package static let hkdfSHA384 = KDF(identifier: 0x0002, function: .sha384)
    /// HKDF over SHA-512.
    package static let hkdfSHA512 = KDF(identifier: 0x0003, function: .sha512)
    /// SHAKE256, which derives in one stage. With the KEMs that have ML-KEM in them.
    /// Source: draft-ietf-hpke-hpke-05.
    package static let shake256 = KDF(identifier: 0x0011, function: .shake256)

    /// The length of exporter secrets in bytes, Nh.
    package var digestByteCount: Int {
      switch function {
      case .sha256: 32
      case .sha384: 48
      case .sha512, .shake256: 64
      }
    }

    /// Whether it derives in one stage, and has no extract.
    var isOneStage: Bool { function == .shake256 }

    /// The length of the longest output in bytes.
    package var maximumByteCount: Int { isOneStage ? 65_535 : 255 &* digestByteCount }
  }
}
