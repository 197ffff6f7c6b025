internal import PureCryptoIntegers

extension MontgomeryModulus {
  /// Bits of an exponent that are worked off at once.
  private static var windowBitCount: Int { 4 }
  /// Powers of a base that are kept: a⁰ to a¹⁵.
  private static var tableCount: Int { 16 }

  /// r ← a^x, in Montgomery form. Both are secret.
  /// - Parameter r: may be a, and nothing else that is read.
  /// - Parameter a: in Montgomery form.
  /// - Parameter exponent: x.
  /// - Parameter exponentCount: the limbs of x.
  /// - Parameter radixSquared: R² mod n.
  ///
  /// From the highest window of four bits down: four squarings, then a multiplication by a power from a table. Every
  /// entry of the table is read.
  ///
  /// Timing: depends on the numbers of limbs only.
  func power(_ r: MutableLimbs, _ a: Limbs, exponent: Limbs, exponentCount: Int, radixSquared: Limbs) {
    let capacity = (3 &+ MontgomeryModulus.tableCount) &* count
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: capacity) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let product = room.baseAddress else { return }
      room.initialize(repeating: 0)
      let factor = product + 2 &* count
      let table = factor + count
      fill(table, powersOf: a, radixSquared: radixSquared, product)
      r.update(from: table, count: count)
      var position = exponentCount &* 64
      while position > 0 {
        position &-= MontgomeryModulus.windowBitCount
        for _ in 0..<MontgomeryModulus.windowBitCount { square(r, r, product) }
        select(factor, from: table, exponent, at: position)
        multiply(r, r, factor, product)
      }
    }
  }

  /// table ← a⁰, a¹, …, a¹⁵.
  private func fill(_ table: MutableLimbs, powersOf a: Limbs, radixSquared: Limbs, _ product: MutableLimbs) {
    // a⁰ = R = R² · R⁻¹
    product.update(from: radixSquared, count: count)
    (product + count).update(repeating: 0, count: count)
    reduce(table, product)
    (table + count).update(from: a, count: count)
    for index in 2..<MontgomeryModulus.tableCount {
      multiply(table + index &* count, table + (index &- 1) &* count, table + count, product)
    }
  }

  /// r ← the entry of the table that four bits of the exponent choose.
  private func select(_ r: MutableLimbs, from table: MutableLimbs, _ exponent: Limbs, at position: Int) {
    // A limb has a whole number of windows. The position is public.
    let window = exponent[position &>> 6] &>> UInt64(truncatingIfNeeded: position & 63) & 15
    r.update(repeating: 0, count: count)
    for index in 0..<MontgomeryModulus.tableCount {
      let mask = Mask(window, equals: UInt64(truncatingIfNeeded: index))
      let entry = table + index &* count
      for limb in 0..<count { r[limb] |= mask.keep(entry[limb]) }
    }
  }

  /// r ← a · R mod n for an a of up to 2 · count limbs.
  /// - Parameter a: below n · R; `aCount` ≤ 2 · count limbs.
  /// - Parameter product: room for 2 · count limbs.
  func form(_ r: MutableLimbs, of a: Limbs, aCount: Int, radixSquared: Limbs, _ product: MutableLimbs) {
    product.update(from: a, count: aCount)
    (product + aCount).update(repeating: 0, count: 2 &* count &- aCount)
    // a · R⁻¹, then a, then a · R
    reduce(r, product)
    multiply(r, r, radixSquared, product)
    multiply(r, r, radixSquared, product)
  }

  /// r ← a · R⁻¹ mod n: out of Montgomery form. r may be a.
  /// - Parameter product: room for 2 · count limbs.
  func integer(_ r: MutableLimbs, of a: Limbs, _ product: MutableLimbs) {
    product.update(from: a, count: count)
    (product + count).update(repeating: 0, count: count)
    reduce(r, product)
  }
}
