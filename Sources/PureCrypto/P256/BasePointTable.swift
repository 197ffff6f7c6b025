/// Multiples of the base point for multiplication by secret scalars: row i holds 1 … 32 times 2^(6i) · G, in affine
/// coordinates, 43 rows for 258 bits.
///
/// The table is computed when it is first used (about 20 000 products and squarings, a fraction of a millisecond) and
/// kept: 88 064 bytes. Computed, because a table in the source would have to be trusted, and would be carried by programs
/// that never sign.
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
      multiples += JacobianPoint.multiplesVariableTime(first, count: BasePointTable.columnCount)
      // The last multiple of the row is 32 times its first; the next row begins with 64 times.
      if let last = multiples.last { first = last.outOfLineDouble }
    }
    self.points = JacobianPoint.affineVariableTime(multiples)
  }
}
