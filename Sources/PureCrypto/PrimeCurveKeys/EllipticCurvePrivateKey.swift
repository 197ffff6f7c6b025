/// What the private keys of P-256, P-384 and P-521 have in common, for code that serves all three.
package protocol EllipticCurvePrivateKey: Sendable {
  associatedtype PublicKey: EllipticCurvePublicKey

  init()
  init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError)
  init(rawRepresentation bytes: SecretBytes) throws(CryptoError)
  init(derRepresentation bytes: SecretBytes) throws(CryptoError)
  init(pemRepresentation text: String) throws(CryptoError)

  var publicKey: PublicKey { get }
  var rawRepresentation: SecretBytes { get }
  var derRepresentation: SecretBytes { get }
  var pemRepresentation: String { get }

  func sharedSecret(with publicKey: PublicKey) throws(CryptoError) -> SecretBytes

  /// With the curve's own hash function.
  func signature(
    for message: some Collection<UInt8>, nonce: P256PrivateKey.NonceGeneration
  ) -> PublicKey.Signature
  /// With any hash function, which also makes the nonce. JOSE pairs each curve with one; this is for vectors.
  func signature<Function: SHA2Function>(
    forDigest digest: Function.Digest, of function: Function.Type, nonce: P256PrivateKey.NonceGeneration
  ) -> PublicKey.Signature
  /// With a given nonce, as long as the private key. For known-answer vectors only: a nonce used twice reveals the key.
  func signature<Function: SHA2Function>(
    forDigest digest: Function.Digest, of function: Function.Type, givenNonce k: some Collection<UInt8>
  ) throws(CryptoError) -> PublicKey.Signature
}

extension P256PrivateKey: EllipticCurvePrivateKey {}

extension P384PrivateKey: EllipticCurvePrivateKey {
  package func signature<Function: SHA2Function>(
    forDigest digest: Function.Digest, of function: Function.Type, nonce: NonceGeneration
  ) -> P384Signature {
    P384Signature(key.signature(forDigest: digest, of: function, nonce: nonce))
  }

  package func signature<Function: SHA2Function>(
    forDigest digest: Function.Digest, of function: Function.Type, givenNonce k: some Collection<UInt8>
  ) throws(CryptoError) -> P384Signature {
    P384Signature(
      try withContiguousBytes(k) { k throws(CryptoError) in try key.signature(forDigest: digest, givenNonce: k) })
  }
}

extension P521PrivateKey: EllipticCurvePrivateKey {
  package func signature<Function: SHA2Function>(
    forDigest digest: Function.Digest, of function: Function.Type, nonce: NonceGeneration
  ) -> P521Signature {
    P521Signature(key.signature(forDigest: digest, of: function, nonce: nonce))
  }

  package func signature<Function: SHA2Function>(
    forDigest digest: Function.Digest, of function: Function.Type, givenNonce k: some Collection<UInt8>
  ) throws(CryptoError) -> P521Signature {
    P521Signature(
      try withContiguousBytes(k) { k throws(CryptoError) in try key.signature(forDigest: digest, givenNonce: k) })
  }
}
