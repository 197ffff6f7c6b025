// Products of long integers, one column at a time: the column of 2^(64k) has the products aᵢbⱼ with i + j = k.

/// The sum of a column, and of what the columns below carried into it: three words.
///
/// Invariant: of at most 2⁶³ products and a carry below 2¹²⁸, the sum is below 2¹⁹², so that no carry leaves
/// the third word.
@frozen
public struct ProductColumn {
  @usableFromInline var low: UInt128
  @usableFromInline var high: UInt64

  /// a · b.
  @inlinable @inline(__always)
  public init(_ a: UInt64, _ b: UInt64) {
    low = UInt128(a) &* UInt128(b)
    high = 0
  }

  /// Adds a · b.
  @inlinable @inline(__always)
  public mutating func add(_ a: UInt64, _ b: UInt64) {
    let (sum, overflow) = low.addingReportingOverflow(UInt128(a) &* UInt128(b))
    low = sum
    high = high &+ carryBit(overflow)
  }

  /// Adds a · b + c · d.
  @inlinable @inline(__always)
  public mutating func add(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) {
    add(a, b)
    add(c, d)
  }

  /// Adds a · b + c · d + e · f.
  @inlinable @inline(__always)
  public mutating func add(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ e: UInt64, _ f: UInt64) {
    add(a, b)
    add(c, d)
    add(e, f)
  }

  /// Takes the lowest word, a limb of the product, and moves on to the next column.
  @inlinable @inline(__always)
  public mutating func next() -> UInt64 {
    let word = UInt64(truncatingIfNeeded: low)
    low = low &>> 64 | UInt128(high) &<< 64
    high = 0
    return word
  }
}

extension ProductColumn {
  /// The six lowest limbs of a · b, where both have at least six, and the column of limb 6 without its own products.
  @inlinable @inline(__always)
  public static func lowestSix(
    _ a: UnsafePointer<UInt64>, _ b: UnsafePointer<UInt64>
  ) -> (limbs: SixWords, next: ProductColumn) {
    var column = ProductColumn(a[0], b[0])
    let t0 = column.next()
    column.add(a[0], b[1], a[1], b[0])
    let t1 = column.next()
    column.add(a[0], b[2], a[1], b[1], a[2], b[0])
    let t2 = column.next()
    column.add(a[0], b[3], a[1], b[2])
    column.add(a[2], b[1], a[3], b[0])
    let t3 = column.next()
    column.add(a[0], b[4], a[1], b[3], a[2], b[2])
    column.add(a[3], b[1], a[4], b[0])
    let t4 = column.next()
    column.add(a[0], b[5], a[1], b[4], a[2], b[3])
    column.add(a[3], b[2], a[4], b[1], a[5], b[0])
    let t5 = column.next()
    return (SixWords(t0, t1, t2, t3, t4, t5), column)
  }

  /// The six lowest limbs (the lowest is 0) of the sum of aᵢaⱼ over i < j, where a has at least six, and
  /// the column of limb 6 without its own products.
  @inlinable @inline(__always)
  public static func lowestSixOfPairs(_ a: UnsafePointer<UInt64>) -> (limbs: SixWords, next: ProductColumn) {
    var column = ProductColumn(a[0], a[1])
    let x1 = column.next()
    column.add(a[0], a[2])
    let x2 = column.next()
    column.add(a[0], a[3], a[1], a[2])
    let x3 = column.next()
    column.add(a[0], a[4], a[1], a[3])
    let x4 = column.next()
    column.add(a[0], a[5], a[1], a[4], a[2], a[3])
    let x5 = column.next()
    return (SixWords(0, x1, x2, x3, x4, x5), column)
  }
}

/// Twice the sum of aᵢaⱼ over i < j, and the squares of the limbs, two limbs at a time: aᵢ² stands at limb 2i.
@frozen
public struct DoublingOfProducts {
  /// The bit that was shifted out of the limb below.
  @usableFromInline var shifted: UInt64 = 0
  @usableFromInline var carry: UInt64 = 0

  /// Nothing below the first limb.
  @inlinable @inline(__always)
  public init() {}

  /// The next two limbs.
  /// - Parameter square: the limb whose square is added.
  @inlinable @inline(__always)
  public mutating func next(_ low: UInt64, _ high: UInt64, square limb: UInt64) -> (low: UInt64, high: UInt64) {
    let square = multiply(limb, limb)
    let first = PureCryptoIntegers.add(low &<< 1 | shifted, square.low, &carry)
    let second = PureCryptoIntegers.add(high &<< 1 | low &>> 63, square.high, &carry)
    shifted = high &>> 63
    return (first, second)
  }

  /// The next six limbs.
  /// - Parameter limbs: the three limbs whose squares are added.
  @inlinable @inline(__always)
  public mutating func next(_ x: SixWords, squares limbs: UnsafePointer<UInt64>) -> SixWords {
    let (t0, t1) = next(x.t0, x.t1, square: limbs[0])
    let (t2, t3) = next(x.t2, x.t3, square: limbs[1])
    let (t4, t5) = next(x.t4, x.t5, square: limbs[2])
    return SixWords(t0, t1, t2, t3, t4, t5)
  }
}
