import Testing

@testable import PureCrypto

@Suite("Products of polynomials over GF(2)")
struct CarrylessFactorTests {
  /// x · y, bit by bit.
  static func product(_ x: UInt64, _ y: UInt64) -> UInt128 {
    (0..<64).reduce(0) { sum, bit in x >> bit & 1 == 1 ? sum ^ (UInt128(y) << bit) : sum }
  }

  /// No bit, every bit, single ones, runs, every fourth, and arbitrary words.
  static let words: [UInt64] = {
    var generator = SystemRandomNumberGenerator()
    let edges: [UInt64] = [0, 1, 2, .max, .max - 1, .max >> 1, 1 << 63, 0xf, 0xf << 60, 0x8888_8888_8888_8888]
    let classes: [UInt64] = (0..<4).map { 0x1111_1111_1111_1111 << $0 }
    let single: [UInt64] = (0..<64).map { 1 << $0 }
    return edges + classes + single + (0..<16).map { _ in generator.next() }
  }()

  @Test("Both ways to multiply agree with a product made bit by bit, for every pair")
  func products() {
    var wrong: [(UInt64, UInt64)] = []
    for x in Self.words {
      let wide = WideCarrylessFactor(x)
      let narrow = NarrowCarrylessFactor(x)
      for y in Self.words {
        let expected = Self.product(x, y)
        if wide.multiplied(by: y) != expected || narrow.multiplied(by: y) != expected { wrong.append((x, y)) }
      }
    }
    #expect(wrong.isEmpty)
  }
}
