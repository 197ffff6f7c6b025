extension JacobianPoint {
  /// k · G, for a secret scalar.
  /// - Parameter k: 1 … n − 1.
  ///
  /// k = Σ dᵢ 2⁶ⁱ with Booth digits |dᵢ| ≤ 32, and row i of the table holds the multiples of 2⁶ⁱ G: 43 additions and no
  /// doubling.
  ///
  /// The additions are incomplete; their exceptional cases are answered thus. Let aᵢ = Σ_{j<i} dⱼ 2⁶ʲ be the multiple
  /// reached before digit i.
  /// - dᵢ = 0: the sum is discarded by a mask.
  /// - aᵢ = 0 (infinity): the table's point is taken by a mask. This happens only while all digits were zero.
  /// - aᵢ ≡ ±dᵢ 2⁶ⁱ mod n with both not zero: never. As integers they differ, since |aᵢ| ≤ 2⁶ⁱ⁻¹ < |dᵢ 2⁶ⁱ|. Mod n, for
  ///   i ≤ 41, |aᵢ| + |dᵢ 2⁶ⁱ| ≤ 2²⁴⁵ + 2²⁵¹ < n. For i = 42, write T = d 2²⁵² with 0 < d ≤ 16, and |a| ≤ 2²⁵¹. The sum
  ///   a + T = k is not 0 mod n. The difference a − T = k − 2T > −2n − n is not 0 as an integer, so it would be
  ///   −n: T = (k + n) / 2 = n + a lies in [n − 2²⁵¹, n), but 15 · 2²⁵² lies below that and 16 · 2²⁵² above;
  ///   or −2n: T = 2n + a > 2²⁵⁶, too large.
  ///
  /// Timing: does not depend on k.
  static func baseMultiple(_ k: UInt256) -> JacobianPoint {
    BasePointTable.shared.points.withUnsafeBufferPointer { table in
      guard let start = table.baseAddress else { return .infinity }
      var sum = JacobianPoint.infinity
      var row = 0
      while row < BasePointTable.rowCount {
        let digit = k.boothDigit(row, width: BasePointTable.windowWidth)
        let point = maskedLookup(
          start + row &* BasePointTable.columnCount, count: BasePointTable.columnCount, index: digit.magnitude
        ).negated(if: digit.isNegative)
        let next = JacobianPoint.select(sum.isInfinity, JacobianPoint(point), sum.incompleteSum(point).sum)
        sum = .select(Mask(isZero: digit.magnitude), sum, next)
        row &+= 1
      }
      return sum
    }
  }
}
