import PureCryptoIntegers
import PureJOSETestSupport
import Testing

@testable import PureCrypto

/// Arithmetic mod p against slow integers, on awkward values.
@Suite("P-256 field elements") struct FieldElementTests {
  static let p = AwkwardIntegers.p
  static let samples = AwkwardIntegers.below(p)

  func isReduced(_ element: FieldElement) -> Bool {
    element.representative.isLess(than: FieldElement.modulus).declassified
  }

  @Test func constants() {
    let radix = AwkwardIntegers.reference(UInt256(~0, ~0, ~0, ~0)) + ReferenceInteger(1)
    #expect(AwkwardIntegers.reference(FieldElement.modulus) == Self.p)
    #expect(AwkwardIntegers.reference(FieldElement.one.representative) == radix % Self.p)
    #expect(FieldElement.one.integer == .one)
    #expect(FieldElement.zero.integer == .zero)
  }

  @Test func conversionBothWays() {
    for sample in Self.samples {
      let element = FieldElement(sample)
      #expect(isReduced(element))
      #expect(element.integer == sample)
    }
  }

  @Test func decodingJudgesTheRange() {
    for sample in AwkwardIntegers.below2To256(around: Self.p) {
      let integer = sample.bigEndianBytes.withUnsafeBytes { UInt256(bigEndian: $0) }
      let (element, isCanonical) = (FieldElement(integer), FieldElement.isCanonical(integer))
      let reference = AwkwardIntegers.reference(sample)
      #expect(isCanonical.declassified == (reference < Self.p))
      #expect(isReduced(element))
      #expect(AwkwardIntegers.reference(element.integer) == reference % Self.p)
    }
  }

  @Test func sumsAndDifferences() {
    for a in Self.samples {
      let x = FieldElement(a)
      let ra = AwkwardIntegers.reference(a)
      for b in Self.samples.prefix(24) {
        let y = FieldElement(b)
        let rb = AwkwardIntegers.reference(b)
        let sum = x + y
        let difference = x - y
        #expect(isReduced(sum) && isReduced(difference))
        let rs = ra + rb
        #expect(AwkwardIntegers.reference(sum.integer) == (rs < Self.p ? rs : rs - Self.p))
        #expect(AwkwardIntegers.reference(difference.integer) == (rb < ra || rb == ra ? ra - rb : ra + Self.p - rb))
      }
      #expect((x + -x).isZero.declassified)
      #expect(x.halved.doubled == x)
      #expect(isReduced(x.halved))
      #expect(x.doubled == x + x)
    }
  }

  @Test func products() {
    // Residues, not elements, are awkward here: x stands for a · R⁻¹. So x · y · R = a · b · R⁻¹, and times
    // R once more: a b.
    for (index, a) in Self.samples.enumerated() {
      let x = FieldElement(representative: a)
      for b in Self.samples[(index % 7)...].prefix(3) + [a] {
        let y = FieldElement(representative: b)
        let product = x * y
        #expect(isReduced(product))
        let expected = (AwkwardIntegers.reference(a) * AwkwardIntegers.reference(b)) % Self.p
        #expect(AwkwardIntegers.reference(product.representative) * Self.radix % Self.p == expected)
        #expect(product == y * x)
      }
      #expect(x.squared == x * x)
      #expect(isReduced(x.squared))
    }
  }

  @Test func productsOfElements() {
    for a in Self.samples.prefix(40) {
      for b in Self.samples.suffix(20) {
        let expected = (AwkwardIntegers.reference(a) * AwkwardIntegers.reference(b)) % Self.p
        #expect(AwkwardIntegers.reference((FieldElement(a) * FieldElement(b)).integer) == expected)
      }
    }
  }

  @Test func ringLaws() {
    let elements = Self.samples.map { FieldElement(representative: $0) }
    for (a, (b, c)) in zip(elements, zip(elements.dropFirst(3), elements.dropFirst(11))) {
      #expect((a + b) * c == a * c + b * c)
      #expect((a * b) * c == a * (b * c))
      #expect((a - b) * (a + b) == a.squared - b.squared)
    }
  }

  @Test func resultMayReplaceAnOperand() {
    for sample in Self.samples {
      let a = FieldElement(representative: sample)
      let b = a.doubled + .one
      var x = a
      x = x * b
      #expect(x == a * b)
      x = a
      x = x * x
      #expect(x == a.squared)
      x = a
      x = b - x
      #expect(x == b - a)
    }
  }

  @Test func inverses() {
    for sample in Self.samples {
      let a = FieldElement(representative: sample)
      let inverse = a.inverted
      #expect(isReduced(inverse))
      #expect(inverse == a.invertedVariableTime())
      #expect(a * inverse == (a.isZero.declassified ? .zero : .one))
    }
  }

  @Test func squareRoots() {
    var withRoot = 0
    for sample in Self.samples {
      let a = FieldElement(representative: sample)
      let root = a.squared.squareRoot
      #expect(root.exists.declassified)
      #expect(root.root == a || root.root == -a)
      // −1 is not a square mod p ≡ 3 mod 4, so of a and −a exactly one has a root.
      if a.isZero.declassified { continue }
      #expect(a.squareRoot.exists.declassified != (-a).squareRoot.exists.declassified)
      if a.squareRoot.exists.declassified { withRoot += 1 }
    }
    #expect(withRoot > 50)
  }

  @Test func selection() {
    let a = FieldElement.one
    let b = FieldElement(representative: UInt256(1, 2, 3, 4))
    #expect(FieldElement.select(.yes, a, b) == a)
    #expect(FieldElement.select(.no, a, b) == b)
    #expect(b.negated(if: .no) == b)
    #expect(b.negated(if: .yes) == -b)
    #expect(FieldElement.zero.negated(if: .yes) == .zero)
  }

  private static let radix =
    (AwkwardIntegers.reference(UInt256(~0, ~0, ~0, ~0)) + ReferenceInteger(1)) % p
}
