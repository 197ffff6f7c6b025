internal import PureCryptoIntegers

/// The test of Miller and Rabin, on two numbers at a time: AVX-512 IFMA raises both to their powers in the same
/// registers.
///
/// The value is a view of limbs that the caller keeps alive.
///
/// Timing: depends on the number of limbs only.
/// Source: FIPS 186-5 §B.3.1.
struct RSAPrimalityTest {
  private let first: UnsafePointer<UInt64>
  private let second: UnsafePointer<UInt64>
  private let count: Int
  private let backend: Backend

  /// Takes two numbers, which may be the same.
  /// - Parameter first: `count` limbs, 3 mod 4, with the highest bit set. So is the second.
  init(_ first: UnsafePointer<UInt64>, _ second: UnsafePointer<UInt64>, count: Int, backend: Backend) {
    (self.first, self.second, self.count, self.backend) = (first, second, count, backend)
  }

  /// Whether each number passes some rounds, each with a random base of its own. A prime always does; a composite
  /// number passes a round with a probability of at most 1/4, and nearly always of far less.
  func passes(rounds: Int) -> (first: Mask, second: Mask) {
    #if HARDWARE_KERNELS && arch(x86_64)
      let shape = VectorShape.fitting(bitCount: 64 &* count, isPair: true, backend: backend)
      let vectorByteCount = shape?.byteCount ?? 0
    #else
      let vectorByteCount = 0
    #endif
    return withUnsafeTemporaryAllocation(byteCount: 64 &* count &+ vectorByteCount, alignment: 64) { room in
      defer { wipe(room) }
      guard let start = room.baseAddress else { return (.no, .no) }
      room.initializeMemory(as: UInt8.self, repeating: 0)
      let product = start.assumingMemoryBound(to: UInt64.self)
      // Two values and no array, which would not be wiped: −n⁻¹ mod 2⁶⁴ tells the lowest limb of a prime.
      let one = Side(first, count: count, room: product + 2 &* count, product: product)
      let two = Side(second, count: count, room: product + 5 &* count, product: product)
      var passes = (first: Mask.yes, second: Mask.yes)
      #if HARDWARE_KERNELS && arch(x86_64)
        let vectors = shape.map { shape in
          let memory = start + 64 &* count
          VectorModulus.prepare(
            [(first, UnsafePointer(one.radixSquared)), (second, UnsafePointer(two.radixSquared))], count: count,
            bitCount: 64 &* count, shape: shape, memory: memory)
          return VectorModulus(memory: memory, shape: shape)
        }
      #endif
      for _ in 0..<rounds {
        one.draw(product)
        two.draw(product)
        #if HARDWARE_KERNELS && arch(x86_64)
          if let vectors {
            vectors.powers(one.power, two.power)
          } else {
            one.raise(product)
            two.raise(product)
          }
        #else
          one.raise(product)
          two.raise(product)
        #endif
        passes.first = passes.first & one.isPlusOrMinusOne(product)
        passes.second = passes.second & two.isPlusOrMinusOne(product)
      }
      return passes
    }
  }

  /// One of the two numbers, n = 2t + 1 with t odd: a^t must be 1 or −1.
  private struct Side {
    let modulus: MontgomeryModulus
    let radixSquared: UnsafeMutablePointer<UInt64>
    let a: UnsafeMutablePointer<UInt64>
    let t: UnsafeMutablePointer<UInt64>

    /// - Parameter room: 3 · count limbs.
    /// - Parameter product: 2 · count limbs, as all that follow.
    init(
      _ limbs: UnsafePointer<UInt64>, count: Int, room: UnsafeMutablePointer<UInt64>,
      product: UnsafeMutablePointer<UInt64>
    ) {
      modulus = MontgomeryModulus(limbs, count: count)
      radixSquared = room
      a = room + count
      t = a + count
      modulus.radixSquared(radixSquared, bitCount: count &* 64, product)
      // n is odd: the shift drops its lowest bit.
      for index in 0..<count {
        let above = index &+ 1 < count ? limbs[index &+ 1] : 0
        t[index] = limbs[index] &>> 1 | above &<< 63
      }
    }

    /// Draws a base: a random number with 128 bits more than n, times R⁻¹ mod n, so that every base comes up as
    /// often as every other one. 0, 1 and −1 are not excluded: they don't come up.
    func draw(_ product: UnsafeMutablePointer<UInt64>) {
      let count = modulus.count
      (product + count).update(repeating: 0, count: count)
      SystemRandom.fill(UnsafeMutableRawBufferPointer(start: product, count: 8 &* (count &+ 2)))
      modulus.reduce(a, product)
    }

    /// a ← a^t.
    func raise(_ product: UnsafeMutablePointer<UInt64>) {
      modulus.multiply(a, a, radixSquared, product)
      modulus.power(a, a, exponent: t, exponentCount: modulus.count, radixSquared: radixSquared)
      modulus.integer(a, of: a, product)
    }

    #if HARDWARE_KERNELS && arch(x86_64)
      /// The same, for vectors.
      var power: VectorModulus.Power { VectorModulus.Power(r: a, exponent: t, modulus: modulus) }
    #endif

    func isPlusOrMinusOne(_ product: UnsafeMutablePointer<UInt64>) -> Mask {
      let count = modulus.count
      LimbRun.difference(product, modulus.limbs, a, count: count)
      return LimbRun.equality(a, word: 1, count: count) | LimbRun.equality(product, word: 1, count: count)
    }
  }
}
