/// A private key of ML-KEM: a seed of 64 bytes, d ‖ z.
///
/// Seed and expanded key stay in storage that is wiped when the last copy of the value goes. Descriptions and
/// reflection show neither.
///
/// Source: FIPS 203 §3.3, §7.1.
public struct MLKEMPrivateKey: Sendable {
  /// d ‖ z, 64 bytes: the form in which the key is kept.
  public let seed: SecretBytes

  /// What the seed expands to.
  package let expanded: MLKEMDecapsulationKey

  /// Makes a new key from the system's random number generator.
  ///
  /// Timing: depends on the public key only.
  public init(_ parameterSet: MLKEMParameterSet) {
    self.init(parameterSet, anySeed: SecretBytes.random(count: MLKEMParameterSet.seedByteCount))
  }

  /// Expands a seed.
  /// - Parameters:
  ///   - parameterSet: ML-KEM-768 or ML-KEM-1024.
  ///   - seed: d ‖ z, 64 bytes.
  /// - Throws: `.invalidPrivateKey` for any other length.
  ///
  /// Timing: depends on the public key only.
  /// Source: FIPS 203 algorithm 16.
  public init(_ parameterSet: MLKEMParameterSet, seed: SecretBytes) throws(CryptoError) {
    guard seed.count == MLKEMParameterSet.seedByteCount else {
      throw CryptoError(.invalidPrivateKey, "a private key of ML-KEM is a seed of 64 bytes")
    }
    self.init(parameterSet, anySeed: seed)
  }

  /// - Parameter seed: 64 bytes.
  init(_ parameterSet: MLKEMParameterSet, anySeed seed: SecretBytes) {
    self.seed = seed
    self.expanded = seed.withUnsafeBytes { MLKEMDecapsulationKey(parameterSet, seed: $0) }
  }

  /// The public key, which the seed determines.
  public var publicKey: MLKEMPublicKey { expanded.publicKey }

  /// Learns the secret that belongs to a ciphertext.
  ///
  /// A ciphertext of the right length always gives a secret. From one that was not made for this key, or was changed,
  /// comes another secret than the sender's, and what is done with it next fails: an authentication tag, for instance.
  /// - Parameter ciphertext: 1088 bytes of ML-KEM-768, 1568 of ML-KEM-1024.
  /// - Returns: K, 32 bytes.
  /// - Throws: `.decryptionFailed` for any other length.
  ///
  /// Timing: depends on the public key only, not on whether the ciphertext is right.
  /// Source: FIPS 203 algorithm 21, §7.3.
  @inlinable
  public func decapsulate(_ ciphertext: some Collection<UInt8>) throws(CryptoError) -> SecretBytes {
    try withContiguousBytes(ciphertext) { bytes throws(CryptoError) in try decapsulate(bytes: bytes) }
  }

  @usableFromInline
  func decapsulate(bytes: UnsafeRawBufferPointer) throws(CryptoError) -> SecretBytes {
    try expanded.decapsulate(bytes: bytes)
  }
}

extension MLKEMDecapsulationKey {
  /// Learns the secret from a ciphertext of any length.
  /// - Throws: `.decryptionFailed` for a wrong one.
  package func decapsulate(bytes: UnsafeRawBufferPointer) throws(CryptoError) -> SecretBytes {
    guard bytes.count == publicKey.parameterSet.ciphertextByteCount else {
      throw CryptoError(.decryptionFailed, "the ciphertext's length must be that of the ML-KEM parameter set")
    }
    return decapsulate(bytes)
  }
}

extension MLKEMPrivateKey: Redacted {}
