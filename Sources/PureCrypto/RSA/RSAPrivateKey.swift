/// An RSA private key that signs.
public typealias RSASigningKey = RSAPrivateKey<KeyUse.Signing>
/// An RSA private key that decrypts, with RSAES-OAEP.
public typealias RSADecryptionKey = RSAPrivateKey<KeyUse.Encryption>

/// An RSA private key of 2048 to 8192 bits for one use: ``RSASigningKey`` or ``RSADecryptionKey``.
///
/// Its integers stay in storage that is wiped when the last copy of the value goes. Descriptions and reflection show
/// the length of the key only. A key with its prime factors computes about four times faster than one without.
///
/// Source: RFC 8017 §3.2.
public struct RSAPrivateKey<Use>: Sendable {
  @usableFromInline let key: AnyRSAPrivateKey

  /// Takes key material for this use.
  @usableFromInline
  package init(_ key: AnyRSAPrivateKey) {
    self.key = key
  }

  /// Makes a new key with e = 65537 from the system's random number generator. Takes long for long moduli, and varies.
  /// - Parameter bitCount: the length of the modulus: 2048, 3072 or 4096.
  /// - Throws: `.invalidKeyLength` for any other length.
  ///
  /// Timing: the number of candidates varies and says nothing about the primes that are kept; the work on each of these
  /// depends on its length only.
  /// Source: FIPS 186-5 §A.1.3.
  public init(bitCount: Int) throws(CryptoError) {
    self.init(try AnyRSAPrivateKey(bitCount: bitCount))
  }

  /// Reads a PKCS #8 PrivateKeyInfo or a PKCS #1 RSAPrivateKey with two primes.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm or more than two primes, `.invalidPrivateKey`
  ///   when the integers do not belong together, and what ``RSAPublicKey/init(modulus:exponent:)`` throws.
  ///
  /// Timing: depends on the structure and on lengths, not on the private integers.
  /// Source: RFC 5958 §2, RFC 8017 §A.1.2.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self.init(try AnyRSAPrivateKey(derRepresentation: bytes))
  }

  /// Reads a `PRIVATE KEY` (PKCS #8) or an `RSA PRIVATE KEY` (PKCS #1) block.
  /// - Parameter text: one block. Text may stand before it, and only white space after it.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  ///
  /// Timing: depends on the structure and on lengths, not on the private integers.
  /// Source: RFC 7468 §10.
  public init(pemRepresentation text: String) throws(CryptoError) {
    self.init(try AnyRSAPrivateKey(pemRepresentation: text))
  }

  /// n and e.
  public var publicKey: RSAPublicKey<Use> { RSAPublicKey(key.publicKey) }

  /// PKCS #8 PrivateKeyInfo in DER, or `nil` for a key without its prime factors, which has no such form.
  ///
  /// Timing: depends on the numbers of leading zeros, which the encoding shows.
  public var derRepresentation: SecretBytes? { key.derRepresentation }

  /// A `PRIVATE KEY` (PKCS #8) block, or `nil` for a key without its prime factors. A `String` can't be wiped: keep it
  /// no longer than you must.
  public var pemRepresentation: String? { key.pemRepresentation }
}

extension RSAPrivateKey where Use: KeyUse.Signs {
  /// Signs a message.
  /// - Parameter message: the bytes to sign, of any length. Not treated as a secret.
  /// - Parameter padding: how the digest is encoded. PSS takes a fresh random salt as long as the digest.
  /// - Parameter function: the hash function, for instance `SHA2.SHA256.self`.
  /// - Returns: a signature as long as the modulus.
  /// - Throws: `.invalidPrivateKey` when the result did not verify, because the key is not what it seems or the machine
  ///   made a mistake. Nothing of the result is released.
  ///
  /// Timing: depends on the lengths of message and key, not on the private integers.
  /// Source: RFC 8017 §8.1.1, §8.2.1.
  @inlinable
  public func signature<Function: SHA2Function>(
    for message: some Collection<UInt8>, padding: RSASignaturePadding, function: Function.Type
  ) throws(CryptoError) -> [UInt8] {
    try key.signature(for: message, padding: padding, function: function)
  }

  /// Signs a digest.
  /// - Throws: `.invalidPrivateKey` as ``signature(for:padding:function:)``.
  ///
  /// Timing: depends on the length of the key, not on the private integers.
  /// Source: RFC 8017 §8.1.1, §8.2.1.
  @inlinable
  public func signature<Function: SHA2Function>(
    forDigest digest: Function.Digest, padding: RSASignaturePadding, function: Function.Type
  ) throws(CryptoError) -> [UInt8] {
    try key.signature(forDigest: digest, padding: padding, function: function)
  }
}

extension RSAPrivateKey where Use: KeyUse.Encrypts {
  /// Decrypts a short message.
  /// - Parameter ciphertext: as long as the modulus.
  /// - Parameter padding: that of the sender: a ciphertext does not say which it is.
  /// - Returns: the message, whose length is no longer a secret.
  /// - Throws: `.decryptionFailed`, whatever is wrong.
  ///
  /// Timing: depends on the lengths; until the message is known to be valid, on nothing else.
  /// Source: RFC 8017 §7.1.2.
  @inlinable
  public func decrypt(
    _ ciphertext: some Collection<UInt8>, padding: RSAEncryptionPadding
  ) throws(CryptoError) -> SecretBytes {
    try key.decrypt(ciphertext, padding: padding)
  }
}

extension RSAPrivateKey: Redacted {
  /// The kind of key, never its integers.
  public var description: String { key.description }
}
