import Testing

@testable import PureCrypto

@Suite("RSA key generation: primes and composite numbers")
struct RSAPrimalityTestTests {
  /// 2^(64 count) − c.
  private static func below(_ c: UInt64, count: Int) -> [UInt64] {
    [0 &- c] + [UInt64](repeating: .max, count: count - 1)
  }

  /// The highest primes 3 mod 4 of 1024, 1536 and 2048 bits.
  static let primes = [below(105, count: 16), below(3453, count: 24), below(1557, count: 32)]

  /// (2⁵¹² − 569)(2⁵¹² − 875), of two primes.
  static let composite: [UInt64] = {
    var product = [UInt64](repeating: 0, count: 16)
    LimbRun.product(&product, below(569, count: 8), aCount: 8, below(875, count: 8), bCount: 8)
    return product
  }()

  private static func passes(
    _ first: [UInt64], _ second: [UInt64], rounds: Int, _ backend: Backend
  ) -> [Bool] {
    first.withUnsafeBufferPointer { first in
      second.withUnsafeBufferPointer { second in
        guard let one = first.baseAddress, let two = second.baseAddress else { return [] }
        let passes = RSAPrimalityTest(one, two, count: first.count, backend: backend).passes(rounds: rounds)
        return [passes.first.declassified, passes.second.declassified]
      }
    }
  }

  @Test("a prime passes, and its composite neighbours don't, on either side", arguments: Backend.available)
  func sides(backend: Backend) {
    for prime in Self.primes {
      #expect(Self.passes(prime, prime, rounds: 5, backend) == [true, true])
      // Both are 3 mod 4, and neither is prime.
      for change in [12, .max - 7] as [UInt64] {
        let composite = [prime[0] &- change] + prime.dropFirst()
        #expect(Self.passes(prime, composite, rounds: 1, backend) == [true, false])
        #expect(Self.passes(composite, prime, rounds: 1, backend) == [false, true])
        #expect(Self.passes(composite, composite, rounds: 2, backend) == [false, false])
      }
    }
    #expect(Self.passes(Self.composite, Self.primes[0], rounds: 1, backend) == [false, true])
  }

  @Test("what is made is prime, of its length, 3 mod 4, and not 1 mod e", arguments: Backend.available)
  func search(backend: Backend) {
    for count in [16, 24] {
      var p = [UInt64](repeating: 0, count: count)
      RSAPrimeCandidate.fill(&p, count: count, backend: backend)
      #expect(p[count - 1] >> 62 == 3 && p[0] & 3 == 3)
      for other in Backend.available { #expect(Self.passes(p, p, rounds: 3, other) == [true, true]) }
      let e = RSAPrimeCandidate.publicExponent
      #expect(p.reversed().reduce(UInt128(0)) { ($0 << 64 | UInt128($1)) % UInt128(e) } != 1)
      #expect(!RSASmallPrimes.shared.divide(p, count: count))
    }
  }

  #if DEBUG
    /// Runs a closure with candidates of 16 limbs and bases of 18 as they are given, and random ones after them.
    /// - Returns: how many candidates and bases were drawn.
    private func given(
      candidates: [[UInt64]], bases: [[UInt64]] = [], _ body: () throws -> Void
    ) rethrows -> [Int] {
      let script = DrawScript(candidates: candidates, bases: bases)
      let observer = SecretEvents(drawing: { script.fill($0) }, wiping: { _ in })
      try SecretEvents.$observer.withValue(observer) { try body() }
      return script.counts
    }

    @Test("a prime takes five rounds, and a chance pass in the first does not help", arguments: Backend.available)
    func rounds(backend: Backend) {
      var p = [UInt64](repeating: 0, count: 16)
      let (prime, composite) = (Self.primes[0], Self.composite)
      var counts = given(candidates: [prime, prime]) { RSAPrimeCandidate.fill(&p, count: 16, backend: backend) }
      #expect(p == prime)
      // One on each side, and then four for the first.
      #expect(counts == [2, 6])
      counts = given(candidates: [composite, prime]) { RSAPrimeCandidate.fill(&p, count: 16, backend: backend) }
      #expect(p == prime)
      #expect(counts == [2, 6])
      // R mod n = R − n makes 1 of a base.
      var one = composite.map { ~$0 }
      one[0] &+= 1
      counts = given(
        candidates: [composite, composite, composite, prime], bases: [one + [0, 0], one + [0, 0]]
      ) { RSAPrimeCandidate.fill(&p, count: 16, backend: backend) }
      #expect(p == prime)
      #expect(counts == [4, 2 + 4 + 4 + 2 + 4])
    }

    @Test("every round counts, on either side", arguments: Backend.available)
    func chance(backend: Backend) {
      let composite = Self.composite
      var one = composite.map { ~$0 }
      one[0] &+= 1
      let lucky = one + [0, 0]
      // An empty base stands for a random one.
      for (bases, expected) in [
        ([lucky, lucky, lucky, lucky], [true, true]), ([lucky, lucky, [], []], [false, false]),
        ([[], [], lucky, lucky], [false, false]), ([lucky, [], lucky, lucky], [true, false]),
        ([lucky, lucky, [], lucky], [false, true]),
      ] as [([[UInt64]], [Bool])] {
        var passes: [Bool] = []
        _ = given(candidates: [], bases: bases) { passes = Self.passes(composite, composite, rounds: 2, backend) }
        #expect(passes == expected)
      }
    }

    @Test("no multiple of a small prime, and no prime that is 1 mod e")
    func refused() {
      var p = [UInt64](repeating: 0, count: 16)
      let prime = Self.primes[0]
      // 2¹⁰²⁴ − 99 681 777 is such a prime, and 2¹⁰²⁴ − 1 is divisible by 3.
      let counts = given(
        candidates: [Self.below(99_681_777, count: 16), Self.below(1, count: 16), prime, prime]
      ) { RSAPrimeCandidate.fill(&p, count: 16) }
      #expect(p == prime)
      #expect(counts == [4, 6])
    }

    @Test("the highest two and the lowest two bits are set")
    func bits() {
      var p = [UInt64](repeating: 0, count: 16)
      // 2¹⁰²⁴ − 105 ends in 0b11, and begins with 0b11.
      var bare = Self.primes[0]
      bare[15] &= ~(3 << 62)
      bare[0] &= ~3
      _ = given(candidates: [bare, bare]) { RSAPrimeCandidate.fill(&p, count: 16) }
      #expect(p == Self.primes[0])
    }

    @Test("two primes whose highest limbs are the same or neighbours are not taken")
    func distance() throws {
      let p = Self.primes[0]
      let near = Self.below(1397, count: 16)
      // 2¹⁰²⁴ − 2⁹⁶⁰ − 793.
      let neighbour = Array(Self.below(793, count: 16).dropLast()) + [.max - 1]
      for close in [p, near, neighbour] {
        let counts = try given(candidates: [p, p, close, close]) {
          let factors = try AnyRSAPrivateKey(bitCount: 2048).numbers.factors
          let highest = factors.prefix(2).map { factor in factor.withUnsafeBytes { Array($0.prefix(8)) } }
          #expect(highest[0] == [UInt8](repeating: 0xff, count: 8))
          #expect(!highest[1].dropLast().allSatisfy { $0 == 0xff })
        }
        // The six rounds of each prime, and then a search.
        #expect(counts[0] >= 6)
      }
    }
  #endif
}
