internal import PureCryptoIntegers

/// An element of the field of integers mod p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1, over which P-256 is
/// defined.
///
/// Montgomery form: `representative` = a · R mod p for the element a, with R = 2²⁵⁶.
///
/// Invariant: `representative` < p, so that an element has one representation and is zero exactly when its limbs are.
///
/// Timing: no operation depends on the values, except where its name says so.
/// Source: SP 800-186 §3.2.1.3; P. Montgomery, "Modular Multiplication without Trial Division", 1985.
struct FieldElement: Sendable, Hashable, BitwiseCopyable {
  /// a · R mod p, below p.
  var representative: UInt256

  /// p.
  @inline(__always)
  static var modulus: UInt256 {
    UInt256(0xffff_ffff_ffff_ffff, 0x0000_0000_ffff_ffff, 0x0000_0000_0000_0000, 0xffff_ffff_0000_0001)
  }

  static var zero: FieldElement { FieldElement(representative: .zero) }

  /// R mod p = 2²⁵⁶ − p.
  static var one: FieldElement {
    FieldElement(
      representative: UInt256(
        0x0000_0000_0000_0001, 0xffff_ffff_0000_0000, 0xffff_ffff_ffff_ffff, 0x0000_0000_ffff_fffe))
  }

  /// R² mod p, which takes an integer to Montgomery form: a · R² · R⁻¹ = a · R.
  private static var radixSquared: FieldElement {
    FieldElement(
      representative: UInt256(
        0x0000_0000_0000_0003, 0xffff_fffb_ffff_ffff, 0xffff_ffff_ffff_fffe, 0x0000_0004_ffff_fffd))
  }
}

extension FieldElement {
  /// The element `integer` mod p, for any integer below 2²⁵⁶.
  @inline(never)
  init(_ integer: UInt256) {
    // The first factor is reduced; the second need not be.
    self = .radixSquared * FieldElement(representative: integer)
  }

  /// The integer below p: a · R · R⁻¹.
  var integer: UInt256 {
    FieldElement.reduce(representative, .zero)
  }
}

extension FieldElement {
  /// a + b mod p.
  @inline(__always)
  static func + (a: FieldElement, b: FieldElement) -> FieldElement {
    FieldElement(representative: .sum(a.representative, b.representative, modulus: modulus))
  }

  /// a − b mod p.
  @inline(__always)
  static func - (a: FieldElement, b: FieldElement) -> FieldElement {
    FieldElement(representative: .difference(a.representative, b.representative, modulus: modulus))
  }

  /// −a mod p.
  @inline(__always)
  static prefix func - (a: FieldElement) -> FieldElement { .zero - a }

  /// 2a mod p.
  @inline(__always)
  var doubled: FieldElement { self + self }

  /// a / 2 mod p: a is even, or a + p is.
  @inline(__always)
  var halved: FieldElement {
    let a = representative
    let p = FieldElement.modulus
    let isOdd = Mask(bit: a.l0)
    var carry: UInt64 = 0
    let s0 = add(a.l0, isOdd.keep(p.l0), &carry)
    let s1 = add(a.l1, isOdd.keep(p.l1), &carry)
    let s2 = add(a.l2, isOdd.keep(p.l2), &carry)
    let s3 = add(a.l3, isOdd.keep(p.l3), &carry)
    // a + p < 2p, so half of it is below p; the carry is its bit 256.
    return FieldElement(
      representative: UInt256(
        s0 &>> 1 | s1 &<< 63, s1 &>> 1 | s2 &<< 63, s2 &>> 1 | s3 &<< 63, s3 &>> 1 | carry &<< 63))
  }

  /// Whether the element is zero.
  @inline(__always)
  var isZero: Mask { representative.isZero }

  /// `first` for yes, `second` for no.
  @inline(__always)
  static func select(_ mask: Mask, _ first: FieldElement, _ second: FieldElement) -> FieldElement {
    FieldElement(representative: .select(mask.word, first.representative, second.representative))
  }

