import Testing

@testable import PureCrypto

/// Residues modulo the six primes of P-384, P-521 and secp256k1, judged by slow integers.
@Suite("Residues of prime curves") struct ResidueTests {
  @Test func fieldOfP384() { judge(P384Curve.Field.self) }
  @Test func orderOfP384() { judge(P384Curve.Order.self) }
  @Test func fieldOfP521() { judge(P521Curve.Field.self) }
  @Test func orderOfP521() { judge(P521Curve.Order.self) }
  @Test func fieldOfSecp256k1() { judge(Secp256k1Curve.Field.self) }
  @Test func orderOfSecp256k1() { judge(Secp256k1Curve.Order.self) }

  private func judge<Modulus: PrimeModulus>(_ modulus: Modulus.Type) {
    constants(modulus)
    arithmetic(modulus)
    inverses(modulus)
    aliasing(modulus)
  }

  private func constants<Modulus: PrimeModulus>(_ modulus: Modulus.Type) {
    let limbCount = Modulus.Integer.limbCount
    #expect(Modulus.bitCount > 64 * (limbCount - 1) && Modulus.bitCount <= 64 * limbCount)
    #expect(Modulus.modulus.bits(at: Modulus.bitCount - 1, width: 2) == 1)
    #expect(Residue<Modulus>.one.integer == Modulus.Integer(word: 1))
    #expect(Residue<Modulus>.zero.integer.isZero.declassified)
    #expect(Residue<Modulus>(Modulus.modulus).isZero.declassified)
  }

  private func arithmetic<Modulus: PrimeModulus>(_ modulus: Modulus.Type) {
    typealias Element = Residue<Modulus>
    let m = AwkwardLimbs.reference(Modulus.modulus)
    for integer in AwkwardLimbs.integers(around: modulus) {
      let expected = AwkwardLimbs.reference(integer) % m
      #expect(AwkwardLimbs.reference(Element(integer).integer) == expected)
      #expect(Element.isCanonical(integer).declassified == (AwkwardLimbs.reference(integer) == expected))
    }
    let integers = AwkwardLimbs.residues(modulus)
    for (a, b) in zip(integers, integers.dropFirst(7) + integers.prefix(7)) {
      let (x, y) = (Element(a), Element(b))
      let (p, q) = (AwkwardLimbs.reference(a), AwkwardLimbs.reference(b))
      let results = [
        (x + y, (p + q) % m), (x - y, (p + m - q) % m), (-x, (m - p) % m), (x.doubled, (p + p) % m),
        (x.tripled, (p + p + p) % m), (x * y, p * q % m), (x.squared, p * p % m),
      ]
      for (result, expected) in results {
        #expect(AwkwardLimbs.reference(result.integer) == expected)
        #expect(Element.isCanonical(result.representative).declassified)
      }
      #expect(Element.select(.yes, x, y) == x && Element.select(.no, x, y) == y)
      #expect(x.negated(if: .no) == x && (x.negated(if: .yes) + x).isZero.declassified)
      #expect(x.isZero.declassified == (p == ReferenceInteger(0)))
    }
  }

  /// Representatives at the edge, whatever the integer: the product of the two largest, and of each with all others.
  @Test func largestRepresentatives() {
    edge(P384Curve.Field.self)
    edge(P384Curve.Order.self)
    edge(P521Curve.Field.self)
    edge(P521Curve.Order.self)
    edge(Secp256k1Curve.Field.self)
    edge(Secp256k1Curve.Order.self)
  }

  private func edge<Modulus: PrimeModulus>(_ modulus: Modulus.Type) {
    typealias Element = Residue<Modulus>
    let largest = Element(representative: Modulus.modulus.subtracting(1))
    for representative in AwkwardLimbs.residues(modulus) {
      let x = Element(representative: representative)
      // (m − 1) is −1 times R: the product with x is −x / R times R², independent of the reduction's path.
      #expect(x * largest == -(x * Element(representative: Modulus.Integer(word: 1))))
      #expect(x.squared == x * x)
      #expect((x + largest) - largest == x)
      #expect((x - largest) + largest == x)
    }
  }

  private func inverses<Modulus: PrimeModulus>(_ modulus: Modulus.Type) {
    typealias Element = Residue<Modulus>
    for integer in AwkwardLimbs.residues(modulus).prefix(20) {
      let x = Element(integer)
      #expect(x * x.inverted == (x.isZero.declassified ? .zero : .one))
      #expect(x.inverted.isZero.declassified == x.isZero.declassified)
    }
  }

