/// base64 as a table and a loop, for comparison.
enum ObviousBase64 {
  /// Decodes unpadded text; nil if it is not exactly what an encoder writes.
  static func decode(_ text: [UInt8], symbols: [UInt8]) -> [UInt8]? {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8) + symbols
    var octets: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for character in text {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        octets.append(UInt8(truncatingIfNeeded: bits >> bitCount))
        bits &= (1 << bitCount) - 1
      }
    }
    return bitCount < 6 && bits == 0 ? octets : nil
  }

  static func decodePadded(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let padding = text.suffix(2).reversed().prefix { $0 == 0x3D }.count
    return decode(text.dropLast(padding), symbols: [0x2B, 0x2F])
  }
}
