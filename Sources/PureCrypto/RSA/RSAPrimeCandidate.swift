internal import PureCryptoIntegers

/// The search for the primes of a new key, and the inverses that the key needs.
enum RSAPrimeCandidate {
  /// e, a prime.
  static var publicExponent: UInt64 { 65537 }

  /// The product of the primes from 3 to 53, below 2⁶⁴.
  private static var smallPrimeProduct: UInt64 { 16_294_579_238_595_022_365 }
  private static let smallPrimes: [UInt64] = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53]

  /// Rounds of Miller and Rabin: FIPS 186-5 table B.1 asks for at most 5 for these lengths.
  private static var roundCount: Int { 6 }

  /// Fills `count` limbs with a random prime p = 3 mod 4 whose two highest bits are set, so that a product of two has
  /// its full length, and with p ≠ 1 mod e.
  ///
  /// Every candidate is drawn anew, and its rejection says nothing about the one that is kept.
  static func fill(_ p: UnsafeMutablePointer<UInt64>, count: Int) {
    repeat {
      SystemRandom.fill(UnsafeMutableRawBufferPointer(start: p, count: count &* 8))
      p[count &- 1] |= 3 &<< 62
      p[0] |= 3
    } while !isAcceptable(p, count: count)
  }

  private static func isAcceptable(_ p: UnsafeMutablePointer<UInt64>, count: Int) -> Bool {
    // The product is divisible by each of the primes: so is p exactly when its remainder is, powers of two apart.
    let small = scaledRemainder(p, modulo: smallPrimeProduct, count: count)
    var hasFactor = Mask.no
    for prime in smallPrimes { hasFactor = hasFactor | isDivisible(small, by: prime) }
    // p − 1 = 0 mod e. p is odd: subtracting 1 clears its lowest bit.
    p[0] ^= 1
    hasFactor = hasFactor | isDivisible(scaledRemainder(p, modulo: publicExponent, count: count), by: publicExponent)
    p[0] ^= 1
    // What is rejected here is thrown away, and says nothing about the candidate that is kept.
    guard !hasFactor.declassified else { return false }
    return isProbablePrime(p, count: count)
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

  /// Whether an odd prime divides a, without a division of a: a · prime⁻¹ mod 2⁶⁴ is the quotient if there is
  /// one, and above every quotient if no such number is left.
  static func isDivisible(_ a: UInt64, by prime: UInt64) -> Mask {
    ~Mask(UInt64.max / prime, isLessThan: a &* MontgomeryModulus.inverse(prime))
  }

  /// Miller and Rabin for p = 3 mod 4: with p − 1 = 2t, t odd, a^t must be 1 or −1.
  private static func isProbablePrime(_ p: UnsafeMutablePointer<UInt64>, count: Int) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 7 &* count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let product = room.baseAddress else { return false }
      room.initialize(repeating: 0)
      let radixSquared = product + 2 &* count
      let a = radixSquared + count
      let t = a + count
      let one = t + count
      let modulus = MontgomeryModulus(p, count: count)
      modulus.radixSquared(radixSquared, bitCount: count &* 64, product)
      modulus.integer(one, of: radixSquared, product)
      // t = (p − 1) / 2: p is odd, the shift drops its lowest bit.
      for index in 0..<count {
        let above = index &+ 1 < count ? p[index &+ 1] : 0
        t[index] = p[index] &>> 1 | above &<< 63
      }
      for _ in 0..<roundCount {
        // A random base below p, taken to be in Montgomery form.
        SystemRandom.fill(UnsafeMutableRawBufferPointer(start: a, count: count &* 8))
        modulus.multiply(a, a, radixSquared, product)
        modulus.power(a, a, exponent: t, exponentCount: count, radixSquared: radixSquared)
        let isOne = LimbRun.equality(a, one, count: count)
        // a + 1 = p
        _ = LimbRun.sum(a, a, one, count: count)
        let isMinusOne = LimbRun.equality(a, p, count: count)
        guard (isOne | isMinusOne).declassified else { return false }
      }
      return true
    }
  }

  /// r ← a⁻¹ mod p for a prime p: a^(p − 2).
  /// - Parameter a: below 2^(64 count), not divisible by p.
  /// - Parameter room: 5 · count limbs.
  static func invert(
    _ r: UnsafeMutablePointer<UInt64>, _ a: UnsafePointer<UInt64>, modulo p: UnsafePointer<UInt64>, count: Int,
    room: UnsafeMutablePointer<UInt64>
  ) {
    let product = room
    let radixSquared = product + 2 &* count
    let exponent = radixSquared + count
    let modulus = MontgomeryModulus(p, count: count)
    modulus.radixSquared(radixSquared, bitCount: count &* 64, product)
    exponent.update(from: p, count: count)
    LimbRun.decrease(exponent, by: 2, count: count)
    modulus.multiply(r, a, radixSquared, product)
    modulus.power(r, r, exponent: exponent, exponentCount: count, radixSquared: radixSquared)
    modulus.integer(r, of: r, product)
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
