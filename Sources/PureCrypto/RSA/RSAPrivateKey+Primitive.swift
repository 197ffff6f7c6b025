extension RSAPrivateKey {
  /// The RSA private operation: x^d mod n, which signs an encoded digest or decrypts a ciphertext.
  ///
  /// x is blinded: with a random r, (x rᵉ)^d · r⁻¹ = x^d. No inversion is needed, since r⁻¹ is a power of r that is computed
  /// together with the other. The result is raised to e again before anybody sees it: a fault in one of the two halves
  /// would otherwise reveal a prime (Boneh, DeMillo, Lipton 1997).
  /// - Parameter input: x, as long as the modulus, most significant byte first.
  /// - Parameter body: gets the result, as long as the modulus. Wiped afterwards.
  /// - Returns: `nil` when the length is another one, x is not below n, or the result is faulty.
  ///
  /// Timing: depends on the size of the key, on e and on whether x < n.
  /// Source: RFC 8017 §5.1.2, §5.2.1.
  func withPower<Result>(
    of input: UnsafeRawBufferPointer, _ body: (UnsafeMutableRawBufferPointer) -> Result
  ) -> Result? {
    guard input.count == publicKey.byteCount else { return nil }
    let count = publicKey.limbCount
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 7 &* count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let x = room.baseAddress else { return nil }
      room.initialize(repeating: 0)
      let r = x + count
      let blinded = r + count
      let result = blinded + count
      let scratch = result + count
      LimbRun.load(x, count: count, bigEndian: input)
      let isDone = publicKey.withModulus { n, radixSquared in
        guard LimbRun.isLess(x, than: n.limbs, count: count).declassified else { return false }
        // A random integer below R, times R² · R⁻¹: below n, and as good as uniform. 0 would be found as a fault.
        SystemRandom.fill(UnsafeMutableRawBufferPointer(start: result, count: 8 &* count))
        n.multiply(r, result, radixSquared, scratch)
        // x · rᵉ
        n.powerVariableTime(
          blinded, r, exponent: publicKey.exponent, radixSquared: radixSquared, scratch)
        n.multiply(result, x, radixSquared, scratch)
        n.multiply(blinded, blinded, result, scratch)
        if let factors {
          factors.unblindedPower(result, blinded, r, modulusCount: count)
        } else {
          unblindedPower(result, blinded, r, modulus: n, radixSquared: radixSquared)
        }
        n.powerVariableTime(blinded, result, exponent: publicKey.exponent, radixSquared: radixSquared, scratch)
        return LimbRun.equality(blinded, x, count: count).declassified
      }
      guard isDone else { return nil }
      let bytes = UnsafeMutableRawBufferPointer(start: x, count: publicKey.byteCount)
      LimbRun.store(result, count: count, bigEndian: bytes)
      return body(bytes)
    }
  }

  /// result ← y^d · r⁻¹ mod n without the prime factors: r^(ed) = r, so that r⁻¹ = r^(ed − 2).
  private func unblindedPower(
    _ result: UnsafeMutablePointer<UInt64>, _ y: UnsafeMutablePointer<UInt64>, _ r: UnsafeMutablePointer<UInt64>,
    modulus n: MontgomeryModulus, radixSquared: UnsafePointer<UInt64>
  ) {
    let count = n.count
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 4 &* count &+ 2) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let product = room.baseAddress else { return }
      room.initialize(repeating: 0)
      let exponent = product + 2 &* count
      let inverseExponent = exponent + (count &+ 1)
      withExponent { d in
        exponent.update(from: d, count: count)
        withUnsafePointer(to: publicKey.exponent) { e in
          LimbRun.product(inverseExponent, d, aCount: count, e, bCount: 1)
        }
      }
      LimbRun.decrease(inverseExponent, by: 2, count: count &+ 1)
      n.multiply(y, y, radixSquared, product)
      n.multiply(r, r, radixSquared, product)
      n.power(
        result, .init(base: y, exponent: exponent), .init(base: r, exponent: inverseExponent),
        exponentCount: count &+ 1, radixSquared: radixSquared)
      n.integer(result, of: result, product)
    }
  }
}

extension RSAPrimeFactors {
  /// result ← y^d · r⁻¹ mod n by the Chinese remainder theorem.
  /// - Parameter y: `modulusCount` ≤ 2 · count limbs, below n, as r and the result.
  fileprivate func unblindedPower(
    _ result: UnsafeMutablePointer<UInt64>, _ y: UnsafePointer<UInt64>, _ r: UnsafePointer<UInt64>, modulusCount: Int
  ) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 6 &* count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let product = room.baseAddress else { return }
      room.initialize(repeating: 0)
      let mp = product + 2 &* count
      let mq = mp + count
      let factor = mq + count
      let inverseExponent = factor + count
      withView { view in
        for (modulus, exponent, radixSquared, m) in [
          (view.p, view.dp, view.radixSquaredP, mp), (view.q, view.dq, view.radixSquaredQ, mq),
        ] {
          // m = y^dp · r^(p − 2) mod p. y and r are below n = pq < p · R.
          modulus.form(m, of: y, aCount: modulusCount, radixSquared: radixSquared, product)
          modulus.form(factor, of: r, aCount: modulusCount, radixSquared: radixSquared, product)
          inverseExponent.update(from: modulus.limbs, count: count)
          LimbRun.decrease(inverseExponent, by: 2, count: count)
          modulus.power(
            m, .init(base: m, exponent: exponent), .init(base: factor, exponent: inverseExponent),
            exponentCount: count, radixSquared: radixSquared)
        }
        // h = (mp − mq) · qi mod p, with mp and mq in the form of p until qi takes h out of it.
        view.q.integer(mq, of: mq, product)
        view.p.multiply(factor, mq, view.radixSquaredP, product)
        view.p.difference(factor, mp, factor)
        view.p.multiply(factor, factor, view.qi, product)
        // m = mq + q · h ≤ (q − 1) + q (p − 1) < n
        LimbRun.product(product, view.q.limbs, aCount: count, factor, bCount: count)
        LimbRun.increase(product, by: mq, byCount: count, count: 2 &* count)
        result.update(from: product, count: modulusCount)
      }
    }
  }
}
