import Testing

@testable import PureCrypto

/// What finds the primes of a key and makes its private integers, against slow integers.
@Suite("RSA key generation: remainders, the inverse of e")
struct RSAPrimeCandidateTests {
  private static func reference(_ limbs: [UInt64]) -> ReferenceInteger {
    ReferenceInteger(words: limbs.flatMap { [UInt32(truncatingIfNeeded: $0), UInt32(truncatingIfNeeded: $0 >> 32)] })
  }

  /// a mod m, a word at a time.
  private static func remainder(_ a: [UInt64], _ m: UInt64) -> UInt64 {
    UInt64(a.reversed().reduce(UInt128(0)) { ($0 << 64 | UInt128($1)) % UInt128(m) })
  }

  private static let moduli: [UInt64] = [
    3, 5, 53, 65537, 0xffff_ffff, 0x1_0000_0001, 0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0001,
    16_294_579_238_595_022_365, 0xffff_ffff_ffff_fffd,
  ]

  /// 0, 1, all ones, runs of ones, limbs of a modulus and its neighbours, random ones.
  private static func runs(_ count: Int, around m: UInt64) -> [[UInt64]] {
    var generator = SplitMix(state: m ^ UInt64(count))
    var runs = [0, 1, .max, m, m &- 1, m &+ 1, 1 << 63].map { [$0] + [UInt64](repeating: 0, count: count - 1) }
    runs += [0, .max, m, m &- 1].map { [UInt64](repeating: $0, count: count) }
    runs += (0..<64 * count).filter { $0 % 37 == 0 }.map { shift in
      (0..<count).map { index in
        let low = min(max(shift - 64 * index, 0), 64)
        return low == 64 ? .max : (1 << UInt64(low)) &- 1
      }
    }
    runs += (0..<8).map { _ in (0..<count).map { _ in generator.next() } }
    // Multiples of m: a product with a random word, in the limbs that it needs.
    runs += (0..<4).map { _ in
      let product = m.multipliedFullWidth(by: generator.next())
      return count == 1 ? [m] : [product.low, product.high] + [UInt64](repeating: 0, count: count - 2)
    }
    return runs
  }

  @Test("r · 2^(64 count) = a mod m, and r ≤ m", arguments: [1, 2, 3, 16, 17])
  func scaledRemainders(count: Int) {
    for m in Self.moduli {
      let radix = Self.remainder([0, 1], m)
      for a in Self.runs(count, around: m) {
        let r = RSAPrimeCandidate.scaledRemainder(a, modulo: m, count: count)
        #expect(r <= m)
        let scaled = (0..<count).reduce(r % m) { product, _ in UInt64(UInt128(product) * UInt128(radix) % UInt128(m)) }
        #expect(scaled == Self.remainder(a, m), "\(a) mod \(m)")
      }
    }
  }

  @Test("e · d = 1 mod φ, and d < φ", arguments: [2, 4, 16, 32])
  func exponents(count: Int) {
    let e = RSAPrimeCandidate.publicExponent
    for a in Self.runs(count, around: e) where a[count - 1] != 0 && Self.remainder(a, e) != 0 {
      var d = a
      RSAPrimeCandidate.invertExponent(modulo: &d, count: count)
      let phi = Self.reference(a)
      #expect(Self.reference(d) < phi)
      #expect((Self.reference(d) * ReferenceInteger(UInt32(e))) % phi == ReferenceInteger(1))
    }
  }

  @Test("remainders by a long modulus, its neighbours among them", arguments: [1, 2, 5])
  func longRemainders(count: Int) {
    for m in Self.runs(count, around: 65537) where m.contains(where: { $0 != 0 }) {
      var above = m
      above[0] &+= 1
      var below = m
      below[0] &-= 1
      for a in Self.runs(2 * count, around: m[0])
        + [m, above, below].map({ $0 + [UInt64](repeating: 0, count: count) })
      {
        var r = [UInt64](repeating: 7, count: count)
        LimbRun.remainder(&r, a, aCount: 2 * count, modulus: m, count: count)
        #expect(Self.reference(r) == Self.reference(a) % Self.reference(m))
      }
    }
  }

  @Test("lengths without leading zeros, and whether an integer fits")
  func lengths() {
    for zeros in 0...9 {
      for count in 0...9 {
        let bytes = [UInt8](repeating: 0, count: zeros) + [UInt8](repeating: 0x80, count: count)
        bytes.withUnsafeBytes { bytes in
          #expect(LimbRun.significantByteCount(bytes).declassified == count)
          for byteCount in 0...12 {
            #expect(LimbRun.fits(bytes, byteCount: byteCount).declassified == (count <= byteCount))
          }
        }
      }
    }
    let sparse: [UInt8] = [0, 0, 1, 0, 0]
    #expect(sparse.withUnsafeBytes { LimbRun.significantByteCount($0).declassified } == 3)
  }
}
