extension Residue {
  /// a⁻¹ mod m, and 0 for 0: a^(m − 2), since a^(m − 1) = 1 (Fermat).
  ///
  /// Timing: does not depend on a.
  var inverted: Residue { power(Modulus.modulus.subtracting(2)) }

  /// A root of a mod m, if there is one, for m ≡ 3 mod 4: a^((m + 1) / 4), and (m + 1) / 4 = ⌊m / 4⌋ + 1.
  /// - Returns: the root r, and whether r² = a. If not, a has no root.
  var squareRoot: (root: Residue, exists: Mask) {
    let root = power(Modulus.modulus.shiftedRight(by: 2).adding(1))
    return (root, (root.squared - self).isZero)
  }

  /// a^e mod m for an exponent that is public: it comes from the modulus.
  ///
  /// From the highest window of four bits down: four squarings, then a product with one of a⁰ … a¹⁵. The sequence of operations
  /// and of addresses follows from e alone.
  ///
  /// Timing: depends on e, not on a.
  @inline(never)
  private func power(_ exponent: Integer) -> Residue {
    withUnsafeTemporaryAllocation(of: Residue.self, capacity: 16) { powers in
      defer { wipe(UnsafeMutableRawBufferPointer(powers)) }
      powers.initialize(repeating: .one)
      for index in 1..<16 { powers[index] = powers[index &- 1] * self }
      var position = (Modulus.bitCount &+ 3) & ~3
      var result = Residue.one
      while position > 0 {
        position &-= 4
        for _ in 0..<4 { result = result.squared }
        result = result * powers[Int(truncatingIfNeeded: exponent.bits(at: position, width: 4))]
      }
      return result
    }
  }
}
