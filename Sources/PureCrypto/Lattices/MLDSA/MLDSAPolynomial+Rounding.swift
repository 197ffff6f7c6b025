extension MLDSAPolynomial {
  /// Canonical c → c₁, leaving c₀: c = c₁ 2¹³ + c₀ with −2¹² < c₀ ≤ 2¹².
  /// - Parameter high: gets c₁, 0 to 1023.
  ///
  /// Source: FIPS 204 algorithm 35, d = 13.
  func roundToPower(high: MLDSAPolynomial) {
    for index in 0..<Self.count {
      let c = coefficients[index]
      let c1 = (c &+ 4095) &>> 13
      high.coefficients[index] = c1
      coefficients[index] = c &- c1 &<< 13
    }
  }

  /// c₁ of a canonical c = c₁ · 2 γ₂ + c₀, −γ₂ < c₀ ≤ γ₂; but where c₁ · 2 γ₂ would be
  /// q − 1, c₁ = 0 and c₀ is one less.
  ///
  /// No division by 2 γ₂: ⌈c / 2⁷⌉ times 2²² / 4092 or 2²⁴ / 1488, rounded, is c₁ for all c < q, which
  /// a test goes through.
  /// - Parameter zero: ``opaqueZero()``.
  /// Source: FIPS 204 algorithms 36 and 37; the factors: the reference implementation of CRYSTALS-Dilithium 3.1.
  @inline(__always)
  static func highBits(_ c: Int32, _ rounding: MLDSARounding, _ zero: Int32) -> Int32 {
    let n = (c &+ 127) &>> 7
    switch rounding {
    case .of32:
      return (n &* 1025 &+ 1 &<< 21) &>> 22 & 15
    case .of88:
      let c1 = (n &* 11_275 &+ 1 &<< 23) &>> 24
      // 44 becomes 0.
      return c1 & ~((43 &- c1) &>> 31 ^ zero)
    }
  }

  /// c₀ of the same.
  @inline(__always)
  static func lowBits(_ c: Int32, _ rounding: MLDSARounding, _ zero: Int32) -> Int32 {
    let c0 = c &- highBits(c, rounding, zero) &* (2 &* rounding.gamma2)
    return symmetric(c0, zero)
  }

  /// Canonical c → the number of that class between −(q − 1) / 2 and (q − 1) / 2; any other in between stays.
  @inline(__always)
  static func symmetric(_ c: Int32, _ zero: Int32) -> Int32 {
    c &- ((q &>> 1 &- c) &>> 31 ^ zero) & q
  }

  /// Canonical c → c₁.
  func takeHighBits(_ rounding: MLDSARounding) {
    let zero = Int32(truncatingIfNeeded: opaqueZero())
    for index in 0..<Self.count { coefficients[index] = Self.highBits(coefficients[index], rounding, zero) }
  }

  /// Whether all |c mod± q| < bound; for canonical c.
  func isWithin(_ bound: Int32) -> Mask {
    let zero = Int32(truncatingIfNeeded: opaqueZero())
    var signs: Int32 = 0
    for index in 0..<Self.count { signs |= Self.distance(Self.symmetric(coefficients[index], zero), bound) }
    return Mask(bit: UInt64(UInt32(bitPattern: ~signs) &>> 31))
  }

  /// Whether all |c₀| < bound; for canonical c.
  func hasLowBits(within bound: Int32, _ rounding: MLDSARounding) -> Mask {
    let zero = Int32(truncatingIfNeeded: opaqueZero())
    var signs: Int32 = 0
    for index in 0..<Self.count { signs |= Self.distance(Self.lowBits(coefficients[index], rounding, zero), bound) }
    return Mask(bit: UInt64(UInt32(bitPattern: ~signs) &>> 31))
  }

  /// bound − 1 − |c|, which is negative from the bound on.
  @inline(__always)
  private static func distance(_ c: Int32, _ bound: Int32) -> Int32 {
    let sign = c &>> 31
    return bound &- 1 &- ((c ^ sign) &- sign)
  }

  /// 1 where the high bits of the two differ, else 0: the hints. Both canonical; `other` is lost.
  /// - Returns: how many.
  ///
  /// Source: FIPS 204 algorithm 39.
  func setToHints(_ other: MLDSAPolynomial, _ rounding: MLDSARounding) -> UInt64 {
    let zero = Int32(truncatingIfNeeded: opaqueZero())
    var count: Int32 = 0
    for index in 0..<Self.count {
      let difference =
        Self.highBits(coefficients[index], rounding, zero) ^ Self.highBits(other.coefficients[index], rounding, zero)
      // The top bit of −x is set exactly when 0 < x < 64.
      let hint = (0 &- difference) &>> 31 & 1
      coefficients[index] = hint
      count &+= hint
    }
    return UInt64(truncatingIfNeeded: count)
  }

  /// The high bits of a canonical c as a hint corrects them: c₁, or with a hint its neighbour on the side where c₀
  /// points. For public data.
  ///
  /// c₀ = 0 points down, as every number that is not above 0.
  /// - Parameter hint: whether there is one.
  /// Source: FIPS 204 algorithm 40.
  static func highBitsVariableTime(_ c: Int32, hint: Bool, _ rounding: MLDSARounding) -> Int32 {
    let c1 = highBits(c, rounding, 0)
    guard hint else { return c1 }
    let last: Int32 = rounding == .of88 ? 43 : 15
    if lowBits(c, rounding, 0) > 0 { return c1 == last ? 0 : c1 &+ 1 }
    return c1 == 0 ? last : c1 &- 1
  }
}
