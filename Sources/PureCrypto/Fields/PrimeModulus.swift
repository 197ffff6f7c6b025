internal import PureCryptoIntegers

/// A prime m, known when the code is compiled, and how to reduce a product modulo it.
///
/// An integer a mod m is kept as its representative a · R mod m. Unless a modulus reduces in a way of its own, that is
/// Montgomery's form with R = 2^(64 limbCount); a modulus of a special form may have R = 1. Everything built on top knows R
/// through ``one`` and ``radixSquared`` only.
///
/// Timing: no function depends on the values.
/// Source: P. Montgomery, "Modular Multiplication without Trial Division", 1985.
protocol PrimeModulus: Sendable {
  associatedtype Integer: LimbInteger

  /// m, odd.
  static var modulus: Integer { get }
  /// The position of the highest bit of m, counted from 1.
  static var bitCount: Int { get }
  /// −m⁻¹ mod 2⁶⁴.
  static var negatedInverse: UInt64 { get }
  /// R mod m, the representative of 1.
  static var one: Integer { get }
  /// R² mod m, which takes an integer to its representative: a · R² · R⁻¹ = a · R.
  static var radixSquared: Integer { get }

  /// r ← t · R⁻¹ mod m, below m.
  /// - Parameter r: `limbCount` limbs.
  /// - Parameter t: 2 · `limbCount` limbs, the product of two integers below m, or of any integer and ``radixSquared``, or an
  ///   integer below m. Overwritten.
  static func reduce(_ r: LimbRun.MutableLimbs, _ t: LimbRun.MutableLimbs)
}

extension PrimeModulus {
  /// Montgomery's reduction. Each step makes t divisible by 2⁶⁴ and moves one limb up:
  /// t ← t + 2^(64i) · w · m with w = −tᵢ · m⁻¹ mod 2⁶⁴. From t < m R follows t < 2 m R in the end: the upper half, of
  /// `limbCount` limbs and one more bit, `high`, is below 2m.
  @inline(__always)
  static func reduce(_ r: LimbRun.MutableLimbs, _ t: LimbRun.MutableLimbs) {
    let count = Integer.limbCount
    modulus.withLimbs { m in
      var high: UInt64 = 0
      for index in 0..<count {
        let w = t[index] &* negatedInverse
        var carry: UInt64 = 0
        for column in 0..<count {
          t[index &+ column] = multiplyAdd(m[column], w, t[index &+ column], &carry)
        }
        t[count &+ index] = add(t[count &+ index], carry, &high)
      }
      r.update(from: t + count, count: count)
      LimbRun.subtractOnce(r, high: high, modulus: m, count: count)
    }
  }

  /// r ← a · b · R⁻¹ mod m. r may be a or b.
  ///
  /// Rows so far are a · (b mod 2^(64 index)) < 2^(64 (limbCount + index)): the limb above them is new.
  @inline(never)
  static func multiply(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs, _ b: LimbRun.Limbs) {
    let count = Integer.limbCount
    withProduct { t in
      for index in 0..<count {
        let w = b[index]
        var carry: UInt64 = 0
        for column in 0..<count {
          t[index &+ column] = multiplyAdd(a[column], w, t[index &+ column], &carry)
        }
        t[count &+ index] = carry
      }
      reduce(r, t)
    }
  }

  /// r ← a² · R⁻¹ mod m. r may be a. aᵢaⱼ and aⱼaᵢ are one product, doubled.
  @inline(never)
  static func square(_ r: LimbRun.MutableLimbs, _ a: LimbRun.Limbs) {
    let count = Integer.limbCount
    withProduct { t in
      // The sum of aᵢaⱼ 2^(64(i + j)) over i < j.
      for index in 0..<count {
        let w = a[index]
        var carry: UInt64 = 0
        for column in 0..<count where column > index {
          t[index &+ column] = multiplyAdd(a[column], w, t[index &+ column], &carry)
        }
        t[count &+ index] = carry
      }
      // Twice that, and aᵢ² at limb 2i: a² < 2^(128 limbCount), so that neither the shift nor the sum loses a carry.
      var shifted: UInt64 = 0
      var carry: UInt64 = 0
      for index in 0..<count {
        let low = t[2 &* index]
        let high = t[2 &* index &+ 1]
        let diagonal = PureCryptoIntegers.multiply(a[index], a[index])
        t[2 &* index] = add(low &<< 1 | shifted, diagonal.low, &carry)
        t[2 &* index &+ 1] = add(high &<< 1 | low &>> 63, diagonal.high, &carry)
        shifted = high &>> 63
      }
      reduce(r, t)
    }
  }

  /// Calls `body` with 2 · `limbCount` limbs, all zero.
  @inline(__always)
  static func withProduct(_ body: (LimbRun.MutableLimbs) -> Void) {
    // Two integers lie side by side: neither has padding.
    var product = (Integer.zero, Integer.zero)
    withUnsafeMutablePointer(to: &product) {
      body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt64.self))
    }
  }
}
