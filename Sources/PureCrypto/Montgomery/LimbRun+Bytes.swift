extension LimbRun {
  /// Reads an integer, most significant byte first, into `count` limbs.
  /// - Parameter bytes: at most 8 · count bytes.
  static func load(_ limbs: MutableLimbs, count: Int, bigEndian bytes: UnsafeRawBufferPointer) {
    limbs.update(repeating: 0, count: count)
    var position = 0
    while position < bytes.count, position < count &* 8 {
      let byte = UInt64(bytes[bytes.count &- 1 &- position])
      limbs[position &>> 3] |= byte &<< UInt64(truncatingIfNeeded: (position & 7) &* 8)
      position &+= 1
    }
  }

  /// Writes the lowest 8 · `count` bytes of an integer, most significant first. Bytes beyond the limbs are zero.
  static func store(_ limbs: Limbs, count: Int, bigEndian bytes: UnsafeMutableRawBufferPointer) {
    for position in 0..<bytes.count {
      let limb = position &>> 3 < count ? limbs[position &>> 3] : 0
      bytes[bytes.count &- 1 &- position] = UInt8(
        truncatingIfNeeded: limb &>> UInt64(truncatingIfNeeded: (position & 7) &* 8))
    }
  }

  /// The number of limbs that hold so many bytes.
  static func count(ofBytes byteCount: Int) -> Int { (byteCount &+ 7) &>> 3 }

  /// A length, not yet declassified: which of its bits are set decides nothing.
  struct SecretLength {
    fileprivate let count: UInt64

    /// The length, for everybody to know. Key files are far below 2²⁴ bytes.
    var declassified: Int { Int(truncatingIfNeeded: PureCrypto.declassified(count, bitCount: 24)) }
  }

  /// The number of bytes of an integer, most significant first, without leading zeros.
  ///
  /// Timing: depends on the number of bytes that are given.
  static func significantByteCount(_ bytes: UnsafeRawBufferPointer) -> SecretLength {
    var isLeading = Mask.yes
    var count: UInt64 = 0
    for byte in bytes {
      isLeading = isLeading & Mask(isZero: UInt64(byte))
      count &+= (~isLeading).bit
    }
    return SecretLength(count: count)
  }

  /// Whether an integer, most significant byte first, has no more than `byteCount` bytes besides leading zeros.
  ///
  /// Timing: depends on the number of bytes that are given.
  static func fits(_ bytes: UnsafeRawBufferPointer, byteCount: Int) -> Mask {
    var beyond: UInt64 = 0
    for byte in bytes.dropLast(byteCount) { beyond |= UInt64(byte) }
    return Mask(isZero: beyond)
  }

  /// The position of the highest bit that is set, counted from 1; 0 for zero. Public integers only.
  static func bitCountVariableTime(_ limbs: Limbs, count: Int) -> Int {
    var index = count
    while index > 0 {
      index &-= 1
      if limbs[index] != 0 { return index &* 64 &+ 64 &- limbs[index].leadingZeroBitCount }
    }
    return 0
  }
}
