extension FieldElement {
  /// a · b mod p.
  ///
  /// Montgomery's multiplication by rows: four times t ← (t + a·bᵢ + m·p) / 2⁶⁴, where m makes the sum divisible. From t < a + p
  /// follows that again, (a + p + (2⁶⁴ − 1)(a + p)) / 2⁶⁴ = a + p; it is true of t = 0. So t < 2p in the end, and one
  /// subtraction completes the reduction. Nothing was asked of b: it may be any integer below 2²⁵⁶.
  @inline(__always)
  static func * (a: FieldElement, b: FieldElement) -> FieldElement {
    var t = Accumulator(a.residue, times: b.residue.l0)
    t.reduceWord()
    t.addRow(a.residue, times: b.residue.l1)
    t.reduceWord()
    t.addRow(a.residue, times: b.residue.l2)
    t.reduceWord()
    t.addRow(a.residue, times: b.residue.l3)
    t.reduceWord()
    return FieldElement(residue: t.reduced)
  }

  /// a² mod p.
  ///
  /// The square first, which takes 10 products of words instead of 16, then the reduction: four times t ← (t + m·p) / 2⁶⁴ on
  /// its low half, which leaves at most p. The high half is added then: below 2p.
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

  /// t ← (t + m·p) / 2⁶⁴ with m = t · p′ mod 2⁶⁴ and p′ = −p⁻¹ mod 2⁶⁴. Leaves t4 ≤ 1, for t + m·p < 2³²¹.
  ///
  /// For P-256 this shrinks, since the lowest limb of p is 2⁶⁴ − 1:
  /// - p′ = 1, so m is t₀ itself.
  /// - t + m·p = t − m + m·(p + 1), and t − m only clears t₀.
  /// - p + 1 = 2⁹⁶ + 2¹⁹² (2⁶⁴ − 2³² + 1): the limb of zeros costs nothing, and no product is left, only shifts by half a
  ///   word.
  @inline(__always)
  mutating func reduceWord() {
    // 2³² m = low + 2⁶⁴ high, to be added at t₁ (2⁹⁶)
    let m = t0
    let low = m &<< 32
    let high = m &>> 32
    // (2⁶⁴ − 2³² + 1) m = (m − low) + 2⁶⁴ (m − high) = q0 + 2⁶⁴ q1 ≥ 0, to be added at t₃ (2¹⁹²)
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
