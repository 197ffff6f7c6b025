/// A prime m, known when the code is compiled, and arithmetic modulo it on limbs.
///
/// An integer a mod m is kept as its representative a · R mod m, below m. Unless a modulus has arithmetic of its own,
/// that is Montgomery's form with R = 2^(64 limbCount); a modulus of a special form may have R = 1. Everything built on
/// top knows R through ``one`` and ``radixSquared`` only.
///
/// The functions work on runs of `limbCount` limbs. r may be a or b. Formulas for points call them for each term, out
/// of line: what is written out once for each field would otherwise be written out for each term.
///
/// Timing: no function depends on the values.
protocol PrimeModulus: Sendable {
  associatedtype Integer: LimbInteger

  /// m, odd.
  static var modulus: Integer { get }
  /// The position of the highest bit of m, counted from 1.
  static var bitCount: Int { get }
  /// R mod m, the representative of 1.
  static var one: Integer { get }
  /// R² mod m, which takes an integer to its representative: a · R² · R⁻¹ = a · R.
  static var radixSquared: Integer { get }

  // These have implementations for any modulus, in Montgomery's form.

  /// r ← a · b · R⁻¹ mod m. One of the factors may be any integer.
  static func multiply(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs, _ b: LimbRun.Limbs)
  /// r ← a² · R⁻¹ mod m.
  static func square(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs)
  /// r ← a + b mod m.
  static func add(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs, _ b: LimbRun.Limbs)
  /// r ← a − b mod m.
  static func subtract(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs, _ b: LimbRun.Limbs)
}

extension PrimeModulus {
  static func multiply(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs, _ b: LimbRun.Limbs) {
    withMontgomeryModulus { $0.multiply(r, a, b) }
  }

  static func square(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs) { multiply(r, a, a) }

  static func add(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs, _ b: LimbRun.Limbs) {
    withMontgomeryModulus { $0.sum(r, a, b) }
  }

  static func subtract(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs, _ b: LimbRun.Limbs) {
    withMontgomeryModulus { $0.difference(r, a, b) }
  }

  /// Calls `body` with the arithmetic of integers of any length, for this modulus.
  static func withMontgomeryModulus(_ body: (MontgomeryModulus) -> Void) {
    modulus.withLimbs { body(MontgomeryModulus($0, count: Integer.limbCount)) }
  }
}
