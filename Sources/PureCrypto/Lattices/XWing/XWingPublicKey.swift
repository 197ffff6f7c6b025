/// A public key of X-Wing: one of ML-KEM-768 and one of X25519. The shared secret stays secret while either of them is
/// unbroken.
///
/// HPKE calls it MLKEM768-X25519.
/// Source: draft-connolly-cfrg-xwing-kem-09, which may change.
public struct XWingPublicKey: Sendable, Hashable {
  private let key: LatticeKEMPublicKey

  /// Reads a key.
  /// - Parameter bytes: 1216 bytes, that of ML-KEM-768 first.
  /// - Throws: `.invalidPublicKey` for any other length, and when a coefficient is not below q.
  public init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    key = try LatticeKEMPublicKey(.mlKEM768X25519, rawRepresentation: bytes)
  }

  /// - Parameter key: of MLKEM768-X25519.
  init(_ key: LatticeKEMPublicKey) { self.key = key }

  /// 1216 bytes: the key for ML-KEM-768, then the one for X25519.
  public var rawRepresentation: [UInt8] { key.rawRepresentation }

  /// Makes a secret and what its other owner learns it from.
  /// - Returns: 32 uniformly random bytes, and the ciphertext: 1120 bytes.
  /// - Throws: `.invalidPublicKey` when the key of X25519 is a point of small order.
  ///
  /// Timing: depends on the public key only.
  public func encapsulate() throws(CryptoError) -> (sharedSecret: SecretBytes, ciphertext: [UInt8]) {
    try key.encapsulate()
  }
}
