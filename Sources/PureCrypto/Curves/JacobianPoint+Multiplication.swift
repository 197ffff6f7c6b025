internal import PureCryptoIntegers

extension JacobianPoint {
  /// k · G, for a secret scalar.
  /// - Parameter k: 1 … n − 1.
  ///
  /// k = Σ dᵢ 2⁶ⁱ with Booth digits |dᵢ| ≤ 32, and row i of the table holds the multiples of 2⁶ⁱ G: 42
  /// additions and no doubling.
  ///
  /// The additions are incomplete; their exceptional cases are answered thus. Let aᵢ = Σ_{j<i} dⱼ 2⁶ʲ be the
  /// multiple reached before digit i.
  /// - dᵢ = 0: the sum is discarded by a mask.
  /// - aᵢ = 0 (infinity): the table's point is taken by a mask. This happens only while all digits were zero.
  /// - aᵢ ≡ ±dᵢ 2⁶ⁱ mod n with both not zero: never. As integers they differ, since
  ///   |aᵢ| ≤ 2⁶ⁱ⁻¹ < |dᵢ 2⁶ⁱ|. Mod n, for i ≤ 41,
  ///   |aᵢ| + |dᵢ 2⁶ⁱ| ≤ 2²⁴⁵ + 2²⁵¹ < n. For i = 42, write T = d 2²⁵² with 0 < d ≤ 16, and
  ///   |a| ≤ 2²⁵¹. The sum a + T = k is not 0 mod n. The difference a − T = k − 2T > −2n − n
  ///   is not 0 as an integer, so it would be −n: T = (k + n) / 2 = n + a lies in [n − 2²⁵¹, n), but
  ///   15 · 2²⁵² lies below that and 16 · 2²⁵² above; or −2n: T = 2n + a > 2²⁵⁶, too large.
  ///
  /// Timing: does not depend on k.
  static func baseMultiple(_ k: UInt256) -> JacobianPoint {
    #if HARDWARE_KERNELS && arch(x86_64)
      if Backend.preferred.hasIFMA { return VectorCombTable.baseMultiple(k) }
    #endif
    return baseMultipleByWords(k)
  }

  /// The same on every processor.
  static func baseMultipleByWords(_ k: UInt256) -> JacobianPoint {
    BasePointTable.shared.points.withUnsafeBufferPointer { table in
      guard let start = table.baseAddress else { return .infinity }
      let first = k.boothDigit(0, width: BasePointTable.windowWidth)
      var sum = JacobianPoint(
        maskedLookup(start, count: BasePointTable.columnCount, index: first.magnitude), digit: first)
      var row = 1
      while row < BasePointTable.rowCount {
        let digit = k.boothDigit(row, width: BasePointTable.windowWidth)
        let point = maskedLookup(
          start + row &* BasePointTable.columnCount, count: BasePointTable.columnCount, index: digit.magnitude)
        sum = sum.sum(point, digit: digit)
        row &+= 1
      }
      return sum
    }
  }
}

extension JacobianPoint {
  /// k · P, for a secret scalar and a public point.
  /// - Parameter k: 1 … n − 1.
  ///
  /// k = Σ dᵢ 2⁵ⁱ with Booth digits |dᵢ| ≤ 16, from the highest of 52 down: after it, 51 times five
  /// doublings and the addition of dᵢ · P from a table of 1 … 16 times P, read whole.
  ///
  /// The additions are incomplete; their exceptional cases are answered thus. Let a be the multiple reached before
  /// digit i, after the doublings: a multiple of 32, a + dᵢ = ⌊k / 2⁵ⁱ⌋ or one more.
  /// - dᵢ = 0: the sum is discarded by a mask.
  /// - a = 0 (infinity): the table's point is taken by a mask.
  /// - a ≡ ±dᵢ mod n with both not zero: never. As integers they differ, since |a| ≥ 32 > |dᵢ|. Mod n, for
  ///   i ≥ 1, |a| + |dᵢ| < 2²⁵² < n. For i = 0, a + d = k is not 0 mod n; and a − d = k − 2d, in
  ///   (−n, n + 32], could only be n: then d = a − n ≡ −17 ≡ 15 mod 32 (n ≡ 17), so d = 15, but
  ///   k = n + 2d < n needs d < 0.
  ///
  /// Timing: does not depend on k. The table depends on the point, which is public: its inversion takes variable time.
  static func multiple(_ k: UInt256, of point: AffinePoint) -> JacobianPoint {
    let multiples = multiplesVariableTime(JacobianPoint(point), count: 16)
    return affineVariableTime(multiples).withUnsafeBufferPointer { table in
      guard let start = table.baseAddress else { return .infinity }
      let first = k.boothDigit(51, width: 5)
      var sum = JacobianPoint(maskedLookup(start, count: 16, index: first.magnitude), digit: first)
      var row = 51
      while row > 0 {
        row &-= 1
        // Doubling infinity gives infinity.
        for _ in 0..<5 { sum.double() }
        let digit = k.boothDigit(row, width: 5)
        let entry = maskedLookup(start, count: 16, index: digit.magnitude)
        sum = sum.sum(entry, digit: digit)
      }
      return sum
    }
  }
}

