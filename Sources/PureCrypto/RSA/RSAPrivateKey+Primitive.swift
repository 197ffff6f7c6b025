extension RSAPrivateKey {
  /// The RSA private operation: x^d mod n, which signs an encoded digest or decrypts a ciphertext.
  ///
  /// x is blinded: with a random r, (x rᵉ)^d · r⁻¹ = x^d. All that is done with secrets works on y = x rᵉ and on y^d = x^d r: also the
  /// halves y^d mod p and mod q and what puts them together, so that nothing there is a function of the input that a sender could choose.
  /// Only y^d mod n, complete, is unblinded by a product with r⁻¹ mod n. The result is raised to e again before anybody sees it: a fault in
  /// one of the two halves would otherwise reveal a prime (Boneh, DeMillo, Lipton 1997).
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
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 8 &* count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let x = room.baseAddress else { return nil }
      room.initialize(repeating: 0)
      let r = x + count
      let inverse = r + count
      let blinded = inverse + count
      let result = blinded + count
      let scratch = result + count
      LimbRun.load(x, count: count, bigEndian: input)
      let isDone = publicKey.withModulus { n, radixSquared in
        guard LimbRun.isLess(x, than: n.limbs, count: count).declassified else { return false }
        // A random integer below R, times R² · R⁻¹: below n, and as good as uniform. 0 would be found as a fault.
        SystemRandom.fill(UnsafeMutableRawBufferPointer(start: result, count: 8 &* count))
        n.multiply(r, result, radixSquared, scratch)
        n.inverse(inverse, of: r)
        // y = x · rᵉ
        n.powerVariableTime(
          blinded, r, exponent: publicKey.exponent, radixSquared: radixSquared, scratch)
        n.multiply(result, x, radixSquared, scratch)
        n.multiply(blinded, blinded, result, scratch)
        if let factors {
          factors.power(result, blinded, modulusCount: count)
        } else {
          withExponent { d in
            n.multiply(blinded, blinded, radixSquared, scratch)
            n.power(
              result, blinded, exponent: d, exponentCount: count, radixSquared: radixSquared)
            n.integer(result, of: result, scratch)
          }
        }
        // y^d · r⁻¹
        n.multiply(inverse, inverse, radixSquared, scratch)
        n.multiply(result, result, inverse, scratch)
        n.powerVariableTime(blinded, result, exponent: publicKey.exponent, radixSquared: radixSquared, scratch)
        return LimbRun.equality(blinded, x, count: count).declassified
      }
      guard isDone else { return nil }
      let bytes = UnsafeMutableRawBufferPointer(start: x, count: publicKey.byteCount)
      LimbRun.store(result, count: count, bigEndian: bytes)
      return body(bytes)
    }
  }
}

extension RSAPrimeFactors {
  /// result ← y^d mod n by the Chinese remainder theorem.
  /// - Parameter y: `modulusCount` ≤ 2 · count limbs, below n, as the result.
  fileprivate func power(
    _ result: UnsafeMutablePointer<UInt64>, _ y: UnsafePointer<UInt64>, modulusCount: Int
  ) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 5 &* count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let product = room.baseAddress else { return }
      room.initialize(repeating: 0)
      let sp = product + 2 &* count
      let sq = sp + count
      let h = sq + count
      withView { view in
        for (modulus, exponent, radixSquared, s) in [
          (view.p, view.dp, view.radixSquaredP, sp), (view.q, view.dq, view.radixSquaredQ, sq),
        ] {
          // s = y^dp mod p. y is below n = pq < p · R.
          modulus.form(s, of: y, aCount: modulusCount, radixSquared: radixSquared, product)
          modulus.power(s, s, exponent: exponent, exponentCount: count, radixSquared: radixSquared)
        }
        // h = (sp − sq) · qi mod p, with sp and sq in the form of p until qi takes h out of it.
        view.q.integer(sq, of: sq, product)
        view.p.multiply(h, sq, view.radixSquaredP, product)
        view.p.difference(h, sp, h)
        view.p.multiply(h, h, view.qi, product)
        // s = sq + q · h ≤ (q − 1) + q (p − 1) < n
        LimbRun.product(product, view.q.limbs, aCount: count, h, bCount: count)
        LimbRun.increase(product, by: sq, byCount: count, count: 2 &* count)
        result.update(from: product, count: modulusCount)
      }
    }
  }
}
