extension FieldElement {
  /// a⁻¹ mod p, and 0 for 0: a^(p − 2), by Fermat.
  ///
  /// p − 2 = (2³² − 1) 2²²⁴ + 2¹⁹² + (2⁹⁴ − 1) 2² + 1, with
  ///
  ///     x₂  = x^(2² − 1)      x₄  = x^(2⁴ − 1)     …    xₙ₊ₘ = xₙ^(2ᵐ) · xₘ
  ///     a   = x₃₂^(2³²) · x              2⁶⁴ − 2³² + 1
  ///     a   = a^(2¹²⁸) · x₃₂             … + 2³² − 1
  ///     a   = a^(2³²) · x₃₂              … + 2⁶⁴ − 1 in the low words
  ///     a   = a^(2³⁰) · x₃₀              … + 2⁹⁴ − 1
  ///     a   = a^(2²) · x
  ///
  /// 255 squarings and 13 products.
  var inverted: FieldElement {
    let (x2, x30, x32) = runs
    _ = x2
    var a = x32.squared(times: 32) * self
    a = a.squared(times: 128) * x32
    a = a.squared(times: 32) * x32
    a = a.squared(times: 30) * x30
    return a.squared(times: 2) * self
  }

  /// A root of a mod p, if there is one: a^((p + 1) / 4), since p ≡ 3 mod 4.
  ///
  ///     (p + 1) / 4 = 2²⁵⁴ − 2²²² + 2¹⁹⁰ + 2⁹⁴ = ((2⁶⁴ − 2³² + 1) 2⁹⁶ + 1) 2⁹⁴
  ///
  /// - Returns: the root r, and whether r² = a. If not, a has no root.
  var squareRoot: (root: FieldElement, exists: Mask) {
    let x32 = runs.x32
    var r = x32.squared(times: 32) * self
    r = r.squared(times: 96) * self
    r = r.squared(times: 94)
    return (r, (r.squared - self).isZero)
  }

  /// xₙ = x^(2ⁿ − 1) for n = 2, 30, 32: runs of ones in the exponent.
  private var runs: (x2: FieldElement, x30: FieldElement, x32: FieldElement) {
    let x2 = squared * self
    let x4 = x2.squared(times: 2) * x2
    let x8 = x4.squared(times: 4) * x4
    let x16 = x8.squared(times: 8) * x8
    let x24 = x16.squared(times: 8) * x8
    let x28 = x24.squared(times: 4) * x4
    let x30 = x28.squared(times: 2) * x2
    let x32 = x30.squared(times: 2) * x2
    return (x2, x30, x32)
  }
}
