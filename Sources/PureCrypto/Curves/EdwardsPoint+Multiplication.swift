internal import PureCryptoIntegers

extension EdwardsPoint {
  /// Writes the 64 digits from −8 to 8 of k = Σ dᵢ 16ⁱ.
  /// - Parameter k: below 2²⁵⁵, so that the highest digit is at most 8.
  ///
  /// From the lowest up: a digit of 8 or more becomes one of −8 to −1, and the next one grows by 1.
  private static func recode(_ k: UInt256, into digits: UnsafeMutablePointer<Int8>) {
    var carry: Int8 = 0
    var words = (k.l0, k.l1, k.l2, k.l3)
    for index in 0..<64 {
      let digit = Int8(truncatingIfNeeded: words.0 & 15) &+ carry
      carry = (digit &+ 8) &>> 4
      digits[index] = digit &- carry &<< 4
      words.0 = words.0 &>> 4 | words.1 &<< 60
      words.1 = words.1 &>> 4 | words.2 &<< 60
      words.2 = words.2 &>> 4 | words.3 &<< 60
      words.3 = words.3 &>> 4
    }
    // The highest digit keeps what would be carried out of it.
    digits[63] = digits[63] &+ carry &<< 4
  }

  /// k · B.
  /// - Parameter k: below 2²⁵⁵. Secret.
  ///
  /// Row i of the table holds the multiples of 16²ⁱ B: the sum of d₂ᵢ₊₁ 16²ⁱ B over all rows, four
  /// doublings, then the sum of d₂ᵢ 16²ⁱ B.
  ///
  /// Timing: does not depend on k.
  static func baseMultiple(_ k: UInt256) -> EdwardsPoint {
    withUnsafeTemporaryAllocation(of: Int8.self, capacity: 64) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      return EdwardsBaseTable.shared.addends.withUnsafeBufferPointer { table in
        guard let digits = room.baseAddress, let table = table.baseAddress else { return .neutral }
        recode(k, into: digits)
        var result = EdwardsPoint.neutral
        for parity in [1, 0] {
          if parity == 0 { result.double(times: 4) }
          for row in 0..<EdwardsBaseTable.rowCount {
            result.add(EdwardsBaseTable.multiple(table, row: row, digits[2 &* row &+ parity]))
          }
        }
        return result
      }
    }
  }

  /// k · B + l · P, for public integers and a public point.
  ///
  /// Both integers run in non-adjacent form along one row of doublings (Shamir's trick): about 28 additions for k, 43
  /// for l.
  static func doubleMultipleVariableTime(_ k: UInt256, _ l: UInt256, _ multiples: OddMultiples) -> EdwardsPoint {
    let base = OddBaseMultiples.shared.addends
    return withUnsafeTemporaryAllocation(of: Int8.self, capacity: 2 * 257) { digits in
      let digits1 = UnsafeMutableBufferPointer(rebasing: digits[..<257])
      let digits2 = UnsafeMutableBufferPointer(rebasing: digits[257...])
      k.nonAdjacentFormVariableTime(width: OddBaseMultiples.width, into: digits1)
      l.nonAdjacentFormVariableTime(width: OddMultiples.width, into: digits2)
      var result = EdwardsPoint.neutral
      var position = 257
      while position > 0, digits1[position &- 1] | digits2[position &- 1] == 0 { position &-= 1 }
      // Doublings that are still to be made.
      var doublings = 0
      while position > 0 {
        position &-= 1
        let (digit1, digit2) = (digits1[position], digits2[position])
        if digit1 | digit2 != 0 {
          if doublings > 0 { result.double(times: doublings) }
          doublings = 0
          if digit1 != 0 {
            let addend = base[Int(digit1.magnitude &>> 1)]
            result.add(digit1 < 0 ? addend.negated : addend)
          }
          if digit2 != 0 {
            let addend = multiples.addends[Int(digit2.magnitude &>> 1)]
            result.add(digit2 < 0 ? addend.negated : addend)
          }
        }
        doublings &+= 1
      }
      // The last round has counted one more.
      if doublings > 1 { result.double(times: doublings &- 1) }
      return result
    }
  }
}
