internal import PureCryptoIntegers

extension MontgomeryModulus {
  /// r ← a⁻¹ mod n, neither in Montgomery form; any integer below n if a and n have a common divisor.
  /// - Parameter a: below n. Secret. May be r.
  ///
  /// Division steps as ``ModularInversion`` has them, on as many limbs as n needs: each batch of 59 is found on the
  /// lowest words and applied to the long integers. For n below 2^bits, ⌊(45907 bits + 26313) / 19929⌋ steps are
  /// enough.
  ///
  /// Timing: depends on `count` only.
  /// Source: D. Bernstein, B.-Y. Yang, 2019; the number of steps with δ beginning at 1/2: P. Wuille, 2021.
  func inverse(_ r: MutableLimbs, of a: Limbs) {
    let bitCount = 64 &* count
    // f and g are in [−n, n], d and e in (−2n, n): two bits more than n has.
    let length = (bitCount &+ 63) / 62
    withUnsafeTemporaryAllocation(of: Int64.self, capacity: 5 &* length) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let modulus = room.baseAddress else { return }
      room.initialize(repeating: 0)
      let steps = LongDivisionSteps(
        modulus: modulus, f: modulus + length, g: modulus + 2 &* length, d: modulus + 3 &* length,
        e: modulus + 4 &* length, length: length, inverse: Int64(bitPattern: 0 &- negatedInverse) & Limbs62.mask)
      LongDivisionSteps.cut(limbs, count: count, to: steps.modulus, length: length)
      LongDivisionSteps.cut(limbs, count: count, to: steps.f, length: length)
      LongDivisionSteps.cut(a, count: count, to: steps.g, length: length)
      steps.e[0] = 1
      var zeta: Int64 = -1  // −(δ + 1/2)
      for _ in 0..<((45907 &* bitCount &+ 26313) / 19929 &+ 58) / 59 {
        let matrix = DivisionSteps(count59: &zeta, f: steps.f[0], g: steps.g[0])
        steps.applyToCofactors(matrix)
        steps.apply(matrix)
      }
      steps.normalize()
      LongDivisionSteps.join(steps.d, length: length, to: r, count: count)
    }
  }
}

/// The long integers of an inversion in runs of `length` limbs of 62 bits, the highest of which carries the sign; see
/// ``Limbs62``.
///
/// f ≡ d · a and g ≡ e · a mod n all the way. In the end g = 0 and f = ±1.
private struct LongDivisionSteps {
  let modulus, f, g, d, e: UnsafeMutablePointer<Int64>
  /// At least 2.
  let length: Int
  /// n⁻¹ mod 2⁶².
  let inverse: Int64

  /// Cuts `count` · 64 bits anew. Limbs beyond are zero.
  static func cut(_ limbs: LimbRun.Limbs, count: Int, to run: UnsafeMutablePointer<Int64>, length: Int) {
    for index in 0..<length {
      let position = 62 &* index
      let limb = position &>> 6
      let shift = UInt64(truncatingIfNeeded: position & 63)
      let low = limb < count ? limbs[limb] &>> shift : 0
      // Two shifts, because shifting by 64 is undefined here.
      let high = limb &+ 1 < count ? (limbs[limb &+ 1] &<< 1) &<< (63 &- shift) : 0
      run[index] = Int64(truncatingIfNeeded: low | high) & Limbs62.mask
    }
  }

  /// The integer, in 0 …< 2^(64 count), as limbs of 64 bits.
  static func join(_ run: UnsafeMutablePointer<Int64>, length: Int, to limbs: LimbRun.MutableLimbs, count: Int) {
    for index in 0..<count {
      // Bits 64 index … 64 index + 63 begin in limb `first`. The shift is even, 60 at most: two limbs have
      // 124 − shift ≥ 64 bits.
      let position = 64 &* index
      let first = position / 62
      let shift = UInt64(truncatingIfNeeded: position &- 62 &* first)
      var word = UInt128(truncatingIfNeeded: run[first]) &>> UInt128(shift)
      if first &+ 1 < length { word |= UInt128(truncatingIfNeeded: run[first &+ 1]) &<< UInt128(62 &- shift) }
      limbs[index] = UInt64(truncatingIfNeeded: word)
    }
  }

