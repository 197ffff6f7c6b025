extension FieldElement {
  /// A root of a mod p, if there is one: a^((p + 1) / 4), since p ≡ 3 mod 4. 253 squarings, 7 products.
  ///
  ///     (p + 1) / 4 = 2²⁵⁴ − 2²²² + 2¹⁹⁰ + 2⁹⁴ = ((2⁶⁴ − 2³² + 1) 2⁹⁶ + 1) 2⁹⁴
  ///
  /// - Returns: the root r, and whether r² = a. If not, a has no root.
  var squareRoot: (root: FieldElement, exists: Mask) {
    let x32 = powerOf32Ones
    var r = x32.squared(times: 32) * self
    r = r.squared(times: 96) * self
    r = r.squared(times: 94)
    return (r, (r.squared - self).isZero)
  }

  /// x^(2³² − 1), by runs of ones: xₙ = x^(2ⁿ − 1), xₙ₊ₘ = xₙ^(2ᵐ) · xₘ.
  private var powerOf32Ones: FieldElement {
    let x2 = squared * self
    let x4 = x2.squared(times: 2) * x2
    let x8 = x4.squared(times: 4) * x4
    let x16 = x8.squared(times: 8) * x8
    return x16.squared(times: 16) * x16
  }
}
