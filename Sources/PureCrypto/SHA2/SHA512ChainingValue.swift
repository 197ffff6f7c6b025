/// The eight words H⁽ⁱ⁾ that SHA-512 and SHA-384 carry from block to block.
struct SHA512ChainingValue: BitwiseCopyable, Sendable {
  var h0, h1, h2, h3, h4, h5, h6, h7: UInt64

  /// H⁽⁰⁾ of SHA-512: the first 64 bits of the fractional parts of the square roots of the first eight primes.
  ///
  /// Source: FIPS 180-4 §5.3.5.
  static let initial512 = SHA512ChainingValue(
    h0: 0x6a09_e667_f3bc_c908, h1: 0xbb67_ae85_84ca_a73b,
    h2: 0x3c6e_f372_fe94_f82b, h3: 0xa54f_f53a_5f1d_36f1,
    h4: 0x510e_527f_ade6_82d1, h5: 0x9b05_688c_2b3e_6c1f,
    h6: 0x1f83_d9ab_fb41_bd6b, h7: 0x5be0_cd19_137e_2179)

  /// H⁽⁰⁾ of SHA-384: the first 64 bits of the fractional parts of the square roots of the ninth to sixteenth
  /// primes.
  ///
  /// Source: FIPS 180-4 §5.3.4.
  static let initial384 = SHA512ChainingValue(
    h0: 0xcbbb_9d5d_c105_9ed8, h1: 0x629a_292a_367c_d507,
    h2: 0x9159_015a_3070_dd17, h3: 0x152f_ecd8_f70e_5939,
    h4: 0x6733_2667_ffc0_0b31, h5: 0x8eb4_4a87_6858_1511,
    h6: 0xdb0c_2e0d_64f9_8fa7, h7: 0x47b5_481d_befa_4fa4)

  /// Takes in the end of a message: its last bytes, fewer than a block, and the padding.
  ///
  /// Source: FIPS 180-4 §5.1.2.
  mutating func compressEnd(_ tail: UnsafeRawBufferPointer, messageByteCount: UInt64, on backend: SHA512Backend) {
    var end = MessageBlock256()
    if let start = tail.baseAddress { end.copy(from: start, count: tail.count, at: 0) }
    end.withMutableBytes { bytes in
      bytes.storeBytes(of: 0x80, toByteOffset: tail.count, as: UInt8.self)
      // The bit that ends the message and the length, 1 + 16 bytes, fit into the same block after at most 111 bytes.
      // No message has 2⁶¹ bytes, so the upper half of the length in bits stays zero.
      let blockCount = tail.count < 112 ? 1 : 2
      bytes.storeBytes(
        of: (messageByteCount &<< 3).bigEndian, toByteOffset: 128 &* blockCount &- 8, as: UInt64.self)
      compress(blocks: UnsafeRawPointer(bytes), count: blockCount, on: backend)
      // The end of a message may be a key or a shared secret.
      wipe(UnsafeMutableRawBufferPointer(start: bytes, count: 256))
    }
  }

  /// The words in the byte order of the digest.
  var bigEndian: SHA512ChainingValue {
    SHA512ChainingValue(
      h0: h0.bigEndian, h1: h1.bigEndian, h2: h2.bigEndian, h3: h3.bigEndian,
      h4: h4.bigEndian, h5: h5.bigEndian, h6: h6.bigEndian, h7: h7.bigEndian)
  }
}
