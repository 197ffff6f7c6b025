/// A public key that a sender encapsulates to: of DHKEM, or of a KEM with ML-KEM in it.
package protocol HPKEPublicKey: Sendable {
  /// Its KEM, if there is one for it.
  var hpkeKEM: HPKE.KEM? { get }

  /// SerializePublicKey.
  /// Source: RFC 9180 §7.1.1.
  var hpkeSerialization: [UInt8] { get }

  /// Encap: makes a secret, and what its other owner learns it from.
  /// - Throws: `.invalidPublicKey` for a point of small order.
  ///
  /// Timing: depends on the public key only.
  /// Source: RFC 9180 §4.1, draft-ietf-hpke-pq-05.
  func hpkeEncapsulate(for kem: HPKE.KEM) throws(CryptoError) -> (sharedSecret: SecretBytes, encapsulatedKey: [UInt8])

  /// The same with randomness of the caller's choice, which DHKEM derives its key for one use from. For vectors.
  func hpkeEncapsulate(
    for kem: HPKE.KEM, randomness: SecretBytes
  ) throws(CryptoError) -> (sharedSecret: SecretBytes, encapsulatedKey: [UInt8])
}
