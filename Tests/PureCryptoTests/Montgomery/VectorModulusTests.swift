#if HARDWARE_KERNELS && arch(x86_64)
  import Testing

  @testable import PureCrypto

  /// Powers in vector registers against those of limbs, which `MontgomeryLawTests` compare with slow integers.
  @Suite("Montgomery arithmetic in vector registers", .enabled(if: Backend.available.contains(.avx2)))
  struct VectorModulusTests {
    /// Integers of so many bits that invite carries: the highest bit alone, all bits, long runs of ones and of zeros,
    /// and any.
    private static func integers(bitCount: Int) -> [[UInt64]] {
      var generator = SplitMix(state: UInt64(bitCount))
      let count = (bitCount + 63) / 64
      let unused = UInt64(64 * count - bitCount)
      let bodies: [[UInt64]] = [
        [UInt64](repeating: 0, count: count), [UInt64](repeating: ~0, count: count),
        (0..<count).map { $0 % 3 == 0 ? ~0 : 0 }, (0..<count).map { $0 < count / 2 ? ~0 : 0 },
        (0..<count).map { $0 < count / 2 ? 0 : ~0 }, (0..<count).map { _ in generator.next() },
        (0..<count).map { _ in generator.next() },
      ]
      return bodies.map { body in
        var integer = body
        integer[count - 1] = (integer[count - 1] << unused | 1 << 63) >> unused
        return integer
      }
    }

    private static func odd(_ integers: [[UInt64]]) -> [[UInt64]] { integers.map { [$0[0] | 1] + $0.dropFirst() } }

    /// 0, 1, n − 1, n with one bit less each, and any integer below n.
    private static func elements(below n: [UInt64]) -> [[UInt64]] {
      let zero = [UInt64](repeating: 0, count: n.count)
      var generator = SplitMix(state: n[0])
      var any = n.map { _ in generator.next() }
      any[n.count - 1] = n[n.count - 1] / 2
      return [zero, [1] + zero.dropFirst(), [n[0] - 1] + n.dropFirst(), zero.dropLast() + [n[n.count - 1] / 2], any]
    }

    private static func withModulus<Result>(_ n: [UInt64], _ body: (MontgomeryModulus) throws -> Result) rethrows
      -> Result
    {
      try n.withUnsafeBufferPointer { try body(MontgomeryModulus($0.baseAddress!, count: n.count)) }
    }

    private static func withVectors<Result>(
      _ moduli: [MontgomeryModulus], bitCount: Int, backend: Backend, _ body: (VectorModulus) -> Result
    ) throws -> Result {
      let shape = try #require(
        VectorShape.fitting(bitCount: bitCount, isPair: moduli.count == 2, backend: backend))
      let radixesSquared = moduli.map { modulus in
        [UInt64](unsafeUninitializedCapacity: modulus.count) { limbs, initializedCount in
          var room = [UInt64](repeating: 7, count: 2 * modulus.count)
          limbs.initialize(repeating: 7)
          modulus.radixSquared(limbs.baseAddress!, bitCount: bitCount, &room)
          initializedCount = modulus.count
        }
      }
      return withUnsafeTemporaryAllocation(byteCount: shape.byteCount, alignment: 8) { memory in
        radixesSquared[0].withUnsafeBufferPointer { first in
          radixesSquared[moduli.count - 1].withUnsafeBufferPointer { last in
            let both: [(limbs: UnsafePointer<UInt64>, radixSquared: UnsafePointer<UInt64>)] = [
              (moduli[0].limbs, first.baseAddress!), (moduli[moduli.count - 1].limbs, last.baseAddress!),
            ]
            VectorModulus.prepare(
              Array(both.prefix(moduli.count)), count: moduli[0].count, bitCount: bitCount, shape: shape,
              memory: memory.baseAddress!)
          }
        }
        return body(VectorModulus(memory: UnsafeRawPointer(memory.baseAddress!), shape: shape))
      }
    }

    // On both sides of what 5, 8 and 10 registers hold.
    @Test(
      "public powers with IFMA", .enabled(if: Backend.available.contains(.avx512ifma)),
      arguments: [2048, 2049, 2075, 2076, 2077, 3072, 3324, 3325, 4096, 4156])
    func publicPowersWithIFMA(bitCount: Int) throws { try checkPublicPowers(bitCount: bitCount, backend: .avx512ifma) }

    // On both sides of what 18, 28 and 36 registers of four lanes hold.
    @Test(
      "public powers with AVX2", arguments: [2048, 2049, 2083, 2084, 2085, 3072, 3127, 3128, 3129, 4096, 4171, 4172])
    func publicPowersWithAVX2(bitCount: Int) throws { try checkPublicPowers(bitCount: bitCount, backend: .avx2) }

    // On both sides of what 10, 15 and 19 registers hold.
    @Test(
      "public powers without IFMA", .enabled(if: Backend.available.contains(.avx512)),
      arguments: [2048, 2049, 2050, 3071, 3072, 3074, 3075, 3076, 4096, 4099, 4100])
    func publicPowersWithoutIFMA(bitCount: Int) throws { try checkPublicPowers(bitCount: bitCount, backend: .avx512) }

    private func checkPublicPowers(bitCount: Int, backend: Backend) throws {
      for n in Self.odd(Self.integers(bitCount: bitCount)) {
        try Self.withModulus(n) { modulus in
          var room = [UInt64](repeating: 7, count: 3 * n.count)
          var radixSquared = [UInt64](repeating: 7, count: n.count)
          modulus.radixSquared(&radixSquared, bitCount: bitCount, &room)
          try Self.withVectors([modulus], bitCount: bitCount, backend: backend) { vectors in
            for a in Self.elements(below: n) {
              for exponent: UInt64 in [3, 5, 0x1_0001, 0xffff_fff1] {
                var expected = [UInt64](repeating: 7, count: n.count)
                modulus.powerVariableTime(&expected, a, exponent: exponent, radixSquared: radixSquared, &room)
                var power = [UInt64](repeating: 7, count: n.count)
                vectors.powerVariableTime(&power, a, exponent: exponent, modulus: modulus)
                #expect(power == expected)
              }
            }
          }
        }
      }
    }

    @Test(
      "pairs of secret powers", .enabled(if: Backend.available.contains(.avx512ifma)),
      arguments: [1024, 1036, 1037, 1536, 1660, 1661, 2048, 2076])
    func pairs(bitCount: Int) throws { try checkPairs(bitCount: bitCount, backend: .avx512ifma) }

    @Test(
      "pairs of secret powers with AVX2", arguments: [1024, 1040, 1041, 1536, 1562, 1563, 2048, 2084])
    func pairsWithAVX2(bitCount: Int) throws { try checkPairs(bitCount: bitCount, backend: .avx2) }

    private func checkPairs(bitCount: Int, backend: Backend) throws {
      let moduli = Self.odd(Self.integers(bitCount: bitCount))
      let exponents = Self.integers(bitCount: 64 * moduli[0].count)
      for (index, p) in moduli.enumerated() {
        let q = moduli[(index + 3) % moduli.count]
        let bases = zip(Self.elements(below: p), Self.elements(below: q).reversed())
        for (number, (a, b)) in bases.enumerated() where (number + index) % 5 < 2 {
          let x = exponents[(index + number) % exponents.count]
          let y =
            number == 0 ? [UInt64](repeating: 0, count: x.count) : exponents[(index + 2 * number + 1) % exponents.count]
          var powers = (a, b)
          try Self.withModulus(p) { pModulus in
            try Self.withModulus(q) { qModulus in
              try Self.withVectors([pModulus, qModulus], bitCount: bitCount, backend: backend) { vectors in
                powers.0.withUnsafeMutableBufferPointer { first in
                  powers.1.withUnsafeMutableBufferPointer { second in
                    x.withUnsafeBufferPointer { x in
                      y.withUnsafeBufferPointer { y in
                        vectors.powers(
                          .init(r: first.baseAddress!, exponent: x.baseAddress!, modulus: pModulus),
                          .init(r: second.baseAddress!, exponent: y.baseAddress!, modulus: qModulus))
                      }
                    }
                  }
                }
              }
            }
          }
          #expect(powers.0 == Self.power(a, x, modulus: p, bitCount: bitCount))
          #expect(powers.1 == Self.power(b, y, modulus: q, bitCount: bitCount))
        }
      }
    }

    private static func power(_ a: [UInt64], _ x: [UInt64], modulus n: [UInt64], bitCount: Int) -> [UInt64] {
      withModulus(n) { modulus in
        var room = [UInt64](repeating: 7, count: 2 * n.count)
        var radixSquared = [UInt64](repeating: 7, count: n.count)
        modulus.radixSquared(&radixSquared, bitCount: bitCount, &room)
        var r = [UInt64](repeating: 7, count: n.count)
        modulus.multiply(&r, a, radixSquared, &room)
        r.withUnsafeMutableBufferPointer { r in
          let r = r.baseAddress!
          modulus.power(r, r, exponent: x, exponentCount: x.count, radixSquared: radixSquared)
          modulus.integer(r, of: r, &room)
        }
        return r
      }
    }

    @Test("what vectors can't hold is left to limbs, and keys are equal on every backend")
    func limits() throws {
      func registerCount(_ bitCount: Int, isPair: Bool, _ backend: Backend) -> Int? {
        VectorShape.fitting(bitCount: bitCount, isPair: isPair, backend: backend)?.registerCount
      }
      #expect(registerCount(4156, isPair: false, .avx512ifma) == 10)
      #expect(registerCount(4157, isPair: false, .avx512ifma) == nil)
      #expect(registerCount(2077, isPair: true, .avx512ifma) == nil)
      #expect(registerCount(2048, isPair: false, .avx512) == 10)
      #expect(registerCount(2049, isPair: false, .avx512) == 15)
      #expect(registerCount(4100, isPair: false, .avx512) == 19)
      #expect(registerCount(4101, isPair: false, .avx512) == nil)
      #expect(registerCount(1024, isPair: true, .avx512) == 9)
      #expect(registerCount(1040, isPair: true, .avx2) == 9)
      #expect(registerCount(1041, isPair: true, .avx2) == 14)
      #expect(registerCount(2084, isPair: true, .avx2) == 18)
      #expect(registerCount(2085, isPair: true, .avx2) == nil)
      #expect(registerCount(2048, isPair: false, .avx2) == 18)
      #expect(registerCount(2085, isPair: false, .avx2) == 28)
      #expect(registerCount(4172, isPair: false, .avx2) == 36)
      #expect(registerCount(4173, isPair: false, .avx2) == nil)
      #expect(registerCount(2084, isPair: true, .avx2vaes) == 18)
      #expect(registerCount(4172, isPair: false, .avx2vaes) == 36)
      #expect(registerCount(2048, isPair: false, .aesni) == nil)
      for byteCount in [256, 384, 512, 520, 1024] {
        let n = [0x80] + [UInt8](repeating: 0x5a, count: byteCount - 2) + [0x01]
        let signature = [0] + [UInt8](repeating: 0xc3, count: byteCount - 1)
        let keys = try Backend.available.map { backend in
          try n.withUnsafeBytes { n in
            try [UInt8]([1, 0, 1]).withUnsafeBytes { try AnyRSAPublicKey(n: n, e: $0, backend: backend) }
          }
        }
        let powers = signature.withUnsafeBytes { signature in
          keys.map { key in key.withPower(of: signature) { Array($0) } }
        }
        #expect(powers[0] != nil)
        for (key, power) in zip(keys, powers) {
          #expect(key == keys[0] && key.hashValue == keys[0].hashValue)
          #expect(power == powers[0])
        }
      }
    }
  }
#endif
