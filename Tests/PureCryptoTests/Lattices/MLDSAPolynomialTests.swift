import Foundation
import PureJOSETestSupport
import Testing

@testable import PureCrypto

/// Arithmetic mod 8380417, over all there is of it where there is time.
@Suite("ML-DSA, polynomials")
struct MLDSAPolynomialTests {
  private static let q = 8_380_417

  /// Whether tests go through all coefficients, which takes a minute: each night, or where PUREJOSE_EXHAUSTIVE is set.
  private static let isExhaustive = ProcessInfo.processInfo.environment["PUREJOSE_EXHAUSTIVE"] != nil

  /// Coefficients around the borders of both roundings, and more of the others the more time there is.
  private static var coefficients: [Int] {
    if isExhaustive { return Array(0..<q) }
    let borders = [95_232, 261_888].flatMap { gamma2 in stride(from: 0, to: q, by: gamma2) } + [q / 2, q - 1]
    let near = borders.flatMap { border in (-3...3).map { border + $0 } }
    return near.filter { (0..<q).contains($0) } + stride(from: 0, to: q, by: 61)
  }

  /// Calls `body` with copies of coefficients.
  private func with(_ coefficients: [Int32], _ body: (MLDSAPolynomial) -> Void) -> [Int] {
    var copy = coefficients
    copy.withUnsafeMutableBufferPointer { copy in
      if let start = copy.baseAddress { body(MLDSAPolynomial(start)) }
    }
    return copy.map { Int($0) }
  }

  private func random(_ range: ClosedRange<Int32>, seed: UInt64) -> [Int32] {
    var generator = TestGenerator(seed: seed)
    return (0..<256).map { _ in Int32.random(in: range, using: &generator) }
  }

  /// r mod± q.
  private static func symmetric(_ r: Int) -> Int { r > (q - 1) / 2 ? r - q : r }

  /// FIPS 204 algorithm 36, with its divisions.
  private static func decompose(_ r: Int, gamma2: Int) -> (high: Int, low: Int) {
    var low = r % (2 * gamma2)
    if low > gamma2 { low -= 2 * gamma2 }
    return r - low == q - 1 ? (0, low - 1) : ((r - low) / (2 * gamma2), low)
  }

