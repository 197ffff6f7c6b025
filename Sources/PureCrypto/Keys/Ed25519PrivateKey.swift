internal import PureCryptoIntegers

/// A private key of Ed25519: a seed of 32 bytes.
///
/// The seed stays in storage that is wiped when the last copy of the value goes. Descriptions and reflection show the
/// public key only.
public struct Ed25519PrivateKey: Sendable {
  private let seed: SecretBytes

  /// The public key A = a · B.
  public let publicKey: Ed25519PublicKey

  /// Makes a new key from the system's random number generator.
  ///
  /// Timing: does not depend on the key.
  public init() {
    self.init(seed: SecretBytes.random(count: 32))
  }

  /// Reads the seed.
  /// - Parameter bytes: 32 bytes.
  /// - Throws: `.invalidPrivateKey` for any other length.
  ///
  /// Timing: does not depend on the key.
  @inlinable
  public init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    try self.init(rawRepresentation: SecretBytes(copying: bytes))
  }

  /// Reads the seed from secret storage.
  /// - Throws: `.invalidPrivateKey` when it is not 32 bytes long.
  ///
  /// Timing: does not depend on the key.
  public init(rawRepresentation bytes: SecretBytes) throws(CryptoError) {
    guard bytes.count == 32 else { throw CryptoError(.invalidPrivateKey, "a private key of Ed25519 is 32 bytes long") }
    self.init(seed: bytes)
  }

  private init(seed: SecretBytes) {
    self.seed = seed
    self.publicKey = Ed25519PrivateKey.withExpanded(seed) { a, _ in
      let point = EdwardsPoint.baseMultiple(a)
      return Ed25519PublicKey(encoded: point.encoded, point)
    }
  }

  /// The seed, 32 bytes.
  public var rawRepresentation: SecretBytes { seed }

  /// Signs a message. The same key and message give the same signature.
  /// - Parameter message: the bytes to sign, of any length. Not treated as a secret.
  /// - Returns: R ‖ S, 64 bytes.
  ///
  /// Timing: depends on the length of the message only.
  /// Source: RFC 8032 §5.1.6.
  @inlinable
  public func signature(for message: some Collection<UInt8>) -> [UInt8] {
    withContiguousBytes(message) { signature(message: $0) }
  }

  @usableFromInline
  func signature(message: UnsafeRawBufferPointer) -> [UInt8] {
    Ed25519PrivateKey.withExpanded(seed) { a, prefix in
      // r = SHA-512(prefix ‖ M) mod L
      var hash = SHA2.SHA512()
      hash.update(prefix)
      hash.update(message)
      var nonceDigest = hash.finalize()
      wipe(&hash)
      var nonce = EdwardsScalar.reduced(nonceDigest)
      wipe(&nonceDigest)
      defer { wipe(&nonce) }
      // R = r · B, k = SHA-512(R ‖ A ‖ M) mod L, S = (r + k a) mod L
      let r = EdwardsPoint.baseMultiple(nonce).encoded
      let k = EdwardsScalar.challenge(r: r, publicKey: publicKey.words, message: message)
      let s = EdwardsScalar.multiplyAdd(a, k, nonce)
      return r.littleEndianBytes + s.littleEndianBytes
    }
  }

  /// Calls `body` with the scalar a and the prefix, 32 bytes: the halves of SHA-512(seed).
  private static func withExpanded<Result>(
    _ seed: SecretBytes, _ body: (_ a: UInt256, _ prefix: UnsafeRawBufferPointer) -> Result
  ) -> Result {
    var digest = seed.withUnsafeBytes { SHA2.SHA512.hash($0) }
    defer { wipe(&digest) }
    return digest.withUnsafeBytes { bytes in
      var a = (bytes.baseAddress.map { UInt256(littleEndian: $0) } ?? .zero).clamped
      defer { wipe(&a) }
      return body(a, UnsafeRawBufferPointer(rebasing: bytes[32...]))
    }
  }
}

extension Ed25519PrivateKey {
  /// Reads a PKCS #8 PrivateKeyInfo.
  /// - Parameter bytes: strict DER, nothing after it. A public key inside must belong to the private key.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm and for an encrypted key, `.invalidPrivateKey`,
  ///   `.invalidPublicKey`.
  ///
  /// Timing: depends on the structure, not on the key.
  /// Source: RFC 8410 §7.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      try Ed25519PrivateKey(PrivateKeyFile(der: bytes, .ed25519))
    }
  }

  init(_ file: PrivateKeyFile) throws(CryptoError) {
    try self.init(rawRepresentation: SecretBytes(copying: file.key))
    try file.requirePublicKeys(publicKey) { bytes throws(CryptoError) in try Ed25519PublicKey(raw: bytes) }
  }

  /// Reads a `PRIVATE KEY` (PKCS #8) block.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  ///
  /// Timing: depends on the structure, not on the key.
  /// Source: RFC 7468 §10.
  public init(pemRepresentation text: String) throws(CryptoError) {
    self = try PEMBlock.withPrivateKey(text, .ed25519) { file throws(CryptoError) in try Ed25519PrivateKey(file) }
  }

  /// PKCS #8 PrivateKeyInfo in DER: 48 bytes.
  public var derRepresentation: SecretBytes {
    PrivateKeyFile.pkcs8(.ed25519, byteCount: rawRepresentation.count) { wrapped in
      rawRepresentation.withUnsafeBytes { wrapped.primitive(.octetString, $0) }
    }
  }

  /// A `PRIVATE KEY` (PKCS #8) block. A `String` can't be wiped: keep it no longer than you must.
  public var pemRepresentation: String { PrivateKeyFile.pem(derRepresentation) }
}

extension Ed25519PrivateKey: Redacted {}
