/// A signing key that lives elsewhere: in a Secure Enclave, a KMS, an HSM or an agent.
///
/// Make a ``SigningKey`` of it to use it wherever a key of this package goes. A signer that can only answer
/// asynchronously uses ``JWS/prepare(_:for:header:)`` instead.
public protocol ExternalSigner: Sendable {
  /// The public key, with the algorithm that the signer performs. Each signature is verified with it before it is used.
  var verificationKey: VerificationKey { get }

  /// Signs octets. For ES256 and ES256K, hashes them with SHA-256 and returns r ‖ s, 32 octets each, big-endian; not
  /// DER. For ES384 that is SHA-384 and 48 octets, for ES512 SHA-512 and 66. A signer of ML-DSA that takes µ in place
  /// of a message is given ``VerificationKey/externalMu(for:)``.
  ///
  /// - Throws: anything, if the key can't be used. The caller that wanted the signature gets
  ///   ``ErrorCode/externalKeyFailed``.
  func signature(for signingInput: [UInt8]) throws -> [UInt8]
}

/// A key agreement key that lives elsewhere: in a Secure Enclave, a KMS, an HSM or an agent.
///
/// Make a ``DecryptionKey`` of it to use it wherever a key of this package goes.
public protocol ExternalKeyAgreement: Sendable {
  /// The public key as `04 ‖ X ‖ Y`: 65 octets on P-256, 97 on P-384, 133 on P-521. A key of X25519 has no such
  /// form: give its 32 octets.
  var publicKeyX963Representation: [UInt8] { get }

  /// The shared secret Z with a public key on the same curve, given in the same form: the x-coordinate of the product,
  /// 32, 48 or 66 octets, big-endian, leading zeros kept, before any key derivation; of X25519 the 32 octets of the
  /// function. A point has been checked to be on the curve.
  ///
  /// - Throws: anything, if the key can't be used. The caller that wanted to decrypt gets
  ///   ``ErrorCode/externalKeyFailed``.
  func sharedSecret(withPublicKeyX963Representation publicKey: [UInt8]) throws -> [UInt8]
}
