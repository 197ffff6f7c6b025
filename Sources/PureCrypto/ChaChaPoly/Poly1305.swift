/// Poly1305 in progress, in memory that the caller keeps and wipes: a polynomial at the point r, mod 2¹³⁰ − 5.
///
/// Numbers have three limbs, of 44, 44 and 42 bits. What is above 2¹³⁰ comes back times 5; what a product of limbs
/// leaves above it is above 2¹³², since 44 + 44 + 44 = 132, and comes back times 20.
///
/// Timing: depends on the lengths only.
/// Source: RFC 8439 §2.5.
struct Poly1305 {
  /// Room for r, s, the sum and the powers of r.
  static let byteCount = 64 + Poly1305Powers.byteCount
  /// From this length on it pays to compute powers of r.
  private static let leastByteCountByVectors = 384

  private static let mask44: UInt64 = (1 << 44) - 1
  private static let mask42: UInt64 = (1 << 42) - 1

  /// The sum in three limbs, r in three limbs, s in two words; then the powers.
  private let words: UnsafeMutablePointer<UInt64>
  private let powers: Poly1305Powers?

  /// Begins with an empty sum.
  /// - Parameter key: r ‖ s, 32 bytes.
  /// - Parameter memory: room for `byteCount` bytes.
  /// - Parameter expectedByteCount: how much is to come.
  init(key: UnsafeRawPointer, memory: UnsafeMutableRawPointer, expecting expectedByteCount: Int, backend: Backend) {
    words = memory.bindMemory(to: UInt64.self, capacity: 8)
    let low = Self.word(key, 0) & 0x0fff_fffc_0fff_ffff
    let high = Self.word(key, 8) & 0x0fff_fffc_0fff_fffc
    for index in 0..<3 { words[index] = 0 }
    words[3] = low & Self.mask44
    words[4] = (low &>> 44 | high &<< 20) & Self.mask44
    words[5] = high &>> 24
    words[6] = Self.word(key, 16)
    words[7] = Self.word(key, 24)
    powers =
      expectedByteCount >= Self.leastByteCountByVectors
      ? Poly1305Powers(of: Poly1305Number(words[3], words[4], words[5]), memory: memory + 64, backend: backend) : nil
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Takes in bytes, filled up with zeros to whole blocks of 16.
  func update(_ bytes: UnsafeRawPointer, count: Int) {
    var offset = 0
    if let powers, count >= Self.leastByteCountByVectors {
      let groupCount = count &>> powers.groupShift
      powers.update(words, bytes, groupCount: groupCount)
      offset = groupCount &<< powers.groupShift
    }
    let blockCount = (count &- offset) &>> 4
    update(blocks: bytes + offset, count: blockCount, top: 1 << 40)
    offset &+= blockCount &<< 4
    let rest = count &- offset
    guard rest > 0 else { return }
    // Fewer than 16 bytes, which the block has room for.
    var last = SIMD2<UInt64>.zero
    withUnsafeMutableBytes(of: &last) { last in
      guard let block = last.baseAddress else { return }
      block.copyMemory(from: bytes + offset, byteCount: rest)
      update(blocks: UnsafeRawPointer(block), count: 1, top: 1 << 40)
      wipe(last)
    }
  }

  /// Takes in two lengths, as the construction of RFC 8439 §2.8 ends with.
  func update(byteCounts first: Int, _ second: Int) {
    let lengths = SIMD2(UInt64(first).littleEndian, UInt64(second).littleEndian)
    withUnsafeBytes(of: lengths) { lengths in
      if let block = lengths.baseAddress { update(blocks: block, count: 1, top: 1 << 40) }
    }
  }

  /// Takes in whole blocks: sum ← (sum + block + 2¹²⁸) · r for each.
  /// - Parameter blocks: 16 · `count` bytes.
  /// - Parameter top: what is added to the highest limb: 2⁴⁰, which is 2¹²⁸ of the number, or nothing for a
  ///   block that has its own last bit.
  func update(blocks: UnsafeRawPointer, count: Int, top: UInt64) {
    var sum = Poly1305Number(words[0], words[1], words[2])
    let r = Poly1305Number(words[3], words[4], words[5])
    var offset = 0
    for _ in 0..<count {
      let low = Self.word(blocks, offset)
      let high = Self.word(blocks, offset &+ 8)
      // Limbs of a sum are below 2⁴⁴, 2⁴⁴ + 2¹⁰ and 2⁴², those of a block below 2⁴⁴, 2⁴⁴ and
      // 2⁴¹: together below 2⁴⁶, 2⁴⁶ and 2⁴⁴.
      sum.limb0 &+= low & Self.mask44
      sum.limb1 &+= (low &>> 44 | high &<< 20) & Self.mask44
      sum.limb2 &+= high &>> 24 | top
      sum = sum.multiplied(by: r)
      offset &+= 16
    }
    words[0] = sum.limb0
    words[1] = sum.limb1
    words[2] = sum.limb2
  }

  /// The sum mod 2¹³⁰ − 5, plus s, mod 2¹²⁸.
  var tag: SIMD2<UInt64> {
    // Of two rounds of carries, the second moves what the first brings back from the top, 0 or 5. It brings 5 back
    // itself only if it carried through all limbs, and then the lowest one is below 5.
    var (limb0, limb1, limb2) = (words[0], words[1], words[2])
    for _ in 0..<2 {
      limb1 &+= limb0 &>> 44
      limb0 &= Self.mask44
      limb2 &+= limb1 &>> 44
      limb1 &= Self.mask44
      limb0 &+= 5 &* (limb2 &>> 42)
      limb2 &= Self.mask42
    }
    // The sum is below 2¹³⁰. With 5 added it reaches 2¹³⁰ exactly if it is not below the modulus.
    let more0 = limb0 &+ 5
    let more1 = limb1 &+ more0 &>> 44
    let more2 = limb2 &+ more1 &>> 44
    let isTooLarge = Mask(bit: more2 &>> 42)
    limb0 = isTooLarge.select(more0 & Self.mask44, limb0)
    limb1 = isTooLarge.select(more1 & Self.mask44, limb1)
    limb2 = isTooLarge.select(more2 & Self.mask42, limb2)
    // Above 2¹²⁸ nothing counts.
    let number = UInt128(limb0) &+ UInt128(limb1) &<< 44 &+ UInt128(limb2) &<< 88
    let tag = number &+ (UInt128(words[6]) | UInt128(words[7]) &<< 64)
    return SIMD2(UInt64(truncatingIfNeeded: tag).littleEndian, UInt64(truncatingIfNeeded: tag &>> 64).littleEndian)
  }
}

/// A number mod 2¹³⁰ − 5 in limbs of 44, 44 and 42 bits, not fully reduced.
struct Poly1305Number: BitwiseCopyable {
  var limb0, limb1, limb2: UInt64

