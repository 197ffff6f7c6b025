/// Multiples of the base point for multiplication by secret scalars: row j holds 1 … 16 times 2^(10j) · G, in affine
/// coordinates. One row serves two digits of a scalar, see ``ProjectivePoint/baseMultiple(_:)``.
///
/// Computed, because a table in the source would have to be trusted, and would be carried by programs that never sign: 59 904
/// bytes for P-384, 122 112 for P-521, in about a millisecond.
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
