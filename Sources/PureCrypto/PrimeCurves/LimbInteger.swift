/// An integer of a fixed number of limbs, a₀ + 2⁶⁴ a₁ + 2¹²⁸ a₂ + …, stored inline.
///
/// The container of residues; operators are left to them. A conforming type consists of its limbs, least significant first,
/// and nothing else, so that they can be reached through a pointer. Loops over them have a constant number of rounds once
/// the code is specialised, and compile to straight lines.
protocol LimbInteger: Sendable, Hashable, BitwiseCopyable {
  /// The number of limbs.
  static var limbCount: Int { get }
  static var zero: Self { get }
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
  @inline(__always)
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
        // The upper limb moves by 64 − count in two steps, since a shift by 64 is none.
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
