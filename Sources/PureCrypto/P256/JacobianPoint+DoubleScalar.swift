extension JacobianPoint {
  /// u₁ · G + u₂ · Q, for public scalars below 2²⁵⁶ and a public point.
  ///
  /// Both scalars run in non-adjacent form along one row of 257 doublings (Shamir's trick): width 8 with the base point's
  /// table, about 28 additions; width 5 with the eight multiples Q, 3Q, …, 15Q, about 43.
  static func doubleMultipleVariableTime(_ u1: UInt256, _ u2: UInt256, _ q: AffinePoint) -> JacobianPoint {
    let base = OddMultiplesTable.base
    let table = OddMultiplesTable(q, width: 5, stride: 256)
    return withUnsafeTemporaryAllocation(of: Int8.self, capacity: 2 * 257) { digits in
      let digits1 = UnsafeMutableBufferPointer(rebasing: digits[..<257])
      let digits2 = UnsafeMutableBufferPointer(rebasing: digits[257...])
      u1.nonAdjacentFormVariableTime(width: base.width, into: digits1)
      u2.nonAdjacentFormVariableTime(width: table.width, into: digits2)
      var sum = JacobianPoint.infinity
      var position = 257
      while position > 0 {
        position &-= 1
        sum.double()
        sum.addVariableTime(digits1[position], base.points, row: 0)
        sum.addVariableTime(digits2[position], table.points, row: 0)
      }
      return sum
    }
  }

  /// u₁ · G + u₂ · Q with a table of Q of the same stride as the base point's: one doubling for each bit of the stride.
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
