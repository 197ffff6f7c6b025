import PureCryptoIntegers
import PureJOSETestSupport
import Testing

@testable import PureCrypto

/// The laws of the field, of its scalars and of the group, on integers whose limbs are where carries get lost.
@Suite("Curve25519: laws of field, scalars and group")
struct Curve25519LawTests {
  private static let p =
    ReferenceInteger(bigEndian: [0x80] + [UInt8](repeating: 0, count: 31)) - ReferenceInteger(19)
  private static let order = ReferenceInteger(
    bigEndian: (try? hex("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed")) ?? [])

  private static func value(_ a: FieldElement25519) -> ReferenceInteger { AwkwardIntegers.reference(a.integer) }

  private static func reduced(_ a: FieldElement25519) -> ReferenceInteger { value(a) % p }

  /// The invariant on the type: below 2²⁵⁵ + 2²⁴.
  private static func isInBounds(_ a: FieldElement25519) -> Bool {
    let (high, carries) = a.integer.l3.subtractingReportingOverflow(1 << 63)
    return carries || high == 0 && a.integer.l2 == 0 && a.integer.l1 == 0 && a.integer.l0 < 1 << 24
  }

  /// Every pattern of words from {0, 1, 2⁶³, 2⁶⁴ − 1} as far as the invariant admits, the largest that it
  /// admits, some integers near 0, p and 2²⁵⁵, and some drawn.
  private static let elements: [FieldElement25519] = {
    let words: [UInt64] = [0, 1, 1 << 63, .max]
    var elements: [FieldElement25519] = []
    for pattern in 0..<192 where pattern % 3 == 0 || pattern > 180 {
      let top: [UInt64] = [0, 1, (1 << 63) - 1]
      elements.append(
        FieldElement25519(words[pattern & 3], words[pattern >> 2 & 3], words[pattern >> 4 & 3], top[pattern >> 6]))
    }
    for low: UInt64 in [2, 18, 19, 20] { elements.append(FieldElement25519(low, 0, 0, 0)) }
    for low: UInt64 in [17, 18, 19, 20] { elements.append(FieldElement25519(.max - low, .max, .max, (1 << 63) - 1)) }
    for low: UInt64 in [0, 1, 1463, (1 << 24) - 1] { elements.append(FieldElement25519(low, 0, 0, 1 << 63)) }
    var generator = SplitMix(state: 25519)
    for _ in 0..<8 {
      elements.append(
        FieldElement25519(generator.next(), generator.next(), generator.next(), generator.next() >> 1))
    }
    return elements
  }()

  private static let few = elements.enumerated().filter { $0.offset % 9 == 0 || $0.offset > elements.count - 12 }.map(
    \.element)

  @Test("sums, differences and products are those of the integers, and stay in bounds")
  func arithmetic() {
    for a in Self.few {
      let x = Self.reduced(a)
      for b in Self.few {
        let y = Self.reduced(b)
        let (sum, difference, product) = (a + b, a - b, a * b)
        #expect([sum, difference, product].allSatisfy(Self.isInBounds))
        #expect(Self.reduced(sum) == (x + y) % Self.p)
        #expect(Self.reduced(difference) == (x + Self.p - y) % Self.p)
        #expect(Self.reduced(product) == (x * y) % Self.p)
        #expect((b * a).equals(product).declassified)
      }
    }
  }

  @Test("sums that are multiplied at once may be any integer of 256 bits")
  func unreduced() {
    var integers = AwkwardIntegers.below2To256(around: Self.p).enumerated().filter { $0.offset % 7 == 0 }.map(\.element)
    for below: UInt64 in 37...39 { integers.append(UInt256(~below, ~0, ~0, ~0)) }
    let top = UInt256(~0, ~0, ~0, ~0)
    integers.append(top)
    for a in integers {
      let x = AwkwardIntegers.reference(a)
      let sum = FieldElement25519.Unreduced(a)
      let product = sum * FieldElement25519.Unreduced(top)
      let elements = [FieldElement25519(sum), sum.squared, product, sum * 121_665, sum * ((1 << 18) - 1)]
      #expect(elements.allSatisfy(Self.isInBounds))
      #expect(Self.reduced(FieldElement25519(sum)) == x % Self.p)
      #expect(Self.reduced(sum.squared) == (x * x) % Self.p)
      #expect(Self.reduced(sum * 121_665) == (x * ReferenceInteger(121_665)) % Self.p)
      #expect(Self.reduced(product) == (x * AwkwardIntegers.reference(top)) % Self.p)
      for b in Self.few {
        let y = Self.value(b)
        #expect(AwkwardIntegers.reference((sum ∔ b).integer) % Self.p == (x + y) % Self.p)
        #expect(AwkwardIntegers.reference((sum ∸ b).integer) % Self.p == (x + Self.p + Self.p - y) % Self.p)
      }
    }
  }

