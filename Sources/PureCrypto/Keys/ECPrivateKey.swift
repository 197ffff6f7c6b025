/// A private key on P-256 that signs: ES256.
public typealias P256SigningKey = ECPrivateKey<P256Curve, KeyUse.Signing>
/// A private key on P-384 that signs: ES384.
public typealias P384SigningKey = ECPrivateKey<P384Curve, KeyUse.Signing>
/// A private key on P-521 that signs: ES512.
public typealias P521SigningKey = ECPrivateKey<P521Curve, KeyUse.Signing>
/// A private key on secp256k1 that signs: ES256K.
public typealias Secp256k1SigningKey = ECPrivateKey<Secp256k1Curve, KeyUse.Signing>
/// A private key on P-256 that agrees on secrets.
public typealias P256AgreementPrivateKey = ECPrivateKey<P256Curve, KeyUse.Agreement>
/// A private key on P-384 that agrees on secrets.
public typealias P384AgreementPrivateKey = ECPrivateKey<P384Curve, KeyUse.Agreement>
/// A private key on P-521 that agrees on secrets.
public typealias P521AgreementPrivateKey = ECPrivateKey<P521Curve, KeyUse.Agreement>

package typealias P256PrivateKey = ECPrivateKey<P256Curve, KeyUse.All>
package typealias P384PrivateKey = ECPrivateKey<P384Curve, KeyUse.All>
package typealias P521PrivateKey = ECPrivateKey<P521Curve, KeyUse.All>
package typealias Secp256k1PrivateKey = ECPrivateKey<Secp256k1Curve, KeyUse.All>

/// A private key on one of the curves for one use, such as ``P256SigningKey`` or ``P256AgreementPrivateKey``: an
/// integer d with 1 ≤ d ≤ n − 1.
///
/// d stays in storage that is wiped when the last copy of the value goes. Descriptions and reflection show the public
/// key only. d has 32 bytes on P-256 and secp256k1, 48 on P-384 and 66 on P-521.
public struct ECPrivateKey<Curve: EllipticCurve, Use>: Sendable {
  /// d, as long as n, most significant byte first.
  @usableFromInline let secret: SecretBytes

  /// The public key Q = d · G.
  public let publicKey: ECPublicKey<Curve, Use>

  /// Takes d with 1 ≤ d ≤ n − 1, as long as n.
  private init(inRange secret: SecretBytes) {
    self.secret = secret
    self.publicKey = ECPublicKey(validated: Curve.operations.baseMultiple(secret))
  }

  /// Takes a key for this use.
  package init<Other>(_ key: ECPrivateKey<Curve, Other>) {
    self.secret = key.secret
    self.publicKey = ECPublicKey(validated: key.publicKey.point)
  }

  /// Makes a new key from the system's random number generator.
  ///
  /// Timing: does not depend on the key.
  /// Source: FIPS 186-5 §A.2.2.
  public init() {
    self.init(inRange: Curve.operations.draw(SystemRandom.fill))
  }

  /// Makes a new key from a generator of the caller's choice. For tests.
  package init(using generator: inout some RandomNumberGenerator) {
    self.init(inRange: Curve.operations.draw { SystemRandom.fill($0, using: &generator) })
  }

