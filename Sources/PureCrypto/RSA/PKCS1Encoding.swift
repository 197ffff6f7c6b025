/// EMSA-PKCS1-v1_5: the one encoding that a digest has.
///
/// Source: RFC 8017 §9.2.
enum PKCS1Encoding {
  /// Writes 00 ‖ 01 ‖ FF … FF ‖ 00 ‖ DigestInfo.
  /// - Parameter encoded: as long as the modulus, which is at least 256 bytes: room for eight bytes FF and more.
  static func encode<Digest: SHA2Digest>(_ digest: Digest, into encoded: UnsafeMutableRawBufferPointer) {
    let prefix = digestInfoPrefix(digestByteCount: Digest.byteCount)
    let infoStart = encoded.count &- prefix.count &- Digest.byteCount
    for position in 0..<infoStart { encoded[position] = 0xff }
    encoded[0] = 0x00
    encoded[1] = 0x01
    encoded[infoStart &- 1] = 0x00
    for (position, byte) in prefix.enumerated() { encoded[infoStart &+ position] = byte }
    digest.withUnsafeBytes { digest in
      UnsafeMutableRawBufferPointer(rebasing: encoded[(infoStart &+ prefix.count)...]).copyMemory(from: digest)
    }
  }

  /// DigestInfo up to the digest:
  ///
  ///     SEQUENCE { SEQUENCE { OBJECT IDENTIFIER 2.16.840.1.101.3.4.2.x, NULL }, OCTET STRING }
  ///
  /// x is 1 for SHA-256, 2 for SHA-384 and 3 for SHA-512, which differ in length.
  ///
  /// Source: RFC 8017 §9.2 note 1.
  private static func digestInfoPrefix(digestByteCount: Int) -> [UInt8] {
    let length = UInt8(truncatingIfNeeded: digestByteCount)
    let function = length &>> 4 &- 1
    return [
      0x30, 0x11 &+ length, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02,
      function, 0x05, 0x00, 0x04, length,
    ]
  }
}
