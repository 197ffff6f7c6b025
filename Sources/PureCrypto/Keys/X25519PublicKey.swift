internal import PureCryptoIntegers

/// A public key for key agreement on Curve25519: the u-coordinate of a point, 32 bytes.
///
/// Any 32 bytes are a key (RFC 7748 §5). Those with which no secret can be agreed are found at the agreement.
public struct X25519PublicKey: Sendable, Hashable {
  /// The bytes as words, least significant first.
  private let encoded: UInt256

  /// Reads a u-coordinate.
  /// - Parameter bytes: 32 bytes, least significant first. Kept as they are.
  /// - Throws: `.invalidPublicKey` for any other length.
  /// Source: RFC 7748 §5.
  @inlinable
  public init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try X25519PublicKey(raw: bytes) }
  }

  @usableFromInline
  init(raw bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    guard bytes.count == 32, let start = bytes.baseAddress else {
      throw CryptoError(.invalidPublicKey, "a public key of X25519 is 32 bytes long")
    }
    self.encoded = UInt256(littleEndian: start)
  }

  /// Takes a u-coordinate.
  init(u: FieldElement25519) {
    self.encoded = u.words
  }

  /// Reads a SubjectPublicKeyInfo.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm, `.invalidPublicKey`.
  /// Source: RFC 8410 §4.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      try X25519PublicKey(raw: PublicKeyFile(spki: bytes, .x25519).key)
    }
  }

  /// Reads a `PUBLIC KEY` block.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  /// Source: RFC 7468 §13.
  public init(pemRepresentation text: String) throws(CryptoError) {
    self = try PEMBlock.withPublicKey(text, .x25519) { file throws(CryptoError) in try X25519PublicKey(raw: file.key) }
  }

  /// SubjectPublicKeyInfo in DER: 44 bytes.
  public var derRepresentation: [UInt8] { PublicKeyFile.spki(rawRepresentation, .x25519) }

  /// A `PUBLIC KEY` block.
  public var pemRepresentation: String { PublicKeyFile.pem(derRepresentation) }

  /// 32 bytes, least significant first.
  public var rawRepresentation: [UInt8] { encoded.littleEndianBytes }

  /// The u-coordinate; its highest bit is ignored.
  var u: FieldElement25519 {
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { bytes in
      guard let start = bytes.baseAddress else { return .zero }
      encoded.storeLittleEndian(to: start)
      return FieldElement25519(littleEndian: start)
    }
  }
}
