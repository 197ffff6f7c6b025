internal import PureCryptoIntegers

/// Arithmetic mod an odd integer n of `count` limbs, in Montgomery form.
///
/// The form of a is a · R mod n with R = 2^(64 count). Operands and results are runs of `count` limbs; unless a
/// comment says otherwise they are below n. The value is a view of limbs that the caller keeps alive; it must not
/// outlive them.
///
/// Timing: depends on `count` only, except where a name says so.
/// Source: P. Montgomery, "Modular Multiplication without Trial Division", 1985.
package struct MontgomeryModulus {
  typealias Limbs = LimbRun.Limbs
  typealias MutableLimbs = LimbRun.MutableLimbs

  /// n, odd.
  let limbs: Limbs
  /// At least 1.
  let count: Int
  /// −n⁻¹ mod 2⁶⁴.
  let negatedInverse: UInt64

  /// - Parameter limbs: n, `count` limbs, odd.
  init(_ limbs: Limbs, count: Int) {
    self.limbs = limbs
    self.count = count
    self.negatedInverse = 0 &- MontgomeryModulus.inverse(limbs[0])
  }

  /// n⁻¹ mod 2⁶⁴ for an odd n, by Newton's iteration x ← x (2 − n x), which doubles the number of correct
  /// bits.
  static func inverse(_ n: UInt64) -> UInt64 {
    // n · n = 1 mod 8: 3 bits are correct; then 6, 12, 24, 48, 96.
    var x = n
    for _ in 0..<5 { x = x &* (2 &- n &* x) }
    return x
  }

  /// r ← a · b · R⁻¹ mod n. r may be a or b.
  /// - Parameter a: any limbs with a · b < n · R, for which it is enough that one factor is below n.
  /// - Parameter product: room for 2 · count limbs.
  @inline(__always)
  func multiply(_ r: MutableLimbs, _ a: Limbs, _ b: Limbs, _ product: MutableLimbs) {
    LimbRun.product(product, a, aCount: count, b, bCount: count)
    reduce(r, product)
  }

  /// r ← a² · R⁻¹ mod n. r may be a.
  /// - Parameter product: room for 2 · count limbs.
  @inline(__always)
  func square(_ r: MutableLimbs, _ a: Limbs, _ product: MutableLimbs) {
    LimbRun.square(product, a, count: count)
    reduce(r, product)
  }

  /// r ← t · R⁻¹ mod n.
  /// - Parameter t: 2 · count limbs, below n · R. Overwritten.
  ///
  /// Each step makes t divisible by 2⁶⁴ and moves one limb up: t ← t + 2^(64i) · m · n with
  /// m = −tᵢ · n⁻¹ mod 2⁶⁴. Two steps are done at once. In the end t < n R + n R, so that the upper half is
  /// below 2n: its bits are `count` limbs and one more bit, `high`.
  func reduce(_ r: MutableLimbs, _ t: MutableLimbs) {
    var high: UInt64 = 0
    var row = 0
    while row &+ 2 <= count {
      let place = t + row
      let m0 = place[0] &* negatedInverse
      // The second limb as it is after the first step, which m₁ makes zero.
      var carry: UInt64 = 0
      _ = multiplyAdd(limbs[0], m0, place[0], &carry)
      let m1 = multiplyAdd(limbs[1], m0, place[1], &carry) &* negatedInverse
      let above = LimbRun.addProduct(place, limbs, m0, m1, count: count)
      place[count] = add(place[count], above.low, &high)
      place[count &+ 1] = add(place[count &+ 1], above.high, &high)
      row &+= 2
    }
    if row < count {
      let carry = LimbRun.addProduct(t + row, limbs, t[row] &* negatedInverse, count: count)
      t[count &+ row] = add(t[count &+ row], carry, &high)
    }
    let upper = t + count
    let borrow = LimbRun.difference(r, upper, limbs, count: count)
    // 2^(64 count) high + upper < n exactly when the subtraction borrows and nothing is there to borrow from.
    LimbRun.sum(r, r, limbs, if: Mask(bit: borrow & ~high), count: count)
  }

  /// r ← a − b mod n. r may be a or b.
  func difference(_ r: MutableLimbs, _ a: Limbs, _ b: Limbs) {
    let borrow = LimbRun.difference(r, a, b, count: count)
    LimbRun.sum(r, r, limbs, if: Mask(bit: borrow), count: count)
  }

  /// r ← 2r mod n.
  func double(_ r: MutableLimbs) { sum(r, r, r) }

  /// r ← a · b · R⁻¹ mod n, for moduli of a few limbs. r may be a or b.
  /// - Parameter a: any limbs with a · b < n · R.
  @inline(never)
  func multiply(_ r: MutableLimbs, _ a: Limbs, _ b: Limbs) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 &* count) { product in
      defer { wipe(UnsafeMutableRawBufferPointer(product)) }
      guard let start = product.baseAddress else { return }
      multiply(r, a, b, start)
    }
  }

  /// r ← a + b mod n. r may be a or b.
  @inline(never)
  func sum(_ r: MutableLimbs, _ a: Limbs, _ b: Limbs) {
    let high = LimbRun.sum(r, a, b, count: count)
    LimbRun.subtractOnce(r, high: high, modulus: limbs, count: count)
  }

  /// r ← R² mod n, which takes an integer to Montgomery form: a · R² · R⁻¹ = a · R.
  /// - Parameter bitCount: 2^(bitCount − 1) < n. Public.
  /// - Parameter product: room for 2 · count limbs.
  func radixSquared(_ r: MutableLimbs, bitCount: Int, _ product: MutableLimbs) {
    // 2^(bitCount − 1), doubled until it is 2^k · R with k = count or count / 2. In Montgomery form that is 2^k; six
    // or seven squarings make it 2^(64 count) = R, whose Montgomery form is R². A squaring takes as long as some ten
    // doublings.
    let (exponent, squarings) = count & 1 == 0 ? (count &>> 1, 7) : (count, 6)
    r.update(repeating: 0, count: count)
    let top = bitCount &- 1
    r[top &>> 6] = 1 &<< UInt64(truncatingIfNeeded: top & 63)
    for _ in top..<(64 &* count &+ exponent) { double(r) }
    for _ in 0..<squarings { square(r, r, product) }
  }
}

