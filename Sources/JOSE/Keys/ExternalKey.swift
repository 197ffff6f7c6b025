/// A signing key that lives elsewhere: in a Secure Enclave, a KMS, an HSM or an agent.
///
/// Make a ``SigningKey`` of it to use it wherever a key of this package goes. A signer that can only answer asynchronously uses
/// ``JWS/prepare(_:for:header:)`` instead.
public protocol ExternalSigner: Sendable {
  /// The public key, with the algorithm that the signer performs. Each signature is verified with it before it is used.
  var verificationKey: VerificationKey { get }

  /// Signs octets. For ES256, hashes them with SHA-256 and returns r ‖ s, 32 octets each, big-endian; not DER.
  func signature(for signingInput: [UInt8]) throws -> [UInt8]
}

/// A key agreement key that lives elsewhere: in a Secure Enclave, a KMS, an HSM or an agent.
///
/// Make a ``DecryptionKey`` of it to use it wherever a key of this package goes.
public protocol ExternalKeyAgreement: Sendable {
  /// The public key on P-256, as 65 octets `04 ‖ X ‖ Y`.
  var publicKeyX963Representation: [UInt8] { get }

  /// The shared secret Z with a public point given as 65 octets `04 ‖ X ‖ Y`: the x-coordinate of the product, 32 octets, big-endian,
  /// leading zeros kept, before any key derivation. The point has been checked to be on the curve.
  func sharedSecret(withPublicKeyX963Representation publicKey: [UInt8]) throws -> [UInt8]
}
