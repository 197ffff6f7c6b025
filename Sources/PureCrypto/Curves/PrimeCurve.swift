/// A curve y² = x³ + ax + b over a prime field, with a = −3 or a = 0: what sets P-384, P-521 and secp256k1 apart.
///
/// Formulas and multiples are written once, for any such curve, and specialised by the compiler for each; the
/// arithmetic of the fields of P-384 and P-521 is written out. The formulas for sums hold for these two a only, see
/// ``ProjectivePoint``.
/// Source: SP 800-186 §3.2.1, SEC 2 §2.4.1.
protocol PrimeCurve: CurveArithmetic where Coordinate == Residue<Field>, Scalar == Residue<Order> {
  associatedtype Field: PrimeModulus where Field.Integer == Integer
  associatedtype Order: PrimeModulus where Order.Integer == Integer

  /// Whether a is 0, not −3: a constant of the curve, by which the compiler chooses between formulas.
  static var aIsZero: Bool { get }
  /// Multiples of G for secret scalars, computed when first used and kept.
  static var baseMultiples: BaseMultiples<Self> { get }
  /// Odd multiples of G for public scalars, computed when first used and kept.
  static var oddBaseMultiples: [CurvePoint<Self>] { get }
}

extension PrimeCurve {
  @inline(__always)
  static var aIsZero: Bool { false }

  static var a: Residue<Field> { aIsZero ? .zero : -Residue.one.tripled }
}

/// Multiples of the base point for multiplication by secret scalars: row j holds 1 … 16 times 2^(10j) · G, in affine
/// coordinates. One row serves two digits of a scalar, see ``ProjectivePoint/baseMultiple(_:)``.
///
/// Computed, because a table in the source would have to be trusted, and would be carried by programs that never sign:
/// 26 624 bytes for secp256k1, 59 904 for P-384, 122 112 for P-521, in about a millisecond.
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
