import PureCryptoIntegers
import PureJOSETestSupport
import Testing

@testable import PureCrypto

/// Arithmetic mod n against slow integers, on awkward values.
@Suite("P-256 scalars") struct ScalarTests {
  static let n = AwkwardIntegers.n
  static let samples = AwkwardIntegers.below(n)
  static let radix = (AwkwardIntegers.reference(UInt256(~0, ~0, ~0, ~0)) + ReferenceInteger(1)) % n

  func isReduced(_ scalar: Scalar) -> Bool {
    scalar.representative.isLess(than: Scalar.modulus).declassified
  }

  @Test func constants() {
    #expect(AwkwardIntegers.reference(Scalar.modulus) == Self.n)
    #expect(AwkwardIntegers.reference(Scalar.one.representative) == Self.radix)
    #expect(Scalar.one.integer == .one)
  }

  @Test func reductionOfAnyInteger() {
    for sample in AwkwardIntegers.below2To256(around: Self.n) {
      let reference = AwkwardIntegers.reference(sample)
      let scalar = Scalar(sample)
      #expect(isReduced(scalar))
      #expect(AwkwardIntegers.reference(scalar.integer) == reference % Self.n)
      let isInRange = reference < Self.n && reference != ReferenceInteger(0)
      #expect(Scalar.isInRange(sample).declassified == isInRange)
      // The digest of a message, which is longer than n or as long.
      let bytes = sample.bigEndianBytes + [1, 2, 3]
      #expect(bytes.withUnsafeBytes { Scalar.leftmostBits(of: $0) } == sample)
    }
  }

  @Test func products() {
    for (index, a) in Self.samples.enumerated() {
      let x = Scalar(representative: a)
      for b in Self.samples[(index % 7)...].prefix(3) + [a] {
        let product = x * Scalar(representative: b)
        #expect(isReduced(product))
        let expected = (AwkwardIntegers.reference(a) * AwkwardIntegers.reference(b)) % Self.n
        #expect(AwkwardIntegers.reference(product.representative) * Self.radix % Self.n == expected)
      }
      #expect(x.squared == x * x)
    }
  }

  @Test func sumsAndDifferences() {
    for a in Self.samples {
      for b in Self.samples.prefix(6) {
        let x = Scalar(a)
        let y = Scalar(b)
        let sum = AwkwardIntegers.reference(a) + AwkwardIntegers.reference(b)
        #expect(AwkwardIntegers.reference((x + y).integer) == sum % Self.n)
        #expect((x + y) - y == x)
        #expect(isReduced(x + y) && isReduced(x - y))
      }
    }
  }

  @Test func inverses() {
    for sample in Self.samples {
      let a = Scalar(representative: sample)
      let inverse = a.inverted
      #expect(isReduced(inverse))
      #expect(inverse == a.invertedVariableTime())
      #expect(a * inverse == (a.isZero.declassified ? .zero : .one))
    }
  }

  /// Draws that are 0, n or more are thrown away, all others are used as they are.
  @Test func rejectionSampling() {
    var draws: [UInt256] = [
      .zero, Scalar.modulus, UInt256(~0, ~0, ~0, ~0), UInt256(5, 0, 0, 0), UInt256(6, 0, 0, 0),
    ]
    let scalar = Scalar.candidate { buffer in
      let draw = draws.removeFirst()
      if let start = buffer.baseAddress { draw.storeBigEndian(to: start) }
    }
    #expect(scalar == UInt256(5, 0, 0, 0))
    #expect(draws.count == 1)
  }
}
