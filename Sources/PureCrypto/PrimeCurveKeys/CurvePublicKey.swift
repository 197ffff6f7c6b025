/// What a public key on a prime curve is made of: a point other than infinity.
///
/// Every initializer but one validates: coordinates below p and on the curve. The number of points is prime (cofactor 1), so that
/// this is the full validation of SP 800-56A §5.6.2.3.3.
struct CurvePublicKey<Curve: PrimeCurve>: Sendable, Hashable {
  let point: CurvePoint<Curve>

  private typealias Coordinate = Residue<Curve.Field>

  /// Takes a point that is known to be on the curve.
  init(validated point: CurvePoint<Curve>) {
    self.point = point
  }

  /// Reads the affine coordinates.
  /// - Throws: `.invalidPublicKey` when a coordinate has another length than p, is not below p, or the point is not on the curve.
  init(x: UnsafeRawBufferPointer, y: UnsafeRawBufferPointer) throws(CryptoError) {
    guard x.count == Curve.byteCount, y.count == Curve.byteCount else {
      throw CryptoError(.invalidPublicKey, "a coordinate has not the length of the curve's field")
    }
    let x = Curve.Integer(bigEndian: x)
    let y = Curve.Integer(bigEndian: y)
    let point = CurvePoint<Curve>(x: Coordinate(x), y: Coordinate(y))
    // (0, 0) is not on the curve, and infinity has no affine coordinates.
    guard (Coordinate.isCanonical(x) & Coordinate.isCanonical(y) & point.isOnCurve).declassified else {
      throw CryptoError(.invalidPublicKey, "the coordinates are not those of a point on the curve")
    }
    self.point = point
  }

  /// Reads 04 ‖ x ‖ y. Source: SEC 1 §2.3.4.
  init(uncompressed bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    let middle = 1 &+ Curve.byteCount
    guard bytes.count == 1 &+ 2 &* Curve.byteCount, bytes.first == 0x04 else {
      throw CryptoError(.invalidPublicKey, "not an uncompressed point of the curve")
    }
    try self.init(
      x: UnsafeRawBufferPointer(rebasing: bytes[1..<middle]), y: UnsafeRawBufferPointer(rebasing: bytes[middle...]))
  }

  /// Reads 02 ‖ x or 03 ‖ x. Source: SEC 1 §2.3.4.
  init(compressed bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    guard bytes.count == 1 &+ Curve.byteCount, let tag = bytes.first, tag & 0xfe == 0x02 else {
      throw CryptoError(.invalidPublicKey, "not a compressed point of the curve")
    }
    let integer = Curve.Integer(bigEndian: UnsafeRawBufferPointer(rebasing: bytes[1...]))
    let x = Coordinate(integer)
    let (root, exists) = CurvePoint<Curve>.curveEquation(x).squareRoot
    guard (Coordinate.isCanonical(integer) & exists).declassified else {
      throw CryptoError(.invalidPublicKey, "the curve has no point with this x-coordinate")
    }
    // The roots are y and p − y, one even and one odd. y = 0 has no odd twin, but is no root: n is odd, so that no
    // point has order 2.
    let isOther = Mask(bit: root.integer.limb(0) ^ UInt64(tag))
    self.point = CurvePoint(x: x, y: root).negated(if: isOther)
  }

  /// Reads a point in either of the encodings, as certificates and SPKI may hold them.
  init(encodedPoint bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    if bytes.count == 1 &+ Curve.byteCount {
      try self.init(compressed: bytes)
    } else {
      try self.init(uncompressed: bytes)
    }
  }

  var x: [UInt8] { point.x.integer.bigEndianBytes(count: Curve.byteCount) }
  var y: [UInt8] { point.y.integer.bigEndianBytes(count: Curve.byteCount) }

  /// 04 ‖ x ‖ y.
  var uncompressed: [UInt8] { [0x04] + x + y }

  /// 02 ‖ x for an even y, 03 ‖ x for an odd y.
  var compressed: [UInt8] { [0x02 | UInt8(truncatingIfNeeded: point.y.integer.limb(0) & 1)] + x }
}

extension CurvePublicKey {
  /// Reads a SubjectPublicKeyInfo.
  init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    try self.init(encodedPoint: EllipticCurveDER.readPublicKey(bytes, Curve.objectIdentifier))
  }

  /// Reads a `PUBLIC KEY` block.
  init(pem text: String) throws(CryptoError) {
    let block = try PEMBlock(text, labels: [.publicKey])
    self = try block.contents.withUnsafeBytes { bytes throws(CryptoError) in try CurvePublicKey(der: bytes) }
  }

  var der: [UInt8] { EllipticCurveDER.publicKey(uncompressed, Curve.objectIdentifier) }

  var pem: String { PEMBlock(label: .publicKey, contents: SecretBytes(copying: der)).text }
}
