internal import PureCryptoIntegers

/// An element of the field of integers mod p = 2²⁵⁵ − 19, over which X25519 and Ed25519 are defined.
///
/// l0 + 2⁵¹ l1 + 2¹⁰² l2 + 2¹⁵³ l3 + 2²⁰⁴ l4. Invariant: every limb is below 2⁵¹ + 2¹⁵, so that an element has several
/// representations, all below 2²⁵⁵ + 2²²⁰ < 2p. ``encode(to:)`` takes the one below p.
///
/// Timing: no operation depends on the values.
struct FieldElement25519: Sendable, BitwiseCopyable {
  var l0: UInt64
  var l1: UInt64
  var l2: UInt64
  var l3: UInt64
  var l4: UInt64

  @inline(__always)
  init(_ l0: UInt64, _ l1: UInt64, _ l2: UInt64, _ l3: UInt64, _ l4: UInt64) {
    self.l0 = l0
    self.l1 = l1
    self.l2 = l2
    self.l3 = l3
    self.l4 = l4
  }

  static var zero: FieldElement25519 { FieldElement25519(0, 0, 0, 0, 0) }
  static var one: FieldElement25519 { FieldElement25519(1, 0, 0, 0, 0) }

  /// 2⁵¹ − 1.
  @inline(__always)
  private static var mask: UInt64 { 0x7_ffff_ffff_ffff }
}

extension FieldElement25519 {
  /// Reads 32 bytes, least significant first; the highest bit is ignored. Integers from p to 2²⁵⁵ − 1 are taken mod p.
  /// - Parameter bytes: readable for 32 bytes.
  init(littleEndian bytes: UnsafeRawPointer) {
    let w0 = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    let w1 = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let w2 = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
    let w3 = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
    let mask = FieldElement25519.mask
    self.init(
      w0 & mask, (w0 &>> 51 | w1 &<< 13) & mask, (w1 &>> 38 | w2 &<< 26) & mask, (w2 &>> 25 | w3 &<< 39) & mask,
      w3 &>> 12 & mask)
  }

  /// Writes the integer below p: 32 bytes, least significant first.
  /// - Parameter bytes: writable for 32 bytes.
  func encode(to bytes: UnsafeMutableRawPointer) {
    // a < 2p, so that a ≥ p exactly when a + 19 ≥ 2²⁵⁵: q is that carry, 0 or 1. a − q p = a + 19 q − q 2²⁵⁵.
    var q = (l0 &+ 19) &>> 51
    q = (l1 &+ q) &>> 51
    q = (l2 &+ q) &>> 51
    q = (l3 &+ q) &>> 51
    q = (l4 &+ q) &>> 51
    let mask = FieldElement25519.mask
    let r0 = l0 &+ 19 &* q
    let r1 = l1 &+ r0 &>> 51
    let r2 = l2 &+ r1 &>> 51
    let r3 = l3 &+ r2 &>> 51
    let r4 = (l4 &+ r3 &>> 51) & mask
    let (a0, a1, a2, a3) = (r0 & mask, r1 & mask, r2 & mask, r3 & mask)
    bytes.storeBytes(of: (a0 | a1 &<< 51).littleEndian, as: UInt64.self)
    bytes.storeBytes(of: (a1 &>> 13 | a2 &<< 38).littleEndian, toByteOffset: 8, as: UInt64.self)
    bytes.storeBytes(of: (a2 &>> 26 | a3 &<< 25).littleEndian, toByteOffset: 16, as: UInt64.self)
    bytes.storeBytes(of: (a3 &>> 39 | r4 &<< 12).littleEndian, toByteOffset: 24, as: UInt64.self)
  }

  /// The integer below p in four words, least significant first.
  var words: UInt256 {
    var words = UInt256.zero
    withUnsafeMutableBytes(of: &words) { bytes in
      if let start = bytes.baseAddress { encode(to: start) }
    }
    return UInt256(
      UInt64(littleEndian: words.l0), UInt64(littleEndian: words.l1), UInt64(littleEndian: words.l2),
      UInt64(littleEndian: words.l3))
  }

  /// Whether the element is zero.
  var isZero: Mask { words.isZero }

  /// Whether two elements are the same.
  func equals(_ other: FieldElement25519) -> Mask { words.equals(other.words) }

  /// Whether the integer below p is odd, which RFC 8032 calls negative.
  var isOdd: Mask { Mask(bit: words.l0) }
}

