import Testing

@testable import PureCrypto

/// What divides candidates for primes, against divisions.
@Suite("RSA key generation: small primes")
struct RSASmallPrimesTests {
  private static let all = RSASmallPrimes.shared

  private static func isPrime(_ number: UInt64) -> Bool {
    number > 1 && !(2..<number).prefix { $0 * $0 <= number }.contains { number % $0 == 0 }
  }

  /// a mod m, a word at a time.
  private static func remainder(_ a: [UInt64], _ m: UInt64) -> UInt64 {
    UInt64(a.reversed().reduce(UInt128(0)) { ($0 << 64 | UInt128($1)) % UInt128(m) })
  }

  /// m · (2⁵²¹ − 1), which is a prime.
  private static func multiple(_ m: UInt64) -> [UInt64] {
    let prime = [UInt64](repeating: .max, count: 8) + [0x1ff]
    var a = [UInt64](repeating: 0, count: 10)
    LimbRun.product(&a, prime, aCount: 9, [m], bCount: 1)
    return a
  }

  @Test("every odd prime below 2¹⁵, and nothing else")
  func primes() {
    #expect(Self.all.primes.map(\.value) == (3..<1 << 15).filter { $0 & 1 == 1 && Self.isPrime($0) })
    for prime in Self.all.primes { #expect(prime.value &* prime.inverse == 1) }
  }

  @Test("each prime is in one product, and products are fours", arguments: [4, 6, 54, 100, 1000, 1 << 15])
  func products(bound: Int) {
    let some = RSASmallPrimes(below: bound)
    #expect(some.products.count & 3 == 0)
    #expect(some.products.first?.start == 0)
    for (index, product) in some.products.enumerated() {
      let end = index + 1 < some.products.count ? some.products[index + 1].start : some.primes.count
      #expect(product.value == some.primes[product.start..<end].reduce(1) { $0 * $1.value })
      #expect(product.value &* product.negatedInverse == .max)
    }
  }

  @Test("each prime is found where it is the only one, alone and squared")
  func factors() {
    let missed = Self.all.primes.map(\.value).filter { prime in
      ![prime, prime * prime].allSatisfy { Self.all.divide(Self.multiple($0), count: 10) }
    }
    #expect(missed == [])
  }

  @Test("a number that none of them divides is let through")
  func others() {
    // 1, primes above the bound and a product of two, and powers of 2.
    for m in [1, 32771, 65537, 32771 * 32779, 0xffff_ffff_ffff_ffc5, 1 << 63, 2] as [UInt64] {
      #expect(!Self.all.divide(Self.multiple(m), count: 10), "\(m)")
    }
  }

  @Test("numbers of every kind are told apart as divisions do", arguments: [1, 2, 3, 16, 24, 32])
  func divisions(count: Int) {
    var generator = SplitMix(state: UInt64(count))
    for _ in 0..<60 {
      let a = (0..<count).map { _ in generator.next() | 1 }
      let isDivided = Self.all.primes.contains { Self.remainder(a, $0.value) == 0 }
      #expect(Self.all.divide(a, count: count) == isDivided)
    }
  }
}
