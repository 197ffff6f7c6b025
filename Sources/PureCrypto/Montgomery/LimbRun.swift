internal import PureCryptoIntegers

/// Arithmetic on runs of limbs: integers a₀ + 2⁶⁴ a₁ + 2¹²⁸ a₂ + … of as many limbs as the caller says.
///
/// Every function reads and writes exactly the limbs that its comment names; pointers and counts come from
/// ``MontgomeryModulus`` and its callers, never from outside.
///
/// Timing: depends on the numbers of limbs only.
enum LimbRun {
  typealias Limbs = UnsafePointer<UInt64>
  typealias MutableLimbs = UnsafeMutablePointer<UInt64>

  /// r ← a + b on `count` limbs of each. r may be a or b.
  /// - Returns: the carry, 0 or 1.
  @inline(__always) @discardableResult
  static func sum(_ r: MutableLimbs, _ a: Limbs, _ b: Limbs, count: Int) -> UInt64 {
    var carry: UInt64 = 0
    for index in 0..<count { r[index] = add(a[index], b[index], &carry) }
    return carry
  }

  /// r ← a − b on `count` limbs of each. r may be a or b.
  /// - Returns: the borrow, 0 or 1: 1 when a < b.
  @inline(__always) @discardableResult
  static func difference(_ r: MutableLimbs, _ a: Limbs, _ b: Limbs, count: Int) -> UInt64 {
    var borrow: UInt64 = 0
    for index in 0..<count { r[index] = subtract(a[index], b[index], &borrow) }
    return borrow
  }

  /// r ← a + (b for yes, 0 for no) on `count` limbs. r may be a.
  /// - Returns: the carry, 0 or 1.
  @inline(__always) @discardableResult
  static func sum(_ r: MutableLimbs, _ a: Limbs, _ b: Limbs, if mask: Mask, count: Int) -> UInt64 {
    var carry: UInt64 = 0
    for index in 0..<count { r[index] = add(a[index], mask.keep(b[index]), &carry) }
    return carry
  }

  /// a ← a − w, for a ≥ w of `count` limbs.
  static func decrease(_ a: MutableLimbs, by w: UInt64, count: Int) {
    var borrow: UInt64 = 0
    a[0] = subtract(a[0], w, &borrow)
    for index in 1..<count { a[index] = subtract(a[index], 0, &borrow) }
  }

  /// a ← a + b, for a of `count` and b of `byCount` ≤ `count` limbs whose sum has no more than `count`.
  static func increase(_ a: MutableLimbs, by b: Limbs, byCount: Int, count: Int) {
    var carry: UInt64 = 0
    for index in 0..<byCount { a[index] = add(a[index], b[index], &carry) }
    for index in byCount..<count { a[index] = add(a[index], 0, &carry) }
  }

  /// r ← a for yes, unchanged for no, on `count` limbs.
  @inline(__always)
  static func move(_ r: MutableLimbs, _ a: Limbs, if mask: Mask, count: Int) {
    for index in 0..<count { r[index] = mask.select(a[index], r[index]) }
  }

  /// r ← entry `index` of a row of entries of `count` limbs, counted from 1, or 0 for 0. Every entry is read, and all
  /// but one are masked out.
  /// - Parameter index: 0 … `entryCount`. Secret.
  @inline(never)
  static func select(_ r: MutableLimbs, index: UInt64, of row: Limbs, entryCount: Int, count: Int) {
    r.update(repeating: 0, count: count)
    var entry = row
    var number: UInt64 = 0
    for _ in 0..<entryCount {
      number &+= 1
      let mask = Mask(number, equals: index)
      for limb in 0..<count { r[limb] |= mask.keep(entry[limb]) }
      entry += count
    }
  }

  /// Whether a < b, on `count` limbs of each.
  static func isLess(_ a: Limbs, than b: Limbs, count: Int) -> Mask {
    var borrow: UInt64 = 0
    for index in 0..<count { _ = subtract(a[index], b[index], &borrow) }
    return Mask(bit: borrow)
  }