  /// Reads d.
  /// - Parameter bytes: as long as the curve's order, most significant byte first.
  /// - Throws: `.invalidPrivateKey` for another length, and when d is 0, n or more.
  ///
  /// Timing: does not depend on d, except for whether it is in range.
  public init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try ECPrivateKey(raw: bytes) }
  }

  /// Reads d from secret storage.
  /// - Parameter bytes: as long as the curve's order, most significant byte first.
  /// - Throws: `.invalidPrivateKey` for another length, and when d is 0, n or more.
  ///
  /// Timing: does not depend on d, except for whether it is in range.
  public init(rawRepresentation bytes: SecretBytes) throws(CryptoError) {
    try bytes.withUnsafeBytes(Curve.operations.requireInRange)
    self.init(inRange: bytes)
  }

  private init(raw bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    try Curve.operations.requireInRange(bytes)
    self.init(inRange: SecretBytes(copying: bytes))
  }

  /// Reads a PKCS #8 PrivateKeyInfo or a SEC 1 ECPrivateKey.
  /// - Parameter bytes: strict DER, nothing after it. A public key inside, in either place where one may stand, must
  ///   belong to the private key.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm or curve and for an encrypted key,
  ///   `.invalidPrivateKey` when d is not as long as the curve's order, is out of range or belongs to another public
  ///   key, `.invalidPublicKey`.
  ///
  /// Timing: depends on the structure, not on d.
  /// Source: RFC 5958 §2, RFC 5915 §3, SEC 1 §C.4.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try ECPrivateKey(der: bytes) }
  }

  /// Reads a PKCS #8 PrivateKeyInfo or a SEC 1 ECPrivateKey from secret storage.
  /// - Throws: as the initializer that takes a collection.
  ///
  /// Timing: depends on the structure, not on d.
  public init(derRepresentation bytes: SecretBytes) throws(CryptoError) {
    self = try bytes.withUnsafeBytes { bytes throws(CryptoError) in try ECPrivateKey(der: bytes) }
  }

  private init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    try self.init(PrivateKeyFile(der: bytes, .ec(Curve.namedCurve)))
  }

  init(_ file: PrivateKeyFile) throws(CryptoError) {
    try self.init(raw: file.key)
    try file.requirePublicKeys(publicKey) { bytes throws(CryptoError) in try ECPublicKey(encodedPoint: bytes) }
  }

  /// Reads a `PRIVATE KEY` (PKCS #8) or an `EC PRIVATE KEY` (SEC 1) block.
  /// - Parameter text: one key. Text and certificates may stand around it, and `EC PARAMETERS` before `EC PRIVATE KEY`.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)-(Collection<UInt8>)`` throws.
  ///
  /// Timing: depends on the structure, not on the key.
  /// Source: RFC 7468 §10, RFC 5915 §4.
  public init(pemRepresentation text: String) throws(CryptoError) {
    self = try PEMBlock.withPrivateKey(
      text, labels: [.privateKey, .ecPrivateKey], .ec(Curve.namedCurve)
    ) { file throws(CryptoError) in try ECPrivateKey(file) }
  }

  /// d, as long as the curve's order, most significant byte first.
  public var rawRepresentation: SecretBytes { secret }

  /// PKCS #8 PrivateKeyInfo in DER, with the public key inside ECPrivateKey.
  ///
  /// Timing: does not depend on d.
  public var derRepresentation: SecretBytes {
    let point = publicKey.x963Representation
    return PrivateKeyFile.pkcs8(.ec(Curve.namedCurve), byteCount: secret.count &+ point.count) { wrapped in
      wrapped.constructed(.sequence) { key in
        key.primitive(.integer, [1])
        secret.withUnsafeBytes { key.primitive(.octetString, $0) }
        key.constructed(.constructed(1)) { $0.bitString(point) }
      }
    }
  }

  /// A `PRIVATE KEY` (PKCS #8) block. A `String` can't be wiped: keep it no longer than you must.
  ///
  /// Timing: does not depend on the key.
  public var pemRepresentation: String { PrivateKeyFile.pem(derRepresentation) }
}

extension ECPrivateKey where Use: KeyUse.Signs {
  /// Signs a message with ECDSA over the curve's hash function: SHA-256 on P-256 and secp256k1, SHA-384 on P-384,
  /// SHA-512 on P-521.
  /// - Parameter message: the bytes to sign, of any length.
  /// - Parameter nonce: how the nonce is made.
  ///
  /// Timing: depends on the length of the message only. The message is not treated as a secret.
  /// Source: FIPS 186-5 §6.4.1, RFC 6979.
  @inlinable
  public func signature(
    for message: some Collection<UInt8>, nonce: ECDSANonceGeneration = .hedged
  ) -> ECDSASignature<Curve> {
    signature(forDigest: Curve.HashFunction.hash(message), nonce: nonce)
  }

  /// Signs a digest with ECDSA.
  /// - Parameter digest: of the message. Not treated as a secret.
  /// - Parameter nonce: how the nonce is made.
  ///
  /// Timing: does not depend on the key or the nonce.
  /// Source: FIPS 186-5 §6.4.1, RFC 6979.
  @inlinable
  public func signature(
    forDigest digest: Curve.HashFunction.Digest, nonce: ECDSANonceGeneration = .hedged
  ) -> ECDSASignature<Curve> {
    ECDSASignature(unchecked: digest.withUnsafeBytes { Curve.operations.sign($0, secret, nonce) })
  }

  /// Signs a digest of any function with a given nonce. For known-answer vectors only: a nonce used twice reveals the
  /// key.
  /// - Parameter k: as long as the curve's order, most significant byte first.
  /// - Throws: `.invalidPrivateKey` when k is not between 1 and n − 1, or gives r = 0 or s = 0.
  package func signature(
    forDigest digest: some SHA2Digest, givenNonce k: some Collection<UInt8>
  ) throws(CryptoError) -> ECDSASignature<Curve> {
    ECDSASignature(
      unchecked: try withContiguousBytes(k) { k throws(CryptoError) in
        try digest.withUnsafeBytes { digest throws(CryptoError) in
          try Curve.operations.signWithNonce(digest, secret, k)
        }
      })
  }

}

extension ECPrivateKey where Use: KeyUse.Agrees {
  /// The shared secret Z of elliptic curve Diffie-Hellman: the x-coordinate of d · Q.
  /// - Parameter publicKey: of the other party, validated when it was made.
  /// - Returns: Z, from which keys are derived.
  /// - Throws: `.invalidPublicKey` if the product is infinity, which a validated key can't bring about.
  ///
  /// Timing: does not depend on the private key or on Z.
  /// Source: SP 800-56A §5.7.1.2, RFC 7518 §4.6.
  public func sharedSecret(with publicKey: ECPublicKey<Curve, Use>) throws(CryptoError) -> SharedSecret {
    try Curve.operations.agree(secret, publicKey.point)
  }
}

extension ECPrivateKey: Redacted {
  /// The kind of key, never d.
  public var description: String { "\(Curve.namedCurve.typeName)PrivateKey(redacted)" }
}
