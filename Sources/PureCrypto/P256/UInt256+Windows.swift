extension UInt256 {
  /// Bits `position` … `position` + `width` − 1; bits from 256 on are zero.
  ///
  /// Timing: depends on `position` and `width`, which are public, not on the integer.
  @inline(__always)
  func bits(at position: Int, width: Int) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: position & 63)
    let limb = position &>> 6
    // The second shift is by 64 − shift in two steps, since a shift by 64 is none.
    let word = self[limb] &>> shift | (self[limb &+ 1] &<< 1) &<< (63 &- shift)
    return word & ((1 &<< UInt64(truncatingIfNeeded: width)) &- 1)
  }

  /// The limb at a public index; zero beyond the last.
  @inline(__always)
  private subscript(index: Int) -> UInt64 {
    switch index {
    case 0: l0
    case 1: l1
    case 2: l2
    case 3: l3
    default: 0
    }
  }

  /// Digit `index` of the signed representation Σ dᵢ 2^(width · i) with |dᵢ| ≤ 2^(width − 1) (Booth).
  ///
  /// The digit looks at its own bits and at the highest bit below them: dᵢ = v + c − 2^width · t, where v are the bits, t
  /// the highest of them and c the bit below. Every 1 that is subtracted as t returns as c of the next digit.
  /// With ⌈257 / width⌉ digits the highest has t = 0, and the sum is the integer.
  ///
  /// Timing: depends on `index` and `width` only.
  @inline(__always)
  func boothDigit(_ index: Int, width: Int) -> (magnitude: UInt64, isNegative: Mask) {
    let position = index &* width
    let window =
      index == 0 ? bits(at: 0, width: width) &<< 1 : bits(at: position &- 1, width: width &+ 1)
    let isNegative = Mask(bit: window &>> UInt64(truncatingIfNeeded: width))
    // v + c = ⌈window / 2⌉; if negative, 2^width − (v + c) = ⌈(2^(width + 1) − 1 − window) / 2⌉
    let complement = (2 &<< UInt64(truncatingIfNeeded: width)) &- 1 &- window
    let value = isNegative.select(complement, window)
    return ((value &>> 1) &+ (value & 1), isNegative)
  }

  /// Writes the width-w non-adjacent form: Σ dᵢ 2ⁱ, each digit zero or odd with |dᵢ| < 2^(width − 1), and of any `width`
  /// neighbouring digits at most one not zero.
  /// - Parameter width: 2 … 8.
  /// - Parameter digits: 257 of them.
  ///
  /// Public integers only. Source: Hankerson, Menezes, Vanstone, "Guide to Elliptic Curve Cryptography", Algorithm 3.35.
  func nonAdjacentFormVariableTime(width: Int, into digits: UnsafeMutableBufferPointer<Int8>) {
    digits.update(repeating: 0)
    var carry: UInt64 = 0
    var position = 0
    while position < 257 {
      let bit = bits(at: position, width: 1)
      // bit + carry even: this digit is zero, and a carry moves on (1 + 1 = 2).
      if bit == carry {
        position &+= 1
        continue
      }
      let window = bits(at: position, width: width) &+ carry
      carry = window &>> UInt64(truncatingIfNeeded: width &- 1)
      // window < 2^width and odd: minus 2^width if that is nearer to zero.
      digits[position] = Int8(truncatingIfNeeded: Int(window) &- Int(carry &<< UInt64(width)))
      position &+= width
    }
  }
}