extension FieldElement25519 {
  /// Limbs below 2⁶³ to limbs below 2⁵¹ + 2¹⁷: every limb gives what is above its 51 bits to the next, and the last one to
  /// the first, since 2²⁵⁵ = 19. With limbs below 2⁵⁴ the carries are at most 7, and the result is below 2⁵¹ + 19 · 7.
  @inline(__always)
  private func carried() -> FieldElement25519 {
    let mask = FieldElement25519.mask
    return FieldElement25519(
      (l0 & mask) &+ 19 &* (l4 &>> 51), (l1 & mask) &+ l0 &>> 51, (l2 & mask) &+ l1 &>> 51,
      (l3 & mask) &+ l2 &>> 51, (l4 & mask) &+ l3 &>> 51)
  }

  /// a + b. Limb by limb below 2⁵³.
  @inline(__always)
  static func + (a: FieldElement25519, b: FieldElement25519) -> FieldElement25519 {
    FieldElement25519(a.l0 &+ b.l0, a.l1 &+ b.l1, a.l2 &+ b.l2, a.l3 &+ b.l3, a.l4 &+ b.l4).carried()
  }

  /// a − b = a + 2p − b. The limbs of 2p, 2⁵² − 38 and 2⁵² − 2, are above those of b: nothing goes below zero.
  @inline(__always)
  static func - (a: FieldElement25519, b: FieldElement25519) -> FieldElement25519 {
    FieldElement25519(
      a.l0 &+ 0xf_ffff_ffff_ffda &- b.l0, a.l1 &+ 0xf_ffff_ffff_fffe &- b.l1,
      a.l2 &+ 0xf_ffff_ffff_fffe &- b.l2, a.l3 &+ 0xf_ffff_ffff_fffe &- b.l3,
      a.l4 &+ 0xf_ffff_ffff_fffe &- b.l4
    ).carried()
  }

  /// −a.
  @inline(__always)
  static prefix func - (a: FieldElement25519) -> FieldElement25519 { .zero - a }

  /// `first` for yes, `second` for no.
  @inline(__always)
  static func select(_ mask: Mask, _ first: FieldElement25519, _ second: FieldElement25519) -> FieldElement25519 {
    FieldElement25519(
      mask.select(first.l0, second.l0), mask.select(first.l1, second.l1), mask.select(first.l2, second.l2),
      mask.select(first.l3, second.l3), mask.select(first.l4, second.l4))
  }

  /// Exchanges two elements for yes, leaves them for no.
  @inline(__always)
  static func swap(if mask: Mask, _ a: inout FieldElement25519, _ b: inout FieldElement25519) {
    let (first, second) = (select(mask, b, a), select(mask, a, b))
    a = first
    b = second
  }

  /// a · b.
  ///
  /// Columns of the product, those from 2²⁵⁵ on folded back with 2²⁵⁵ = 19:
  /// r₀ = a₀b₀ + 19 (a₁b₄ + a₂b₃ + a₃b₂ + a₄b₁) and so on.
  @inline(__always)
  static func * (a: FieldElement25519, b: FieldElement25519) -> FieldElement25519 {
    // 19 aᵢ < 2⁵⁶
    let a1_19 = 19 &* a.l1
    let a2_19 = 19 &* a.l2
    let a3_19 = 19 &* a.l3
    let a4_19 = 19 &* a.l4
    let r0 = a.l0 ⨯ b.l0 &+ a1_19 ⨯ b.l4 &+ a2_19 ⨯ b.l3 &+ a3_19 ⨯ b.l2 &+ a4_19 ⨯ b.l1
    let r1 = a.l0 ⨯ b.l1 &+ a.l1 ⨯ b.l0 &+ a2_19 ⨯ b.l4 &+ a3_19 ⨯ b.l3 &+ a4_19 ⨯ b.l2
    let r2 = a.l0 ⨯ b.l2 &+ a.l1 ⨯ b.l1 &+ a.l2 ⨯ b.l0 &+ a3_19 ⨯ b.l4 &+ a4_19 ⨯ b.l3
    let r3 = a.l0 ⨯ b.l3 &+ a.l1 ⨯ b.l2 &+ a.l2 ⨯ b.l1 &+ a.l3 ⨯ b.l0 &+ a4_19 ⨯ b.l4
    let r4 = a.l0 ⨯ b.l4 &+ a.l1 ⨯ b.l3 &+ a.l2 ⨯ b.l2 &+ a.l3 ⨯ b.l1 &+ a.l4 ⨯ b.l0
    return reduce(r0, r1, r2, r3, r4)
  }

