/// An integer of 256 bits: l0 + 2⁶⁴ l1 + 2¹²⁸ l2 + 2¹⁹² l3.
///
/// The container of field elements and scalars, which give it a modulus. Operators are left to them.
public struct UInt256: Sendable, Hashable, BitwiseCopyable {
  /// The lowest 64 bits.
  public var l0: UInt64
  /// Bits 64 … 127.
  public var l1: UInt64
  /// Bits 128 … 191.
  public var l2: UInt64
  /// The highest 64 bits.
  public var l3: UInt64

  /// l0 + 2⁶⁴ l1 + 2¹²⁸ l2 + 2¹⁹² l3.
  @inlinable @inline(__always)
  public init(_ l0: UInt64, _ l1: UInt64, _ l2: UInt64, _ l3: UInt64) {
    (self.l0, self.l1, self.l2, self.l3) = (l0, l1, l2, l3)
  }

  /// 0.
  @inlinable public static var zero: UInt256 { UInt256(0, 0, 0, 0) }
  /// 1.
  @inlinable public static var one: UInt256 { UInt256(1, 0, 0, 0) }
}

extension UInt256 {
  /// `first` where `mask` has ones, `second` where it has zeros.
  @inlinable @inline(__always)
  public static func select(_ mask: UInt64, _ first: UInt256, _ second: UInt256) -> UInt256 {
    UInt256(
      second.l0 ^ (mask & (first.l0 ^ second.l0)), second.l1 ^ (mask & (first.l1 ^ second.l1)),
      second.l2 ^ (mask & (first.l2 ^ second.l2)), second.l3 ^ (mask & (first.l3 ^ second.l3)))
  }

  /// a − m when a + 2²⁵⁶ high ≥ m, else a.
  /// - Parameter a: with `high`, below 2m. The result is below m.
  /// - Parameter high: 0 or 1, the word above `a`.
  @inlinable @inline(__always)
  public static func subtractOnce(_ a: UInt256, _ high: UInt64, modulus m: UInt256) -> UInt256 {
    var borrow: UInt64 = 0
    let d = minus(a, m, &borrow)
    // a + 2²⁵⁶ high < 2m: the word above is 0 when a ≥ m, and −1 when the subtraction went below zero. The
    // compiler, who doesn't know that bound, must reckon with 1 as well: to it this is a word of three values, no
    // decision.
    let below = subtract(high, 0, &borrow)
    return plus(d, m, keeping: below)
  }

  /// a − b mod 2²⁵⁶, and the borrow out of the highest word.
  @inlinable @inline(__always)
  public static func minus(_ a: UInt256, _ b: UInt256, _ borrow: inout UInt64) -> UInt256 {
    let d0 = subtract(a.l0, b.l0, &borrow)
    let d1 = subtract(a.l1, b.l1, &borrow)
    let d2 = subtract(a.l2, b.l2, &borrow)
    let d3 = subtract(a.l3, b.l3, &borrow)
    return UInt256(d0, d1, d2, d3)
  }

  /// a + b mod 2²⁵⁶, with only those bits of each word of b that the mask keeps.
  @inlinable @inline(__always)
  public static func plus(_ a: UInt256, _ b: UInt256, keeping mask: UInt64) -> UInt256 {
    var carry: UInt64 = 0
    let r0 = add(a.l0, b.l0 & mask, &carry)
    let r1 = add(a.l1, b.l1 & mask, &carry)
    let r2 = add(a.l2, b.l2 & mask, &carry)
    let r3 = add(a.l3, b.l3 & mask, &carry)
    return UInt256(r0, r1, r2, r3)
  }

  /// (a + b) mod m, for a, b < m.
  @inlinable @inline(__always)
  public static func sum(_ a: UInt256, _ b: UInt256, modulus m: UInt256) -> UInt256 {
    var carry: UInt64 = 0
    let s0 = add(a.l0, b.l0, &carry)
    let s1 = add(a.l1, b.l1, &carry)
    let s2 = add(a.l2, b.l2, &carry)
    let s3 = add(a.l3, b.l3, &carry)
    return subtractOnce(UInt256(s0, s1, s2, s3), carry, modulus: m)
  }

  /// (a − b) mod m, for a, b < m.
  @inlinable @inline(__always)
  public static func difference(_ a: UInt256, _ b: UInt256, modulus m: UInt256) -> UInt256 {
    var borrow: UInt64 = 0
    let d = minus(a, b, &borrow)
    // b < m: its highest word is not above that of m, and the sum with the complement carries nothing. With this zero,
    // which the compiler takes for 0 or 1, the word above is one of three values to it, as in `subtractOnce`.
    var high: UInt64 = 0
    _ = add(b.l3, ~m.l3, &high)
    let below = subtract(high, 0, &borrow)
    return plus(d, m, keeping: below)
  }

