#if arch(wasm32) || arch(i386) || arch(arm)
  typealias CarrylessFactor = NarrowCarrylessFactor
#else
  /// What ``GHASHKey`` multiplies by. WebAssembly calls a function for a product of 128 bits, and processors of 32 bits
  /// make it of four: they have the other one.
  typealias CarrylessFactor = WideCarrylessFactor
#endif

/// A polynomial of degree below 64 over GF(2), made ready to be multiplied by many others without tables, where the
/// processor has products of 128 bits.
///
/// Integers can multiply polynomials if carries have room to die: keep every fourth bit of both factors and each column
/// of the product is a sum of at most 16 bits; only its lowest bit, the sum modulo 2, is wanted. A sum of exactly 16
/// would reach the next wanted bit, so the lowest four bits of this factor are left out and added by masks: 15 remain.
///
/// Method: T. Pornin, "BearSSL", constant-time GHASH by "multiplication with holes"; the exception for four bits
/// follows the note in BoringSSL's portable GHASH.
///
/// Timing: constant where the processor multiplies words in constant time, as x86-64 and AArch64 do.
struct WideCarrylessFactor: BitwiseCopyable {
  /// Bits k, k + 4, k + 8, … of the factor, its lowest four bits cleared.
  private let class0, class1, class2, class3: UInt64
  /// All ones where the lowest, second, third, fourth bit of the factor is set.
  private let mask0, mask1, mask2, mask3: UInt64

  init(_ factor: UInt64) {
    class0 = factor & 0x1111_1111_1111_1110
    class1 = factor & 0x2222_2222_2222_2220
    class2 = factor & 0x4444_4444_4444_4440
    class3 = factor & 0x8888_8888_8888_8880
    mask0 = Mask(bit: factor).word
    mask1 = Mask(bit: factor &>> 1).word
    mask2 = Mask(bit: factor &>> 2).word
    mask3 = Mask(bit: factor &>> 3).word
  }

  /// The product with `x`, of degree below 127.
  @inline(__always)
  func multiplied(by x: UInt64) -> UInt128 {
    let x0 = x & 0x1111_1111_1111_1111
    let x1 = x & 0x2222_2222_2222_2222
    let x2 = x & 0x4444_4444_4444_4444
    let x3 = x & 0x8888_8888_8888_8888
    // Bits of class i times bits of class j fall into class i + j modulo 4.
    let z0 = product(x0, class0) ^ product(x1, class3) ^ product(x2, class2) ^ product(x3, class1)
    let z1 = product(x0, class1) ^ product(x1, class0) ^ product(x2, class3) ^ product(x3, class2)
    let z2 = product(x0, class2) ^ product(x1, class1) ^ product(x2, class0) ^ product(x3, class3)
    let z3 = product(x0, class3) ^ product(x1, class2) ^ product(x2, class1) ^ product(x3, class0)
    let everyFourth: UInt128 = 0x1111_1111_1111_1111_1111_1111_1111_1111
    // Two statements: the type checker takes a second for it as one.
    let high01 = (z0 & everyFourth) | (z1 & (everyFourth &<< 1))
    let high = high01 | (z2 & (everyFourth &<< 2)) | (z3 & (everyFourth &<< 3))
    let wide = UInt128(x)
    let low0 = wide & UInt128(mask0)
    let low1 = (wide & UInt128(mask1)) &<< 1
    let low2 = (wide & UInt128(mask2)) &<< 2
    let low3 = (wide & UInt128(mask3)) &<< 3
    return high ^ low0 ^ low1 ^ low2 ^ low3
  }

  /// The 128-bit product of two words.
  @inline(__always)
  private func product(_ x: UInt64, _ y: UInt64) -> UInt128 {
    UInt128(x) &* UInt128(y)
  }
}
