/// The checksum of gzip: a cyclic redundancy check, which finds accidental changes only.
///
/// Source: RFC 1952 §8, with the polynomial 0xEDB88320.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { octet in
    var remainder = UInt32(octet)
    for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
    return remainder
  }

  static func checksum(_ octets: some Sequence<UInt8>) -> UInt32 {
    var remainder = UInt32.max
    for octet in octets {
      remainder = remainder >> 8 ^ table[Int(UInt8(truncatingIfNeeded: remainder) ^ octet)]
    }
    return ~remainder
  }
}
