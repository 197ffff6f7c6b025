extension RSAPrimeFactors {
  /// Whether the integers belong to each other, to n, e and d: pq = n, dp = d mod (p − 1), dq = d mod (q − 1), e · dp = 1 mod
  /// (p − 1), e · dq = 1 mod (q − 1) and q · qi = 1 mod p.
  ///
  /// A key that passes and still has a composite in a prime's place gives wrong results, which the check of every result
  /// catches.
  /// - Parameter n: `nCount` ≤ 2 · count limbs, as d.
  ///
  /// Timing: depends on the numbers of limbs only.
  func areConsistent(n: UnsafePointer<UInt64>, e: UInt64, d: UnsafePointer<UInt64>, nCount: Int) -> Mask {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 5 &* count &+ 1) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let product = room.baseAddress else { return .no }
      room.initialize(repeating: 0)
      let first = product + (2 &* count &+ 1)
      let second = first + count
      return withView { view in
        // pq = n
        LimbRun.product(product, view.p.limbs, aCount: count, view.q.limbs, bCount: count)
        var isConsistent = LimbRun.equality(product, n, count: nCount)
        for index in nCount..<(2 &* count) { isConsistent = isConsistent & Mask(isZero: product[index]) }
        for (prime, exponent) in [(view.p.limbs, view.dp), (view.q.limbs, view.dq)] {
          // The prime is odd: subtracting 1 clears its lowest bit.
          first.update(from: prime, count: count)
          first[0] ^= 1
          LimbRun.remainder(second, d, aCount: nCount, modulus: first, count: count)
          isConsistent = isConsistent & LimbRun.equality(second, exponent, count: count)
          withUnsafePointer(to: e) { e in
            LimbRun.product(product, exponent, aCount: count, e, bCount: 1)
          }
          LimbRun.remainder(second, product, aCount: count &+ 1, modulus: first, count: count)
          isConsistent = isConsistent & LimbRun.equality(second, word: 1, count: count)
        }
        // qi < p, and q · R · qi · R⁻¹ = 1 mod p
        isConsistent = isConsistent & LimbRun.isLess(view.qi, than: view.p.limbs, count: count)
        view.p.multiply(first, view.q.limbs, view.radixSquaredP, product)
        view.p.multiply(first, first, view.qi, product)
        return isConsistent & LimbRun.equality(first, word: 1, count: count)
      }
    }
  }
}
