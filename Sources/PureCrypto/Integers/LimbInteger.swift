internal import PureCryptoIntegers

/// An integer of a fixed number of limbs, a₀ + 2⁶⁴ a₁ + 2¹²⁸ a₂ + …, stored inline.
///
/// The container of residues; operators are left to them. A conforming type consists of its limbs, least significant
/// first, and nothing else, so that they can be reached through a pointer. Loops over them have a constant number of
/// rounds once the code is specialised, and compile to straight lines.
protocol LimbInteger: Sendable, Hashable, BitwiseCopyable {
  /// The number of limbs.
  static var limbCount: Int { get }
  static var zero: Self { get }

  // These have implementations for any number of limbs.

  /// Reads an integer, most significant byte first.
  /// - Parameter bytes: at most 8 for each limb.
  init(bigEndian bytes: UnsafeRawBufferPointer)
  /// Writes the lowest bytes of the integer, most significant first, as many as there is room for.
  func storeBigEndian(to bytes: UnsafeMutableRawBufferPointer)
  /// The limb at a public index; zero beyond the last.
  func limb(_ index: Int) -> UInt64
  /// Whether the integer is zero.
  var isZero: Mask { get }
  /// Whether the integer is below `bound`.
  func isLess(than bound: Self) -> Mask
}

extension LimbInteger {
  /// Calls `body` with the limbs: readable for ``limbCount`` words.
  @inline(__always)
  func withLimbs<Result>(_ body: (LimbRun.Limbs) -> Result) -> Result {
    withUnsafePointer(to: self) { body(UnsafeRawPointer($0).assumingMemoryBound(to: UInt64.self)) }
  }

  /// Calls `body` with the limbs: readable and writable for ``limbCount`` words.
  @inline(__always)
  mutating func withMutableLimbs<Result>(_ body: (LimbRun.MutableLimbs) -> Result) -> Result {
    withUnsafeMutablePointer(to: &self) { body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt64.self)) }
  }

  /// An integer below 2⁶⁴.
  init(word: UInt64) {
    self = .zero
    withMutableLimbs { $0[0] = word }
  }

  /// The limb at a public index; zero beyond the last.
  @inline(__always) @_specialize(where Self == UInt256)
  func limb(_ index: Int) -> UInt64 {
    index < Self.limbCount ? withLimbs { $0[index] } : 0
  }
}

extension LimbInteger {
  /// Reads an integer, most significant byte first.
  /// - Parameter bytes: at most 8 for each limb.
  init(bigEndian bytes: UnsafeRawBufferPointer) {
    self = .zero
    withMutableLimbs { LimbRun.load($0, count: Self.limbCount, bigEndian: bytes) }
  }

  /// Writes the lowest bytes of the integer, most significant first, as many as there is room for.
  func storeBigEndian(to bytes: UnsafeMutableRawBufferPointer) {
    withLimbs { LimbRun.store($0, count: Self.limbCount, bigEndian: bytes) }
  }

  /// The lowest `count` bytes, most significant first. For public values: an array is not wiped.
  func bigEndianBytes(count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      storeBigEndian(to: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
      initializedCount = count
    }
  }
}

extension LimbInteger {
  /// Whether the integer is zero.
  @inline(__always)
  var isZero: Mask {
    withLimbs { limbs in
      var bits: UInt64 = 0
      for index in 0..<Self.limbCount { bits |= limbs[index] }
      return Mask(isZero: bits)
    }
  }

  /// Whether the integer is below `bound`: then the subtraction borrows.
  @inline(__always)
  func isLess(than bound: Self) -> Mask {
    withLimbs { limbs in bound.withLimbs { LimbRun.isLess(limbs, than: $0, count: Self.limbCount) } }
  }

  /// `first` for yes, `second` for no.
  @inline(__always)
  static func select(_ mask: Mask, _ first: Self, _ second: Self) -> Self {
    var result = second
    result.withMutableLimbs { result in
      first.withLimbs { LimbRun.move(result, $0, if: mask, count: limbCount) }
    }
    return result
  }

  /// The integer divided by 2^count, rounded down.
  /// - Parameter count: 0 … 63, public.
  func shiftedRight(by count: Int) -> Self {
    let shift = UInt64(truncatingIfNeeded: count)
    var result = Self.zero
    result.withMutableLimbs { result in
      for index in 0..<Self.limbCount {
        // The upper limb moves by 64 − count in two steps, since a shift by 64 does nothing.
        result[index] = limb(index) &>> shift | (limb(index &+ 1) &<< 1) &<< (63 &- shift)
      }
    }
    return result
  }

  /// a + w, for a sum below 2^(64 limbCount).
  func adding(_ word: UInt64) -> Self {
    var result = self
    result.withMutableLimbs { result in
      var carry: UInt64 = 0
      result[0] = add(result[0], word, &carry)
      for index in 1..<Self.limbCount { result[index] = add(result[index], 0, &carry) }
    }
    return result
  }

  /// a − w, for a ≥ w.
  func subtracting(_ word: UInt64) -> Self {
    var result = self
    result.withMutableLimbs { LimbRun.decrease($0, by: word, count: Self.limbCount) }
    return result
  }
}

extension LimbInteger {
  /// Bits `position` … `position` + `width` − 1; bits beyond the last limb are zero.
  ///
  /// Timing: depends on `position` and `width`, which are public, not on the integer.
  @inline(__always)
  func bits(at position: Int, width: Int) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: position & 63)
    let index = position &>> 6
    // The second shift is by 64 − shift in two steps, since a shift by 64 does nothing.
    let word = limb(index) &>> shift | (limb(index &+ 1) &<< 1) &<< (63 &- shift)
    return word & ((1 &<< UInt64(truncatingIfNeeded: width)) &- 1)
  }

  /// Digit `index` of the signed representation Σ dᵢ 2^(width · i) with |dᵢ| ≤ 2^(width − 1) (Booth).
  ///
  /// The digit looks at its own bits and at the highest bit below them: dᵢ = v + c − 2^width · t, where v are the
  /// bits, t the highest of them and c the bit below. Every 1 that is subtracted as t returns as c of the next digit.
  /// An integer below 2^bits needs ⌈(bits + 1) / width⌉ digits: the highest then has t = 0, and the sum is the
  /// integer.
  ///
  /// Timing: depends on `index` and `width` only.
  @_specialize(where Self == UInt256)
  func boothDigit(_ index: Int, width: Int) -> (magnitude: UInt64, isNegative: Mask) {
    let position = index &* width
    let window = index == 0 ? bits(at: 0, width: width) &<< 1 : bits(at: position &- 1, width: width &+ 1)
    let isNegative = Mask(bit: window &>> UInt64(truncatingIfNeeded: width))
    // v + c = ⌈window / 2⌉; if negative, 2^width − (v + c) = ⌈(2^(width + 1) − 1 − window) / 2⌉
    let complement = (2 &<< UInt64(truncatingIfNeeded: width)) &- 1 &- window
    let value = isNegative.select(complement, window)
    return ((value &>> 1) &+ (value & 1), isNegative)
  }

  /// Writes the width-w non-adjacent form: Σ dᵢ 2ⁱ, each digit zero or odd with |dᵢ| < 2^(width − 1), and of
  /// any `width` neighbouring digits at most one not zero.
  /// - Parameter width: 2 … 8.
  /// - Parameter digits: one more than the integer has bits.
  ///
  /// Public integers only.
  ///
  /// Source: Hankerson, Menezes, Vanstone, "Guide to Elliptic Curve Cryptography", Algorithm 3.35.
  @_specialize(where Self == UInt256)
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
