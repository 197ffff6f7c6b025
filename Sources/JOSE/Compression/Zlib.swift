/// A DEFLATE stream with the frame of zlib: two octets before it, and a checksum of the content behind it.
///
/// Source: RFC 1950.
package enum Zlib {
  /// Compresses octets, with the words of a compressor that took its time.
  package static func compress(_ data: [UInt8]) -> [UInt8] {
    // DEFLATE with a window of 32 KiB; the slowest of four ways. The sixteen bits are a multiple of 31.
    [0x78, 0xDA] + Deflate.compress(data) + bigEndian(adler32(data))
  }

  /// Decompresses exactly one frame.
  ///
  /// - Throws: ``ErrorCode/malformed`` for another method, a preset dictionary, a wrong checksum, or octets behind it;
  ///   ``ErrorCode/limitExceeded`` as ``Inflate/decompress(_:byteLimit:)``.
  package static func decompress(_ data: [UInt8], byteLimit: Int) throws(JOSEError) -> [UInt8] {
    guard data.count >= 6, data[0] & 0x0F == 8, data[0] >> 4 <= 7, data[1] & 0x20 == 0,
      (Int(data[0]) << 8 | Int(data[1])) % 31 == 0
    else { throw Inflate.malformed }
    let content = try Inflate.decompress(Array(data[2..<data.count - 4]), byteLimit: byteLimit)
    guard data.suffix(4).elementsEqual(bigEndian(adler32(content))) else { throw Inflate.malformed }
    return content
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// Two sums modulo 65521: a of the octets and 1, b of all values of a.
  ///
  /// In 5552 octets, b grows to at most 65520·5553 + 255·(5552·5553/2) < 2³², so it is reduced that seldom.
  static func adler32(_ data: [UInt8]) -> UInt32 {
    var (a, b): (UInt32, UInt32) = (1, 0)
    for start in stride(from: 0, to: data.count, by: 5552) {
      for octet in data[start..<min(start + 5552, data.count)] {
        a &+= UInt32(octet)
        b &+= a
      }
      (a, b) = (a % 65_521, b % 65_521)
    }
    return b << 16 | a
  }
}
