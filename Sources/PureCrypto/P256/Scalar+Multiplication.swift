extension Scalar {
  /// a · b mod n.
  @inline(never)
  static func * (a: Scalar, b: Scalar) -> Scalar {
    let product = UInt256.product(a.residue, b.residue)
    return Scalar(residue: reduce(product.low, product.high))
  }

  /// a² mod n.
  var squared: Scalar {
    @inline(never) get {
      let square = UInt256.square(residue)
      return Scalar(residue: Scalar.reduce(square.low, square.high))
    }
  }

  /// (low + 2²⁵⁶ high) · R⁻¹ mod n, below n.
  /// - Parameter high: low + 2²⁵⁶ high must be below n · 2²⁵⁶.
  ///
  /// As for p, see ``FieldElement/reduce(_:_:)``: four times t ← (t + m·n) / 2⁶⁴, on the low half only, which leaves at
  /// most n. Adding high < n gives less than 2n.
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

  /// (t + m·n) / 2⁶⁴ with m = t₀ · n′ mod 2⁶⁴ and n′ = −n⁻¹ mod 2⁶⁴, below 2²⁵⁶:
  /// t + m·n ≤ 2²⁵⁶ − 1 + (2⁶⁴ − 1) n < 2⁶⁴ · 2²⁵⁶.
  @inline(__always)
  private static func reduceWord(_ t: UInt256) -> UInt256 {
    let m = t.l0 &* 0xccd1_c8aa_ee00_bc4f
    // m·n by words: m n₀ and m n₁, then m (2²⁵⁶ − 2²²⁴ + 2¹⁹² − 2¹²⁸) without a product. The latter is
    // 2¹²⁸ (2¹²⁸ m − 2⁹⁶ m + 2⁶⁴ m − m) ≥ 0, three words h2, h3, h4 that end without a borrow.
    let q0 = multiply(m, 0xf3b9_cac2_fc63_2551)
    let q1 = multiply(m, 0xbce6_faad_a717_9e84)
    var borrow: UInt64 = 0
    let h2 = subtract(0, m, &borrow)
    let h3 = subtract(m, m &<< 32, &borrow)
    let h4 = subtract(m, m &>> 32, &borrow)
    var carry: UInt64 = 0
    _ = add(t.l0, q0.low, &carry)  // 0 mod 2⁶⁴ by the choice of m
    var r0 = add(t.l1, q0.high, &carry)
    var r1 = add(t.l2, h2, &carry)
    var r2 = add(t.l3, h3, &carry)
    var r3 = add(h4, 0, &carry)
    carry = 0
    r0 = add(r0, q1.low, &carry)
    r1 = add(r1, q1.high, &carry)
    r2 = add(r2, 0, &carry)
    r3 = add(r3, 0, &carry)
    return UInt256(r0, r1, r2, r3)
  }
}
