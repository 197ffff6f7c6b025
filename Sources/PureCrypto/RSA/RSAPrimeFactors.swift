/// The primes of an RSA key and what the Chinese remainder theorem needs of them, as limbs in storage that is wiped.
///
/// p · q = n, dp = d mod (p − 1), dq = d mod (q − 1), qi = q⁻¹ mod p, and R² mod p and mod q: `count` limbs each, where
/// R = 2^(64 count) is above both primes.
struct RSAPrimeFactors: Sendable {
  private let storage: SecretBytes

  /// The number of limbs of each integer.
  let count: Int

  /// The integers for as long as a closure runs.
  struct View {
    let p: MontgomeryModulus
    let q: MontgomeryModulus
    let dp: UnsafePointer<UInt64>
    let dq: UnsafePointer<UInt64>
    let qi: UnsafePointer<UInt64>
    let radixSquaredP: UnsafePointer<UInt64>
    let radixSquaredQ: UnsafePointer<UInt64>

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

  /// The limbs of a prime: half of those of the modulus, rounded up.
  static func limbCount(modulusBitCount: Int) -> Int { (modulusBitCount &+ 127) &>> 7 }

  /// Reads the five integers.
  /// - Returns: `nil` when one is longer than half of the modulus, or a prime is even or not as long as FIPS 186-5 §A.1.1
  ///   demands: half of the modulus. Whether they belong together is checked by ``areConsistent(n:e:d:)``.
  init?(_ factors: RSAPrivateNumbers.Factors, modulusBitCount: Int) {
    let count = RSAPrimeFactors.limbCount(modulusBitCount: modulusBitCount)
    let primeBitCount = (modulusBitCount &+ 1) &>> 1
    let byteCount = (primeBitCount &+ 7) &>> 3
    let numbers = [factors.p, factors.q, factors.dp, factors.dq, factors.qi]
    // Leading zeros apart, lengths are no secret: every encoding shows them.
    guard
      numbers.allSatisfy({ number in
        number.count <= byteCount || number.dropLast(byteCount).allSatisfy { $0 == 0 }
      })
    else { return nil }
    self.count = count
    self.storage = SecretBytes(count: 7 &* count &* 8) { bytes in
      let limbs = bytes.assumingMemoryBound(to: UInt64.self)
      guard let start = limbs.baseAddress else { return }
      for (index, number) in numbers.enumerated() {
        LimbRun.load(
          start + index &* count, count: count,
          bigEndian: UnsafeRawBufferPointer(rebasing: number.suffix(byteCount)))
      }
      RSAPrimeFactors.computeRadixes(start, count: count, primeBitCount: primeBitCount)
    }
    // Both primes are odd, and their highest bit is where it must be.
    let top = primeBitCount &- 1
    let areAcceptable = withView { view in
      let pTop = view.p.limbs[top &>> 6] &>> UInt64(truncatingIfNeeded: top & 63)
      let qTop = view.q.limbs[top &>> 6] &>> UInt64(truncatingIfNeeded: top & 63)
      return (Mask(bit: view.p.limbs[0] & view.q.limbs[0]) & Mask(pTop, equals: 1) & Mask(qTop, equals: 1)).declassified
    }
    guard areAcceptable else { return nil }
  }

  /// The sixth and seventh integers from the first two. An even integer in a prime's place gives a meaningless result.
  private static func computeRadixes(_ limbs: UnsafeMutablePointer<UInt64>, count: Int, primeBitCount: Int) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 &* count) { product in
      defer { wipe(UnsafeMutableRawBufferPointer(product)) }
      guard let product = product.baseAddress else { return }
      product.initialize(repeating: 0, count: 2 &* count)
      for prime in 0..<2 {
        MontgomeryModulus(limbs + prime &* count, count: count)
          .radixSquared(limbs + (5 &+ prime) &* count, bitCount: primeBitCount, product)
      }
    }
  }

  /// Calls `body` with the integers. The pointers must not leave it.
  @inline(__always)
  func withView<Result>(_ body: (View) -> Result) -> Result {
    storage.withUnsafeBytes { bytes in
      // The storage is never empty: a prime has at least 16 limbs.
      body(View(bytes.assumingMemoryBound(to: UInt64.self).baseAddress.unsafelyUnwrapped, count: count))
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
