extension ProjectivePoint {
  /// The width of the non-adjacent form in which a scalar meets the base point: 32 odd multiples are kept.
  static var baseFormWidth: Int { 7 }
  /// The width of the non-adjacent form in which a scalar meets another point: 8 odd multiples are computed.
  static var formWidth: Int { 5 }

  /// The odd multiples of the base point that a curve keeps: G, 3G, …, 63G.
  static func oddBaseMultiples() -> [CurvePoint<Curve>] {
    affine(oddMultiples(ProjectivePoint(Curve.base), count: 1 &<< (baseFormWidth &- 2)))
  }

  /// u₁ · G + u₂ · Q, for public scalars below 2^bitCount and a public point.
  ///
  /// Both scalars run in non-adjacent form along one row of doublings (Shamir's trick).
  static func doubleMultipleVariableTime(
    _ u1: Curve.Integer, _ u2: Curve.Integer, _ q: CurvePoint<Curve>
  ) -> ProjectivePoint {
    let base = Curve.oddBaseMultiples
    let table = oddMultiples(ProjectivePoint(q), count: 1 &<< (formWidth &- 2))
    let digitCount = Curve.Order.bitCount &+ 1
    return withUnsafeTemporaryAllocation(of: Int8.self, capacity: 2 &* digitCount) { digits in
      let digits1 = UnsafeMutableBufferPointer(rebasing: digits[..<digitCount])
      let digits2 = UnsafeMutableBufferPointer(rebasing: digits[digitCount...])
      u1.nonAdjacentFormVariableTime(width: baseFormWidth, into: digits1)
      u2.nonAdjacentFormVariableTime(width: formWidth, into: digits2)
      var sum = ProjectivePoint.infinity
      var position = digitCount
      while position > 0 {
        position &-= 1
        sum = sum.doubled
        let digit1 = digits1[position]
        if digit1 != 0 {
          // The sign, extended to the highest bit.
          let isNegative = Mask(bit: UInt64(truncatingIfNeeded: digit1) &>> 63)
          sum = sum + base[Int(digit1.magnitude &>> 1)].negated(if: isNegative)
        }
        let digit2 = digits2[position]
        if digit2 != 0 {
          let isNegative = Mask(bit: UInt64(truncatingIfNeeded: digit2) &>> 63)
          sum = sum + table[Int(digit2.magnitude &>> 1)].negated(if: isNegative)
        }
      }
      return sum
    }
  }
}
