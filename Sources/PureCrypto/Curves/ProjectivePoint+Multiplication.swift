extension ProjectivePoint {
  /// The width of a digit of a secret scalar: Booth digits of five bits are −16 … 16.
  static var windowWidth: Int { 5 }
  /// 77 digits of 5 bits for 384 bits, 105 for 521, see ``LimbInteger/boothDigit(_:width:)``.
  static var windowCount: Int { (Curve.Order.bitCount &+ windowWidth) / windowWidth }
  /// The largest digit, and the length of a row of multiples.
  static var columnCount: Int { 16 }

  /// k · P, for a secret scalar and a public point.
  /// - Parameter k: below 2^bitCount.
  ///
  /// k = Σ dᵢ 2⁵ⁱ with Booth digits, from the highest down: five doublings, then the addition of dᵢ · P from
  /// a table of 1 … 16 times P, read whole. The digit 0 reads zeros, which are not a point; the sum is then discarded
  /// by a mask.
  ///
  /// All additions but the last are incomplete; their exceptional cases are answered thus. Let a be the multiple
  /// reached before digit i, after the doublings: a multiple of 32, a + dᵢ = ⌊k / 2⁵ⁱ⌋ or one more.
  /// - dᵢ = 0: the sum is discarded by a mask.
  /// - a = 0 (infinity): the table's point is taken by a mask.
  /// - a ≡ ±dᵢ mod n with both not zero: never. As integers they differ, since |a| ≥ 32 > |dᵢ|. Mod n, for
  ///   i ≥ 1, |a| + |dᵢ| ≤ k / 32 + 1 + 2 · 16 < n.
  ///
  /// For i = 0 two scalars meet it, so that the last addition is complete: k = n, where a ≡ −d, and k = n + 2d with
  /// n + d a multiple of 32, where a ≡ d: n − 18 on P-521, n − 2 on secp256k1, and none below n on P-384.
  ///
  /// Timing: does not depend on k.
  static func multiple(_ k: Curve.Integer, of point: CurvePoint<Curve>) -> ProjectivePoint {
    let table = ProjectivePoint.affine(multiples(ProjectivePoint(point), count: columnCount))
    return table.withUnsafeBufferPointer { table in
      var high = JacobianSum<Curve>()
      var window = windowCount
      while window > 1 {
        window &-= 1
        // Doubling infinity gives infinity.
        for _ in 0..<windowWidth { high.double() }
        let digit = k.boothDigit(window, width: windowWidth)
        high.addIncomplete(CurvePoint.maskedLookup(table, index: digit.magnitude), digit: digit)
      }
      for _ in 0..<windowWidth { high.double() }
      var sum = high.homogeneous
      sum.add(digit: 0, of: k, table)
      return sum
    }
  }

  /// k · G, for a secret scalar.
  /// - Parameter k: below 2^bitCount.
  ///
  /// Two digits share a row of the table: the sum of d₂ⱼ₊₁ 2¹⁰ʲ G over all rows j, five doublings, then the
  /// sum of d₂ⱼ 2¹⁰ʲ G.
  ///
  /// Timing: does not depend on k.
  static func baseMultiple(_ k: Curve.Integer) -> ProjectivePoint {
    Curve.baseMultiples.points.withUnsafeBufferPointer { table in
      var sum = ProjectivePoint.infinity
      for parity in [1, 0] {
        if parity == 0 {
          for _ in 0..<windowWidth { sum.double() }
        }
        var window = parity
        while window < windowCount {
          let start = (window &>> 1) &* columnCount
          sum.add(digit: window, of: k, UnsafeBufferPointer(rebasing: table[start..<(start &+ columnCount)]))
          window &+= 2
        }
      }
      return sum
    }
  }

  /// P ← P + d · (the first of the row), where d is digit `window` of k.
  /// - Parameter row: 1 … 16 times a point.
  private mutating func add(digit window: Int, of k: Curve.Integer, _ row: UnsafeBufferPointer<CurvePoint<Curve>>) {
    let digit = k.boothDigit(window, width: ProjectivePoint.windowWidth)
    let entry = CurvePoint.maskedLookup(row, index: digit.magnitude).negated(if: digit.isNegative)
    var next = self
    next.add(entry)
    self = .select(Mask(isZero: digit.magnitude), self, next)
  }

  /// P, 2P, 3P, … `count` multiples.
  static func multiples(_ point: ProjectivePoint, count: Int) -> [ProjectivePoint] {
    progression(from: point, step: point, count: count)
  }

  /// P, 3P, 5P, … `count` odd multiples.
  static func oddMultiples(_ point: ProjectivePoint, count: Int) -> [ProjectivePoint] {
    progression(from: point, step: point.doubled, count: count)
  }

  private static func progression(
    from first: ProjectivePoint, step: ProjectivePoint, count: Int
  ) -> [ProjectivePoint] {
    var terms: [ProjectivePoint] = []
    terms.reserveCapacity(count)
    var term = first
    for _ in 0..<count {
      terms.append(term)
      term = term + step
    }
    return terms
  }
}

