internal import PureCryptoIntegers

/// An element of the field of integers mod p = 2²⁵⁵ − 19, over which X25519 and Ed25519 are defined.
///
/// Four words. Invariant: `integer` is below 2²⁵⁵ + 2²⁴ < 2p, so that an element has one or two
/// representations. ``encode(to:)`` takes the one below p. A product takes any two integers below 2²⁵⁶, and so do
/// sums that are multiplied at once: ``Unreduced``.
///
/// Timing: no operation depends on the values.
struct FieldElement25519: Sendable, BitwiseCopyable {
  /// Below 2²⁵⁵ + 2²⁴.
  let integer: UInt256

  @inline(__always)
  init(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64) {
    integer = UInt256(w0, w1, w2, w3)
  }

  static var zero: FieldElement25519 { FieldElement25519(0, 0, 0, 0) }
  static var one: FieldElement25519 { FieldElement25519(1, 0, 0, 0) }

  /// A sum or a difference that is good for being multiplied: any integer below 2²⁵⁶.
  struct Unreduced: BitwiseCopyable {
    var integer: UInt256

    @inline(__always)
    init(_ integer: UInt256) { self.integer = integer }
  }

  /// What is above 2²⁵⁵ is folded back once, 2²⁵⁵ ≡ 19: below 2²⁵⁵ + 19 · 2 (upper + 1), which needs
  /// upper < 2¹⁸.
  @inline(__always)
  fileprivate init(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64, upper: UInt64) {
    var carry: UInt64 = 0
    // The carry ends in the highest word, which is below 2⁶³.
    let r0 = add(w0, 38 &* upper &+ 19 &* (w3 &>> 63), &carry)
    let r1 = add(w1, 0, &carry)
    let r2 = add(w2, 0, &carry)
    let r3 = add(w3 & FieldElement25519.lowest63Bits, 0, &carry)
    self.init(r0, r1, r2, r3)
  }

  /// An element that a sum or a difference is: below 2²⁵⁵ + 19.
  @inline(__always)
  init(_ sum: Unreduced) {
    self.init(sum.integer.l0, sum.integer.l1, sum.integer.l2, sum.integer.l3, upper: 0)
  }

  @inline(__always)
  private static var lowest63Bits: UInt64 { 0x7fff_ffff_ffff_ffff }
}

extension FieldElement25519 {
  /// Reads 32 bytes, least significant first; the highest bit is ignored. Integers from p to 2²⁵⁵ − 1 are taken
  /// mod p.
  /// - Parameter bytes: readable for 32 bytes.
  init(littleEndian bytes: UnsafeRawPointer) {
    let words = UInt256(littleEndian: bytes)
    self.init(words.l0, words.l1, words.l2, words.l3 & FieldElement25519.lowest63Bits)
  }

  /// Writes the integer below p: 32 bytes, least significant first.
  /// - Parameter bytes: writable for 32 bytes.
  func encode(to bytes: UnsafeMutableRawPointer) {
    words.storeLittleEndian(to: bytes)
  }

  /// The integer below p.
  var words: UInt256 {
    // a < 2p, so that a ≥ p exactly when a + 19 ≥ 2²⁵⁵: q is that bit. a − q p = a + 19 q − q 2²⁵⁵.
    let q = FieldElement25519.sum(integer, plus: 19).l3 &>> 63
    var words = FieldElement25519.sum(integer, plus: 19 &* q)
    words.l3 &= FieldElement25519.lowest63Bits
    return words
  }

  /// a + w, for a sum below 2²⁵⁶.
  @inline(__always)
  private static func sum(_ a: UInt256, plus word: UInt64) -> UInt256 {
    var carry: UInt64 = 0
    let s0 = add(a.l0, word, &carry)
    let s1 = add(a.l1, 0, &carry)
    let s2 = add(a.l2, 0, &carry)
    let s3 = add(a.l3, 0, &carry)
    return UInt256(s0, s1, s2, s3)
  }

  /// Whether the element is zero.
  var isZero: Mask { words.isZero }

  /// Whether two elements are the same.
  func equals(_ other: FieldElement25519) -> Mask { words.equals(other.words) }

  /// Whether the integer below p is odd, which RFC 8032 calls negative.
  var isOdd: Mask { Mask(bit: words.l0) }
}

