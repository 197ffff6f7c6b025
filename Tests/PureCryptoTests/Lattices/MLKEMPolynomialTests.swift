import Testing

@testable import PureCrypto

/// Arithmetic mod 3329, over all there is of it.
@Suite("ML-KEM, polynomials")
struct MLKEMPolynomialTests {
  private static let q = 3329

  /// Calls `body` with copies of coefficients.
  private func with(_ coefficients: [Int16], _ body: (MLKEMPolynomial) -> Void) -> [Int] {
    var copy = coefficients
    copy.withUnsafeMutableBufferPointer { copy in
      if let start = copy.baseAddress { body(MLKEMPolynomial(start)) }
    }
    return copy.map { Int($0) }
  }

  private func random(_ range: ClosedRange<Int16>, seed: UInt64, count: Int = 256) -> [Int16] {
    var generator = TestGenerator(seed: seed)
    return (0..<count).map { _ in Int16.random(in: range, using: &generator) }
  }

  @Test("every word is centred as its bound says")
  func centred() {
    for a in Int16.min...Int16.max {
      let r = Int(MLKEMPolynomial.centred(a))
      if abs(r) > 1665 || (r - Int(a)) % Self.q != 0 { Issue.record("\(a) gives \(r)") }
    }
  }

  @Test("Montgomery's reduction keeps its bound")
  func montgomery() {
    let limit = Int32(Self.q) << 15
    var generator = TestGenerator(seed: 2)
    let edges = [0, 1, -1, limit - 1, 1 - limit, limit / 2, 65_535, 65_536, -65_536, 32_768, -32_768]
    for a in edges + (0..<100_000).map({ _ in Int32.random(in: (1 - limit)..<limit, using: &generator) }) {
      let r = Int(MLKEMPolynomial.montgomeryReduced(a))
      if abs(r) >= Self.q || ((r << 16) - Int(a)) % Self.q != 0 { Issue.record("\(a) gives \(r)") }
    }
  }

  @Test("every coefficient is rounded as its definition says", arguments: [1, 4, 5, 10, 11])
  func compression(bitCount: Int) {
    for c in 0..<Self.q {
      // ⌊(2 · 2^d c + q) / 2q⌋
      let expected = ((c << bitCount) * 2 + Self.q) / (2 * Self.q) % (1 << bitCount)
      #expect(Int(MLKEMPolynomial.compressed(Int16(c), bitCount: bitCount)) == expected)
    }
    for y in 0..<(1 << bitCount) {
      let expected = (y * Self.q * 2 + 1 << bitCount) >> (bitCount + 1)
      #expect(Int(MLKEMPolynomial.decompressed(Int16(y), bitCount: bitCount)) == expected)
    }
  }

  @Test("there and back again is a product with 2¹⁶")
  func transforms() {
    for seed in 0..<20 as Range<UInt64> {
      let f = seed == 0 ? Array(repeating: 3328, count: 256) : random(-3328...3328, seed: seed)
      let result = with(f) {
        $0.transform()
        $0.transformBack()
        $0.reduce()
      }
      let expected = f.map { c in ((Int(c) << 16) % Self.q + Self.q) % Self.q }
      #expect(result == expected)
    }
  }

  @Test("a product of transforms is the product mod X²⁵⁶ + 1", arguments: [1, 3, 4])
  func products(count: Int) {
    let extremes = [Int16](repeating: 3328, count: 256)
    var expected = [Int](repeating: 0, count: 256)
    var (a, b): ([Int16], [Int16]) = ([], [])
    for index in 0..<count {
      let (f, g) =
        index == 0
        ? (extremes, extremes) : (random(0...3328, seed: UInt64(index)), random(-2...2, seed: UInt64(9 + index)))
      for i in 0..<256 {
        for j in 0..<256 { expected[(i + j) % 256] += (i + j < 256 ? 1 : -1) * Int(f[i]) * Int(g[j]) }
      }
      a += with(f) {
        $0.transform()
        $0.reduce()
      }.map { Int16($0) }
      b += with(g) { $0.transform() }.map { Int16($0) }
    }
    let result = with([Int16](repeating: 0, count: 256)) { product in
      product.setToProduct(&a, &b, count: count)
      product.transformBack()
      product.reduce()
    }
    let reduced = expected.map { c in (c % Self.q + Self.q) % Self.q }
    #expect(result == reduced)
  }

  @Test("small coefficients are differences of bits")
  func small() {
    let seed = testBytes(count: 32)
    let count = 9
    var coefficients = [Int16](repeating: 0, count: 256 * count)
    seed.withUnsafeBytes { seed in
      coefficients.withUnsafeMutableBufferPointer { coefficients in
        if let start = coefficients.baseAddress { MLKEMVector(start: start).setSmall(seed: seed, count: count) }
      }
    }
    for nonce in 0..<count {
      var shake = SHAKE.shake256
      shake.update(seed + [UInt8(nonce)])
      let bits: [Int] = shake.output(byteCount: 128).flatMap { byte in (0..<8).map { Int(byte >> UInt8($0) & 1) } }
      for (index, coefficient) in coefficients[(256 * nonce)..<(256 * nonce + 256)].enumerated() {
        let four = bits[(4 * index)..<(4 * index + 4)]
        #expect(Int(coefficient) == four.prefix(2).reduce(0, +) - four.suffix(2).reduce(0, +))
      }
    }
  }

  @Test("packed integers come back", arguments: [1, 3, 4, 5, 6, 10, 11, 12, 13, 18, 20])
  func packing(bitCount: Int) {
    var generator = TestGenerator(seed: UInt64(bitCount))
    let integers = (0..<256).map { _ in Int32.random(in: 0..<(1 << Int32(bitCount)), using: &generator) }
    var bytes = [UInt8](repeating: 0, count: PackedIntegers.byteCount(bitCount: bitCount))
    bytes.withUnsafeMutableBytes { PackedIntegers.pack(integers, bitCount: bitCount, to: $0) }
    for (index, integer) in integers.enumerated() {
      var expected: Int32 = 0
      for place in 0..<bitCount {
        let bit = bitCount * index + place
        expected |= Int32(bytes[bit / 8] >> UInt8(bit % 8) & 1) << Int32(place)
      }
      #expect(expected == integer)
    }
    var again = [Int32](repeating: 0, count: 256)
    bytes.withUnsafeBytes { PackedIntegers.unpack($0, bitCount: bitCount, to: &again) }
    #expect(again == integers)
  }
}