extension MontgomeryModulus {
  /// r ← a^exponent mod n, neither in Montgomery form.
  /// - Parameter a: below n. Not r.
  /// - Parameter exponent: odd, at least 3. Public: the time depends on it.
  /// - Parameter radixSquared: R² mod n.
  /// - Parameter scratch: room for 3 · count limbs.
  ///
  /// Timing: depends on the exponent, not on a.
  func powerVariableTime(
    _ r: MutableLimbs, _ a: Limbs, exponent: UInt64, radixSquared: Limbs, _ scratch: MutableLimbs
  ) {
    let product = scratch
    let form = scratch + 2 &* count
    multiply(form, a, radixSquared, product)
    r.update(from: form, count: count)
    // From the highest bit down: square, and multiply by a where a bit is set. The lowest bit is: multiplying by a
    // instead of its form leaves Montgomery form at the same time.
    let top = 63 &- exponent.leadingZeroBitCount
    for position in (1..<top).reversed() {
      square(r, r, product)
      if exponent &>> UInt64(truncatingIfNeeded: position) & 1 != 0 { multiply(r, r, form, product) }
    }
    square(r, r, product)
    multiply(r, r, a, product)
  }
}

extension MontgomeryModulus {
  /// a^x mod n for arrays of limbs, least significant first: for traces and tests of
  /// ``power(_:_:exponent:exponentCount:radixSquared:)``.
  /// - Parameter base: a, below n, as many limbs as n has. Secret.
  /// - Parameter exponent: x. Secret.
  /// - Parameter modulus: n, odd, its highest bit set. Public.
  ///
  /// Timing: depends on the numbers of limbs, and on the modulus.
  package static func power(_ base: [UInt64], _ exponent: [UInt64], modulus: [UInt64]) -> [UInt64] {
    let count = modulus.count
    var result = [UInt64](repeating: 0, count: count)
    var room = [UInt64](repeating: 0, count: 4 &* count)
    modulus.withUnsafeBufferPointer { limbs in
      result.withUnsafeMutableBufferPointer { result in
        room.withUnsafeMutableBufferPointer { room in
          base.withUnsafeBufferPointer { base in
            exponent.withUnsafeBufferPointer { exponents in
              guard let limbs = limbs.baseAddress, let r = result.baseAddress, let product = room.baseAddress,
                let a = base.baseAddress, let x = exponents.baseAddress
              else { return }
              let modulus = MontgomeryModulus(limbs, count: count)
              let radixSquared = product + 2 &* count
              let form = radixSquared + count
              modulus.radixSquared(radixSquared, bitCount: 64 &* count, product)
              modulus.multiply(form, a, radixSquared, product)
              modulus.power(r, form, exponent: x, exponentCount: exponent.count, radixSquared: radixSquared)
              modulus.integer(r, of: r, product)
            }
          }
        }
      }
    }
    return result
  }
}
