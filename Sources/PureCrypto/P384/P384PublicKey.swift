/// A public key on the curve P-384: a point other than infinity.
///
/// Every initializer validates: coordinates below p and on the curve, which for P-384 (cofactor 1) is the full validation
/// of SP 800-56A §5.6.2.3.3. Two keys are equal when their points are.
public struct P384PublicKey: Sendable, Hashable {
  let key: CurvePublicKey<P384Curve>

  init(_ key: CurvePublicKey<P384Curve>) {
    self.key = key
  }

  /// Reads the affine coordinates.
  /// - Parameter x: 48 bytes, most significant first. Leading zeros stay.
  /// - Parameter y: likewise.
  /// - Throws: `.invalidPublicKey` when a length is not 48 bytes, a coordinate is not below p, or the point is not on the
  ///   curve.
  @inlinable
  public init(x: some Collection<UInt8>, y: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(x) { x throws(CryptoError) in
      try withContiguousBytes(y) { y throws(CryptoError) in try P384PublicKey(x: x, y: y) }
    }
  }

  /// Reads an uncompressed point.
  /// - Parameter bytes: 97 bytes, 04 ‖ x ‖ y.
  /// - Throws: `.invalidPublicKey` for any other form, the hybrid ones included, and for a point that is not valid.
  /// Source: ANSI X9.63 §4.3.7, SEC 1 §2.3.4.
  @inlinable
  public init(x963Representation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try P384PublicKey(uncompressed: bytes) }
  }

  /// Reads a compressed point.
  /// - Parameter bytes: 49 bytes, 02 ‖ x or 03 ‖ x; the lowest bit of the first is that of y.
  /// - Throws: `.invalidPublicKey` for any other form, when x is not below p, and when the curve has no point at x.
  /// Source: SEC 1 §2.3.4.
  @inlinable
  public init(compressedRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try P384PublicKey(compressed: bytes) }
  }

  /// Reads a SubjectPublicKeyInfo.
  /// - Parameter bytes: strict DER, nothing after it. The curve must be named; parameters written out are refused, since
  ///   they would let an attacker choose the base point. The point may be compressed or not.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm or curve, `.invalidPublicKey`.
  /// Source: RFC 5280 §4.1.2.7, RFC 5480 §2.
  @inlinable
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try P384PublicKey(der: bytes) }
  }

  /// Reads a `PUBLIC KEY` block.
  /// - Parameter text: exactly one block, with white space around it at most.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  /// Source: RFC 7468 §13.
  public init(pemRepresentation text: String) throws(CryptoError) {
    self.init(try CurvePublicKey(pem: text))
  }

  /// x, 48 bytes, most significant first.
  public var x: [UInt8] { key.x }

  /// y, 48 bytes, most significant first.
  public var y: [UInt8] { key.y }

  /// 04 ‖ x ‖ y, 97 bytes.
  public var x963Representation: [UInt8] { key.uncompressed }

  /// 02 ‖ x for an even y, 03 ‖ x for an odd y, 49 bytes.
  public var compressedRepresentation: [UInt8] { key.compressed }

  /// SubjectPublicKeyInfo in DER, with the uncompressed point: 120 bytes.
  public var derRepresentation: [UInt8] { key.der }

  /// A `PUBLIC KEY` block.
  public var pemRepresentation: String { key.pem }
}

extension P384PublicKey {
  /// Whether `signature` is a valid ECDSA signature over SHA-384 of `message` by this key.
  ///
  /// - Parameter signature: of well-formed encoding; r and s may be out of range, which makes it invalid.
  /// - Parameter message: the bytes that were signed, not their digest.
  ///
  /// Timing: depends on key, message and signature, which are public.
  /// Source: FIPS 186-5 §6.4.2.
  @inlinable
  public func isValidSignature(_ signature: P384Signature, for message: some Collection<UInt8>) -> Bool {
    isValidSignature(signature, forDigest: SHA2.SHA384.hash(message))
  }

  /// Whether `signature` is a valid ECDSA signature of the digest by this key.
  ///
  /// Timing: depends on key, digest and signature, which are public.
  /// Source: FIPS 186-5 §6.4.2.
  public func isValidSignature(_ signature: P384Signature, forDigest digest: SHA2.SHA384.Digest) -> Bool {
    key.isValidSignature(signature.signature, forDigest: digest)
  }
}

extension P384PublicKey {
  @usableFromInline
  init(x: UnsafeRawBufferPointer, y: UnsafeRawBufferPointer) throws(CryptoError) {
    self.init(try CurvePublicKey(x: x, y: y))
  }

  @usableFromInline
  init(uncompressed bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    self.init(try CurvePublicKey(uncompressed: bytes))
  }

  @usableFromInline
  init(compressed bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    self.init(try CurvePublicKey(compressed: bytes))
  }

  @usableFromInline
  init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    self.init(try CurvePublicKey(der: bytes))
  }
}
