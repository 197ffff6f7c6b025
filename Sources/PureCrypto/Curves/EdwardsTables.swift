internal import PureCryptoIntegers

/// Multiples of the base point of Ed25519 for multiplication by secret scalars: row i holds 1 … 8 times 2⁸ⁱ · B,
/// with Z = 1, 32 rows.
///
/// The table is computed when it is first used (about 6 000 products and squarings, some 50 µs) and kept: 24 576
/// bytes.
struct EdwardsBaseTable: Sendable {
  static let rowCount = 32
  /// Digits are −8 … 8.
  static let columnCount = 8

  /// The one table.
  static let shared = EdwardsBaseTable()

  /// Row by row.
  let addends: [EdwardsPoint.AffineAddend]

  private init() {
    var multiples: [EdwardsPoint] = []
    multiples.reserveCapacity(EdwardsBaseTable.rowCount &* EdwardsBaseTable.columnCount)
    var first = EdwardsPoint.base
    for _ in 0..<EdwardsBaseTable.rowCount {
      let step = EdwardsPoint.Addend(first)
      var multiple = first
      for _ in 1..<EdwardsBaseTable.columnCount {
        multiples.append(multiple)
        multiple.add(step)
      }
      multiples.append(multiple)
      // The last multiple of the row is 8 times its first; the next row begins with 256 times.
      multiple.double(times: 5)
      first = multiple
    }
    self.addends = EdwardsPoint.affineVariableTime(multiples)
  }

  /// d · 2⁸ⁱ · B. Every entry of the row is read.
  /// - Parameter row: 0 … 31, public.
  /// - Parameter digit: −8 … 8. Secret.
  @inline(__always)
  static func multiple(
    _ table: UnsafePointer<EdwardsPoint.AffineAddend>, row: Int, _ digit: Int8
  ) -> EdwardsPoint.AffineAddend {
    let isNegative = Mask(bit: UInt64(truncatingIfNeeded: digit) &>> 63)
    let magnitude = isNegative.select(UInt64(truncatingIfNeeded: 0 &- digit), UInt64(truncatingIfNeeded: digit))
    var entry = maskedLookup(table + row &* columnCount, index: magnitude)
    // 0 has found nothing but zeros: it stands for (0, 1), where y + x = y − x = 1.
    let isZero = Mask(isZero: magnitude)
    entry.sum = .select(isZero, .one, entry.sum)
    entry.difference = .select(isZero, .one, entry.difference)
    FieldElement25519.swap(if: isNegative, &entry.sum, &entry.difference)
    entry.t2d = .select(isNegative, -entry.t2d, entry.t2d)
    return entry
  }

  /// Reads entry `index` of a row without showing which: every entry is read, and all but one are masked out.
  /// - Parameter row: readable for 8 addends.
  /// - Parameter index: 1 … 8, or 0 for all zeros.
  @inline(__always)
  private static func maskedLookup(
    _ row: UnsafePointer<EdwardsPoint.AffineAddend>, index: UInt64
  ) -> EdwardsPoint.AffineAddend {
    let wanted = SIMD4<Int32>(repeating: Int32(truncatingIfNeeded: index))
    // The barrier of all masks below: without it the compiler knows that each has two values.
    let zero = SIMD4<Int32>(repeating: Int32(truncatingIfNeeded: opaqueZero()))
    var number = SIMD4<Int32>.zero
    var sum01 = SIMD2<UInt64>.zero
    var sum23 = SIMD2<UInt64>.zero
    var difference01 = SIMD2<UInt64>.zero
    var difference23 = SIMD2<UInt64>.zero
    var t01 = SIMD2<UInt64>.zero
    var t23 = SIMD2<UInt64>.zero
    var entry = UnsafeRawPointer(row)
    var remaining = columnCount
    while remaining > 0 {
      number &+= 1
      // All ones for the entry, else all zeros.
      let isEntry = SIMD4<Int32>.zero.replacing(with: -1, where: number .== wanted) ^ zero
      let mask = unsafeBitCast(isEntry, to: SIMD2<UInt64>.self)
      sum01 |= mask & entry.loadUnaligned(as: SIMD2<UInt64>.self)
      sum23 |= mask & entry.loadUnaligned(fromByteOffset: 16, as: SIMD2<UInt64>.self)
      difference01 |= mask & entry.loadUnaligned(fromByteOffset: 32, as: SIMD2<UInt64>.self)
      difference23 |= mask & entry.loadUnaligned(fromByteOffset: 48, as: SIMD2<UInt64>.self)
      t01 |= mask & entry.loadUnaligned(fromByteOffset: 64, as: SIMD2<UInt64>.self)
      t23 |= mask & entry.loadUnaligned(fromByteOffset: 80, as: SIMD2<UInt64>.self)
      entry += MemoryLayout<EdwardsPoint.AffineAddend>.stride
      remaining &-= 1
    }
    // The words as they lie in the table: 96 octets.
    return unsafeBitCast(
      (sum01, sum23, difference01, difference23, t01, t23), to: EdwardsPoint.AffineAddend.self)
  }
}

extension EdwardsPoint {
  /// P, 3P, …, 15P of a public point, for digits of a non-adjacent form of width 5.
  struct OddMultiples: Sendable {
    static let width = 5
    let addends: [Addend]

    init(_ point: EdwardsPoint) {
      addends = EdwardsPoint.oddMultiples(point, count: 8).map { Addend($0) }
    }
  }

  /// B, 3B, …, 127B, for digits of a non-adjacent form of width 8: 6 144 bytes, computed at first use.
  struct OddBaseMultiples: Sendable {
    static let width = 8
    /// The one table.
    static let shared = OddBaseMultiples()
    let addends: [AffineAddend]

    private init() {
      addends = EdwardsPoint.affineVariableTime(EdwardsPoint.oddMultiples(.base, count: 64))
    }
  }

  /// P, 3P, 5P, … `count` odd multiples.
  private static func oddMultiples(_ point: EdwardsPoint, count: Int) -> [EdwardsPoint] {
    let step = Addend(point.doubled)
    var multiples: [EdwardsPoint] = []
    multiples.reserveCapacity(count)
    var multiple = point
    multiples.append(multiple)
    while multiples.count < count {
      multiple.add(step)
      multiples.append(multiple)
    }
    return multiples
  }

  /// Points prepared with Z = 1, by one inversion: of the product of all Z, which are taken off it again one by one.
  /// For public points.
  fileprivate static func affineVariableTime(_ points: [EdwardsPoint]) -> [AffineAddend] {
    var products: [FieldElement25519] = []
    products.reserveCapacity(points.count)
    var product = FieldElement25519.one
    for point in points {
      products.append(product)
      product = product ⋅ point.z
    }
    var inverse = product.invertedVariableTime()
    var addends: [AffineAddend] = []
    addends.reserveCapacity(points.count)
    for (point, product) in zip(points, products).reversed() {
      let zInverse = inverse ⋅ product
      inverse = inverse ⋅ point.z
      let (x, y) = (point.x ⋅ zInverse, point.y ⋅ zInverse)
      addends.append(AffineAddend(sum: y + x, difference: y - x, t2d: x ⋅ y ⋅ (d + d)))
    }
    addends.reverse()
    return addends
  }
}