  @Test("every representation is encoded as the integer below p, squares are products, and inverses undo")
  func unary() {
    for a in Self.elements {
      let x = Self.reduced(a)
      var encoded = [UInt8](repeating: 0, count: 32)
      encoded.withUnsafeMutableBytes { bytes in
        if let start = bytes.baseAddress { a.encode(to: start) }
      }
      #expect(ReferenceInteger(bigEndian: encoded.reversed()) == x)
      let decoded = encoded.withUnsafeBytes { bytes in
        bytes.baseAddress.map { FieldElement25519(littleEndian: $0) } ?? .zero
      }
      #expect(decoded.equals(a).declassified && Self.isInBounds(decoded))
      #expect(a.squared.equals(a * a).declassified && Self.isInBounds(a.squared))
      let isZero = x == ReferenceInteger(0)
      #expect(a.isZero.declassified == isZero)
      #expect((a * a.inverted).equals(isZero ? .zero : .one).declassified)
      #expect(a.inverted.equals(a.invertedVariableTime()).declassified)
      #expect((a + (-a)).isZero.declassified)
    }
  }

  @Test("square roots exist exactly of quotients of squares")
  func roots() {
    for a in Self.few where !a.isZero.declassified {
      let (root, exists) = FieldElement25519.squareRoot(a.squared, over: .one)
      #expect(exists.declassified && root.squared.equals(a.squared).declassified)
      // 2 is no square mod p, which is 5 mod 8.
      let two = FieldElement25519(2, 0, 0, 0)
      #expect(!FieldElement25519.squareRoot(a.squared * two, over: .one).exists.declassified)
      #expect(FieldElement25519.squareRoot(two * a, over: two * a).exists.declassified)
    }
  }

  @Test("scalars are reduced as integers are")
  func scalars() {
    let integers = AwkwardIntegers.below2To256(around: Self.order).enumerated().filter {
      $0.offset % 12 == 0 || $0.offset < 16
    }
    .map(\.element)
    let canonical = integers.filter { AwkwardIntegers.reference($0) < Self.order }
    for a in integers {
      let x = AwkwardIntegers.reference(a)
      #expect(EdwardsScalar.isCanonical(a).declassified == (x < Self.order))
      for b in canonical.prefix(12) {
        let y = AwkwardIntegers.reference(b)
        let c = canonical[canonical.count - 1]
        #expect(
          AwkwardIntegers.reference(EdwardsScalar.multiplyAdd(a, b, c))
            == (x * y + AwkwardIntegers.reference(c)) % Self.order)
        let high = y * ReferenceInteger(words: [0, 0, 0, 0, 0, 0, 0, 0, 1])
        #expect(AwkwardIntegers.reference(EdwardsScalar.reduced(low: a, high: b)) == (x + high) % Self.order)
      }
    }
  }

  @Test("the group: (k + l) B = k B + l B, and the order times B is nothing")
  func group() {
    let order = AwkwardIntegers.integer(Self.order)
    #expect(Self.encoded(.baseMultiple(order)) == Self.encoded(.neutral))
    #expect(Self.encoded(.baseMultiple(.zero)) == Self.encoded(.neutral))
    let base = EdwardsPoint.OddMultiples(.base)
    let scalars = AwkwardIntegers.below(Self.order).enumerated().filter { $0.offset % 40 == 0 }.map(\.element)
    for k in scalars {
      let multiple = EdwardsPoint.baseMultiple(k)
      for l in scalars.prefix(5) {
        let sum = EdwardsScalar.multiplyAdd(.one, k, l)
        let expected = Self.encoded(.baseMultiple(sum))
        #expect(Self.encoded(multiple + EdwardsPoint.Addend(.baseMultiple(l))) == expected)
        // k B + l (1 B), by the interleaved method.
        #expect(Self.encoded(.doubleMultipleVariableTime(k, l, base)) == expected)
      }
      #expect(Self.encoded(multiple.doubled) == Self.encoded(multiple + EdwardsPoint.Addend(multiple)))
      let encoded = Self.encoded(multiple)
      let decoded = encoded.withUnsafeBytes { bytes in bytes.baseAddress.flatMap { EdwardsPoint.decodeVariableTime($0) }
      }
      #expect(decoded.map(Self.encoded) == encoded)
    }
  }

  private static func encoded(_ point: EdwardsPoint) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 32)
    bytes.withUnsafeMutableBytes { bytes in
      if let start = bytes.baseAddress { point.encode(to: start) }
    }
    return bytes
  }

  @Test("X25519: a (b P) = b (a P) for any scalar octets and any point that gives a secret")
  func agreement() throws {
    var generator = SplitMix(state: 7748)
    func octets() -> [UInt8] { (0..<32).map { _ in UInt8(truncatingIfNeeded: generator.next()) } }
    let awkward: [[UInt8]] = [
      [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), [1] + [UInt8](repeating: 0, count: 31),
    ]
    let keys = try (awkward + (0..<3).map { _ in octets() }).map { try X25519PrivateKey(rawRepresentation: $0) }
    for a in keys {
      for b in keys {
        let first = try a.sharedSecret(with: b.publicKey).withUnsafeBytes(Array.init)
        #expect(try b.sharedSecret(with: a.publicKey).withUnsafeBytes(Array.init) == first)
      }
    }
  }
}