extension CurvePoint where Curve: PrimeCurve {
  /// Reads entry `index` of a row of points without showing which: every entry is read, and all but one are masked out.
  /// - Parameter index: 1 … the number of points, or 0 for all zeros.
  ///
  /// Timing: depends on the number of points only.
  static func maskedLookup(_ row: UnsafeBufferPointer<CurvePoint>, index: UInt64) -> CurvePoint {
    var result = CurvePoint(x: .zero, y: .zero)
    guard let start = UnsafeRawBufferPointer(row).baseAddress else { return result }
    // A point consists of its limbs.
    withUnsafeMutablePointer(to: &result) { result in
      LimbRun.select(
        UnsafeMutableRawPointer(result).assumingMemoryBound(to: UInt64.self), index: index,
        of: start.assumingMemoryBound(to: UInt64.self), entryCount: row.count,
        count: 2 &* Curve.Integer.limbCount)
    }
    return result
  }
}

extension ProjectivePoint {
  /// The width of the non-adjacent form in which a scalar meets the base point: 64 odd multiples are kept.
  static var baseFormWidth: Int { 8 }
  /// The width of the non-adjacent form in which a scalar meets another point: 8 odd multiples are computed.
  static var formWidth: Int { 5 }

  /// The odd multiples of the base point that a curve keeps: G, 3G, …, 127G.
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
    let table = affine(oddMultiples(ProjectivePoint(q), count: 1 &<< (formWidth &- 2)))
    let digitCount = Curve.Order.bitCount &+ 1
    return withUnsafeTemporaryAllocation(of: Int8.self, capacity: 2 &* digitCount) { digits in
      let digits1 = UnsafeMutableBufferPointer(rebasing: digits[..<digitCount])
      let digits2 = UnsafeMutableBufferPointer(rebasing: digits[digitCount...])
      u1.nonAdjacentFormVariableTime(width: baseFormWidth, into: digits1)
      u2.nonAdjacentFormVariableTime(width: formWidth, into: digits2)
      var sum = JacobianSum<Curve>()
      var position = digitCount
      while position > 0 {
        position &-= 1
        sum.double()
        sum.addVariableTime(digits1[position], base)
        sum.addVariableTime(digits2[position], table)
      }
      return sum.homogeneous
    }
  }
}

extension JacobianSum {
  /// Adds `digit` times the point of whose odd multiples these are: `digit` is zero or odd.
  fileprivate mutating func addVariableTime(_ digit: Int8, _ oddMultiples: [CurvePoint<Curve>]) {
    if digit == 0 { return }
    let point = oddMultiples[Int(digit.magnitude &>> 1)]
    addVariableTime(digit < 0 ? CurvePoint(x: point.x, y: -point.y) : point)
  }
}