  /// −a for yes, a for no.
  @inline(__always)
  func negated(if mask: Mask) -> FieldElement {
    .select(mask, -self, self)
  }
}

extension FieldElement {
  /// a⁻¹ mod p, and 0 for 0.
  ///
  /// Timing: does not depend on a.
  var inverted: FieldElement {
    @inline(never) get { FieldElement(representative: ModularInversion.field.inverse(of: representative)) }
  }

  /// a⁻¹ mod p, and 0 for 0. For public elements.
  @inline(never)
  func invertedVariableTime() -> FieldElement {
    FieldElement(representative: ModularInversion.field.inverseVariableTime(of: representative))
  }
}

extension FieldElement {
  /// A root of a mod p, if there is one: a^((p + 1) / 4), since p ≡ 3 mod 4. 253 squarings, 7 products.
  ///
  ///     (p + 1) / 4 = 2²⁵⁴ − 2²²² + 2¹⁹⁰ + 2⁹⁴ = ((2⁶⁴ − 2³² + 1) 2⁹⁶ + 1) 2⁹⁴
  ///
  /// - Returns: the root r, and whether r² = a. If not, a has no root.
  var squareRoot: (root: FieldElement, exists: Mask) {
    let x32 = powerOf32Ones
    var r = x32.squared(times: 32) ⋅ self
    r = r.squared(times: 96) ⋅ self
    r = r.squared(times: 94)
    return (r, (r.squared - self).isZero)
  }

  /// x^(2³² − 1), by runs of ones: xₙ = x^(2ⁿ − 1), xₙ₊ₘ = xₙ^(2ᵐ) · xₘ.
  private var powerOf32Ones: FieldElement {
    let x2 = squared(times: 1) ⋅ self
    let x4 = x2.squared(times: 2) ⋅ x2
    let x8 = x4.squared(times: 4) ⋅ x4
    let x16 = x8.squared(times: 8) ⋅ x8
    return x16.squared(times: 16) ⋅ x16
  }
}

extension FieldElement {
  /// a · b mod p.
  ///
  /// Montgomery's multiplication by rows: four times t ← (t + a·bᵢ + m·p) / 2⁶⁴, where m makes the sum
  /// divisible. From t < a + p follows that again, (a + p + (2⁶⁴ − 1)(a + p)) / 2⁶⁴ = a + p; it is true of
  /// t = 0. So t < 2p in the end, and one subtraction completes the reduction. Nothing was asked of b: it may be any
  /// integer below 2²⁵⁶.
  @inline(__always)
  static func * (a: FieldElement, b: FieldElement) -> FieldElement {
    var t = Accumulator(a.representative, times: b.representative.l0)
    t.reduceWord()
    t.addRow(a.representative, times: b.representative.l1)
    t.reduceWord()
    t.addRow(a.representative, times: b.representative.l2)
    t.reduceWord()
    t.addRow(a.representative, times: b.representative.l3)
    t.reduceWord()
    return FieldElement(representative: t.reduced)
  }

  /// a² mod p.
  ///
  /// The square first, which takes 10 products of words instead of 16, then the reduction: four times
  /// t ← (t + m·p) / 2⁶⁴ on its low half, which leaves at most p. The high half is added then: below 2p.
  var squared: FieldElement {
    @inline(__always) get {
      let square = UInt256.square(representative)
      return FieldElement(representative: FieldElement.reduce(square.low, square.high))
    }
  }

  /// a · b mod p, out of line: where a product is too rare to have its 100 instructions written out.
  @inline(never)
  static func ⋅ (a: FieldElement, b: FieldElement) -> FieldElement { a * b }

  /// a^(2^count) mod p, by `count` squarings.
  @inline(never)
  func squared(times count: Int) -> FieldElement {
    var result = self
    var remaining = count
    while remaining > 0 {
      result = result.squared
      remaining &-= 1
    }
    return result
  }

