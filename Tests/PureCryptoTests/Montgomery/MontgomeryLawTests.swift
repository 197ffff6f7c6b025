import Testing

@testable import PureCrypto

/// Arithmetic mod odd integers of any number of limbs, against slow integers, where carries get lost.
@Suite("Montgomery arithmetic on runs of limbs")
struct MontgomeryLawTests {
  private static func reference(_ limbs: [UInt64]) -> ReferenceInteger {
    ReferenceInteger(words: limbs.flatMap { [UInt32(truncatingIfNeeded: $0), UInt32(truncatingIfNeeded: $0 >> 32)] })
  }

  private static let awkward: [UInt64] = [0, 1, 1 << 63, ~0, ~0 - 1, 0x5555_5555_5555_5555]

  /// Runs of `count` limbs from the awkward ones, the all-equal and the single-limb ones among them.
  private static func runs(_ count: Int) -> [[UInt64]] {
    var generator = SplitMix(state: UInt64(count))
    var runs = awkward.map { [UInt64](repeating: $0, count: count) }
    for place in Set([0, count - 1]) {
      for limb in awkward {
        var run = [UInt64](repeating: 0, count: count)
        run[place] = limb
        runs.append(run)
      }
    }
    for _ in 0..<6 { runs.append((0..<count).map { _ in awkward[Int(generator.next() % 6)] }) }
    for _ in 0..<2 { runs.append((0..<count).map { _ in generator.next() }) }
    return runs
  }

  /// Odd moduli with a full top limb, an almost empty one, and limbs that invite carries.
  private static func moduli(_ count: Int) -> [[UInt64]] {
    runs(count).map { [$0[0] | 1] + $0.dropFirst() }.filter { $0[count - 1] != 0 && $0 != [1] }
  }

