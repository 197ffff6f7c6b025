import TestSupport
import Testing

@testable import PureCrypto

/// Arithmetic mod n against slow integers, on awkward values.
@Suite("P-256 scalars") struct ScalarTests {
  static let n = AwkwardIntegers.n
  static let samples = AwkwardIntegers.below(n)
  static let radix = (AwkwardIntegers.reference(UInt256(~0, ~0, ~0, ~0)) + ReferenceInteger(1)) % n

  func isReduced(_ scalar: Scalar) -> Bool {
    scalar.residue.isLess(than: Scalar.modulus).declassified
  }

  @Test func constants() {
    #expect(AwkwardIntegers.reference(Scalar.modulus) == Self.n)
    #expect(AwkwardIntegers.reference(Scalar.one.residue) == Self.radix)
    #expect(Scalar.one.integer == .one)
  }

  @Test func reductionOfAnyInteger() {
    for sample in AwkwardIntegers.below2To256(around: Self.n) {
      let reference = AwkwardIntegers.reference(sample)
      let scalar = Scalar(reducing: sample)
      #expect(isReduced(scalar))
      #expect(AwkwardIntegers.reference(scalar.integer) == reference % Self.n)
      let isInRange = reference < Self.n && reference != ReferenceInteger(0)
      #expect(Scalar.isInRange(sample).declassified == isInRange)
      let decoded = sample.bigEndianBytes.withUnsafeBytes { bytes in
        bytes.baseAddress.map { Scalar.decode($0) } ?? (.zero, .no)
      }
      #expect(decoded.scalar == scalar)
      #expect(decoded.isInRange.declassified == isInRange)
    }
  }

  @Test func products() {
    for (index, a) in Self.samples.enumerated() {
      let x = Scalar(residue: a)
      for b in Self.samples[(index % 7)...].prefix(3) + [a] {
        let product = x * Scalar(residue: b)
        #expect(isReduced(product))
        let expected = (AwkwardIntegers.reference(a) * AwkwardIntegers.reference(b)) % Self.n
        #expect(AwkwardIntegers.reference(product.residue) * Self.radix % Self.n == expected)
      }
      #expect(x.squared == x * x)
    }
  }

  @Test func sumsAndDifferences() {
    for a in Self.samples {
      for b in Self.samples.prefix(6) {
        let x = Scalar(reducing: a)
        let y = Scalar(reducing: b)
        let sum = AwkwardIntegers.reference(a) + AwkwardIntegers.reference(b)
        #expect(AwkwardIntegers.reference((x + y).integer) == sum % Self.n)
        #expect((x + y) - y == x)
        #expect(isReduced(x + y) && isReduced(x - y))
      }
    }
  }

  @Test func inverses() {
    for sample in Self.samples {
      let a = Scalar(residue: sample)
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
    let scalar = Scalar.random { buffer in
      let draw = draws.removeFirst()
      if let start = buffer.baseAddress { draw.storeBigEndian(to: start) }
    }
    #expect(scalar == UInt256(5, 0, 0, 0))
    #expect(draws.count == 1)
  }
}
