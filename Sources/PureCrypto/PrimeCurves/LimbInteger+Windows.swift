extension LimbInteger {
  /// Bits `position` … `position` + `width` − 1; bits beyond the last limb are zero.
  ///
  /// Timing: depends on `position` and `width`, which are public, not on the integer.
  @inline(__always)
  func bits(at position: Int, width: Int) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: position & 63)
    let index = position &>> 6
    // The second shift is by 64 − shift in two steps, since a shift by 64 is none.
    let word = limb(index) &>> shift | (limb(index &+ 1) &<< 1) &<< (63 &- shift)
    return word & ((1 &<< UInt64(truncatingIfNeeded: width)) &- 1)
  }

  /// Digit `index` of the signed representation Σ dᵢ 2^(width · i) with |dᵢ| ≤ 2^(width − 1) (Booth).
  ///
  /// As for P-256, see ``UInt256/boothDigit(_:width:)``: an integer below 2^bits needs ⌈(bits + 1) / width⌉ digits.
  ///
  /// Timing: depends on `index` and `width` only.
  @inline(__always)
  func boothDigit(_ index: Int, width: Int) -> (magnitude: UInt64, isNegative: Mask) {
    let position = index &* width
    let window = index == 0 ? bits(at: 0, width: width) &<< 1 : bits(at: position &- 1, width: width &+ 1)
    let isNegative = Mask(bit: window &>> UInt64(truncatingIfNeeded: width))
    let complement = (2 &<< UInt64(truncatingIfNeeded: width)) &- 1 &- window
    let value = isNegative.select(complement, window)
    return ((value &>> 1) &+ (value & 1), isNegative)
  }

  /// Writes the width-w non-adjacent form: Σ dᵢ 2ⁱ, each digit zero or odd with |dᵢ| < 2^(width − 1), and of any `width`
  /// neighbouring digits at most one not zero.
  /// - Parameter width: 2 … 8.
  /// - Parameter digits: one more than the integer has bits.
  ///
  /// Public integers only. Source: Hankerson, Menezes, Vanstone, "Guide to Elliptic Curve Cryptography", Algorithm 3.35.
  func nonAdjacentFormVariableTime(width: Int, into digits: UnsafeMutableBufferPointer<Int8>) {
    digits.update(repeating: 0)
    var carry: UInt64 = 0
    var position = 0
    while position < digits.count {
      // bit + carry even: this digit is zero, and a carry moves on (1 + 1 = 2).
      if bits(at: position, width: 1) == carry {
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
