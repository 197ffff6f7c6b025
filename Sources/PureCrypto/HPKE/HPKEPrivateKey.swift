/// A private key that a recipient decapsulates with: of DHKEM, or of a KEM with ML-KEM in it.
package protocol HPKEPrivateKey: Sendable {
  associatedtype PublicKey: HPKEPublicKey

  var publicKey: PublicKey { get }

  /// SerializePrivateKey.
  /// Source: RFC 9180 §7.1.2.
  var hpkeSerialization: SecretBytes { get }

  /// DeriveKeyPair. For vectors.
  /// - Parameter material: at least as long as a private key, and as hard to guess.
  /// - Throws: `.unsupportedKey` for a KEM with other keys, `.invalidPrivateKey` if no candidate is in range, which
  ///   does not happen by chance.
  ///
  /// Timing: depends on the length and on how many candidates are out of range.
  /// Source: RFC 9180 §7.1.3, draft-ietf-hpke-pq-05.
  init(deriving material: SecretBytes, for kem: HPKE.KEM) throws(CryptoError)

  /// Decap: learns the secret from what the sender has sent.
  /// - Throws: `.invalidPublicKey` for a point that is not on the curve, and what the KEM says of wrong lengths.
  ///
  /// Timing: depends on the encapsulated key only.
  /// Source: RFC 9180 §4.1, draft-ietf-hpke-pq-05.
  func hpkeDecapsulate(_ encapsulatedKey: [UInt8], for kem: HPKE.KEM) throws(CryptoError) -> SecretBytes
}