extension JacobianPoint {
  /// u₁ · G + u₂ · Q, for public scalars below 2²⁵⁶ and a public point.
  ///
  /// Both scalars run in non-adjacent form along one row of 257 doublings (Shamir's trick): width 8 with the base
  /// point's table, about 28 additions; width 5 with the eight multiples Q, 3Q, …, 15Q, about 43.
  static func doubleMultipleVariableTime(_ u1: UInt256, _ u2: UInt256, _ q: AffinePoint) -> JacobianPoint {
    doubleMultipleVariableTime(u1, u2, OddMultiplesTable(q, width: 5, stride: 256))
  }

  /// u₁ · G + u₂ · Q with a table of Q of the same stride as the base point's, or of stride 256. The
  /// first row of either table is enough then: one doubling for each bit of the stride.
  static func doubleMultipleVariableTime(_ u1: UInt256, _ u2: UInt256, _ table: OddMultiplesTable) -> JacobianPoint {
    let base = OddMultiplesTable.base
    return withUnsafeTemporaryAllocation(of: Int8.self, capacity: 2 * 257) { digits in
      let digits1 = UnsafeMutableBufferPointer(rebasing: digits[..<257])
      let digits2 = UnsafeMutableBufferPointer(rebasing: digits[257...])
      u1.nonAdjacentFormVariableTime(width: base.width, into: digits1)
      u2.nonAdjacentFormVariableTime(width: table.width, into: digits2)
      var sum = JacobianPoint.infinity
      // Digit 256 has no sub-table of its own: it is digit `stride` of the last one, one round above the others.
      let lastRow = 256 / table.stride &- 1
      let columns1 = 1 &<< (base.width &- 2)
      let columns2 = 1 &<< (table.width &- 2)
      sum.addVariableTime(digits1[256], base.points, row: lastRow &* columns1)
      sum.addVariableTime(digits2[256], table.points, row: lastRow &* columns2)
      var step = table.stride
      while step > 0 {
        step &-= 1
        sum.double()
        var row = 0
        while row <= lastRow {
          let position = row &* table.stride &+ step
          sum.addVariableTime(digits1[position], base.points, row: row &* columns1)
          sum.addVariableTime(digits2[position], table.points, row: row &* columns2)
          row &+= 1
        }
      }
      return sum
    }
  }

  /// Adds `digit` times the first point of the row: `digit` is zero or odd.
  @inline(__always)
  private mutating func addVariableTime(_ digit: Int8, _ points: [AffinePoint], row: Int) {
    if digit == 0 { return }
    let point = points[row &+ Int(digit.magnitude &>> 1)]
    self = sumVariableTime(digit < 0 ? AffinePoint(x: point.x, y: -point.y) : point)
  }
}

extension JacobianPoint {
  /// P, 2P, 3P, … `count` multiples of a public point.
  static func multiplesVariableTime(_ point: JacobianPoint, count: Int) -> [JacobianPoint] {
    let (double, same) = firstTwo(point)
    return [same] + progression(from: double, step: same, count: count - 1)
  }

  /// P, 3P, 5P, … `count` odd multiples of a public point.
  static func oddMultiplesVariableTime(_ point: JacobianPoint, count: Int) -> [JacobianPoint] {
    let (double, same) = firstTwo(point)
    return progression(from: same, step: double, count: count)
  }

  /// 2P, and P itself with the Z of it, which is YZ: (XY² : Y⁴ : YZ) is (X : Y : Z).
  private static func firstTwo(_ point: JacobianPoint) -> (double: JacobianPoint, same: JacobianPoint) {
    let double = point.outOfLineDouble
    let yy = point.y.squared(times: 1)
    return (double, JacobianPoint(x: point.x ⋅ yy, y: yy.squared(times: 1), z: double.z))
  }

  /// P, P + D, P + 2D, … Two points with the same Z are added with 5 products and 2 squarings, and D gets the Z of
  /// the sum in passing ("co-Z").
  ///
  /// For D = (X₁, Y₁) and P = (X₂, Y₂):
  ///
  ///     C  = (X₁ − X₂)²
  ///     W₁ = X₁C
  ///     W₂ = X₂C
  ///     A  = Y₁ (W₁ − W₂)
  ///     X₃ = (Y₁ − Y₂)² − W₁ − W₂
  ///     Y₃ = (Y₁ − Y₂)(W₁ − X₃) − A
  ///     Z₃ = Z (X₁ − X₂)
  ///
  /// and D = (W₁, A) with that Z.
  ///
  /// - Parameter first: with the same Z as `step`. Neither it nor any term but the last may be ±D or infinity: so it
  ///   is with small multiples of one point.
  /// Source: N. Meloni, "New point addition formulae for ECC applications", 2007.
  private static func progression(from first: JacobianPoint, step: JacobianPoint, count: Int) -> [JacobianPoint] {
    var terms: [JacobianPoint] = []
    terms.reserveCapacity(count + 1)
    var term = first
    var step = step
    terms.append(term)
    while terms.count < count {
      let dx = step.x - term.x  //                  X₁ − X₂
      let dy = step.y - term.y  //                  Y₁ − Y₂
      let c = dx.squared(times: 1)  //              C
      let w1 = step.x ⋅ c  //                       W₁
      let w2 = term.x ⋅ c  //                       W₂
      let a = step.y ⋅ (w1 - w2)  //                A
      let x3 = dy.squared(times: 1) - w1 - w2  //   X₃
      let y3 = dy ⋅ (w1 - x3) - a  //               Y₃
      let z3 = step.z ⋅ dx  //                      Z₃
      term = JacobianPoint(x: x3, y: y3, z: z3)
      step = JacobianPoint(x: w1, y: a, z: z3)
      terms.append(term)
    }
    return terms
  }
}
