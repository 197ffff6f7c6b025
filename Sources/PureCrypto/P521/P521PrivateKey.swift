/// A private key on the curve P-521: an integer d with 1 ≤ d ≤ n − 1, for signatures and key agreement.
///
/// d stays in storage that is wiped when the last copy of the value goes. Descriptions and reflection show the public key
/// only.
public struct P521PrivateKey: Sendable {
  /// How the nonce of a signature is made.
  public typealias NonceGeneration = P256PrivateKey.NonceGeneration

  let key: CurvePrivateKey<P521Curve>

  private init(_ key: CurvePrivateKey<P521Curve>) {
    self.key = key
  }

  /// Makes a new key from the system's random number generator.
  ///
  /// Timing: does not depend on the key.
  /// Source: FIPS 186-5 §A.2.2.
  public init() {
    self.init(CurvePrivateKey(drawing: SystemRandom.fill))
  }

  /// Makes a new key from a generator of the caller's choice. For tests.
  package init(using generator: inout some RandomNumberGenerator) {
    self.init(CurvePrivateKey { SystemRandom.fill($0, using: &generator) })
  }

  /// Reads d.
  /// - Parameter bytes: 66 bytes, most significant first.
  /// - Throws: `.invalidPrivateKey` when the length is not 66 bytes, or d is 0, n or more.
  ///
  /// Timing: does not depend on d, except for whether it is in range.
  @inlinable
  public init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try P521PrivateKey(raw: bytes) }
  }

  /// Reads d from secret storage.
  /// - Parameter bytes: 66 bytes, most significant first.
  /// - Throws: `.invalidPrivateKey` when the length is not 66 bytes, or d is 0, n or more.
  ///
  /// Timing: does not depend on d, except for whether it is in range.
  public init(rawRepresentation bytes: SecretBytes) throws(CryptoError) {
    self = try bytes.withUnsafeBytes { bytes throws(CryptoError) in try P521PrivateKey(raw: bytes) }
  }

  /// Reads a PKCS #8 PrivateKeyInfo or a SEC 1 ECPrivateKey.
  /// - Parameter bytes: strict DER, nothing after it. A public key inside, in either place where one may stand, must
  ///   belong to the private key.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm or curve, `.invalidPrivateKey` when d is not 66
  ///   bytes, is out of range or belongs to another public key, `.invalidPublicKey`.
  ///
  /// Timing: depends on the structure, not on d.
  /// Source: RFC 5958 §2, RFC 5915 §3, SEC 1 §C.4.
  @inlinable
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try P521PrivateKey(der: bytes) }
  }

  /// Reads a PKCS #8 PrivateKeyInfo or a SEC 1 ECPrivateKey from secret storage.
  /// - Throws: as the initializer that takes a collection.
  ///
  /// Timing: depends on the structure, not on d.
  public init(derRepresentation bytes: SecretBytes) throws(CryptoError) {
    self = try bytes.withUnsafeBytes { bytes throws(CryptoError) in try P521PrivateKey(der: bytes) }
  }

  /// Reads a `PRIVATE KEY` (PKCS #8) or an `EC PRIVATE KEY` (SEC 1) block.
  /// - Parameter text: exactly one block, with white space around it at most.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)-(Collection<UInt8>)`` throws.
  ///
  /// Timing: depends on the structure, not on the key.
  /// Source: RFC 7468 §10, RFC 5915 §4.
  public init(pemRepresentation text: String) throws(CryptoError) {
    self.init(try CurvePrivateKey(pem: text))
  }

  @usableFromInline
  init(raw bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    self.init(try CurvePrivateKey(raw: bytes))
  }

  @usableFromInline
  init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    self.init(try CurvePrivateKey(der: bytes))
  }

  /// The public key Q = d · G.
  public var publicKey: P521PublicKey { P521PublicKey(key.publicKey) }

  /// d, 66 bytes, most significant first.
  public var rawRepresentation: SecretBytes { key.secret }

  /// PKCS #8 PrivateKeyInfo in DER, with the public key inside ECPrivateKey: 241 bytes.
  ///
  /// Timing: does not depend on d.
  public var derRepresentation: SecretBytes { key.der }

  /// A `PRIVATE KEY` (PKCS #8) block. A `String` can't be wiped: keep it no longer than you must.
  ///
  /// Timing: does not depend on the key.
  public var pemRepresentation: String { key.pem }
}

extension P521PrivateKey {
  /// Signs a message with ECDSA over SHA-512.
  /// - Parameter message: the bytes to sign, of any length.
  /// - Parameter nonce: how the nonce is made.
  ///
  /// Timing: depends on the length of the message only. The message is not treated as a secret.
  /// Source: FIPS 186-5 §6.4.1, RFC 6979.
  @inlinable
  public func signature(for message: some Collection<UInt8>, nonce: NonceGeneration = .hedged) -> P521Signature {
    signature(forDigest: SHA2.SHA512.hash(message), nonce: nonce)
  }

  /// Signs a digest with ECDSA.
  /// - Parameter digest: of the message. Not treated as a secret.
  /// - Parameter nonce: how the nonce is made.
  ///
  /// Timing: does not depend on the key or the nonce.
  /// Source: FIPS 186-5 §6.4.1, RFC 6979.
  public func signature(forDigest digest: SHA2.SHA512.Digest, nonce: NonceGeneration = .hedged) -> P521Signature {
    P521Signature(key.signature(forDigest: digest, of: SHA2.SHA512.self, nonce: nonce))
  }

  /// The shared secret Z of elliptic curve Diffie-Hellman: the x-coordinate of d · Q.
  /// - Parameter publicKey: of the other party, validated when it was made.
  /// - Returns: 66 bytes, most significant first, leading zeros kept. To be fed to a key derivation function, never
  ///   used as a key itself.
  /// - Throws: `.invalidPublicKey` if the product is infinity, which a validated key can't bring about.
  ///
  /// Timing: does not depend on the private key or on Z.
  /// Source: SP 800-56A §5.7.1.2, RFC 7518 §4.6.
  public func sharedSecret(with publicKey: P521PublicKey) throws(CryptoError) -> SecretBytes {
    try key.sharedSecret(with: publicKey.key)
  }
}

extension P521PrivateKey: CustomStringConvertible, CustomDebugStringConvertible {
  /// The kind of key, never d.
  public var description: String { "P521PrivateKey(redacted)" }

  /// The kind of key, never d.
  public var debugDescription: String { description }
}

#if !hasFeature(Embedded)
  extension P521PrivateKey: CustomReflectable {
    /// Nothing of d.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
  }
#endif
