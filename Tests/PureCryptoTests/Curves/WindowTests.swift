import PureCryptoIntegers
import Testing

@testable import PureCrypto

/// The signed representations of scalars add up to the scalar and keep their bounds.
@Suite("P-256 scalar windows") struct WindowTests {
  static let samples = AwkwardIntegers.below2To256(around: AwkwardIntegers.n)

  /// Σ dᵢ 2^(width · i) mod 2²⁵⁶, by doubling and adding from the highest digit down.
  func sum(_ digits: [Int], width: Int) -> UInt256 {
    var result = UInt256.zero
    for digit in digits.reversed() {
      for _ in 0..<width { result = plus(result, result) }
      let word = UInt64(bitPattern: Int64(digit))
      let extension64: UInt64 = digit < 0 ? ~0 : 0
      result = plus(result, UInt256(word, extension64, extension64, extension64))
    }
    return result
  }

  func plus(_ a: UInt256, _ b: UInt256) -> UInt256 {
    var carry: UInt64 = 0
    let l0 = add(a.l0, b.l0, &carry)
    let l1 = add(a.l1, b.l1, &carry)
    let l2 = add(a.l2, b.l2, &carry)
    return UInt256(l0, l1, l2, add(a.l3, b.l3, &carry))
  }

  @Test(arguments: [4, 5, 6, 7]) func boothDigits(_ width: Int) {
    for sample in Self.samples {
      let digits = (0..<(257 + width - 1) / width).map { index in
        let digit = sample.boothDigit(index, width: width)
        return digit.isNegative.declassified ? -Int(digit.magnitude) : Int(digit.magnitude)
      }
      #expect(digits.allSatisfy { abs($0) <= 1 << (width - 1) })
      #expect(digits.last ?? -1 >= 0)
      #expect(sum(digits, width: width) == sample)
    }
  }

  @Test(arguments: [2, 5, 7, 8]) func nonAdjacentForm(_ width: Int) {
    for sample in Self.samples {
      var digits = [Int8](repeating: 99, count: 257)
      digits.withUnsafeMutableBufferPointer { sample.nonAdjacentFormVariableTime(width: width, into: $0) }
      #expect(digits.allSatisfy { $0 == 0 || $0 & 1 == 1 })
      #expect(digits.allSatisfy { abs(Int($0)) < 1 << (width - 1) })
      for start in 0...(257 - width) {
        #expect(digits[start..<(start + width)].count { $0 != 0 } <= 1)
      }
      #expect(sum(digits.map(Int.init), width: 1) == sample)
    }
  }
}