  @inline(__always)
  init(_ limb0: UInt64, _ limb1: UInt64, _ limb2: UInt64) {
    self.limb0 = limb0
    self.limb1 = limb1
    self.limb2 = limb2
  }

  /// The product, with limbs below 2⁴⁴, 2⁴⁴ + 2¹⁰ and 2⁴².
  ///
  /// Limbs of the number itself are below 2⁴⁶, 2⁴⁶ and 2⁴⁴.
  /// - Parameter factor: with limbs as a product has them.
  @inline(__always)
  func multiplied(by factor: Poly1305Number) -> Poly1305Number {
    // Below 2⁵⁰ and 2⁴⁷.
    let (twenty1, twenty2) = (20 &* factor.limb1, 20 &* factor.limb2)
    // Products are below 2⁴⁶ · 2⁴⁷ or 2⁴⁴ · 2⁵⁰, so that three of them and a carry are below 2⁹⁶,
    // of 2¹²⁸.
    let column0 =
      UInt128(limb0) &* UInt128(factor.limb0) &+ UInt128(limb1) &* UInt128(twenty2)
      &+ UInt128(limb2) &* UInt128(twenty1)
    var column1 =
      UInt128(limb0) &* UInt128(factor.limb1) &+ UInt128(limb1) &* UInt128(factor.limb0)
      &+ UInt128(limb2) &* UInt128(twenty2)
    var column2 =
      UInt128(limb0) &* UInt128(factor.limb2) &+ UInt128(limb1) &* UInt128(factor.limb1)
      &+ UInt128(limb2) &* UInt128(factor.limb0)
    // Without a factor of 20, the highest column is below 2⁴⁶ · 2⁴² + 2⁴⁶ · 2⁴⁵ + 2⁴⁴ · 2⁴⁵ +
    // 2⁵² < 2⁹². So what comes back is below 5 · 2⁵⁰ < 2⁵³, and the last carry below 2¹⁰.
    column1 &+= column0 &>> 44
    column2 &+= column1 &>> 44
    let back = UInt64(truncatingIfNeeded: column0) & (1 &<< 44 &- 1)
    let low = back &+ 5 &* UInt64(truncatingIfNeeded: column2 &>> 42)
    return Poly1305Number(
      low & (1 &<< 44 &- 1), UInt64(truncatingIfNeeded: column1) & (1 &<< 44 &- 1) &+ low &>> 44,
      UInt64(truncatingIfNeeded: column2) & (1 &<< 42 &- 1))
  }
}
