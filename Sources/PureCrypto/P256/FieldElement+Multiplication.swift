extension FieldElement {
  /// a · b mod p.
  @inline(__always)
  static func * (a: FieldElement, b: FieldElement) -> FieldElement {
    let product = UInt256.product(a.residue, b.residue)
    return FieldElement(residue: reduce(product.low, product.high))
  }

  /// a² mod p.
  var squared: FieldElement {
    @inline(__always) get {
      let square = UInt256.square(residue)
      return FieldElement(residue: FieldElement.reduce(square.low, square.high))
    }
  }

  /// a^(2^count) mod p, by `count` squarings.
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
  /// - Parameter high: low + 2²⁵⁶ high must be below p · 2²⁵⁶: the product of two integers of which one is below p
  ///   qualifies.
  ///
  /// Montgomery's reduction makes t divisible by 2⁶⁴ and divides, four times: t ← (t + m·p) / 2⁶⁴ with
  /// m = t · p′ mod 2⁶⁴ and p′ = −p⁻¹ mod 2⁶⁴. For P-256 it shrinks, since the lowest limb of p is 2⁶⁴ − 1:
  /// - p′ = 1, so m is t₀ itself.
  /// - t + m·p = t − m + m·(p + 1), and t − m only clears t₀.
  /// - p + 1 = 2⁹⁶ + 2¹⁹² p₃ with p₃ = 2⁶⁴ − 2³² + 1: the limb of zeros costs nothing, 2⁹⁶ is a shift by half a word.
  ///
  /// Shifts and sums remain, no product. The high half waits until the low half is gone:
  /// four steps on t < 2²⁵⁶ leave (t + M·p) / 2²⁵⁶ with M < 2²⁵⁶, at most p. Adding high < p gives less than 2p.
  @inline(__always)
  static func reduce(_ low: UInt256, _ high: UInt256) -> UInt256 {
    var t = low
    t = reduceWord(t)
    t = reduceWord(t)
    t = reduceWord(t)
    t = reduceWord(t)
    var carry: UInt64 = 0
    let r0 = add(t.l0, high.l0, &carry)
    let r1 = add(t.l1, high.l1, &carry)
    let r2 = add(t.l2, high.l2, &carry)
    let r3 = add(t.l3, high.l3, &carry)
    return .subtractOnce(UInt256(r0, r1, r2, r3), carry, modulus: modulus)
  }

  /// (t + t₀ · p) / 2⁶⁴, below 2²⁵⁶: t + t₀·p ≤ 2²⁵⁶ − 1 + (2⁶⁴ − 1) p < 2⁶⁴ · 2²⁵⁶.
  @inline(__always)
  private static func reduceWord(_ t: UInt256) -> UInt256 {
    // (t − t₀ + t₀ (2⁹⁶ + 2¹⁹² p₃)) / 2⁶⁴ = t₁ + 2⁶⁴ t₂ + 2¹²⁸ t₃ + 2³² t₀ + 2¹²⁸ p₃ t₀
    let low = t.l0 &<< 32
    let high = t.l0 &>> 32
    // 2³² t₀ = low + 2⁶⁴ high, so p₃ t₀ = 2⁶⁴ t₀ − 2³² t₀ + t₀ = (t₀ − low) + 2⁶⁴ (t₀ − high), which is not negative
    var borrow: UInt64 = 0
    let q0 = subtract(t.l0, low, &borrow)
    let q1 = subtract(t.l0, high, &borrow)
    var carry: UInt64 = 0
    let r0 = add(t.l1, low, &carry)
    let r1 = add(t.l2, high, &carry)
    let r2 = add(t.l3, q0, &carry)
    let r3 = add(q1, 0, &carry)
    return UInt256(r0, r1, r2, r3)
  }
}