  /// a²: the products of different limbs once, doubled.
  @inline(__always)
  var squared: FieldElement25519 {
    let l0_2 = 2 &* l0
    let l1_2 = 2 &* l1
    let l1_38 = 38 &* l1
    let l2_38 = 38 &* l2
    let l3_19 = 19 &* l3
    let l3_38 = 38 &* l3
    let l4_19 = 19 &* l4
    let r0 = l0 ⨯ l0 &+ l1_38 ⨯ l4 &+ l2_38 ⨯ l3
    let r1 = l0_2 ⨯ l1 &+ l2_38 ⨯ l4 &+ l3_19 ⨯ l3
    let r2 = l0_2 ⨯ l2 &+ l1 ⨯ l1 &+ l3_38 ⨯ l4
    let r3 = l0_2 ⨯ l3 &+ l1_2 ⨯ l2 &+ l4_19 ⨯ l4
    let r4 = l0_2 ⨯ l4 &+ l1_2 ⨯ l3 &+ l2 ⨯ l2
    return FieldElement25519.reduce(r0, r1, r2, r3, r4)
  }

  /// Columns to limbs. With limbs below 2⁵² every column is below (1 + 4 · 19) 2¹⁰⁴ < 2¹¹¹, so that its carry fits a word:
  /// it is below 2⁶⁰. The last column has no factor 19: its carry is below 2⁵⁶, and 19 times that is below 2⁶¹. Then the
  /// limbs are below 2⁵¹ + 2⁶¹ < 2⁶³, and carrying once more leaves them below 2⁵¹ + 19 · 2¹⁰ < 2⁵¹ + 2¹⁵.
  @inline(__always)
  private static func reduce(
    _ r0: UInt128, _ r1: UInt128, _ r2: UInt128, _ r3: UInt128, _ r4: UInt128
  ) -> FieldElement25519 {
    let c0 = UInt64(truncatingIfNeeded: r0 &>> 51)
    let c1 = UInt64(truncatingIfNeeded: r1 &>> 51)
    let c2 = UInt64(truncatingIfNeeded: r2 &>> 51)
    let c3 = UInt64(truncatingIfNeeded: r3 &>> 51)
    let c4 = UInt64(truncatingIfNeeded: r4 &>> 51)
    return FieldElement25519(
      (UInt64(truncatingIfNeeded: r0) & mask) &+ 19 &* c4, (UInt64(truncatingIfNeeded: r1) & mask) &+ c0,
      (UInt64(truncatingIfNeeded: r2) & mask) &+ c1, (UInt64(truncatingIfNeeded: r3) & mask) &+ c2,
      (UInt64(truncatingIfNeeded: r4) & mask) &+ c3
    ).carried()
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

infix operator ⨯ : MultiplicationPrecedence

/// a · b, all 128 bits of it.
@inline(__always)
private func ⨯ (a: UInt64, b: UInt64) -> UInt128 { UInt128(a) &* UInt128(b) }

extension FieldElement25519 {
  /// a^(2²⁵⁰ − 1) and a¹¹: what the powers below have in common.
  private var commonPowers: (a250: FieldElement25519, a11: FieldElement25519) {
    // The name says how many bits of the exponent are set.
    let a2 = squared(times: 1)
    let a9 = a2.squared(times: 2) ⋅ self
    let a11 = a9 ⋅ a2
    let ones5 = a11.squared(times: 1) ⋅ a9
    let ones10 = ones5.squared(times: 5) ⋅ ones5
    let ones20 = ones10.squared(times: 10) ⋅ ones10
    let ones40 = ones20.squared(times: 20) ⋅ ones20
    let ones50 = ones40.squared(times: 10) ⋅ ones10
    let ones100 = ones50.squared(times: 50) ⋅ ones50
    let ones200 = ones100.squared(times: 100) ⋅ ones100
    return (ones200.squared(times: 50) ⋅ ones50, a11)
  }

  /// a⁻¹ = a^(p − 2), p − 2 = 2²⁵⁵ − 21 = 2⁵ (2²⁵⁰ − 1) + 11; 0 for 0.
  var inverted: FieldElement25519 {
    let (a250, a11) = commonPowers
    return a250.squared(times: 5) ⋅ a11
  }

  /// a^((p − 5) / 8), (p − 5) / 8 = 2²⁵² − 3 = 2² (2²⁵⁰ − 1) + 1.
  private var fractionalPower: FieldElement25519 {
    commonPowers.a250.squared(times: 2) ⋅ self
  }

  /// √−1 = 2^((p − 1) / 4).
  static let squareRootOfMinusOne = FieldElement25519(
    0x61b2_74a0_ea0b0, 0x0d5a_5fc8_f189d, 0x7ef5_e9cb_d0c60, 0x7859_5a68_04c9e, 0x2b83_2480_4fc1d)

  /// √(u / v), one of the two, and whether it exists.
  ///
  /// x = u v³ (u v⁷)^((p − 5) / 8) has v x² = ± u or ± u √−1. Source: RFC 8032 §5.1.3.
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
