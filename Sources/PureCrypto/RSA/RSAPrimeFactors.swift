/// The primes of an RSA key and what the Chinese remainder theorem needs of them, as limbs in storage that is wiped.
///
/// p · q = n, dp = d mod (p − 1), dq = d mod (q − 1), qi = q⁻¹ mod p, and R² mod p and mod q: `count` limbs
/// each, where R = 2^(64 count) is above both primes. Then p and q as a pair of vectors, if the processor multiplies
/// those.
struct RSAPrimeFactors: Sendable {
  private let storage: SecretBytes

  /// The number of limbs of each integer.
  let count: Int

  #if HARDWARE_KERNELS && arch(x86_64)
    /// `nil` where there is no pair of vectors.
    private let shape: VectorShape?
  #endif

  /// The integers for as long as a closure runs.
  struct View {
    let p: MontgomeryModulus
    let q: MontgomeryModulus
    let dp: UnsafePointer<UInt64>
    let dq: UnsafePointer<UInt64>
    let qi: UnsafePointer<UInt64>
    let radixSquaredP: UnsafePointer<UInt64>
    let radixSquaredQ: UnsafePointer<UInt64>
    #if HARDWARE_KERNELS && arch(x86_64)
      fileprivate(set) var vectors: VectorModulus?
    #endif

    fileprivate init(_ limbs: UnsafePointer<UInt64>, count: Int) {
      p = MontgomeryModulus(limbs, count: count)
      q = MontgomeryModulus(limbs + count, count: count)
      dp = limbs + 2 &* count
      dq = limbs + 3 &* count
      qi = limbs + 4 &* count
      radixSquaredP = limbs + 5 &* count
      radixSquaredQ = limbs + 6 &* count
    }
  }

  /// Octets that a prime may be longer than half of the modulus, and the other one shorter. FIPS 186-5 §A.1.1 wants
  /// both as long as half of it; keys of others have a prime that is a bit longer. Far below what would help to factor.
  static var imbalance: Int { 8 }

  /// Reads the five integers.
  /// - Returns: `nil` when a prime is even, or much shorter or longer than half of the modulus, or another integer is
  ///   longer than the longer prime. Whether they belong together is checked by ``areConsistent(n:e:d:)``.
  init?(_ factors: RSAPrivateNumbers.Factors, modulusBitCount: Int, backend: Backend) {
    // Leading zeros apart, lengths are not secret: every encoding shows them.
    let lengths = [factors.p, factors.q].map { LimbRun.significantByteCount($0).declassified }
    let byteCount = max(lengths[0], lengths[1])
    let half = (modulusBitCount &+ 15) &>> 4
    // The product of two shorter ones is not the modulus.
    guard byteCount >= half, byteCount <= half &+ RSAPrimeFactors.imbalance,
      min(lengths[0], lengths[1]) >= half &- RSAPrimeFactors.imbalance
    else { return nil }
    let count = LimbRun.count(ofBytes: byteCount)
    let numbers = [factors.p, factors.q, factors.dp, factors.dq, factors.qi]
    guard numbers.allSatisfy({ LimbRun.fits($0, byteCount: byteCount).declassified }) else { return nil }
    #if HARDWARE_KERNELS && arch(x86_64)
      let shape = VectorShape.fitting(bitCount: 8 &* byteCount, isPair: true, backend: backend)
      self.shape = shape
      let vectorByteCount = shape?.byteCount ?? 0
    #else
      let vectorByteCount = 0
    #endif
    self.count = count
    self.storage = SecretBytes(count: 7 &* count &* 8 &+ vectorByteCount) { bytes in
      let limbs = bytes.assumingMemoryBound(to: UInt64.self)
      guard let start = limbs.baseAddress else { return }
      for (index, number) in numbers.enumerated() {
        LimbRun.load(
          start + index &* count, count: count,
          bigEndian: UnsafeRawBufferPointer(rebasing: number.suffix(byteCount)))
      }
      RSAPrimeFactors.computeRadixes(start, count: count, byteCounts: lengths)
      #if HARDWARE_KERNELS && arch(x86_64)
        guard let shape else { return }
        VectorModulus.prepare(
          (0..<2).map { (UnsafePointer(start + $0 &* count), UnsafePointer(start + (5 &+ $0) &* count)) },
          count: count, bitCount: 8 &* (lengths.min() ?? 0) &- 7, shape: shape,
          memory: UnsafeMutableRawPointer(start + 7 &* count))
      #endif
    }
    guard withView({ Mask(bit: $0.p.limbs[0] & $0.q.limbs[0]) }).declassified else { return nil }
  }

  /// The sixth and seventh integers from the first two. An even integer in a prime's place gives a meaningless result.
  /// - Parameter byteCounts: the lengths of the primes: 2^(8 (byteCount − 1)) is below an odd one.
  private static func computeRadixes(_ limbs: UnsafeMutablePointer<UInt64>, count: Int, byteCounts: [Int]) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 &* count) { product in
      defer { wipe(UnsafeMutableRawBufferPointer(product)) }
      guard let product = product.baseAddress else { return }
      product.initialize(repeating: 0, count: 2 &* count)
      for prime in 0..<2 {
        MontgomeryModulus(limbs + prime &* count, count: count)
          .radixSquared(limbs + (5 &+ prime) &* count, bitCount: 8 &* byteCounts[prime] &- 7, product)
      }
    }
  }

  /// Calls `body` with the integers. The pointers must not leave it.
  @inline(__always)
  func withView<Result>(_ body: (View) -> Result) -> Result {
    storage.withUnsafeBytes { bytes in
      // The storage is never empty: a prime has at least 16 limbs.
      let limbs = bytes.assumingMemoryBound(to: UInt64.self).baseAddress.unsafelyUnwrapped
      #if HARDWARE_KERNELS && arch(x86_64)
        var view = View(limbs, count: count)
        if let shape { view.vectors = VectorModulus(memory: limbs + 7 &* count, shape: shape) }
      #else
        let view = View(limbs, count: count)
      #endif
      return body(view)
    }
  }

  /// The five integers of an encoding, most significant byte first, each as long as a prime.
  func withNumbers<Result>(_ body: (RSAPrivateNumbers.Factors) -> Result) -> Result {
    withUnsafeTemporaryAllocation(byteCount: 5 &* count &* 8, alignment: 8) { room in
      defer { wipe(room) }
      let numbers = (0..<5).map { index in
        UnsafeMutableRawBufferPointer(rebasing: room[(index &* count &* 8)..<((index &+ 1) &* count &* 8)])
      }
      withView { view in
        for (limbs, bytes) in zip([view.p.limbs, view.q.limbs, view.dp, view.dq, view.qi], numbers) {
          LimbRun.store(limbs, count: count, bigEndian: bytes)
        }
      }
      let views = numbers.map { UnsafeRawBufferPointer($0) }
      return body(
        RSAPrivateNumbers.Factors(p: views[0], q: views[1], dp: views[2], dq: views[3], qi: views[4]))
    }
  }
}

extension RSAPrimeFactors {
  /// Whether the integers belong to each other, to n, e and d:
  ///
  ///     p · q  = n
  ///     dp     = d mod (p − 1)
  ///     dq     = d mod (q − 1)
  ///     e · dp = 1 mod (p − 1)
  ///     e · dq = 1 mod (q − 1)
  ///     q · qi = 1 mod p
  ///
  /// A key that passes and still has a composite in a prime's place gives wrong results, which the check of every
  /// result catches.
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
