internal import PureCryptoIntegers

/// The search for the primes of a new key, and the inverse of e that the key needs.
enum RSAPrimeCandidate {
  /// e, a prime.
  static var publicExponent: UInt64 { 65537 }

  /// Rounds of Miller and Rabin on both sides for a number that has passed one: with that one it is five, and FIPS
  /// 186-5 table B.1 asks for at most 5 for these lengths, for 4 from primes of 1536 bits on.
  private static var furtherRoundCount: Int { 2 }

  /// Fills `count` limbs with a random prime p = 3 mod 4 whose two highest bits are set, so that a product of two has
  /// its full length, and with p ≠ 1 mod e.
  ///
  /// Every candidate is drawn anew, and its rejection says nothing about the one that is kept. Candidates are tested in
  /// pairs; of two primes the first is kept.
  /// - Parameter backend: what multiplies.
  static func fill(_ p: UnsafeMutablePointer<UInt64>, count: Int, backend: Backend = .preferred) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let other = room.baseAddress else { return }
      room.initialize(repeating: 0)
      while true {
        draw(p, count: count)
        draw(other, count: count)
        let test = RSAPrimalityTest(p, other, count: count, backend: backend)
        let isLikely = test.passes(rounds: 1)
        if isLikely.first.declassified, isPrime(p, count: count, backend: backend) { return }
        if isLikely.second.declassified, isPrime(other, count: count, backend: backend) {
          p.update(from: other, count: count)
          return
        }
      }
    }
  }

  /// Whether a number that has passed a round passes the others as well: the same number on both sides of the test, so
  /// that each of its rounds counts twice.
  private static func isPrime(_ p: UnsafePointer<UInt64>, count: Int, backend: Backend) -> Bool {
    let test = RSAPrimalityTest(p, p, count: count, backend: backend)
    let isPrime = test.passes(rounds: furtherRoundCount)
    return (isPrime.first & isPrime.second).declassified
  }

  /// Draws candidates until one has no small factor.
  private static func draw(_ p: UnsafeMutablePointer<UInt64>, count: Int) {
    repeat {
      SystemRandom.fill(UnsafeMutableRawBufferPointer(start: p, count: count &* 8))
      p[count &- 1] |= 3 &<< 62
      p[0] |= 3
    } while !isAcceptable(p, count: count)
  }

  private static func isAcceptable(_ p: UnsafeMutablePointer<UInt64>, count: Int) -> Bool {
    guard !RSASmallPrimes.shared.divide(p, count: count) else { return false }
    // p − 1 = 0 mod e. p is odd: subtracting 1 clears its lowest bit.
    p[0] ^= 1
    let remainder = scaledRemainder(p, modulo: publicExponent, count: count)
    p[0] ^= 1
    // A remainder of 0 comes out as 0 or as e. What is rejected here is thrown away, and says nothing about the
    // candidate that is kept.
    return (~(Mask(isZero: remainder) | Mask(remainder, equals: publicExponent))).declassified
  }

  /// a · 2^(−64 count) mod m, or m in place of 0: at most m.
  /// - Parameter m: odd, below 2⁶⁴ − 1. Public.
  ///
  /// Montgomery's reduction, limb by limb from the lowest:
  ///
  ///     r ← (r + aᵢ + k m) / 2⁶⁴ with k = −(r + aᵢ) m⁻¹ mod 2⁶⁴
  ///
  /// From r ≤ m follows r + aᵢ + k m ≤ m + (2⁶⁴ − 1) + (2⁶⁴ − 1) m < 2⁶⁴ (m + 1), so that r ≤ m
  /// again. Nothing is compared and nothing subtracted.
  ///
  /// Timing: depends on `count` only.
  static func scaledRemainder(_ a: UnsafePointer<UInt64>, modulo m: UInt64, count: Int) -> UInt64 {
    let negatedInverse = 0 &- MontgomeryModulus.inverse(m)
    var r: UInt64 = 0
    for index in 0..<count {
      let sum = UInt128(r) &+ UInt128(a[index])
      let k = UInt64(truncatingIfNeeded: sum) &* negatedInverse
      r = UInt64(truncatingIfNeeded: (sum &+ UInt128(k) &* UInt128(m)) &>> 64)
    }
    return r
  }

  /// φ ← e⁻¹ mod φ = (1 + k φ) / e with k = −φ⁻¹ mod e, for the prime e of new keys, which does not
  /// divide φ.
  static func invertExponent(modulo phi: UnsafeMutablePointer<UInt64>, count: Int) {
    let e = publicExponent
    // 2⁶⁴ = (2¹⁶)⁴ = 1 mod e: the remainder comes out unscaled, 1 … e − 1 since e does not divide φ.
    // φ⁻¹ = φ^(e − 2) mod e: e − 2 = 65535 has 16 bits, all set.
    let phiModE = scaledRemainder(phi, modulo: e, count: count)
    var inverse = phiModE
    for _ in 0..<15 { inverse = product(product(inverse, inverse), phiModE) }
    let k = e &- inverse
    // 1 + k φ, below e φ: one more limb. Then the exact division, from the lowest limb up: each limb of the quotient
    // is what e⁻¹ mod 2⁶⁴ makes of the limb and the borrow that the quotient so far has left.
    let inverseOfE = MontgomeryModulus.inverse(e)
    var carry: UInt64 = 1
    var borrow: UInt64 = 0
    for index in 0..<count {
      let limb = multiplyAdd(phi[index], k, 0, &carry)
      var isBelow: UInt64 = 0
      let difference = subtract(limb, borrow, &isBelow)
      let quotient = difference &* inverseOfE
      phi[index] = quotient
      borrow = multiply(quotient, e).high &+ isBelow
    }
  }

  /// a · b mod e, for a, b ≤ 2¹⁶: 2¹⁶ = −1 mod e, so that l + 2¹⁶ h = l − h.
  private static func product(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a &* b
    // −2¹⁶ ≤ l − h < 2¹⁶
    let folded = (product & 0xffff) &- product &>> 16
    return folded &+ Mask(bit: folded &>> 63).keep(publicExponent)
  }
}
