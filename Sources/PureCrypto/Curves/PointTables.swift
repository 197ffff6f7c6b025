internal import PureCryptoIntegers

/// Multiples of the base point for multiplication by secret scalars: row i holds 1 … 32 times 2^(6i) · G, in affine
/// coordinates, 43 rows for 258 bits.
///
/// The table is computed when it is first used (about 20 000 products and squarings, a fraction of a millisecond) and
/// kept: 88 064 bytes. Computed, because a table in the source would have to be trusted, and would be carried by
/// programs that never sign.
struct BasePointTable: Sendable {
  /// The number of bits that a row takes care of.
  static let windowWidth = 6
  /// 43 digits of 6 bits: 258 > 257, see ``LimbInteger/boothDigit(_:width:)``.
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

/// Odd multiples of a public point, shifted, for multiplication by public scalars.
///
/// Sub-table j holds P, 3P, …, (2^(width − 1) − 1) P, each times 2^(stride · j), in affine coordinates. A scalar
/// in width-w non-adjacent form then needs `stride` doublings in all instead of 256: digit i = stride · j + s is read
/// from sub-table j and added in round s.
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

/// Reads entry `index` of a row of points without showing which: every entry is read, and all but one are masked out.
/// - Parameter row: readable for `count` points.
/// - Parameter index: 1 … count, or 0 for all zeros.
///
/// Timing: depends on `count` only.
@inline(__always)
func maskedLookup(_ row: UnsafePointer<AffinePoint>, count: Int, index: UInt64) -> AffinePoint {
  let wanted = SIMD4<Int32>(repeating: Int32(truncatingIfNeeded: index))
  // The barrier of all masks below: without it the compiler knows that each has two values.
  let zero = SIMD4<Int32>(repeating: Int32(truncatingIfNeeded: opaqueZero()))
  var number = SIMD4<Int32>.zero
  var x01 = SIMD2<UInt64>.zero
  var x23 = SIMD2<UInt64>.zero
  var y01 = SIMD2<UInt64>.zero
  var y23 = SIMD2<UInt64>.zero
  var entry = UnsafeRawPointer(row)
  var remaining = count
  while remaining > 0 {
    number &+= 1
    // All ones for the entry, else all zeros.
    let isEntry = SIMD4<Int32>.zero.replacing(with: -1, where: number .== wanted) ^ zero
    let mask = unsafeBitCast(isEntry, to: SIMD2<UInt64>.self)
    x01 |= mask & entry.loadUnaligned(as: SIMD2<UInt64>.self)
    x23 |= mask & entry.loadUnaligned(fromByteOffset: 16, as: SIMD2<UInt64>.self)
    y01 |= mask & entry.loadUnaligned(fromByteOffset: 32, as: SIMD2<UInt64>.self)
    y23 |= mask & entry.loadUnaligned(fromByteOffset: 48, as: SIMD2<UInt64>.self)
    entry += MemoryLayout<AffinePoint>.stride
    remaining &-= 1
  }
  // The limbs of x and of y, as they lie in the table: 64 octets.
  return unsafeBitCast((x01, x23, y01, y23), to: AffinePoint.self)
}
