internal import PureCryptoIntegers

/// A private key for key agreement on Curve25519: 32 bytes.
///
/// The bytes stay in storage that is wiped when the last copy of the value goes. Descriptions and reflection show the
/// public key only.
public struct X25519PrivateKey: Sendable {
  private let secret: SecretBytes

  /// The public key X25519(k, 9).
  public let publicKey: X25519PublicKey

  /// Makes a new key from the system's random number generator.
  ///
  /// Timing: does not depend on the key.
  public init() {
    self.init(secret: SecretBytes.random(count: 32))
  }

  /// Reads the key.
  /// - Parameter bytes: 32 bytes; RFC 7748 §5 overrides five of their bits.
  /// - Throws: `.invalidPrivateKey` for any other length.
  ///
  /// Timing: does not depend on the key.
  @inlinable
  public init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    try self.init(rawRepresentation: SecretBytes(copying: bytes))
  }

  /// Reads the key from secret storage.
  /// - Throws: `.invalidPrivateKey` when it is not 32 bytes long.
  ///
  /// Timing: does not depend on the key.
  public init(rawRepresentation bytes: SecretBytes) throws(CryptoError) {
    guard bytes.count == 32 else { throw CryptoError(.invalidPrivateKey, "a private key of X25519 is 32 bytes long") }
    self.init(secret: bytes)
  }

  /// - Parameter secret: 32 bytes.
  init(secret: SecretBytes) {
    self.secret = secret
    self.publicKey = X25519PublicKey(u: X25519PrivateKey.baseMultiple(secret))
  }

  /// The 32 bytes.
  public var rawRepresentation: SecretBytes { secret }

  /// Agrees on a secret with the owner of another key.
  /// - Returns: K, from which keys are derived.
  /// - Throws: `.invalidPublicKey` when K is zero: the other key is a point of small order, and the secret none.
  ///
  /// Timing: does not depend on the private key or on K.
  /// Source: RFC 7748 §5, §6.1.
  public func sharedSecret(with publicKey: X25519PublicKey) throws(CryptoError) -> SharedSecret {
    let (sharedSecret, isZero) = agreement(with: publicKey)
    guard !isZero.declassified else {
      throw CryptoError(.invalidPublicKey, "the public key is a point of small order")
    }
    return sharedSecret
  }

  /// K as it comes out, and whether it is zero: for X-Wing's decapsulation, which refuses no point.
  ///
  /// Timing: does not depend on the private key or on K.
  /// Source: RFC 7748 §5.
  func agreement(with publicKey: X25519PublicKey) -> (sharedSecret: SharedSecret, isZero: Mask) {
    var k = X25519PrivateKey.multiple(secret, of: publicKey.u).words
    defer { wipe(&k) }
    let bytes = SecretBytes(count: UInt256.byteCount) { bytes in
      if let start = bytes.baseAddress { k.storeLittleEndian(to: start) }
    }
    return (SharedSecret(bytes), k.isZero)
  }

  /// X25519(k, 9), by the table of Ed25519's base point, which the map from one curve to the other takes to u = 9:
  /// u = (1 + y) / (1 − y). Never is y = 1: k is a multiple of 8 below 2²⁵⁵, and the least one that makes k · B
  /// neutral is 8L > 2²⁵⁵.
  ///
  /// Timing: depends on nothing.
  /// Source: RFC 7748 §4.1.
  private static func baseMultiple(_ secret: SecretBytes) -> FieldElement25519 {
    var k = scalar(secret)
    let point = EdwardsPoint.baseMultiple(k)
    wipe(&k)
    return (point.z ∔ point.y) * (point.z - point.y).inverted
  }

  private static func scalar(_ secret: SecretBytes) -> UInt256 {
    secret.withUnsafeBytes { bytes in bytes.baseAddress.map { UInt256(littleEndian: $0) } ?? .zero }.clamped
  }

  /// X25519: the u-coordinate of k times the point with the u-coordinate `u`.
  ///
  /// Timing: depends on nothing.
  /// Source: RFC 7748 §5.
  private static func multiple(_ secret: SecretBytes, of u: FieldElement25519) -> FieldElement25519 {
    var k = scalar(secret)
    var ladder = MontgomeryLadder(u)
    ladder.climb(k)
    wipe(&k)
    // 0 for the point at infinity, whose z₂ is 0.
    return ladder.x2 * ladder.z2.inverted
  }
}

extension X25519PrivateKey {
  /// Reads a PKCS #8 PrivateKeyInfo.
  /// - Parameter bytes: strict DER, nothing after it. A public key inside must belong to the private key.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm and for an encrypted key, `.invalidPrivateKey`,
  ///   `.invalidPublicKey`.
  ///
  /// Timing: depends on the structure, not on the key.
  /// Source: RFC 8410 §7.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      try X25519PrivateKey(PrivateKeyFile(der: bytes, .x25519))
    }
  }

  init(_ file: PrivateKeyFile) throws(CryptoError) {
    try self.init(rawRepresentation: SecretBytes(copying: file.key))
    try file.requirePublicKeys(publicKey) { bytes throws(CryptoError) in try X25519PublicKey(raw: bytes) }
  }

  /// Reads a `PRIVATE KEY` (PKCS #8) block.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  ///
  /// Timing: depends on the structure, not on the key.
  /// Source: RFC 7468 §10.
  public init(pemRepresentation text: String) throws(CryptoError) {
    self = try PEMBlock.withPrivateKey(text, .x25519) { file throws(CryptoError) in try X25519PrivateKey(file) }
  }

  /// PKCS #8 PrivateKeyInfo in DER: 48 bytes.
  public var derRepresentation: SecretBytes {
    PrivateKeyFile.pkcs8(.x25519, byteCount: rawRepresentation.count) { wrapped in
      rawRepresentation.withUnsafeBytes { wrapped.primitive(.octetString, $0) }
    }
  }

  /// A `PRIVATE KEY` (PKCS #8) block. A `String` can't be wiped: keep it no longer than you must.
  public var pemRepresentation: String { PrivateKeyFile.pem(derRepresentation) }
}

extension X25519PrivateKey: Redacted {}
