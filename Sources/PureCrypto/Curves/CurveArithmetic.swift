/// What ECDSA and ECDH are written over: a curve y² = x³ + ax + b over a prime field, with a prime number n of
/// points.
protocol CurveArithmetic: EllipticCurve {
  /// Integers as long as p and n, which have the same number of bits.
  associatedtype Integer
  /// Integers mod p, over which the curve is defined.
  associatedtype Coordinate: CurveCoordinate where Coordinate.Integer == Integer
  /// Integers mod n, the order of the base point and of the curve. n < p.
  associatedtype Scalar: ModularInteger where Scalar.Integer == Integer
  /// Points in the coordinates in which they are added.
  associatedtype Multiple: PointArithmetic where Multiple.Curve == Self

  static var name: NamedCurve { get }
  static var a: Coordinate { get }
  static var b: Coordinate { get }
  /// G, the base point.
  static var base: CurvePoint<Self> { get }
  /// p − n.
  static var excess: Integer { get }

  static func point(_ affine: CurvePoint<Self>) -> Point
  static func affine(_ point: Point) -> CurvePoint<Self>
}

extension CurveArithmetic {
  /// The length of a coordinate, of a scalar, and of r and s.
  static var byteCount: Int { Coordinate.byteCount }
}

/// Sums and multiples of points.
protocol PointArithmetic: Sendable, BitwiseCopyable {
  associatedtype Curve: CurveArithmetic

  /// k · G, for a secret k from 1 to n − 1.
  static func baseMultiple(_ k: Curve.Integer) -> Self
  /// k · P, for a secret k from 1 to n − 1 and a public point.
  static func multiple(_ k: Curve.Integer, of point: CurvePoint<Curve>) -> Self
  /// u₁ · G + u₂ · Q, all of them public.
  static func doubleMultipleVariableTime(_ u1: Curve.Integer, _ u2: Curve.Integer, _ q: CurvePoint<Curve>) -> Self

  var isInfinity: Mask { get }
  var affine: CurvePoint<Curve> { get }
  /// The affine x-coordinate; 0 for infinity.
  var affineX: Curve.Coordinate { get }
  /// Whether the affine x-coordinate of a point other than infinity is this one, found without an inversion.
  func hasAffineX(_ x: Curve.Coordinate) -> Mask
}

/// A point (x, y) of a curve other than the point at infinity.
struct CurvePoint<Curve: CurveArithmetic>: Sendable, Hashable, BitwiseCopyable {
  typealias Coordinate = Curve.Coordinate

  var x: Coordinate
  var y: Coordinate

  @inline(__always)
  init(x: Coordinate, y: Coordinate) {
    self.x = x
    self.y = y
  }

  static var base: CurvePoint { Curve.base }

  /// x³ + ax + b = (x² + a) x + b.
  @inline(__always)
  static func curveEquation(_ x: Coordinate) -> Coordinate { (x.squared + Curve.a) * x + Curve.b }

  /// Whether y² = x³ + ax + b.
  var isOnCurve: Mask { (y.squared - CurvePoint.curveEquation(x)).isZero }

  /// (x, −y) for yes, (x, y) for no.
  @inline(__always)
  func negated(if mask: Mask) -> CurvePoint { CurvePoint(x: x, y: y.negated(if: mask)) }
}

extension CurvePoint {
  /// Reads the affine coordinates. The number of points is prime (cofactor 1), so that this is the full validation of
  /// SP 800-56A §5.6.2.3.3.
  /// - Throws: `.invalidPublicKey` when a coordinate has another length than p, is not below p, or the point is not on
  ///   the curve.
  init(x: UnsafeRawBufferPointer, y: UnsafeRawBufferPointer) throws(CryptoError) {
    guard x.count == Curve.byteCount, y.count == Curve.byteCount else {
      throw CryptoError(.invalidPublicKey, "the length of a coordinate is not that of the curve's field")
    }
    let (x, y) = (Curve.Integer(bigEndian: x), Curve.Integer(bigEndian: y))
    self.init(x: Coordinate(x), y: Coordinate(y))
    // (0, 0) is not on the curve, and infinity has no affine coordinates.
    guard (Coordinate.isCanonical(x) & Coordinate.isCanonical(y) & isOnCurve).isYesVariableTime else {
      throw CryptoError(.invalidPublicKey, "the coordinates are not those of a point on the curve")
    }
  }

  /// Reads 04 ‖ x ‖ y.
  /// Source: SEC 1 §2.3.4.
  init(uncompressed bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    let middle = 1 &+ Curve.byteCount
    guard bytes.count == 1 &+ 2 &* Curve.byteCount, bytes.first == 0x04 else {
      throw CryptoError(.invalidPublicKey, "not an uncompressed point of the curve")
    }
    try self.init(
      x: UnsafeRawBufferPointer(rebasing: bytes[1..<middle]), y: UnsafeRawBufferPointer(rebasing: bytes[middle...]))
  }

  /// Reads 02 ‖ x or 03 ‖ x.
  /// Source: SEC 1 §2.3.4.
  init(compressed bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    guard bytes.count == 1 &+ Curve.byteCount, let tag = bytes.first, tag & 0xfe == 0x02 else {
      throw CryptoError(.invalidPublicKey, "not a compressed point of the curve")
    }
    let integer = Curve.Integer(bigEndian: UnsafeRawBufferPointer(rebasing: bytes[1...]))
    let x = Coordinate(integer)
    let (root, exists) = CurvePoint.curveEquation(x).squareRoot
    guard (Coordinate.isCanonical(integer) & exists).isYesVariableTime else {
      throw CryptoError(.invalidPublicKey, "the curve has no point with this x-coordinate")
    }
    // The roots are y and p − y, one even and one odd. y = 0 has no odd twin, but is not a root: n is odd, so that no
    // point has order 2.
    let isOther = Mask(bit: root.integer.limb(0) ^ UInt64(tag))
    self = CurvePoint(x: x, y: root).negated(if: isOther)
  }

  /// 04 ‖ x ‖ y.
  var uncompressed: [UInt8] {
    let count = Curve.byteCount
    return [UInt8](unsafeUninitializedCapacity: 1 &+ 2 &* count) { buffer, initializedCount in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      bytes[0] = 0x04
      x.integer.storeBigEndian(to: UnsafeMutableRawBufferPointer(rebasing: bytes[1...count]))
      y.integer.storeBigEndian(to: UnsafeMutableRawBufferPointer(rebasing: bytes[(1 &+ count)..<(1 &+ 2 &* count)]))
      initializedCount = 1 &+ 2 &* count
    }
  }
}