  /// Square roots are taken of field elements only: each p ≡ 3 mod 4, so that −1 has none.
  @Test func squareRoots() {
    squareRoots(P384Curve.Field.self)
    squareRoots(P521Curve.Field.self)
    squareRoots(Secp256k1Curve.Field.self)
  }

  private func squareRoots<Modulus: PrimeModulus>(_ modulus: Modulus.Type) {
    typealias Element = Residue<Modulus>
    for integer in AwkwardLimbs.residues(modulus).prefix(20) {
      let x = Element(integer)
      let (root, exists) = x.squared.squareRoot
      #expect(exists.declassified && (root == x || root == -x))
      #expect((-x.squared).squareRoot.exists.declassified == x.isZero.declassified)
    }
  }

  /// r may be a or b.
  private func aliasing<Modulus: PrimeModulus>(_ modulus: Modulus.Type) {
    let integers = AwkwardLimbs.residues(modulus)
    for (a, b) in zip(integers, integers.reversed()) {
      let (x, y) = (Residue<Modulus>(a), Residue<Modulus>(b))
      var left = x.representative
      left.withMutableLimbs { r in y.representative.withLimbs { Modulus.multiply(r, r, $0) } }
      #expect(left == (x * y).representative)
      var right = y.representative
      right.withMutableLimbs { r in x.representative.withLimbs { Modulus.multiply(r, $0, r) } }
      #expect(right == (x * y).representative)
      var square = x.representative
      square.withMutableLimbs { Modulus.square($0, $0) }
      #expect(square == x.squared.representative)
      var doubleUse = x.representative
      doubleUse.withMutableLimbs { Modulus.multiply($0, $0, $0) }
      #expect(doubleUse == x.squared.representative)
    }
  }

  /// bits2int takes the leftmost bits, all of them if there are fewer.
  @Test func leftmostBits() {
    func check<Modulus: PrimeModulus>(_ modulus: Modulus.Type, _ count: Int) {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 201 &+ 7 &* $0) }
      let integer = bytes.withUnsafeBytes { Residue<Modulus>.leftmostBits(of: $0) }
      var bits = bytes.flatMap { byte in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
      bits = Array(bits.prefix(Modulus.bitCount))
      for (position, bit) in bits.reversed().enumerated() {
        #expect(integer.bits(at: position, width: 1) == UInt64(bit))
      }
      #expect(integer.bits(at: bits.count, width: 32) == 0)
    }
    for count in [0, 1, 20, 32, 47, 48, 49, 64] { check(P384Curve.Order.self, count) }
    for count in [0, 1, 20, 32, 48, 64, 65, 66, 67, 128] { check(P521Curve.Order.self, count) }
    for count in [0, 1, 20, 31, 32, 33, 64] { check(Secp256k1Curve.Order.self, count) }
  }

  @Test func windows() {
    func check<Modulus: PrimeModulus>(_ modulus: Modulus.Type) {
      let integers = AwkwardLimbs.integers(around: modulus)
      for integer in integers {
        // Σ dᵢ 2⁵ⁱ, from the highest digit down: 32 v + d, with everything moved up by 2^bits so that nothing is
        // negative
        var value = ReferenceInteger(1)
        var offset = ReferenceInteger(1)
        for index in (0..<((Modulus.bitCount + 5) / 5)).reversed() {
          let digit = integer.boothDigit(index, width: 5)
          #expect(digit.magnitude <= 16)
          let magnitude = ReferenceInteger(UInt32(digit.magnitude))
          value = value * ReferenceInteger(32)
          offset = offset * ReferenceInteger(32)
          value = digit.isNegative.declassified ? value - magnitude : value + magnitude
        }
        #expect(value == offset + AwkwardLimbs.reference(integer))
      }
      for integer in integers {
        for width in [5, 7] {
          var digits = [Int8](repeating: 1, count: Modulus.bitCount + 1)
          digits.withUnsafeMutableBufferPointer { integer.nonAdjacentFormVariableTime(width: width, into: $0) }
          var value = ReferenceInteger(1)
          var offset = ReferenceInteger(1)
          var last = -width
          for (position, digit) in digits.enumerated() where digit != 0 {
            #expect(digit & 1 == 1 && abs(Int(digit)) < 1 << (width - 1) && position - last >= width)
            last = position
          }
          for digit in digits.reversed() {
            value = value + value
            offset = offset + offset
            let magnitude = ReferenceInteger(UInt32(digit.magnitude))
            value = digit < 0 ? value - magnitude : value + magnitude
          }
          #expect(value == offset + AwkwardLimbs.reference(integer))
        }
      }
    }
    check(P384Curve.Order.self)
    check(P521Curve.Order.self)
    check(Secp256k1Curve.Order.self)
  }
}