  @Test("every coefficient is split as the standard divides it")
  func rounding() {
    var wrong = 0
    for r in Self.coefficients {
      let c = Int32(r)
      for (rounding, gamma2, count) in [(MLDSARounding.of88, 95_232, 44), (.of32, 261_888, 16)] {
        let (high, low) = Self.decompose(r, gamma2: gamma2)
        let hinted = low > 0 ? (high + 1) % count : (high + count - 1) % count
        if Int(MLDSAPolynomial.highBits(c, rounding, 0)) != high
          || Int(MLDSAPolynomial.lowBits(c, rounding, 0)) != low
          || Int(MLDSAPolynomial.highBitsVariableTime(c, hint: false, rounding)) != high
          || Int(MLDSAPolynomial.highBitsVariableTime(c, hint: true, rounding)) != hinted
        {
          wrong += 1
        }
      }
      if Int(MLDSAPolynomial.symmetric(c, 0)) != Self.symmetric(r) { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  /// Source: C2SP/CCTV, ML-DSA, "Field operations": twelve numbers in decimal for every coefficient, and the first 32
  /// bytes of their SHAKE128.
  @Test("operations on every coefficient have the digest that CCTV gives", .enabled(if: isExhaustive))
  func fieldOperations() throws {
    var shake = SHAKE.shake128
    var text: [UInt8] = []
    func line(_ number: Int32) {
      text += Array(String(number).utf8)
      text.append(10)
    }
    var high = [Int32](repeating: 0, count: 256)
    var low = high
    high.withUnsafeMutableBufferPointer { high in
      low.withUnsafeMutableBufferPointer { low in
        guard let high = high.baseAddress, let low = low.baseAddress else { return }
        for start in stride(from: 0, to: Self.q, by: 256) {
          let count = min(256, Self.q - start)
          for index in 0..<count { low[index] = Int32(start + index) }
          MLDSAPolynomial(low).roundToPower(high: MLDSAPolynomial(high))
          for index in 0..<count {
            let r = Int32(start + index)
            let symmetric = MLDSAPolynomial.symmetric(r, 0)
            line(symmetric)
            line(abs(symmetric))
            line(high[index])
            line(low[index] < 0 ? low[index] + MLDSAPolynomial.q : low[index])
            for rounding in [MLDSARounding.of88, .of32] {
              let lowBits = MLDSAPolynomial.lowBits(r, rounding, 0)
              line(MLDSAPolynomial.highBits(r, rounding, 0))
              line(MLDSAPolynomial.highBitsVariableTime(r, hint: true, rounding))
              line(lowBits)
              line(abs(lowBits))
            }
          }
          shake.update(text)
          text.removeAll(keepingCapacity: true)
        }
      }
    }
    #expect(
      shake.output(byteCount: 32)
        == (try hex("f930663417278156ab05d940294a77210a809c924d8ab63ec72f4526247602c7")))
  }

  @Test("reductions keep their bounds")
  func reductions() {
    let limit = Int64(Self.q) << 31
    var generator = TestGenerator(seed: 3)
    for _ in 0..<200_000 {
      let a = Int64.random(in: (1 - limit)..<limit, using: &generator)
      let r = Int64(MLDSAPolynomial.montgomeryReduced(a))
      if abs(r) >= Self.q || ((r << 32) &- a) % Int64(Self.q) != 0 { Issue.record("\(a) gives \(r)") }
    }
    for a in [1 - limit, limit - 1, 0, 1, -1, 1 << 31, -(1 << 31), 1 << 32] as [Int64] {
      let r = Int64(MLDSAPolynomial.montgomeryReduced(a))
      #expect(abs(r) < Self.q && ((r << 32) - a) % Int64(Self.q) == 0)
    }
    let largest: Int32 = Int32.max - (1 << 22)
    for _ in 0..<200_000 {
      let a = Int32.random(in: -largest...largest, using: &generator)
      let r = MLDSAPolynomial.reduced(a)
      if abs(r) > 6_283_009 || (Int(r) - Int(a)) % Self.q != 0 { Issue.record("\(a) gives \(r)") }
    }
    for a in [largest, -largest, 0, MLDSAPolynomial.q, -MLDSAPolynomial.q, 1 << 22, (1 << 22) - 1] as [Int32] {
      let r = MLDSAPolynomial.reduced(a)
      #expect(abs(r) <= 6_283_009 && (Int(r) - Int(a)) % Self.q == 0)
    }
  }

  @Test("there and back again is a product with 2³²; the largest coefficients stay in their bounds")
  func transforms() {
    for seed in 0..<20 as Range<UInt64> {
      let largest = MLDSAPolynomial.q - 1
      let f = seed == 0 ? Array(repeating: largest, count: 256) : random(-largest...largest, seed: seed)
      let result = with(f) { polynomial in
        polynomial.transform()
        for index in 0..<256 where abs(polynomial.coefficients[index]) >= 9 * MLDSAPolynomial.q {
          Issue.record("a coefficient of 9 q or more")
        }
        polynomial.reduce()
        polynomial.transformBack()
        polynomial.reduce()
      }
      let expected = f.map { c in ((Int(c) << 32) % Self.q + Self.q) % Self.q }
      #expect(result == expected)
    }
  }

  @Test("a product of transforms is the product mod X²⁵⁶ + 1", arguments: [1, 4, 7])
  func products(count: Int) {
    var expected = [Int](repeating: 0, count: 256)
    var (a, b): ([Int32], [Int32]) = ([], [])
    for index in 0..<count {
      let f = random(0...(MLDSAPolynomial.q - 1), seed: UInt64(index + 1))
      let g = random(-(1 << 19)...(1 << 19), seed: UInt64(index + 100))
      for i in 0..<256 {
        for j in 0..<256 {
          let term = Int(f[i]) * Int(g[j])
          expected[(i + j) % 256] += i + j < 256 ? term : -term
        }
      }
      a += with(f) { polynomial in
        polynomial.transform()
        polynomial.reduce()
      }.map { Int32($0) }
      b += with(g) { $0.transform() }.map { Int32($0) }
    }
    let result = with([Int32](repeating: 0, count: 256)) { product in
      product.setToProduct(&a, &b, count: count)
      product.transformBack()
      product.reduce()
    }
    let reduced = expected.map { c in (c % Self.q + Self.q) % Self.q }
    #expect(result == reduced)
  }

  @Test("norms are compared at their bounds")
  func norms() {
    for bound in [78, 95_232, 1 << 17, (1 << 19) - 196] as [Int32] {
      for place in [0, 100, 255] {
        for (value, isWithin) in [(bound - 1, true), (bound, false), (1 - bound, true), (-bound, false)] {
          var f = [Int32](repeating: 0, count: 256)
          f[place] = value < 0 ? value + MLDSAPolynomial.q : value
          _ = with(f) { #expect($0.isWithin(bound).isYesVariableTime == isWithin, "\(value) and \(bound)") }
        }
      }
    }
  }

  @Test("a challenge is the one of algorithm 29, written out")
  func challenges() {
    for weight in [39, 49, 60] {
      for number in 0..<100 as Range<UInt8> {
        let seed = [number, UInt8(weight)]
        var shake = SHAKE.shake256
        shake.update(seed)
        let bytes = shake.output(byteCount: 500)
        var c = [Int](repeating: 0, count: 256)
        var next = 8
        for i in (256 - weight)..<256 {
          while Int(bytes[next]) > i { next += 1 }
          let j = Int(bytes[next])
          next += 1
          c[i] = c[j]
          let bit = i + weight - 256
          c[j] = bytes[bit / 8] >> UInt8(bit % 8) & 1 == 1 ? -1 : 1
        }
        let result = seed.withUnsafeBytes { seed in
          with([Int32](repeating: 5, count: 256)) { $0.setChallenge(seed: seed, weight: weight) }
        }
        #expect(result == c)
        #expect(c.filter { $0 != 0 }.count == weight)
      }
    }
  }
}