infix operator ∔ : AdditionPrecedence
infix operator ∸ : AdditionPrecedence

extension FieldElement25519 {
  /// a + b, not reduced: below 2²⁵⁶ + 2²⁵, less 2²⁵⁶ ≡ 38 if it is reached.
  @inline(__always)
  static func ∔ (a: FieldElement25519, b: FieldElement25519) -> Unreduced { Unreduced(a.integer) ∔ b }

  /// a − b, not reduced.
  @inline(__always)
  static func ∸ (a: FieldElement25519, b: FieldElement25519) -> Unreduced { Unreduced(a.integer) ∸ b }

  /// a + b.
  @inline(__always)
  static func + (a: FieldElement25519, b: FieldElement25519) -> FieldElement25519 { FieldElement25519(a ∔ b) }

  /// a − b.
  @inline(__always)
  static func - (a: FieldElement25519, b: FieldElement25519) -> FieldElement25519 { FieldElement25519(a ∸ b) }

  /// −a.
  @inline(__always)
  static prefix func - (a: FieldElement25519) -> FieldElement25519 { .zero - a }

  /// `first` for yes, `second` for no.
  @inline(__always)
  static func select(_ mask: Mask, _ first: FieldElement25519, _ second: FieldElement25519) -> FieldElement25519 {
    let selected = UInt256.select(mask, first.integer, second.integer)
    return FieldElement25519(selected.l0, selected.l1, selected.l2, selected.l3)
  }

  /// Exchanges two elements for yes, leaves them for no.
  @inline(__always)
  static func swap(if mask: Mask, _ a: inout FieldElement25519, _ b: inout FieldElement25519) {
    let (x, y) = (a.integer, b.integer)
    let d0 = mask.keep(x.l0 ^ y.l0)
    let d1 = mask.keep(x.l1 ^ y.l1)
    let d2 = mask.keep(x.l2 ^ y.l2)
    let d3 = mask.keep(x.l3 ^ y.l3)
    a = FieldElement25519(x.l0 ^ d0, x.l1 ^ d1, x.l2 ^ d2, x.l3 ^ d3)
    b = FieldElement25519(y.l0 ^ d0, y.l1 ^ d1, y.l2 ^ d2, y.l3 ^ d3)
  }

  /// a · b.
  @inline(__always)
  static func * (a: FieldElement25519, b: FieldElement25519) -> FieldElement25519 {
    Unreduced(a.integer) * Unreduced(b.integer)
  }

  /// a · b.
  @inline(__always)
  static func * (a: Unreduced, b: FieldElement25519) -> FieldElement25519 { a * Unreduced(b.integer) }

  /// a².
  @inline(__always)
  var squared: FieldElement25519 { Unreduced(integer).squared }

  /// Folds back what is above 2²⁵⁶, which is 38: low + 38 high < 39 · 2²⁵⁶, so that the fifth word is at
  /// most 38.
  @inline(__always)
  fileprivate init(low: UInt256, high: UInt256) {
    let (w0, w1, w2, w3, w4) = UInt256.addRow(high, 38, low.l0, low.l1, low.l2, low.l3)
    self.init(w0, w1, w2, w3, upper: w4)
  }

  /// a · b, out of line: where a product is too rare to have its instructions written out.
  @inline(never)
  static func ⋅ (a: FieldElement25519, b: FieldElement25519) -> FieldElement25519 { a * b }

  /// a^(2^count).
  @inline(never)
  func squared(times count: Int) -> FieldElement25519 {
    var result = self
    for _ in 0..<count { result = result.squared }
    return result
  }
}

extension FieldElement25519.Unreduced {
  /// a · b.
  @inline(__always)
  static func * (a: Self, b: Self) -> FieldElement25519 {
    let product = UInt256.product(a.integer, b.integer)
    return FieldElement25519(low: product.low, high: product.high)
  }

  /// a².
  @inline(__always)
  var squared: FieldElement25519 {
    let square = UInt256.square(integer)
    return FieldElement25519(low: square.low, high: square.high)
  }

  /// a · w, for a word below 2¹⁸: the word above 2²⁵⁶ is below that too.
  @inline(__always)
  static func * (a: Self, word: UInt64) -> FieldElement25519 {
    let (w0, w1, w2, w3, w4) = UInt256.row(a.integer, word)
    return FieldElement25519(w0, w1, w2, w3, upper: w4)
  }

