// Eight characters at a time, one in each octet of a 64-bit word, the first in the most significant.
//
// Every octet below stays between 0 and 255 after each step, so no carry and no borrow crosses into its neighbour.

/// The same octet eight times.
@inline(__always)
private func everyOctet(_ octet: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(octet) }

extension Base64Alphabet {
  /// 1 in each octet whose value, below 128, is `bound` or more; 0 in the others.
  @inline(__always)
  private static func isAtLeast(_ word: UInt64, _ bound: UInt8) -> UInt64 {
    // value + 128 − bound has its highest bit set exactly then, and is below 256.
    ((word &+ everyOctet(128 &- bound)) &>> 7) & everyOctet(1)
  }

  /// 1 in each octet whose value, below 128, is `octet`; 0 in the others.
  @inline(__always)
  private static func isEqual(_ word: UInt64, _ octet: UInt8) -> UInt64 {
    isAtLeast(word ^ everyOctet(octet), 1) ^ everyOctet(1)
  }

  /// The characters of 48 bits.
  @inline(__always)
  func characters(_ bits: UInt64) -> UInt64 {
    // Two runs of 24 bits, four of 12, eight of 6.
    let halves = bits & 0x0000_0000_00FF_FFFF | (bits &<< 8) & 0x00FF_FFFF_0000_0000
    let quarters = halves & 0x0000_0FFF_0000_0FFF | (halves &<< 4) & 0x0FFF_0000_0FFF_0000
    let values = quarters & 0x003F_003F_003F_003F | (quarters &<< 2) & 0x3F00_3F00_3F00_3F00
    // 0 … 25 ↦ +65, 26 … 51 ↦ +71, 52 … 61 ↦ −4, 62 and 63 ↦ the symbols. At most 63 + 71 + 95 before anything is taken away.
    let isLower = Base64Alphabet.isAtLeast(values, 26)
    let isDigit = Base64Alphabet.isAtLeast(values, 52)
    let isSymbol = Base64Alphabet.isAtLeast(values, 62)
    let isLast = Base64Alphabet.isAtLeast(values, 63)
    let letters = values &+ everyOctet(65) &+ isLower &* 6
    // 62 has become 62 + 71 − 75 = 58, and 63 has become 59; both symbols are below 128.
    let symbols = isSymbol &* UInt64(symbol62) &+ isLast &* UInt64(symbol63 &- symbol62)
    return letters &- isDigit &* 75 &+ symbols &- isSymbol &* 58 &- isLast
  }

  /// The 48 bits of eight characters. `foreign` becomes other than zero if a character is not in the alphabet.
  @inline(__always)
  func bits(_ characters: UInt64, _ foreign: inout UInt64) -> UInt64 {
    let above127 = characters & everyOctet(128)
    let word = characters ^ above127
    let isUpper = Base64Alphabet.isAtLeast(word, 0x41) ^ Base64Alphabet.isAtLeast(word, 0x5B)
    let isLower = Base64Alphabet.isAtLeast(word, 0x61) ^ Base64Alphabet.isAtLeast(word, 0x7B)
    let isDigit = Base64Alphabet.isAtLeast(word, 0x30) ^ Base64Alphabet.isAtLeast(word, 0x3A)
    let is62 = Base64Alphabet.isEqual(word, symbol62)
    let is63 = Base64Alphabet.isEqual(word, symbol63)
    foreign |= above127 | ((isUpper | isLower | isDigit | is62 | is63) ^ everyOctet(1))
    // A letter's low five bits count from 1, a digit's low four from 0. A flag times 255 is the mask of its octet.
    let letters = ((isUpper | isLower) &* 0x1F) & word
    let digits = (isDigit &* 0x0F) & word
    let values = letters &+ digits &+ isLower &* 25 &+ isDigit &* 52 &+ is62 &* 62 &+ is63 &* 63 &- isUpper
    let quarters = values & 0x003F_003F_003F_003F | (values &>> 2) & 0x0FC0_0FC0_0FC0_0FC0
    let halves = quarters & 0x0000_0FFF_0000_0FFF | (quarters &>> 4) & 0x00FF_F000_00FF_F000
    return halves & 0x0000_0000_00FF_FFFF | (halves &>> 8) & 0x0000_FFFF_FF00_0000
  }
}
