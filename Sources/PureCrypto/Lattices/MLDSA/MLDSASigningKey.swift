/// A private key of ML-DSA, which signs: a seed of 32 bytes.
///
/// Seed and expanded key, 17 to 24 kB, stay in storage that is wiped when the last copy of the value goes. Descriptions
/// and reflection show neither.
///
/// Source: FIPS 204 §3.6, §5.1.
public struct MLDSASigningKey: Sendable {
  /// ξ, 32 bytes: the form in which the key is kept.
  public let seed: SecretBytes

  private let expanded: MLDSAExpandedKey

  /// Makes a new key from the system's random number generator.
  ///
  /// Timing: depends on the public key, and on candidates that are rejected, unrelated to the accepted ones.
  public init(_ parameterSet: MLDSAParameterSet) {
    self.init(parameterSet, anySeed: SecretBytes.random(count: MLDSAParameterSet.seedByteCount))
  }

  /// Expands a seed.
  /// - Parameters:
  ///   - parameterSet: which of the three the key is of.
  ///   - seed: ξ, 32 bytes.
  /// - Throws: `.invalidPrivateKey` for any other length.
  ///
  /// Timing: depends on the public key, and on candidates that are rejected, unrelated to the accepted ones.
  /// Source: FIPS 204 algorithm 6.
  public init(_ parameterSet: MLDSAParameterSet, seed: SecretBytes) throws(CryptoError) {
    guard seed.count == MLDSAParameterSet.seedByteCount else {
      throw CryptoError(.invalidPrivateKey, "a private key of ML-DSA is a seed of 32 bytes")
    }
    self.init(parameterSet, anySeed: seed)
  }

  private init(_ parameterSet: MLDSAParameterSet, anySeed seed: SecretBytes) {
    self.seed = seed
    self.expanded = seed.withUnsafeBytes { MLDSAExpandedKey(parameterSet, seed: $0) }
  }

  /// The public key, which the seed determines.
  public var publicKey: MLDSAVerificationKey { expanded.publicKey }

  /// Signs a message.
  /// - Parameter message: the bytes to sign, of any length. Not treated as a secret.
  /// - Parameter context: what the signature is for, at most 255 bytes; the verifier must know it. JOSE has none.
  /// - Parameter deterministically: whether the same key and message give the same signature. Otherwise fresh
  ///   randomness goes into each, which protects the key where faults can be provoked. A verifier can't tell the two
  ///   apart.
  /// - Returns: 2420, 3309 or 4627 bytes.
  /// - Throws: `.lengthLimitExceeded` for a longer context.
  ///
  /// Timing: depends on the length of the message and on the number of tries, 4 to 5 on average. A try is rejected with
  /// a probability that does not depend on the key, so that their number tells nothing of it.
  /// Source: FIPS 204 algorithm 2.
  @inlinable
  public func signature(
    for message: some Collection<UInt8>, context: [UInt8] = [], deterministically: Bool = false
  ) throws(CryptoError) -> [UInt8] {
    try signature(
      externalMu: publicKey.externalMu(for: message, context: context), deterministically: deterministically)
  }

  /// Signs a message by its digest alone.
  /// - Parameter externalMu: µ, 64 bytes: what the public key's ``MLDSAVerificationKey/externalMu(for:context:)``
  ///   gives.
  /// - Parameter deterministically: whether the same key and digest give the same signature.
  /// - Returns: 2420, 3309 or 4627 bytes.
  /// - Throws: `.lengthLimitExceeded` when the digest is not 64 bytes long.
  ///
  /// Timing: depends on the number of tries, which tells nothing of the key.
  /// Source: FIPS 204 algorithm 7.
  public func signature(externalMu: [UInt8], deterministically: Bool = false) throws(CryptoError) -> [UInt8] {
    let randomness =
      deterministically ? SecretBytes(count: 32) { _ in } : SecretBytes.random(count: 32)
    return try signature(externalMu: externalMu, randomness: randomness)
  }

  /// The same with randomness of the caller's choice. For vectors.
  /// - Parameter randomness: rnd, 32 bytes.
  /// - Throws: `.lengthLimitExceeded` when the digest is not 64 bytes long.
  package func signature(externalMu: [UInt8], randomness: SecretBytes) throws(CryptoError) -> [UInt8] {
    guard externalMu.count == MLDSAParameterSet.digestByteCount else {
      throw CryptoError(.lengthLimitExceeded, "the digest of a message for ML-DSA is 64 bytes long")
    }
    return externalMu.withUnsafeBytes { mu in
      randomness.withUnsafeBytes { expanded.signature(mu: mu, randomness: $0) }
    }
  }

  /// The expanded private key in the standard's form. For vectors.
  package var expandedRepresentation: SecretBytes { expanded.expandedRepresentation }
}

extension MLDSASigningKey: Redacted {}
