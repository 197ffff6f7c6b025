extension JacobianPoint {
  /// k · P, for a secret scalar and a public point.
  /// - Parameter k: 1 … n − 1.
  ///
  /// k = Σ dᵢ 2⁵ⁱ with Booth digits |dᵢ| ≤ 16, from the highest of 52 down: five doublings, then the addition of dᵢ · P from
  /// a table of 1 … 16 times P, read whole.
  ///
  /// The additions are incomplete; their exceptional cases are answered thus. Let a be the multiple reached before digit i,
  /// after the doublings: a multiple of 32, a + dᵢ = ⌊k / 2⁵ⁱ⌋ or one more.
  /// - dᵢ = 0: the sum is discarded by a mask.
  /// - a = 0 (infinity): the table's point is taken by a mask.
  /// - a ≡ ±dᵢ mod n with both not zero: never. As integers they differ, since |a| ≥ 32 > |dᵢ|. Mod n, for i ≥ 1,
  ///   |a| + |dᵢ| < 2²⁵² < n. For i = 0, a + d = k is not 0 mod n; and a − d = k − 2d, in (−n, n + 32], could only be n: then
  ///   d = a − n ≡ −17 ≡ 15 mod 32 (n ≡ 17), so d = 15, but k = n + 2d < n needs d < 0.
  ///
  /// Timing: does not depend on k. The table depends on the point, which is public: its inversion takes variable time.
  static func multiple(_ k: UInt256, of point: AffinePoint) -> JacobianPoint {
    let multiples = multiplesVariableTime(JacobianPoint(point), count: 16)
    return affineVariableTime(multiples).withUnsafeBufferPointer { table in
      guard let start = table.baseAddress else { return .infinity }
      var sum = JacobianPoint.infinity
      var row = 52
      while row > 0 {
        row &-= 1
        // Doubling infinity gives infinity: the first round needs no exception.
        for _ in 0..<5 { sum.double() }
        let digit = k.boothDigit(row, width: 5)
        let entry = maskedLookup(start, count: 16, index: digit.magnitude).negated(if: digit.isNegative)
        let next = JacobianPoint.select(sum.isInfinity, JacobianPoint(entry), sum.incompleteSum(entry).sum)
        sum = .select(Mask(isZero: digit.magnitude), sum, next)
      }
      return sum
    }
  }
}
