/// Base64 with the standard alphabet and padding, for the inside of PEM blocks.
///
/// Characters are computed, not looked up, so that a private key leaves no trace in the cache.
/// Source: RFC 4648 §4.
enum Base64 {
  /// Decodes strictly, but for white space, which is skipped.
  /// - Throws: `.malformedPEM` for another character, wrong padding, or bits after the last byte that are not zero.
  ///
  /// Timing: depends on the length and on where white space and padding stand.
  static func decodeSecret(_ text: UnsafeRawBufferPointer) throws(CryptoError) -> SecretBytes {
    var characterCount = 0
    for byte in text where !PEMBlock.isWhiteSpace(byte) { characterCount &+= 1 }
    guard characterCount & 3 == 0 else { throw CryptoError(.malformedPEM, "the base64 is cut off or not padded") }
    let paddingCount = text.lazy.filter { !PEMBlock.isWhiteSpace($0) }.suffix(2).count { $0 == UInt8(ascii: "=") }
    let byteCount = (characterCount &>> 2) &* 3 &- paddingCount
    return try SecretBytes(count: byteCount) { bytes throws(CryptoError) in
      var written = 0
      var accumulator: UInt32 = 0
      var pending = 0  // characters in the accumulator
      var seen = 0
      var wrong: Int32 = 0  // negative once a character was none of the alphabet
      for byte in text where !PEMBlock.isWhiteSpace(byte) {
        // '=' is public, and only the last characters are let off.
        seen &+= 1
        let isPadding = seen > characterCount &- paddingCount
        let value = isPadding ? (byte == UInt8(ascii: "=") ? 0 : -1) : decode(byte)
        wrong |= value
        accumulator = accumulator &<< 6 | UInt32(truncatingIfNeeded: value & 63)
        pending &+= 1
        guard pending == 4 else { continue }
        pending = 0
        var shift: UInt32 = 16
        while written < byteCount {
          bytes[written] = UInt8(truncatingIfNeeded: accumulator &>> shift)
          written &+= 1
          if shift == 0 { break }
          shift &-= 8
        }
        if seen == characterCount {
          // Padding stands for bytes that are not there: their bits must be zero.
          let unused: UInt32 = paddingCount == 0 ? 0 : (1 &<< (8 &* UInt32(truncatingIfNeeded: paddingCount))) &- 1
          wrong |= 0 &- Int32(truncatingIfNeeded: accumulator & unused)
        }
      }
      guard wrong >= 0 else { throw CryptoError(.malformedPEM, "the base64 has a wrong character or stray bits") }
    }
  }

  /// Encodes in lines, each ended by LF.
  /// - Parameter lineLength: a multiple of 4.
  ///
  /// Timing: depends on the length only.
  static func append(_ bytes: UnsafeRawBufferPointer, to text: inout [UInt8], lineLength: Int) {
    // Room for everything at once: a growing array would leave copies of a secret behind.
    let characterCount = (bytes.count &+ 2) / 3 &* 4
    text.reserveCapacity(text.count &+ characterCount &+ characterCount / lineLength &+ 64)
    var column = 0
    var offset = 0
    while offset < bytes.count {
      let available = min(3, bytes.count &- offset)
      var group: UInt32 = 0
      for index in 0..<3 {
        group = group &<< 8 | (index < available ? UInt32(bytes[offset &+ index]) : 0)
      }
      for index in 0..<4 {
        let value = Int32(truncatingIfNeeded: group &>> UInt32(18 &- 6 &* index)) & 63
        text.append(index <= available ? encode(value) : UInt8(ascii: "="))
      }
      offset &+= available
      column &+= 4
      if column == lineLength {
        text.append(UInt8(ascii: "\n"))
        column = 0
      }
    }
    if column > 0 { text.append(UInt8(ascii: "\n")) }
  }

  /// The value of a character, 0 … 63, or −1.
  @inline(__always)
  private static func decode(_ character: UInt8) -> Int32 {
    let c = Int32(character)
    // At most one of the ranges contains c; each contributes its value + 1.
    return -1
      &+ (inRange(c, "A", "Z") & (c &- 64))
      &+ (inRange(c, "a", "z") & (c &- 70))
      &+ (inRange(c, "0", "9") & (c &+ 5))
      &+ (inRange(c, "+", "+") & 63)
      &+ (inRange(c, "/", "/") & 64)
  }

  /// The character of a value 0 … 63: an offset that changes at 26, 52, 62 and 63.
  @inline(__always)
  private static func encode(_ value: Int32) -> UInt8 {
    let offset =
      65
      &+ (isAbove(value, 25) & (97 &- 26 &- 65))
      &- (isAbove(value, 51) & (97 &- 26 &- 48 &+ 52))
      &- (isAbove(value, 61) & (48 &- 52 &- 43 &+ 62))
      &+ (isAbove(value, 62) & (47 &- 63 &- 43 &+ 62))
    return UInt8(truncatingIfNeeded: value &+ offset)
  }

  /// −1 when first ≤ c ≤ last, else 0.
  @inline(__always)
  private static func inRange(_ c: Int32, _ first: Unicode.Scalar, _ last: Unicode.Scalar) -> Int32 {
    // Both differences are negative exactly then; the shift spreads the sign.
    let belowFirst = Int32(truncatingIfNeeded: first.value) &- 1 &- c
    let aboveLast = c &- Int32(truncatingIfNeeded: last.value) &- 1
    return (belowFirst & aboveLast) &>> 31
  }

  /// −1 when value > bound, else 0.
  @inline(__always)
  private static func isAbove(_ value: Int32, _ bound: Int32) -> Int32 {
    (bound &- value) &>> 31
  }
}
