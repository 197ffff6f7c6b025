/// A curve y² = x³ − 3x + b over a prime field: what sets P-384 and P-521 apart.
///
/// Formulas and multiples are written once, for any such curve, and specialised by the compiler for each; the
/// arithmetic of each field is written out. The formulas for sums hold for a = −3 only, see ``ProjectivePoint``.
/// Source: SP 800-186 §3.2.1.
protocol PrimeCurve: CurveArithmetic where Coordinate == Residue<Field>, Scalar == Residue<Order> {
  associatedtype Field: PrimeModulus where Field.Integer == Integer
  associatedtype Order: PrimeModulus where Order.Integer == Integer

  /// Multiples of G for secret scalars, computed when first used and kept.
  static var baseMultiples: BaseMultiples<Self> { get }
  /// Odd multiples of G for public scalars, computed when first used and kept.
  static var oddBaseMultiples: [CurvePoint<Self>] { get }
}

extension PrimeCurve {
  static var a: Residue<Field> { -Residue.one.tripled }
}

/// Multiples of the base point for multiplication by secret scalars: row j holds 1 … 16 times 2^(10j) · G, in affine
/// coordinates. One row serves two digits of a scalar, see ``ProjectivePoint/baseMultiple(_:)``.
///
/// Computed, because a table in the source would have to be trusted, and would be carried by programs that never sign:
/// 59 904 bytes for P-384, 122 112 for P-521, in about a millisecond.
struct BaseMultiples<Curve: PrimeCurve>: Sendable {
  /// Row by row.
  let points: [CurvePoint<Curve>]

  init() {
    typealias Point = ProjectivePoint<Curve>
    let rowCount = (Point.windowCount &+ 1) / 2
    var multiples: [Point] = []
    multiples.reserveCapacity(rowCount &* Point.columnCount)
    var first = Point(Curve.base)
    for _ in 0..<rowCount {
      multiples += Point.multiples(first, count: Point.columnCount)
      for _ in 0..<(2 &* Point.windowWidth) { first = first.doubled }
    }
    self.points = Point.affine(multiples)
  }
}
