/// A point (x, y) of the curve other than the point at infinity.
struct CurvePoint<Curve: PrimeCurve>: Sendable, Hashable, BitwiseCopyable {
  typealias Coordinate = Residue<Curve.Field>

  var x: Coordinate
  var y: Coordinate

  @inline(__always)
  init(x: Coordinate, y: Coordinate) {
    self.x = x
    self.y = y
  }

  /// x³ − 3x + b.
  static func curveEquation(_ x: Coordinate) -> Coordinate {
    x.squared * x - x.tripled + Curve.b
  }

  /// Whether y² = x³ − 3x + b.
  var isOnCurve: Mask { (y.squared - CurvePoint.curveEquation(x)).isZero }

  /// (x, −y) for yes, (x, y) for no.
  @inline(__always)
  func negated(if mask: Mask) -> CurvePoint { CurvePoint(x: x, y: y.negated(if: mask)) }
}
