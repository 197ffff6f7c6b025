// Products of long integers, one column at a time: the column of 2^(64k) has the products aᵢbⱼ with i + j = k.

/// The sum of a column, and of what the columns below carried into it: three words.
///
/// Invariant: of at most 2⁶³ products and a carry below 2¹²⁸, the sum is below 2¹⁹², so that no carry leaves the third word.
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
}