  /// (f, g) ← (u f + v g, q f + r g) / 2⁶². Both are divisible. Partial sums stay below
  /// (|u| + |v|) 2⁶² + carry ≤ 2¹²⁴ + 2⁶³.
  @inline(__always)
  func apply(_ matrix: DivisionSteps) {
    var cf = (multiply(matrix.u, f[0]) &+ multiply(matrix.v, g[0])) &>> 62
    var cg = (multiply(matrix.q, f[0]) &+ multiply(matrix.r, g[0])) &>> 62
    for index in 1..<length {
      cf = cf &+ multiply(matrix.u, f[index]) &+ multiply(matrix.v, g[index])
      cg = cg &+ multiply(matrix.q, f[index]) &+ multiply(matrix.r, g[index])
      f[index &- 1] = lowBits62(cf)
      g[index &- 1] = lowBits62(cg)
      cf = cf &>> 62
      cg = cg &>> 62
    }
    f[length &- 1] = Int64(truncatingIfNeeded: cf)
    g[length &- 1] = Int64(truncatingIfNeeded: cg)
  }

  /// (d, e) ← (u d + v e, q d + r e) / 2⁶² mod n, both in (−2n, n) before and after; see
  /// ``DivisionSteps/apply(toCofactors:_:modulus:modulusInverse:)``.
  @inline(__always)
  func applyToCofactors(_ matrix: DivisionSteps) {
    let (signD, signE) = (sign(d), sign(e))
    var kd = matrix.u & signD &+ matrix.v & signE
    var ke = matrix.q & signD &+ matrix.r & signE
    var cd = multiply(matrix.u, d[0]) &+ multiply(matrix.v, e[0])
    var ce = multiply(matrix.q, d[0]) &+ multiply(matrix.r, e[0])
    // kd ≡ −cd / n mod 2⁶²
    kd = kd &- ((inverse &* Int64(truncatingIfNeeded: cd) &+ kd) & Limbs62.mask)
    ke = ke &- ((inverse &* Int64(truncatingIfNeeded: ce) &+ ke) & Limbs62.mask)
    cd = (cd &+ multiply(modulus[0], kd)) &>> 62
    ce = (ce &+ multiply(modulus[0], ke)) &>> 62
    for index in 1..<length {
      cd = cd &+ multiply(matrix.u, d[index]) &+ multiply(matrix.v, e[index]) &+ multiply(modulus[index], kd)
      ce = ce &+ multiply(matrix.q, d[index]) &+ multiply(matrix.r, e[index]) &+ multiply(modulus[index], ke)
      d[index &- 1] = lowBits62(cd)
      e[index &- 1] = lowBits62(ce)
      cd = cd &>> 62
      ce = ce &>> 62
    }
    d[length &- 1] = Int64(truncatingIfNeeded: cd)
    e[length &- 1] = Int64(truncatingIfNeeded: ce)
  }

  /// d ← d or −d mod n, in 0 …< n, with the sign of f.
  func normalize() {
    // (−2n, n) → (−n, n) → (−n, n) → [0, n)
    addModulus(if: sign(d), thenNegatingIf: sign(f))
    addModulus(if: sign(d), thenNegatingIf: 0)
  }

  /// d ← ±d + (n or 0), carried; see ``Limbs62/adding(_:if:thenNegatingIf:)``.
  private func addModulus(if addition: Int64, thenNegatingIf negation: Int64) {
    var carry: Int64 = 0
    for index in 0..<(length &- 1) {
      let limb = ((d[index] &+ modulus[index] & addition) ^ negation) &- negation &+ carry
      d[index] = limb & Limbs62.mask
      carry = limb &>> 62
    }
    let last = length &- 1
    d[last] = ((d[last] &+ modulus[last] & addition) ^ negation) &- negation &+ carry
  }

  /// −1 for a negative integer, else 0. Opaque to the compiler, as a ``Mask`` is.
  @inline(__always)
  private func sign(_ run: UnsafeMutablePointer<Int64>) -> Int64 {
    run[length &- 1] &>> 63 ^ Int64(bitPattern: opaqueZero())
  }
}
