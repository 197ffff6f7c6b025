/// The eight words H⁽ⁱ⁾ that SHA-256 carries from block to block.
struct SHA256ChainingValue: BitwiseCopyable, Sendable {
  var h0, h1, h2, h3, h4, h5, h6, h7: UInt32

  /// H⁽⁰⁾: the first 32 bits of the fractional parts of the square roots of the first eight primes.
  ///
  /// Source: FIPS 180-4 §5.3.3.
  static let initial = SHA256ChainingValue(
    h0: 0x6a09_e667, h1: 0xbb67_ae85, h2: 0x3c6e_f372, h3: 0xa54f_f53a,
    h4: 0x510e_527f, h5: 0x9b05_688c, h6: 0x1f83_d9ab, h7: 0x5be0_cd19)

  /// Takes in the end of a message: its last bytes, fewer than a block, and the padding.
  ///
  /// Source: FIPS 180-4 §5.1.1.
  mutating func compressEnd(_ tail: UnsafeRawBufferPointer, messageByteCount: UInt64, on backend: SHA256Backend) {
    var end = MessageBlock128()
    if let start = tail.baseAddress { end.copy(from: start, count: tail.count, at: 0) }
    end.withMutableBytes { bytes in
      bytes.storeBytes(of: 0x80, toByteOffset: tail.count, as: UInt8.self)
      // The bit that ends the message and the length, 1 + 8 bytes, fit into the same block after at most 55 bytes.
      let blockCount = tail.count < 56 ? 1 : 2
      bytes.storeBytes(
        of: (messageByteCount &<< 3).bigEndian, toByteOffset: 64 &* blockCount &- 8, as: UInt64.self)
      compress(blocks: UnsafeRawPointer(bytes), count: blockCount, on: backend)
      // The end of a message may be a key or a shared secret.
      wipe(UnsafeMutableRawBufferPointer(start: bytes, count: 128))
    }
  }

  /// The words in the byte order of the digest.
  var bigEndian: SHA256ChainingValue {
    SHA256ChainingValue(
      h0: h0.bigEndian, h1: h1.bigEndian, h2: h2.bigEndian, h3: h3.bigEndian,
      h4: h4.bigEndian, h5: h5.bigEndian, h6: h6.bigEndian, h7: h7.bigEndian)
  }
}