  @Test("products, squares and sums without a modulus", arguments: [1, 2, 3, 4, 5, 8, 9])
  func runsOfLimbs(count: Int) {
    let runs = Self.runs(count)
    for a in runs {
      for b in runs {
        var product = [UInt64](repeating: 7, count: 2 * count)
        LimbRun.product(&product, a, aCount: count, b, bCount: count)
        #expect(Self.reference(product) == Self.reference(a) * Self.reference(b))
        var sum = [UInt64](repeating: 7, count: count)
        let carry = LimbRun.sum(&sum, a, b, count: count)
        #expect(Self.reference(sum + [carry]) == Self.reference(a) + Self.reference(b))
        var difference = [UInt64](repeating: 7, count: count)
        let borrow = LimbRun.difference(&difference, a, b, count: count)
        #expect((borrow == 1) == (Self.reference(a) < Self.reference(b)))
        #expect(
          Self.reference(difference) + Self.reference(b)
            == Self.reference(a) + Self.reference([UInt64](repeating: 0, count: count) + [borrow]))
        #expect(LimbRun.isLess(a, than: b, count: count).declassified == (borrow == 1))
        #expect(LimbRun.equality(a, b, count: count).declassified == (a == b))
      }
      var square = [UInt64](repeating: 7, count: 2 * count)
      LimbRun.square(&square, a, count: count)
      #expect(Self.reference(square) == Self.reference(a) * Self.reference(a))
    }
  }

  @Test("r = a b R⁻¹ mod n: r R = a b, and r < n", arguments: [1, 2, 4, 5])
  func products(count: Int) {
    let radix = Self.reference([UInt64](repeating: 0, count: count) + [1])
    for n in Self.moduli(count) {
      let modulus = Self.reference(n)
      n.withUnsafeBufferPointer { limbs in
        guard let start = limbs.baseAddress else { return }
        let montgomery = MontgomeryModulus(start, count: count)
        let elements = Self.runs(count).filter { Self.reference($0) < modulus }
        for a in elements.prefix(10) {
          let x = Self.reference(a)
          for b in elements.suffix(6) {
            var r = [UInt64](repeating: 7, count: count)
            var room = [UInt64](repeating: 7, count: 2 * count)
            montgomery.multiply(&r, a, b, &room)
            #expect(Self.reference(r) < modulus)
            #expect((Self.reference(r) * radix) % modulus == (x * Self.reference(b)) % modulus)
            // The result may replace an operand.
            var replaced = a
            replaced.withUnsafeMutableBufferPointer { run in
              if let run = run.baseAddress { montgomery.multiply(run, run, b, &room) }
            }
            #expect(replaced == r)
            montgomery.difference(&r, a, b)
            #expect((Self.reference(r) + Self.reference(b)) % modulus == x)
          }
          var square = [UInt64](repeating: 7, count: count)
          var room = [UInt64](repeating: 7, count: 2 * count)
          montgomery.square(&square, a, &room)
          #expect((Self.reference(square) * radix) % modulus == (x * x) % modulus)
          var doubled = a
          montgomery.double(&doubled)
          #expect(Self.reference(doubled) == (x + x) % modulus)
        }
      }
    }
  }

  @Test("R² mod n, and public powers against repeated multiplication", arguments: [1, 2, 5])
  func powers(count: Int) {
    for n in Self.moduli(count).prefix(8) {
      let modulus = Self.reference(n)
      let bitCount = 64 * count - n[count - 1].leadingZeroBitCount
      n.withUnsafeBufferPointer { limbs in
        guard let start = limbs.baseAddress else { return }
        let montgomery = MontgomeryModulus(start, count: count)
        var radixSquared = [UInt64](repeating: 7, count: count)
        var room = [UInt64](repeating: 7, count: 3 * count)
        montgomery.radixSquared(&radixSquared, bitCount: bitCount, &room)
        let square = Self.reference([UInt64](repeating: 0, count: 2 * count) + [1]) % modulus
        #expect(Self.reference(radixSquared) == square)
        for a in Self.runs(count).filter({ Self.reference($0) < modulus }).prefix(5) {
          for exponent: UInt64 in [3, 5, 17, 21] {
            var expected = ReferenceInteger(1) % modulus
            for _ in 0..<exponent { expected = (expected * Self.reference(a)) % modulus }
            var r = [UInt64](repeating: 7, count: count)
            montgomery.powerVariableTime(&r, a, exponent: exponent, radixSquared: radixSquared, &room)
            #expect(Self.reference(r) == expected)
          }
        }
      }
    }
  }

  @Test("Powers with secret exponents against repeated multiplication", arguments: [1, 2, 4, 5])
  func secretPowers(count: Int) {
    for n in Self.moduli(count).filter({ $0[count - 1] >> 63 == 1 }).prefix(6) {
      let modulus = Self.reference(n)
      for a in Self.runs(count).filter({ Self.reference($0) < modulus }).prefix(5) {
        for exponent: UInt64 in [0, 1, 2, 15, 16, 31, 255] {
          var expected = ReferenceInteger(1) % modulus
          for _ in 0..<exponent { expected = (expected * Self.reference(a)) % modulus }
          #expect(Self.reference(MontgomeryModulus.power(a, [exponent], modulus: n)) == expected)
          #expect(Self.reference(MontgomeryModulus.power(a, [exponent, 0], modulus: n)) == expected)
        }
      }
    }
  }

  @Test("a · a⁻¹ = 1 mod n, and a⁻¹ < n", arguments: [1, 2, 3, 4, 5, 17, 31, 32])
  func inverses(count: Int) {
    for n in Self.moduli(count).prefix(count > 5 ? 6 : 40) {
      let modulus = Self.reference(n)
      var neighbour = n
      neighbour[0] -= 1
      let elements = Self.runs(count) + [neighbour]
      n.withUnsafeBufferPointer { limbs in
        guard let start = limbs.baseAddress else { return }
        let montgomery = MontgomeryModulus(start, count: count)
        for a in elements.suffix(count > 5 ? 6 : 40) where Self.reference(a) < modulus && Self.haveNoCommonDivisor(a, n)
        {
          var inverse = [UInt64](repeating: 7, count: count)
          montgomery.inverse(&inverse, of: a)
          #expect(Self.reference(inverse) < modulus)
          #expect((Self.reference(inverse) * Self.reference(a)) % modulus == ReferenceInteger(1) % modulus)
        }
      }
    }
  }

  /// Euclid's algorithm.
  private static func haveNoCommonDivisor(_ a: [UInt64], _ b: [UInt64]) -> Bool {
    var (x, y) = (reference(a), reference(b))
    while y != ReferenceInteger(0) { (x, y) = (y, x % y) }
    return x == ReferenceInteger(1)
  }
}
