extension FieldElement25519 {
  /// a^(2²⁵⁰ − 1) and a¹¹: what the powers below have in common.
  private var commonPowers: (a250: FieldElement25519, a11: FieldElement25519) {
    // The name says how many bits of the exponent are set.
    let a2 = squared
    let a9 = a2.squared(times: 2) * self
    let a11 = a9 * a2
    let ones5 = a11.squared * a9
    let ones10 = ones5.squared(times: 5) * ones5
    let ones20 = ones10.squared(times: 10) * ones10
    let ones40 = ones20.squared(times: 20) * ones20
    let ones50 = ones40.squared(times: 10) * ones10
    let ones100 = ones50.squared(times: 50) * ones50
    let ones200 = ones100.squared(times: 100) * ones100
    return (ones200.squared(times: 50) * ones50, a11)
  }

  /// a⁻¹ = a^(p − 2), p − 2 = 2²⁵⁵ − 21 = 2⁵ (2²⁵⁰ − 1) + 11; 0 for 0.
  var inverted: FieldElement25519 {
    let (a250, a11) = commonPowers
    return a250.squared(times: 5) * a11
  }

  /// a^((p − 5) / 8), (p − 5) / 8 = 2²⁵² − 3 = 2² (2²⁵⁰ − 1) + 1.
  private var fractionalPower: FieldElement25519 {
    commonPowers.a250.squared(times: 2) * self
  }

  /// √−1 = 2^((p − 1) / 4).
  static let squareRootOfMinusOne = FieldElement25519(
    0x61b2_74a0_ea0b0, 0x0d5a_5fc8_f189d, 0x7ef5_e9cb_d0c60, 0x7859_5a68_04c9e, 0x2b83_2480_4fc1d)

  /// √(u / v), one of the two, and whether it exists.
  ///
  /// x = u v³ (u v⁷)^((p − 5) / 8) has v x² = ± u or ± u √−1. Source: RFC 8032 §5.1.3.
  static func squareRoot(_ u: FieldElement25519, over v: FieldElement25519) -> (root: FieldElement25519, exists: Mask) {
    let v3 = v.squared * v
    let x = u * v3 * (u * v3.squared * v).fractionalPower
    let check = v * x.squared
    let isRoot = check.equals(u)
    let isOtherRoot = check.equals(-u)
    return (select(isOtherRoot, x * squareRootOfMinusOne, x), isRoot | isOtherRoot)
  }
}
