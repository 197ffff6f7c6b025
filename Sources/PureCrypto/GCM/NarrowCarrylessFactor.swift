/// A polynomial of degree below 64 over GF(2), made ready to be multiplied by many others without tables, from the
/// lower halves of products of words alone.
///
/// As in ``WideCarrylessFactor``, every fourth bit of both factors leaves room for carries. The lower half needs no
/// exception: the column of bit 4k + c is a sum of at most k + 1 bits, and only where k is 15 does it reach 16, whose
/// carry leaves the word. The upper half is a lower half read backwards: with degrees i and j written as 63 − i and
/// 63 − j, degree d of the product stands at 126 − d. So degree 126 is at bit 0, and 63 at bit 63; turned round,
/// degree d is at bit d − 63.
///
/// Method: T. Pornin, "BearSSL", the GHASH for processors without wide products.
/// Timing: constant where the processor multiplies words in constant time.
struct NarrowCarrylessFactor: BitwiseCopyable {
  private let factor, reversed: EveryFourthBit

  init(_ factor: UInt64) {
    self.factor = EveryFourthBit(factor)
    self.reversed = EveryFourthBit(reversedBits(factor))
  }

  /// The product with `x`, of degree below 127.
  @inline(__always)
  func multiplied(by x: UInt64) -> UInt128 {
    let lower = factor.lowerProduct(EveryFourthBit(x))
    // Degree 63 is in both halves, and leaves this one.
    let upper = reversedBits(reversed.lowerProduct(EveryFourthBit(reversedBits(x)))) &>> 1
    return UInt128(upper) &<< 64 | UInt128(lower)
  }
}

/// A word in four parts: bits k, k + 4, k + 8, … for k from 0 to 3.
private struct EveryFourthBit: BitwiseCopyable {
  let class0, class1, class2, class3: UInt64

  @inline(__always)
  init(_ word: UInt64) {
    class0 = word & 0x1111_1111_1111_1111
    class1 = word & 0x2222_2222_2222_2222
    class2 = word & 0x4444_4444_4444_4444
    class3 = word & 0x8888_8888_8888_8888
  }

  /// The terms of degree below 64 of the product of two polynomials.
  @inline(__always)
  func lowerProduct(_ x: EveryFourthBit) -> UInt64 {
    // Bits of class i times bits of class j fall into class i + j modulo 4.
    let z0 = x.class0 &* class0 ^ x.class1 &* class3 ^ x.class2 &* class2 ^ x.class3 &* class1
    let z1 = x.class0 &* class1 ^ x.class1 &* class0 ^ x.class2 &* class3 ^ x.class3 &* class2
    let z2 = x.class0 &* class2 ^ x.class1 &* class1 ^ x.class2 &* class0 ^ x.class3 &* class3
    let z3 = x.class0 &* class3 ^ x.class1 &* class2 ^ x.class2 &* class1 ^ x.class3 &* class0
    let low = (z0 & 0x1111_1111_1111_1111) | (z1 & 0x2222_2222_2222_2222)
    return low | (z2 & 0x4444_4444_4444_4444) | (z3 & 0x8888_8888_8888_8888)
  }
}

/// The word with its first bit last.
@inline(__always)
private func reversedBits(_ word: UInt64) -> UInt64 {
  var x = word
  x = (x & 0x5555_5555_5555_5555) &<< 1 | (x &>> 1) & 0x5555_5555_5555_5555
  x = (x & 0x3333_3333_3333_3333) &<< 2 | (x &>> 2) & 0x3333_3333_3333_3333
  x = (x & 0x0f0f_0f0f_0f0f_0f0f) &<< 4 | (x &>> 4) & 0x0f0f_0f0f_0f0f_0f0f
  return x.byteSwapped
}