  /// a · b = low + 2²⁵⁶ high.
  ///
  /// Schoolbook by rows. Row i is a · bᵢ < 2³²⁰, five words; it is added at word i. The sum of the first i + 1
  /// rows is a · (b mod 2^(64(i+1))) < 2^(64(i+5)), so no row's last carry is lost.
  @inlinable @inline(__always)
  public static func product(_ a: UInt256, _ b: UInt256) -> (low: UInt256, high: UInt256) {
    let (p0, r1, r2, r3, r4) = row(a, b.l0)
    let (p1, s2, s3, s4, s5) = addRow(a, b.l1, r1, r2, r3, r4)
    let (p2, t3, t4, t5, t6) = addRow(a, b.l2, s2, s3, s4, s5)
    let (p3, p4, p5, p6, p7) = addRow(a, b.l3, t3, t4, t5, t6)
    return (UInt256(p0, p1, p2, p3), UInt256(p4, p5, p6, p7))
  }

  /// a · w, five words: a · w ≤ (2²⁵⁶ − 1)(2⁶⁴ − 1) < 2³²⁰.
  @inlinable @inline(__always)
  public static func row(_ a: UInt256, _ w: UInt64) -> (UInt64, UInt64, UInt64, UInt64, UInt64) {
    let m0 = multiply(a.l0, w)
    let m1 = multiply(a.l1, w)
    let m2 = multiply(a.l2, w)
    let m3 = multiply(a.l3, w)
    var carry: UInt64 = 0
    let r1 = add(m1.low, m0.high, &carry)
    let r2 = add(m2.low, m1.high, &carry)
    let r3 = add(m3.low, m2.high, &carry)
    let r4 = add(m3.high, 0, &carry)
    return (m0.low, r1, r2, r3, r4)
  }

  /// a · w + t, five words:
  /// at most (2²⁵⁶ − 1)(2⁶⁴ − 1) + 2²⁵⁶ − 1 = (2²⁵⁶ − 1) 2⁶⁴ < 2³²⁰.
  @inlinable @inline(__always)
  public static func addRow(
    _ a: UInt256, _ w: UInt64, _ t0: UInt64, _ t1: UInt64, _ t2: UInt64, _ t3: UInt64
  ) -> (UInt64, UInt64, UInt64, UInt64, UInt64) {
    let (r0, r1, r2, r3, r4) = row(a, w)
    var carry: UInt64 = 0
    let s0 = add(r0, t0, &carry)
    let s1 = add(r1, t1, &carry)
    let s2 = add(r2, t2, &carry)
    let s3 = add(r3, t3, &carry)
    let s4 = add(r4, 0, &carry)
    return (s0, s1, s2, s3, s4)
  }

  /// a² = low + 2²⁵⁶ high: 10 products instead of 16, since aᵢaⱼ and aⱼaᵢ are one product, doubled.
  @inlinable @inline(__always)
  public static func square(_ a: UInt256) -> (low: UInt256, high: UInt256) {
    let m01 = multiply(a.l0, a.l1)
    let m02 = multiply(a.l0, a.l2)
    let m03 = multiply(a.l0, a.l3)
    let m12 = multiply(a.l1, a.l2)
    let m13 = multiply(a.l1, a.l3)
    let m23 = multiply(a.l2, a.l3)

    // c = 2⁶⁴ a₀a₁ + 2¹²⁸ a₀a₂ + 2¹⁹² (a₀a₃ + a₁a₂)
    //   + 2²⁵⁶ a₁a₃ + 2³²⁰ a₂a₃ < 2⁴⁴⁸, in words c1 … c6
    var carry: UInt64 = 0
    let c1 = m01.low
    let c2 = add(m01.high, m02.low, &carry)
    var c3 = add(m02.high, m03.low, &carry)
    var c4 = add(m03.high, 0, &carry)
    carry = 0
    c3 = add(c3, m12.low, &carry)
    c4 = add(c4, m13.low, &carry)
    var c5 = add(m23.low, 0, &carry)
    var c6 = add(m23.high, 0, &carry)
    carry = 0
    c4 = add(c4, m12.high, &carry)
    c5 = add(c5, m13.high, &carry)
    c6 = add(c6, 0, &carry)

    // 2c
    carry = 0
    let d1 = add(c1, c1, &carry)
    let d2 = add(c2, c2, &carry)
    let d3 = add(c3, c3, &carry)
    let d4 = add(c4, c4, &carry)
    let d5 = add(c5, c5, &carry)
    let d6 = add(c6, c6, &carry)
    let d7 = carry

    // 2c + a₀² + 2¹²⁸ a₁² + 2²⁵⁶ a₂² + 2³⁸⁴ a₃² = a² < 2⁵¹²
    let m00 = multiply(a.l0, a.l0)
    let m11 = multiply(a.l1, a.l1)
    let m22 = multiply(a.l2, a.l2)
    let m33 = multiply(a.l3, a.l3)
    carry = 0
    let p1 = add(d1, m00.high, &carry)
    let p2 = add(d2, m11.low, &carry)
    let p3 = add(d3, m11.high, &carry)
    let p4 = add(d4, m22.low, &carry)
    let p5 = add(d5, m22.high, &carry)
    let p6 = add(d6, m33.low, &carry)
    let p7 = add(d7, m33.high, &carry)
    return (UInt256(m00.low, p1, p2, p3), UInt256(p4, p5, p6, p7))
  }
}
