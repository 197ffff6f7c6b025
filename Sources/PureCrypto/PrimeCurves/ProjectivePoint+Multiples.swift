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
  /// k = Σ dᵢ 2⁵ⁱ with Booth digits, from the highest down: five doublings, then the addition of dᵢ · P from a table of 1 … 16
  /// times P, read whole. The digit 0 reads zeros, which are no point; the sum is then discarded by a mask.
  ///
  /// Timing: does not depend on k.
  static func multiple(_ k: Curve.Integer, of point: CurvePoint<Curve>) -> ProjectivePoint {
    let table = ProjectivePoint.affine(multiples(ProjectivePoint(point), count: columnCount))
    return table.withUnsafeBufferPointer { table in
      var sum = ProjectivePoint.infinity
      var window = windowCount
      while window > 0 {
        window &-= 1
        for _ in 0..<windowWidth { sum = sum.doubled }
        sum.add(digit: window, of: k, table)
      }
      return sum
    }
  }

  /// k · G, for a secret scalar.
  /// - Parameter k: below 2^bitCount.
  ///
  /// Two digits share a row of the table: the sum of d₂ⱼ₊₁ 2¹⁰ʲ G over all rows j, five doublings, then the sum of d₂ⱼ 2¹⁰ʲ G.
  ///
  /// Timing: does not depend on k.
  static func baseMultiple(_ k: Curve.Integer) -> ProjectivePoint {
    Curve.baseMultiples.points.withUnsafeBufferPointer { table in
      var sum = ProjectivePoint.infinity
      for parity in [1, 0] {
        if parity == 0 {
          for _ in 0..<windowWidth { sum = sum.doubled }
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
  @inline(__always)
  private mutating func add(digit window: Int, of k: Curve.Integer, _ row: UnsafeBufferPointer<CurvePoint<Curve>>) {
    let digit = k.boothDigit(window, width: ProjectivePoint.windowWidth)
    let entry = CurvePoint.maskedLookup(row, index: digit.magnitude).negated(if: digit.isNegative)
    self = .select(Mask(isZero: digit.magnitude), self, self + entry)
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

extension CurvePoint {
  /// Reads entry `index` of a row of points without showing which: every entry is read, and all but one are masked out.
  /// - Parameter index: 1 … the number of points, or 0 for all zeros.
  ///
  /// Timing: depends on the number of points only.
  @inline(__always)
  static func maskedLookup(_ row: UnsafeBufferPointer<CurvePoint>, index: UInt64) -> CurvePoint {
    var result = CurvePoint(x: .zero, y: .zero)
    var number: UInt64 = 0
    for entry in row {
      number &+= 1
      let mask = Mask(number, equals: index)
      result.x = .select(mask, entry.x, result.x)
      result.y = .select(mask, entry.y, result.y)
    }
    return result
  }
}
