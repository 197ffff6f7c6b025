/// An integer modulo a prime: a field element or a scalar.
///
/// Invariant: `representative` = a · R mod m is below m, so that a residue has one representation and is zero exactly
/// when its limbs are. See ``PrimeModulus`` for R.
///
/// Timing: no operation depends on the values, except where its name says so.
struct Residue<Modulus: PrimeModulus>: CurveCoordinate {
  typealias Integer = Modulus.Integer

  /// a · R mod m.
  var representative: Integer

  /// Takes a · R mod m, already below m.
  @inline(__always)
  init(representative: Integer) {
    self.representative = representative
  }

  static var modulus: Integer { Modulus.modulus }
  static var bitCount: Int { Modulus.bitCount }

  static var zero: Residue { Residue(representative: .zero) }
  static var one: Residue { Residue(representative: Modulus.one) }
}

extension Residue {
  /// `integer` mod m, for any integer of as many limbs.
  init(_ integer: Integer) {
    self = Residue(representative: integer) * Residue(representative: Modulus.radixSquared)
  }

  /// The integer below m: a · R · 1 · R⁻¹.
  var integer: Integer { (self * Residue(representative: Integer(word: 1))).representative }
}

extension Residue {
  /// a + b mod m.
  @inline(never)
  static func + (a: Residue, b: Residue) -> Residue { a.combined(b, Modulus.add) }

  /// a − b mod m.
  @inline(never)
  static func - (a: Residue, b: Residue) -> Residue { a.combined(b, Modulus.subtract) }

  /// a · b mod m.
  @inline(never)
  static func * (a: Residue, b: Residue) -> Residue { a.combined(b, Modulus.multiply) }

  /// a² mod m.
  var squared: Residue {
    @inline(never) get {
      var r = self
      r.representative.withMutableLimbs { Modulus.square($0, $0) }
      return r
    }
  }

  @inline(__always)
  private func combined(
    _ other: Residue, _ operation: (LimbRun.MutableLimbs, LimbRun.Limbs, LimbRun.Limbs) -> Void
  ) -> Residue {
    var r = self
    r.representative.withMutableLimbs { r in other.representative.withLimbs { operation(r, r, $0) } }
    return r
  }

  /// −a mod m.
  static prefix func - (a: Residue) -> Residue { .zero - a }

  /// 2a mod m.
  var doubled: Residue { self + self }

  /// 3a mod m.
  var tripled: Residue { self + self + self }

  /// Whether the residue is zero.
  @inline(__always)
  var isZero: Mask { representative.isZero }

  /// `first` for yes, `second` for no.
  @inline(__always)
  static func select(_ mask: Mask, _ first: Residue, _ second: Residue) -> Residue {
    Residue(representative: .select(mask, first.representative, second.representative))
  }

  /// −a for yes, a for no.
  func negated(if mask: Mask) -> Residue { .select(mask, -self, self) }
}

extension Residue {
  /// a⁻¹ mod m, and 0 for 0, by division steps.
  ///
  /// Timing: does not depend on a.
  var inverted: Residue {
    @inline(never) get {
      var r = Residue.zero
      r.representative.withMutableLimbs { r in
        representative.withLimbs { a in Modulus.withMontgomeryModulus { $0.inverse(r, of: a) } }
      }
      // (a R)⁻¹ · R² · R⁻¹ = a⁻¹, and a⁻¹ · R² · R⁻¹ is its representative.
      let factor = Residue(representative: Modulus.radixSquared)
      return r * factor * factor
    }
  }

  /// A root of a mod m, if there is one, for m ≡ 3 mod 4: a^((m + 1) / 4), and (m + 1) / 4 = ⌊m / 4⌋ + 1.
  /// - Returns: the root r, and whether r² = a. If not, a has no root.
  var squareRoot: (root: Residue, exists: Mask) {
    let root = power(Modulus.modulus.shiftedRight(by: 2).adding(1))
    return (root, (root.squared - self).isZero)
  }

  /// a^e mod m for an exponent that is public: it comes from the modulus.
  ///
  /// From the highest window of four bits down: four squarings, then a product with one of a⁰ … a¹⁵. The
  /// sequence of operations and of addresses follows from e alone.
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
