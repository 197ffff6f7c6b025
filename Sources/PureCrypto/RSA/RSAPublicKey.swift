/// An RSA public key that verifies signatures.
public typealias RSAVerificationKey = RSAPublicKey<KeyUse.Signing>
/// An RSA public key that encrypts, with RSAES-OAEP.
public typealias RSAEncryptionKey = RSAPublicKey<KeyUse.Encryption>

/// An RSA public key for one use, ``RSAVerificationKey`` or ``RSAEncryptionKey``: a modulus n of 2048 to 8192 bits and
/// an odd exponent e with 3 ≤ e < 2³².
///
/// Whether n is the product of two primes can't be seen. Two keys are equal when n and e are.
/// Source: RFC 8017 §3.1.
public struct RSAPublicKey<Use>: Sendable, Hashable {
  @usableFromInline let key: AnyRSAPublicKey

  /// Takes key material for this use.
  @usableFromInline
  package init(_ key: AnyRSAPublicKey) {
    self.key = key
  }

  /// Reads modulus and exponent.
  /// - Parameter modulus: n, 256 to 1024 bytes, most significant first, without leading zeros.
  /// - Parameter exponent: e, 1 to 4 bytes, likewise.
  /// - Throws: `.invalidKeyLength` when n has less than 2048 or more than 8192 bits, `.invalidPublicKey` when n is
  ///   even, e is even or below 3 or 2³² or more, or there are leading zeros.
  @inlinable
  public init(modulus: some Collection<UInt8>, exponent: some Collection<UInt8>) throws(CryptoError) {
    self.init(try AnyRSAPublicKey(modulus: modulus, exponent: exponent))
  }

  /// Reads a SubjectPublicKeyInfo or a PKCS #1 RSAPublicKey.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm (id-RSASSA-PSS among them, which restricts the
  ///   key's use), and what ``init(modulus:exponent:)`` throws.
  /// Source: RFC 3279 §2.3.1, RFC 8017 §A.1.1.
  @inlinable
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self.init(try AnyRSAPublicKey(derRepresentation: bytes))
  }

  /// Reads a `PUBLIC KEY` (SubjectPublicKeyInfo) or an `RSA PUBLIC KEY` (PKCS #1) block.
  /// - Parameter text: one block. Text may stand before it, and only white space after it.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  /// Source: RFC 7468 §13.
  public init(pemRepresentation text: String) throws(CryptoError) {
    self.init(try AnyRSAPublicKey(pemRepresentation: text))
  }

  /// The lengths of moduli that are accepted, in bits. Shorter ones are too weak; longer ones cost too much.
  public static var bitCounts: ClosedRange<Int> { AnyRSAPublicKey.bitCounts }

  /// The length of n in bits.
  public var bitCount: Int { key.bitCount }

  /// The length of n, of signatures and of ciphertexts in bytes.
  public var byteCount: Int { key.byteCount }

  /// n, most significant byte first, without leading zeros.
  public var modulus: [UInt8] { key.modulus }

  /// e, most significant byte first, without leading zeros: 1 to 4 bytes, usually 01 00 01.
  public var publicExponent: [UInt8] { key.publicExponent }

  /// SubjectPublicKeyInfo in DER.
  public var derRepresentation: [UInt8] { key.derRepresentation }

  /// A `PUBLIC KEY` block.
  public var pemRepresentation: String { key.pemRepresentation }

  /// PKCS #1 RSAPublicKey in DER.
  public var pkcs1Representation: [UInt8] { key.pkcs1Representation }
}

extension RSAPublicKey where Use: KeyUse.Signs {
  /// Whether `signature` is a valid signature of `message` by this key.
  /// - Parameter signature: exactly `byteCount` bytes.
  /// - Parameter message: the bytes that were signed.
  /// - Parameter padding: how the digest is encoded. It is never guessed from the signature.
  /// - Parameter function: the hash function, for instance `SHA2.SHA256.self`.
  ///
  /// Timing: depends on key, message and signature, which are public.
  /// Source: RFC 8017 §8.1.2, §8.2.2.
  @inlinable
  public func isValidSignature<Function: SHA2Function>(
    _ signature: some Collection<UInt8>, for message: some Collection<UInt8>, padding: RSASignaturePadding,
    function: Function.Type
  ) -> Bool {
    key.isValidSignature(signature, for: message, padding: padding, function: function)
  }

  /// Whether `signature` is a valid signature of the digest by this key.
  ///
  /// Timing: depends on key, digest and signature, which are public.
  /// Source: RFC 8017 §8.1.2, §8.2.2.
  @inlinable
  public func isValidSignature<Function: SHA2Function>(
    _ signature: some Collection<UInt8>, forDigest digest: Function.Digest, padding: RSASignaturePadding,
    function: Function.Type
  ) -> Bool {
    key.isValidSignature(signature, forDigest: digest, padding: padding, function: function)
  }
}

extension RSAPublicKey where Use: KeyUse.Encrypts {
  /// Encrypts a short message, such as a key, for the owner of the private key.
  /// - Parameter message: with a modulus of 2048 bits at most 214 bytes by OAEP-SHA-1, 190 by -SHA-256, 158 by
  ///   -SHA-384, 126 by -SHA-512.
  /// - Parameter padding: what the receiver expects: a ciphertext does not say which it is.
  /// - Returns: a ciphertext as long as the modulus.
  /// - Throws: `.lengthLimitExceeded` when the message is too long.
  ///
  /// Timing: depends on the lengths and on e, not on the message.
  /// Source: RFC 8017 §7.1.1.
  @inlinable
  public func encrypt(
    _ message: some Collection<UInt8>, padding: RSAEncryptionPadding
  ) throws(CryptoError) -> [UInt8] {
    try key.encrypt(message, padding: padding)
  }

  /// Encrypts a secret, such as a key.
  /// - Throws: `.lengthLimitExceeded` when it is too long.
  ///
  /// Timing: depends on the lengths and on e, not on the secret.
  public func encrypt(_ secret: SecretBytes, padding: RSAEncryptionPadding) throws(CryptoError) -> [UInt8] {
    try key.encrypt(secret, padding: padding)
  }
}
