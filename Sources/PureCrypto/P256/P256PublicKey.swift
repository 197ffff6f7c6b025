/// A public key on the curve P-256: a point other than infinity.
///
/// Every initializer validates: coordinates below p and on the curve, which for P-256 (cofactor 1) is the full validation
/// of SP 800-56A §5.6.2.3.3. Two keys are equal when their points are.
public struct P256PublicKey: Sendable, Hashable {
  let point: AffinePoint

  /// Takes a point that is known to be on the curve.
  init(validated point: AffinePoint) {
    self.point = point
  }

  /// Reads the affine coordinates.
  /// - Parameter x: 32 bytes, most significant first. Leading zeros stay.
  /// - Parameter y: likewise.
  /// - Throws: `.invalidPublicKey` when a length is not 32 bytes, a coordinate is not below p, or the point is not on the
  ///   curve.
  @inlinable
  public init(x: some Collection<UInt8>, y: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(x) { x throws(CryptoError) in
      try withContiguousBytes(y) { y throws(CryptoError) in try P256PublicKey(x: x, y: y) }
    }
  }

  /// Reads an uncompressed point.
  /// - Parameter bytes: 65 bytes, 04 ‖ x ‖ y.
  /// - Throws: `.invalidPublicKey` for any other form, the hybrid ones included, and for a point that is not valid.
  /// Source: ANSI X9.63 §4.3.7, SEC 1 §2.3.4.
  @inlinable
  public init(x963Representation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try P256PublicKey(uncompressed: bytes) }
  }

  /// Reads a compressed point.
  /// - Parameter bytes: 33 bytes, 02 ‖ x or 03 ‖ x; the lowest bit of the first is that of y.
  /// - Throws: `.invalidPublicKey` for any other form, when x is not below p, and when the curve has no point at x.
  /// Source: SEC 1 §2.3.4.
  @inlinable
  public init(compressedRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try P256PublicKey(compressed: bytes) }
  }

  /// x, 32 bytes, most significant first.
  public var x: [UInt8] { point.x.integer.bigEndianBytes }

  /// y, 32 bytes, most significant first.
  public var y: [UInt8] { point.y.integer.bigEndianBytes }

  /// 04 ‖ x ‖ y, 65 bytes.
  public var x963Representation: [UInt8] {
    [0x04] + x + y
  }

  /// 02 ‖ x for an even y, 03 ‖ x for an odd y, 33 bytes.
  public var compressedRepresentation: [UInt8] {
    [0x02 | UInt8(truncatingIfNeeded: point.y.integer.l0 & 1)] + x
  }
}

extension P256PublicKey {
  @usableFromInline
  init(x: UnsafeRawBufferPointer, y: UnsafeRawBufferPointer) throws(CryptoError) {
    guard x.count == 32, y.count == 32, let xStart = x.baseAddress, let yStart = y.baseAddress else {
      throw CryptoError(.invalidPublicKey, "a coordinate is not 32 bytes long")
    }
    let (x, xIsCanonical) = FieldElement.decode(xStart)
    let (y, yIsCanonical) = FieldElement.decode(yStart)
    let point = AffinePoint(x: x, y: y)
    // (0, 0) is not on the curve, and infinity has no affine coordinates.
    guard (xIsCanonical & yIsCanonical & point.isOnCurve).declassified else {
      throw CryptoError(.invalidPublicKey, "the coordinates are not those of a point on the curve")
    }
    self.point = point
  }

  @usableFromInline
  init(uncompressed bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    guard bytes.count == 65, bytes.first == 0x04 else {
      throw CryptoError(.invalidPublicKey, "not an uncompressed point of 65 bytes")
    }
    try self.init(
      x: UnsafeRawBufferPointer(rebasing: bytes[1..<33]), y: UnsafeRawBufferPointer(rebasing: bytes[33..<65]))
  }

  @usableFromInline
  init(compressed bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    guard bytes.count == 33, let start = bytes.baseAddress, let tag = bytes.first, tag & 0xfe == 0x02 else {
      throw CryptoError(.invalidPublicKey, "not a compressed point of 33 bytes")
    }
    let (x, isCanonical) = FieldElement.decode(start + 1)
    let (root, exists) = AffinePoint.curveEquation(x).squareRoot
    guard (isCanonical & exists).declassified else {
      throw CryptoError(.invalidPublicKey, "the curve has no point with this x-coordinate")
    }
    // The roots are y and p − y, one even and one odd. y = 0 has no odd twin, but is no root: n is odd, so that no
    // point has order 2.
    let isOther = Mask(bit: root.integer.l0 ^ UInt64(tag))
    self.point = AffinePoint(x: x, y: root).negated(if: isOther)
  }

  /// Reads a point in either of the encodings, as certificates and SPKI may hold them.
  init(encodedPoint bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    if bytes.count == 33 {
      try self.init(compressed: bytes)
    } else {
      try self.init(uncompressed: bytes)
    }
  }
}
