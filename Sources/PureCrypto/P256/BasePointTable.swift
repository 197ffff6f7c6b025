/// Multiples of the base point for multiplication by secret scalars: row i holds 1 … 32 times 2^(6i) · G, in affine
/// coordinates, 43 rows for 258 bits.
///
/// The table is computed when it is first used (about 13 000 field operations, well under a millisecond) and kept: 88 064
/// bytes. Computed, because a table in the source would have to be trusted, and would be carried by programs that never
/// sign.
struct BasePointTable: Sendable {
  /// The number of bits that a row takes care of.
  static let windowWidth = 6
  /// 43 digits of 6 bits: 258 > 257, see ``UInt256/boothDigit(_:width:)``.
  static let rowCount = 43
  /// Booth digits of 6 bits are −32 … 32.
  static let columnCount = 32

  /// The one table.
  static let shared = BasePointTable()

  /// Row by row.
  let points: [AffinePoint]

  private init() {
    var multiples: [JacobianPoint] = []
    multiples.reserveCapacity(BasePointTable.rowCount &* BasePointTable.columnCount)
    var first = JacobianPoint(.base)
    for _ in 0..<BasePointTable.rowCount {
      var multiple = first
      for _ in 0..<BasePointTable.columnCount {
        multiples.append(multiple)
        multiple = multiple.sumVariableTime(first)
      }
      // The last multiple that was appended is 32 times the first.
      if let last = multiples.last { first = last.doubled }
    }
    self.points = JacobianPoint.affineVariableTime(multiples)
  }
}
