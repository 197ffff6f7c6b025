/// A private key of X-Wing: a seed of 32 bytes.
///
/// Source: draft-connolly-cfrg-xwing-kem-09, which may change.
public struct XWingPrivateKey: Sendable {
  /// 32 bytes: the form in which the key is kept.
  public let seed: SecretBytes

  /// The public key, which the seed determines.
  public let publicKey: XWingPublicKey

  private let lattice: MLKEMPrivateKey
  private let curve: X25519PrivateKey

  /// Makes a new key from the system's random number generator.
  ///
  /// Timing: depends on the public key only.
  public init() { self.init(anySeed: .random(count: 32)) }

  /// Expands a seed: SHAKE256 gives those of ML-KEM, 64 bytes, and of X25519, 32.
  /// - Throws: `.invalidPrivateKey` when it is not 32 bytes long.
  ///
  /// Timing: depends on the public key only.
  public init(seed: SecretBytes) throws(CryptoError) {
    guard seed.count == 32 else { throw CryptoError(.invalidPrivateKey, "a private key of X-Wing is 32 bytes long") }
    self.init(anySeed: seed)
  }

  private init(anySeed seed: SecretBytes) {
    let expanded = SecretBytes(count: 96) { expanded in
      seed.withUnsafeBytes { KeccakSponge.shake256.write($0, UnsafeRawBufferPointer(rebasing: $0[..<0]), to: expanded) }
    }
    (lattice, curve) = expanded.withUnsafeBytes {
      (
        MLKEMPrivateKey(.mlKEM768, anySeed: SecretBytes(copying: $0[..<64])),
        X25519PrivateKey(secret: SecretBytes(copying: $0[64...]))
      )
    }
    publicKey = XWingPublicKey(lattice.publicKey, curve.publicKey)
    self.seed = seed
  }

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
    let count = XWingPublicKey.latticeCiphertextByteCount
    guard ciphertext.count == count &+ 32 else {
      throw CryptoError(.decryptionFailed, "a ciphertext of X-Wing is 1120 bytes long")
    }
    let ephemeral = try X25519PublicKey(rawRepresentation: ciphertext.dropFirst(count))
    let agreed = curve.agreement(with: ephemeral).sharedSecret
    return publicKey.combined(try lattice.decapsulate(ciphertext.prefix(count)), agreed, ephemeral)
  }
}

extension XWingPrivateKey: Redacted {}