  /// Whether a = b, on `count` limbs of each.
  static func equality(_ a: Limbs, _ b: Limbs, count: Int) -> Mask {
    var difference: UInt64 = 0
    for index in 0..<count { difference |= a[index] ^ b[index] }
    return Mask(isZero: difference)
  }

  /// Whether a = w, on `count` ≥ 1 limbs.
  static func equality(_ a: Limbs, word: UInt64, count: Int) -> Mask {
    var difference = a[0] ^ word
    for index in 1..<count { difference |= a[index] }
    return Mask(isZero: difference)
  }

  /// r ← a mod m, for a of any size: one bit after the other, the highest first.
  /// - Parameter r: `count` limbs, as m has. Overlaps neither a nor m.
  ///
  /// r ← 2r + bit < 2m, and m is subtracted when that is not below m.
  static func remainder(_ r: MutableLimbs, _ a: Limbs, aCount: Int, modulus m: Limbs, count: Int) {
    r.update(repeating: 0, count: count)
    for position in (0..<(aCount &* 64)).reversed() {
      var carry = a[position &>> 6] &>> UInt64(truncatingIfNeeded: position & 63) & 1
      for index in 0..<count {
        let limb = r[index]
        r[index] = limb &<< 1 | carry
        carry = limb &>> 63
      }
      subtractOnce(r, high: carry, modulus: m, count: count)
    }
  }

  /// r ← r − m when r + 2^(64 count) high ≥ m, else r.
  /// - Parameter r: with `high`, below 2m. The result is below m.
  /// - Parameter high: 0 or 1, the limb above r.
  @inline(__always)
  static func subtractOnce(_ r: MutableLimbs, high: UInt64, modulus m: Limbs, count: Int) {
    var borrow = difference(r, r, m, count: count)
    // The limb above is 0 when r ≥ m, and −1 when the subtraction went below zero.
    let below = subtract(high, 0, &borrow)
    sum(r, r, m, if: Mask(bit: below), count: count)
  }
}

extension LimbRun {
  /// Reads an integer, most significant byte first, into `count` limbs.
  /// - Parameter bytes: at most 8 · count bytes.
  static func load(_ limbs: MutableLimbs, count: Int, bigEndian bytes: UnsafeRawBufferPointer) {
    limbs.update(repeating: 0, count: count)
    var position = 0
    while position &+ 8 <= bytes.count, position < count &* 8 {
      let word = bytes.loadUnaligned(fromByteOffset: bytes.count &- 8 &- position, as: UInt64.self)
      limbs[position &>> 3] = UInt64(bigEndian: word)
      position &+= 8
    }
    while position < bytes.count, position < count &* 8 {
      let byte = UInt64(bytes[bytes.count &- 1 &- position])
      limbs[position &>> 3] |= byte &<< UInt64(truncatingIfNeeded: (position & 7) &* 8)
      position &+= 1
    }
  }

  /// Writes the lowest 8 · `count` bytes of an integer, most significant first. Bytes beyond the limbs are zero.
  static func store(_ limbs: Limbs, count: Int, bigEndian bytes: UnsafeMutableRawBufferPointer) {
    var start = 0
    while start &+ 8 <= bytes.count, start &>> 3 < count {
      bytes.storeBytes(
        of: limbs[start &>> 3].bigEndian, toByteOffset: bytes.count &- 8 &- start, as: UInt64.self)
      start &+= 8
    }
    for position in start..<bytes.count {
      let limb = position &>> 3 < count ? limbs[position &>> 3] : 0
      bytes[bytes.count &- 1 &- position] = UInt8(
        truncatingIfNeeded: limb &>> UInt64(truncatingIfNeeded: (position & 7) &* 8))
    }
  }

  /// The number of limbs that hold this many bytes.
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
}
