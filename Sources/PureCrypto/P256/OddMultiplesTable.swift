/// Odd multiples of a public point, shifted, for multiplication by public scalars.
///
/// Sub-table j holds P, 3P, …, (2^(width − 1) − 1) P, each times 2^(stride · j), in affine coordinates. A scalar in width-w
/// non-adjacent form then needs `stride` doublings in all instead of 256: digit i = stride · j + s is read from sub-table j
/// and added in round s.
struct OddMultiplesTable: Sendable {
  /// The width of the non-adjacent form that the table serves, 2 … 8.
  let width: Int
  /// The distance of two sub-tables in bits, a power of 2 up to 256.
  let stride: Int
  /// Sub-table by sub-table, each of 2^(width − 2) points.
  let points: [AffinePoint]

  /// Computes the table. For public points only.
  init(_ point: AffinePoint, width: Int, stride: Int) {
    let columnCount = 1 &<< (width &- 2)
    // The non-adjacent form has 257 digits; the last sub-table serves the last of them too, by one round more.
    let rowCount = 256 / stride
    var multiples: [JacobianPoint] = []
    multiples.reserveCapacity(rowCount &* columnCount)
    var first = JacobianPoint(point)
    for row in 0..<rowCount {
      if row > 0 {
        for _ in 0..<stride { first.double() }
      }
      multiples += JacobianPoint.oddMultiplesVariableTime(first, count: columnCount)
    }
    self.width = width
    self.stride = stride
    self.points = JacobianPoint.affineVariableTime(multiples)
  }

  /// The table of the base point that serves every verification: 1 024 points, 65 536 bytes, computed at first use.
  static let base = OddMultiplesTable(.base, width: 8, stride: 16)
}