  /// a + b. If 2²⁵⁶ is reached, 38 takes its place: what is left then is below b, so that the sum stays below
  /// 2²⁵⁶.
  @inline(__always)
  static func ∔ (a: Self, b: FieldElement25519) -> Self {
    let (x, y) = (a.integer, b.integer)
    var carry: UInt64 = 0
    let s0 = add(x.l0, y.l0, &carry)
    let s1 = add(x.l1, y.l1, &carry)
    let s2 = add(x.l2, y.l2, &carry)
    let s3 = add(x.l3, y.l3, &carry)
    let fold = Mask(bit: carry).keep(38 as UInt64)
    carry = 0
    let r0 = add(s0, fold, &carry)
    let r1 = add(s1, 0, &carry)
    let r2 = add(s2, 0, &carry)
    let r3 = add(s3, 0, &carry)
    return Self(UInt256(r0, r1, r2, r3))
  }

  /// a − b. If it is negative, 2²⁵⁶ − 38 ≡ 0 is added: a − b + 2²⁵⁶ ≥ 2²⁵⁶ − b > 38.
  @inline(__always)
  static func ∸ (a: Self, b: FieldElement25519) -> Self {
    var borrow: UInt64 = 0
    let d = UInt256.minus(a.integer, b.integer, &borrow)
    let fold = Mask(bit: borrow).keep(38 as UInt64)
    borrow = 0
    return Self(UInt256.minus(d, UInt256(fold, 0, 0, 0), &borrow))
  }
}

extension FieldElement25519 {
  /// a⁻¹, and 0 for 0.
  ///
  /// Timing: does not depend on a.
  var inverted: FieldElement25519 {
    @inline(never) get {
      let inverse = ModularInversion.field25519.inverse(of: words)
      return FieldElement25519(inverse.l0, inverse.l1, inverse.l2, inverse.l3)
    }
  }

  /// a⁻¹, and 0 for 0. For public elements.
  @inline(never)
  func invertedVariableTime() -> FieldElement25519 {
    let inverse = ModularInversion.field25519.inverseVariableTime(of: words)
    return FieldElement25519(inverse.l0, inverse.l1, inverse.l2, inverse.l3)
  }

  /// a^((p − 5) / 8), (p − 5) / 8 = 2²⁵² − 3 = 2² (2²⁵⁰ − 1) + 1.
  private var fractionalPower: FieldElement25519 {
    // The name says how many bits of the exponent are set.
    let ones2 = squared(times: 1) ⋅ self
    let ones4 = ones2.squared(times: 2) ⋅ ones2
    let ones5 = ones4.squared(times: 1) ⋅ self
    let ones10 = ones5.squared(times: 5) ⋅ ones5
    let ones20 = ones10.squared(times: 10) ⋅ ones10
    let ones40 = ones20.squared(times: 20) ⋅ ones20
    let ones50 = ones40.squared(times: 10) ⋅ ones10
    let ones100 = ones50.squared(times: 50) ⋅ ones50
    let ones200 = ones100.squared(times: 100) ⋅ ones100
    return (ones200.squared(times: 50) ⋅ ones50).squared(times: 2) ⋅ self
  }

  /// √−1 = 2^((p − 1) / 4).
  static let squareRootOfMinusOne = FieldElement25519(
    0xc4ee_1b27_4a0e_a0b0, 0x2f43_1806_ad2f_e478, 0x2b4d_0099_3dfb_d7a7, 0x2b83_2480_4fc1_df0b)

  /// √(u / v), one of the two, and whether it exists.
  ///
  /// x = u v³ (u v⁷)^((p − 5) / 8) has v x² = ± u or ± u √−1.
  ///
  /// Source: RFC 8032 §5.1.3.
  static func squareRoot(_ u: FieldElement25519, over v: FieldElement25519) -> (root: FieldElement25519, exists: Mask) {
    let v3 = v.squared(times: 1) ⋅ v
    let uv3 = u ⋅ v3
    let x = uv3 ⋅ (uv3 ⋅ v3 ⋅ v).fractionalPower
    let check = v ⋅ x.squared(times: 1)
    let isRoot = check.equals(u)
    let isOtherRoot = check.equals(-u)
    return (select(isOtherRoot, x ⋅ squareRootOfMinusOne, x), isRoot | isOtherRoot)
  }
}
