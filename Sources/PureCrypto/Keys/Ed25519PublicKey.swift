internal import PureCryptoIntegers

/// A public key of Ed25519: a point of the curve in 32 bytes.
///
/// Two keys are equal when their bytes are; the bytes of a point are unique, since only the canonical ones are read.
public struct Ed25519PublicKey: Sendable, Hashable {
  /// The bytes as words, least significant first.
  private let encoded: UInt256

  /// Odd multiples of −A.
  private let negatedMultiples: EdwardsPoint.OddMultiples

  /// Reads a point.
  /// - Parameter bytes: 32 bytes.
  /// - Throws: `.invalidPublicKey` for any other length, when they are not the canonical encoding of a point, and when
  ///   the point has a small order (1, 2, 4 or 8): anybody can sign for such a key, one signature for many messages.
  /// Source: RFC 8032 §5.1.3.
  @inlinable
  public init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try Ed25519PublicKey(raw: bytes) }
  }

  @usableFromInline
  init(raw bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    guard bytes.count == 32, let start = bytes.baseAddress, let point = EdwardsPoint.decodeVariableTime(start) else {
      throw CryptoError(.invalidPublicKey, "not the canonical encoding of a point in 32 bytes")
    }
    guard !point.hasSmallOrder.isYesVariableTime else {
      throw CryptoError(.invalidPublicKey, "the public key is a point of small order")
    }
    self.init(encoded: UInt256(littleEndian: start), point)
  }

  init(encoded: UInt256, _ point: EdwardsPoint) {
    self.encoded = encoded
    self.negatedMultiples = EdwardsPoint.OddMultiples(point.negated)
  }

  /// Reads a SubjectPublicKeyInfo.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm, `.invalidPublicKey`.
  /// Source: RFC 8410 §4.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      try Ed25519PublicKey(raw: PublicKeyFile(spki: bytes, .ed25519).key)
    }
  }

  /// Reads a `PUBLIC KEY` block.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  /// Source: RFC 7468 §13.
  public init(pemRepresentation text: String) throws(CryptoError) {
    self = try PEMBlock.withPublicKey(text, .ed25519) { file throws(CryptoError) in try Ed25519PublicKey(raw: file.key)
    }
  }

  /// SubjectPublicKeyInfo in DER: 44 bytes.
  public var derRepresentation: [UInt8] { PublicKeyFile.spki(rawRepresentation, .ed25519) }

  /// A `PUBLIC KEY` block.
  public var pemRepresentation: String { PublicKeyFile.pem(derRepresentation) }

  /// The encoded point, 32 bytes (RFC 8032 §5.1.2).
  public var rawRepresentation: [UInt8] { encoded.littleEndianBytes }

  /// Compares the bytes.
  public static func == (lhs: Ed25519PublicKey, rhs: Ed25519PublicKey) -> Bool { lhs.encoded == rhs.encoded }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }

  /// Whether `signature` is a valid signature of `message` by this key.
  /// - Parameter signature: exactly 64 bytes, R ‖ S, with S below the order of the group. R is compared as bytes, so
  ///   that a point of small order in it helps no attacker.
  /// - Parameter message: the bytes that were signed.
  ///
  /// Timing: depends on key, message and signature, which are public.
  /// Source: RFC 8032 §5.1.7.
  @inlinable
  public func isValidSignature(_ signature: some Collection<UInt8>, for message: some Collection<UInt8>) -> Bool {
    withContiguousBytes(signature) { signature in
      withContiguousBytes(message) { message in isValidSignature(signature, message: message) }
    }
  }

  @usableFromInline
  func isValidSignature(_ signature: UnsafeRawBufferPointer, message: UnsafeRawBufferPointer) -> Bool {
    guard signature.count == 64, let start = signature.baseAddress else { return false }
    let r = UInt256(littleEndian: start)
    let s = UInt256(littleEndian: start + 32)
    guard EdwardsScalar.isCanonical(s).isYesVariableTime else { return false }
    // k = SHA-512(R ‖ A ‖ M) mod L
    let k = EdwardsScalar.challenge(r: r, publicKey: encoded, message: message)
    // R = s · B − k · A
    let point = EdwardsPoint.doubleMultipleVariableTime(s, k, negatedMultiples)
    return point.encodedVariableTime == r
  }

  /// The bytes as words, least significant first.
  var words: UInt256 { encoded }
}

extension EdwardsScalar {
  /// SHA-512(R ‖ A ‖ M) mod L.
  static func challenge(r: UInt256, publicKey: UInt256, message: UnsafeRawBufferPointer) -> UInt256 {
    var hash = SHA2.SHA512()
    for part in [r, publicKey] { withUnsafeBytes(of: part.littleEndianWords) { hash.update($0) } }
    hash.update(message)
    return reduced(hash.finalize())
  }

  /// A digest, least significant byte first, mod L.
  static func reduced(_ digest: SHA2.SHA512.Digest) -> UInt256 {
    digest.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return .zero }
      return reduced(low: UInt256(littleEndian: start), high: UInt256(littleEndian: start + 32))
    }
  }
}

extension UInt256 {
  /// The words as they stand in memory when the least significant byte comes first.
  var littleEndianWords: UInt256 { UInt256(l0.littleEndian, l1.littleEndian, l2.littleEndian, l3.littleEndian) }
}
