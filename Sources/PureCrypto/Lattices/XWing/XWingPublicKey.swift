/// A public key of X-Wing: one of ML-KEM-768 and one of X25519. The shared secret stays secret while either of them is
/// unbroken.
///
/// HPKE calls it MLKEM768-X25519.
/// Source: draft-connolly-cfrg-xwing-kem-09, which may change.
public struct XWingPublicKey: Sendable, Hashable {
  let lattice: MLKEMPublicKey
  let curve: X25519PublicKey

  static let latticeByteCount = MLKEMParameterSet.mlKEM768.publicKeyByteCount
  static let latticeCiphertextByteCount = MLKEMParameterSet.mlKEM768.ciphertextByteCount

  /// Reads a key.
  /// - Parameter bytes: 1216 bytes, that of ML-KEM-768 first.
  /// - Throws: `.invalidPublicKey` for any other length, and when a coefficient is not below q.
  public init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    lattice = try MLKEMPublicKey(.mlKEM768, rawRepresentation: bytes.prefix(Self.latticeByteCount))
    curve = try X25519PublicKey(rawRepresentation: bytes.dropFirst(Self.latticeByteCount))
  }

  init(_ lattice: MLKEMPublicKey, _ curve: X25519PublicKey) { (self.lattice, self.curve) = (lattice, curve) }

  /// 1216 bytes: the key for ML-KEM-768, then the one for X25519.
  public var rawRepresentation: [UInt8] { lattice.rawRepresentation + curve.rawRepresentation }

  /// Makes a secret and what its other owner learns it from.
  /// - Returns: 32 uniformly random bytes, and the ciphertext: 1120 bytes.
  /// - Throws: `.invalidPublicKey` when the key of X25519 is a point of small order.
  ///
  /// Timing: depends on the public key only.
  public func encapsulate() throws(CryptoError) -> (sharedSecret: SecretBytes, ciphertext: [UInt8]) {
    try encapsulate(message: .random(count: MLKEMParameterSet.secretByteCount), ephemeral: X25519PrivateKey())
  }

  /// The same with randomness of the caller's choice. For vectors.
  /// - Parameter message: m of ML-KEM, 32 bytes.
  package func encapsulate(
    message: SecretBytes, ephemeral: X25519PrivateKey
  ) throws(CryptoError) -> (sharedSecret: SecretBytes, ciphertext: [UInt8]) {
    let (latticeSecret, ciphertext) = lattice.encapsulate(message)
    let agreed = try ephemeral.sharedSecret(with: curve)
    return (
      combined(latticeSecret, agreed, ephemeral.publicKey), ciphertext + ephemeral.publicKey.rawRepresentation
    )
  }

  /// SHA3-256(K of ML-KEM ‖ K of X25519 ‖ both public keys of X25519 ‖ label).
  ///
  /// Timing: depends on nothing.
  func combined(_ lattice: SecretBytes, _ agreed: SharedSecret, _ ephemeral: X25519PublicKey) -> SecretBytes {
    var sponge = KeccakSponge.hash(digestByteCount: 32)
    defer { wipe(&sponge) }
    lattice.withUnsafeBytes { sponge.update($0) }
    agreed.withUnsafeBytes { sponge.update($0) }
    for part in [ephemeral.rawRepresentation, curve.rawRepresentation, [0x5c, 0x2e, 0x2f, 0x2f, 0x5e, 0x5c]] {
      part.withUnsafeBytes { sponge.update($0) }
    }
    return SecretBytes(count: 32) { sponge.finalize(into: $0) }
  }
}
