internal import PureCryptoIntegers

extension EdwardsPoint {
  /// P, 2P, …, 8P, prepared for being added. The point is public, the multiple that is taken need not be.
  struct Multiples: Sendable {
    private let entries: [Addend]

    init(_ p: EdwardsPoint) {
      let p1 = Addend(p)
      let p2 = p.doubled
      let p3 = p2 + p1
      let p4 = p2.doubled
      let p5 = p4 + p1
      let p6 = p3.doubled
      let p7 = p6 + p1
      entries = [p1, Addend(p2), Addend(p3), Addend(p4), Addend(p5), Addend(p6), Addend(p7), Addend(p4.doubled)]
    }

    /// Those of the base point.
    static let base = Multiples(EdwardsPoint.base)

    /// The multiple by a digit from −8 to 8. Every entry is read.
    func multiple(_ digit: Int8) -> Addend {
      let isNegative = Mask(bit: UInt64(truncatingIfNeeded: digit) &>> 63)
      let magnitude = isNegative.select(UInt64(truncatingIfNeeded: 0 &- digit), UInt64(truncatingIfNeeded: digit))
      var result = Addend(.neutral)
      for (index, entry) in entries.enumerated() {
        result = .select(Mask(magnitude, equals: UInt64(truncatingIfNeeded: index &+ 1)), entry, result)
      }
      return result.negated(if: isNegative)
    }

    /// The multiple by a digit from −8 to 8, none for 0. For public digits.
    func multipleVariableTime(_ digit: Int8) -> Addend? {
      guard digit != 0 else { return nil }
      return entries[Int(digit.magnitude) &- 1].negated(if: digit < 0 ? .yes : .no)
    }
  }

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
  /// Timing: does not depend on k.
  static func baseMultiple(_ k: UInt256) -> EdwardsPoint {
    withUnsafeTemporaryAllocation(of: Int8.self, capacity: 64) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let digits = room.baseAddress else { return .neutral }
      recode(k, into: digits)
      var result = EdwardsPoint.neutral
      for index in (0..<64).reversed() {
        result = result.doubled.doubled.doubled.doubled
        result = result + Multiples.base.multiple(digits[index])
      }
      return result
    }
  }

  /// k · B + l · P, for public integers below 2²⁵⁵.
  static func doubleMultipleVariableTime(_ k: UInt256, _ l: UInt256, _ multiples: Multiples) -> EdwardsPoint {
    withUnsafeTemporaryAllocation(of: Int8.self, capacity: 128) { room in
      guard let first = room.baseAddress else { return .neutral }
      let second = first + 64
      recode(k, into: first)
      recode(l, into: second)
      var result = EdwardsPoint.neutral
      for index in (0..<64).reversed() {
        result = result.doubled.doubled.doubled.doubled
        if let multiple = Multiples.base.multipleVariableTime(first[index]) { result = result + multiple }
        if let multiple = multiples.multipleVariableTime(second[index]) { result = result + multiple }
      }
      return result
    }
  }
}
