/// The round keys as FIPS 197 defines them, in constant time: S-boxes are the bitsliced circuit, not a table.
enum AESKeySchedule {
  /// Room for the round keys of the longest variant: 15 blocks.
  static let maximumByteCount = 15 * 16

  /// Writes the Nr + 1 round keys, 16 bytes each.
  /// - Parameter key: 4 · Nk bytes.
  /// - Parameter roundKeys: room for 16 · (Nr + 1) bytes.
  ///
  /// Words are loaded little-endian, so a byte's place in memory is its place in the word: RotWord is a rotation to the
  /// right by a byte and Rcon meets the lowest byte.
  ///
  /// Timing: depends on the variant only.
  /// Source: FIPS 197 §5.2.
  static func expand(key: UnsafeRawPointer, variant: AESVariant, into roundKeys: UnsafeMutableRawPointer) {
    let nk = variant.keyWordCount
    for i in 0..<nk {
      roundKeys.storeBytes(
        of: key.loadUnaligned(fromByteOffset: 4 &* i, as: UInt32.self), toByteOffset: 4 &* i, as: UInt32.self)
    }
    var rcon: UInt32 = 1
    var word = UInt32(littleEndian: key.loadUnaligned(fromByteOffset: 4 &* (nk &- 1), as: UInt32.self))
    var phase = 0
    for i in nk..<(4 &* (variant.roundCount &+ 1)) {
      // `phase` is i mod Nk; it and `rcon` depend on the position only.
      if phase == 0 {
        word = substitute((word &>> 8) | (word &<< 24)) ^ rcon
        // Rcon doubles in GF(2⁸): 0x80 is followed by 0x1b.
        rcon = rcon == 0x80 ? 0x1b : rcon &<< 1
      } else if phase == 4 && nk == 8 {
        word = substitute(word)
      }
      let earlier = UInt32(littleEndian: roundKeys.load(fromByteOffset: 4 &* (i &- nk), as: UInt32.self))
      word ^= earlier
      roundKeys.storeBytes(of: word.littleEndian, toByteOffset: 4 &* i, as: UInt32.self)
      phase = phase &+ 1 == nk ? 0 : phase &+ 1
    }
  }

  /// SubWord: the S-box on each of four bytes.
  @inline(never)
  private static func substitute(_ word: UInt32) -> UInt32 {
    let x = transposeBits(UInt64(word))
    // Byte i of x holds bit i of each byte. The other bytes of a slice are computed along and masked off below.
    var slices = ByteSlices(
      s0: x, s1: x &>> 8, s2: x &>> 16, s3: x &>> 24, s4: x &>> 32, s5: x &>> 40, s6: x &>> 48, s7: x &>> 56)
    slices.substituteWithoutConstant()
    let low = (slices.s0 & 0xff) | (slices.s1 & 0xff) &<< 8 | (slices.s2 & 0xff) &<< 16 | (slices.s3 & 0xff) &<< 24
    let high = (slices.s4 & 0xff) | (slices.s5 & 0xff) &<< 8 | (slices.s6 & 0xff) &<< 16 | (slices.s7 & 0xff) &<< 24
    return UInt32(truncatingIfNeeded: transposeBits(low | high &<< 32)) ^ 0x6363_6363
  }

  /// Transposes the 8 × 8 bits of a word: bit j of byte i becomes bit i of byte j.
  @inline(__always)
  private static func transposeBits(_ x: UInt64) -> UInt64 {
    var x = x
    var difference = (x ^ (x &>> 7)) & 0x00aa_00aa_00aa_00aa
    x ^= difference ^ (difference &<< 7)
    difference = (x ^ (x &>> 14)) & 0x0000_cccc_0000_cccc
    x ^= difference ^ (difference &<< 14)
    difference = (x ^ (x &>> 28)) & 0x0000_0000_f0f0_f0f0
    x ^= difference ^ (difference &<< 28)
    return x
  }
}
