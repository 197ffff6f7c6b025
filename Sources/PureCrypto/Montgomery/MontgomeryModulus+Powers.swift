internal import PureCryptoIntegers

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
