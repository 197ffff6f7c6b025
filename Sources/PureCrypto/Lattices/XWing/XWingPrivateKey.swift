/// A private key of X-Wing: a seed of 32 bytes.
///
/// Source: draft-connolly-cfrg-xwing-kem-09, which may change.
public struct XWingPrivateKey: Sendable {
  private let key: LatticeKEMPrivateKey

  /// 32 bytes: the form in which the key is kept.
  public var seed: SecretBytes { key.seed }

  /// The public key, which the seed determines.
  public var publicKey: XWingPublicKey { XWingPublicKey(key.publicKey) }

  /// Makes a new key from the system's random number generator.
  ///
  /// Timing: depends on the public key only.
  public init() { key = LatticeKEMPrivateKey(.mlKEM768X25519) }

  /// Expands a seed: SHAKE256 gives those of ML-KEM, 64 bytes, and of X25519, 32.
  /// - Throws: `.invalidPrivateKey` when it is not 32 bytes long.
  ///
  /// Timing: depends on the public key only.
  public init(seed: SecretBytes) throws(CryptoError) { key = try LatticeKEMPrivateKey(.mlKEM768X25519, seed: seed) }

  /// Learns the secret that belongs to a ciphertext; from a wrong one another secret, as
  /// ``MLKEMPrivateKey/decapsulate(_:)`` does.
  ///
  /// A point of small order in the ciphertext is not refused: its part of the secret is zero, and ML-KEM's remains.
  /// - Parameter ciphertext: 1120 bytes.
  /// - Returns: 32 bytes.
  /// - Throws: `.decryptionFailed` for any other length.
  ///
  /// Timing: depends on the public key only, not on whether the ciphertext is right.
  public func decapsulate(_ ciphertext: some Collection<UInt8>) throws(CryptoError) -> SecretBytes {
    try key.decapsulate(ciphertext)
  }
}

extension XWingPrivateKey: Redacted {}