  /// (low + 2²⁵⁶ high) · R⁻¹ mod p, below p.
  /// - Parameter high: low + 2²⁵⁶ high must be below p · 2²⁵⁶, as the square of an integer below p is.
  @inline(__always)
  static func reduce(_ low: UInt256, _ high: UInt256) -> UInt256 {
    var t = Accumulator(low)
    t.reduceWord()
    t.reduceWord()
    t.reduceWord()
    t.reduceWord()
    t.addHigh(high)
    return t.reduced
  }
}

/// A product out of line.
infix operator ⋅ : MultiplicationPrecedence

/// The integer t of a Montgomery multiplication mod p: t0 + 2⁶⁴ t1 + … + 2²⁵⁶ t4.
private struct Accumulator {
  var t0: UInt64
  var t1: UInt64
  var t2: UInt64
  var t3: UInt64
  var t4: UInt64

  @inline(__always)
  init(_ t: UInt256) {
    (t0, t1, t2, t3, t4) = (t.l0, t.l1, t.l2, t.l3, 0)
  }

  /// a · w.
  @inline(__always)
  init(_ a: UInt256, times w: UInt64) {
    (t0, t1, t2, t3, t4) = UInt256.row(a, w)
  }

  /// t ← t + a · w, for t < a + p and a < p: t + a·w < a 2⁶⁴ + p < 2³²⁰.
  @inline(__always)
  mutating func addRow(_ a: UInt256, times w: UInt64) {
    let (r0, r1, r2, r3, r4) = UInt256.row(a, w)
    var carry: UInt64 = 0
    t0 = add(t0, r0, &carry)
    t1 = add(t1, r1, &carry)
    t2 = add(t2, r2, &carry)
    t3 = add(t3, r3, &carry)
    t4 = add(t4, r4, &carry)
  }

  /// t ← (t + m·p) / 2⁶⁴ with m = t · p′ mod 2⁶⁴ and p′ = −p⁻¹ mod 2⁶⁴. Leaves t4 ≤ 1, for
  /// t + m·p < 2³²¹.
  ///
  /// For P-256 this shrinks, since the lowest limb of p is 2⁶⁴ − 1:
  /// - p′ = 1, so m is t₀ itself.
  /// - t + m·p = t − m + m·(p + 1), and t − m only clears t₀.
  /// - p + 1 = 2⁹⁶ + 2¹⁹² (2⁶⁴ − 2³² + 1): the limb of zeros costs nothing, and no product is left,
  ///   only shifts by half a word.
  @inline(__always)
  mutating func reduceWord() {
    // 2³² m = low + 2⁶⁴ high, to be added at t₁ (2⁹⁶)
    let m = t0
    let low = m &<< 32
    let high = m &>> 32
    // (2⁶⁴ − 2³² + 1) m = (m − low) + 2⁶⁴ (m − high) = q0 + 2⁶⁴ q1 ≥ 0,
    // to be added at t₃ (2¹⁹²)
    var borrow: UInt64 = 0
    let q0 = subtract(m, low, &borrow)
    let q1 = subtract(m, high, &borrow)
    var carry: UInt64 = 0
    t0 = add(t1, low, &carry)
    t1 = add(t2, high, &carry)
    t2 = add(t3, q0, &carry)
    t3 = add(t4, q1, &carry)
    t4 = carry
  }

  /// t ← t + high, for t ≤ p and high < p.
  @inline(__always)
  mutating func addHigh(_ high: UInt256) {
    var carry: UInt64 = 0
    t0 = add(t0, high.l0, &carry)
    t1 = add(t1, high.l1, &carry)
    t2 = add(t2, high.l2, &carry)
    t3 = add(t3, high.l3, &carry)
    t4 = carry
  }

  /// t mod p, for t < 2p.
  @inline(__always)
  var reduced: UInt256 {
    .subtractOnce(UInt256(t0, t1, t2, t3), t4, modulus: FieldElement.modulus)
  }
}
