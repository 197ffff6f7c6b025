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
  /// Timing: depends on neither k nor the point.
  static func multiple(_ k: UInt256, of point: AffinePoint) -> JacobianPoint {
    withUnsafeTemporaryAllocation(of: JacobianPoint.self, capacity: 16) { table in
      // 2P, 4P, … by doubling, 3P, 5P, … by adding P: the sum of jP and P for 1 < j < n − 1 is never exceptional.
      table.initialize(repeating: JacobianPoint(point))
      var index = 1
      while index < 16 {
        table[index] =
          index & 1 == 1 ? table[index &>> 1].doubled : table[index &- 1].incompleteSum(point).sum
        index &+= 1
      }

      var sum = JacobianPoint.infinity
      var row = 52
      while row > 0 {
        row &-= 1
        // Doubling infinity gives infinity: the first round needs no exception.
        sum = sum.doubled.doubled.doubled.doubled.doubled
        let digit = k.boothDigit(row, width: 5)
        let entry = maskedLookup(UnsafeBufferPointer(table), index: digit.magnitude).negated(if: digit.isNegative)
        let next = JacobianPoint.select(sum.isInfinity, entry, sum.incompleteSum(entry).sum)
        sum = .select(Mask(isZero: digit.magnitude), sum, next)
      }
      return sum
    }
  }

  /// Reads entry `index` of a table without showing which. 1 is the first entry; 0 gives all zeros.
  @inline(__always)
  private static func maskedLookup(_ table: UnsafeBufferPointer<JacobianPoint>, index: UInt64) -> JacobianPoint {
    var low = SIMD8<UInt64>.zero  // X, Y
    var high = SIMD4<UInt64>.zero  // Z
    let entries = UnsafeRawBufferPointer(table)
    var offset = 0
    var number: UInt64 = 0
    while offset < entries.count {
      number &+= 1
      let mask = Mask(number, equals: index)
      low |= entries.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt64>.self) & SIMD8(repeating: mask.word)
      high |= entries.loadUnaligned(fromByteOffset: offset &+ 64, as: SIMD4<UInt64>.self) & SIMD4(repeating: mask.word)
      offset &+= MemoryLayout<JacobianPoint>.stride
    }
    return JacobianPoint(
      x: FieldElement(residue: UInt256(low[0], low[1], low[2], low[3])),
      y: FieldElement(residue: UInt256(low[4], low[5], low[6], low[7])),
      z: FieldElement(residue: UInt256(high[0], high[1], high[2], high[3])))
  }
}
