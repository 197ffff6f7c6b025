/// BLAKE2b without a key, the hash function of Argon2.
///
/// Timing: depends on lengths only.
/// Source: RFC 7693.
struct BLAKE2b: BitwiseCopyable {
  /// h₀ … h₇.
  private var low: SIMD4<UInt64>
  private var high: SIMD4<UInt64>
  /// The bytes after the last block that was taken in. A whole block waits here until more comes: the last one is
  /// marked.
  private var pending = MessageBlock128()
  private var pendingCount = 0
  /// t, how many bytes have been taken in.
  private var byteCount: UInt64 = 0

  /// - Parameter digestByteCount: 1 to 64.
  init(digestByteCount: Int) {
    low = Self.initialLow
    high = Self.initialHigh
    // The parameter block: the length, no key, fanout 1 and depth 1.
    low[0] ^= 0x0101_0000 ^ UInt64(digestByteCount)
  }

  /// Appends to the message.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var next = 0
    while next < bytes.count {
      if pendingCount == 128 {
        byteCount &+= 128
        compress(isLast: false)
        pendingCount = 0
      }
      let taken = min(128 &- pendingCount, bytes.count &- next)
      if let start = bytes.baseAddress { pending.copy(from: start + next, count: taken, at: pendingCount) }
      pendingCount &+= taken
      next &+= taken
    }
  }

  /// Appends a number of 32 bits, least significant byte first.
  mutating func update(_ number: Int) {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian) { update($0) }
  }

  /// Writes the digest. Nothing may be appended afterwards.
  /// - Parameter digest: as long as the initializer was told.
  mutating func finalize(into digest: UnsafeMutableRawBufferPointer) {
    byteCount &+= UInt64(pendingCount)
    let count = pendingCount
    pending.withMutableBytes { wipe(UnsafeMutableRawBufferPointer(start: $0 + count, count: 128 &- count)) }
    compress(isLast: true)
    var words = (low, high)
    withUnsafeMutableBytes(of: &words) { words in
      for offset in stride(from: 0, to: 64, by: 8) {
        let word = words.load(fromByteOffset: offset, as: UInt64.self)
        words.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
      }
      digest.copyMemory(from: UnsafeRawBufferPointer(rebasing: words[..<digest.count]))
      wipe(words)
    }
  }

  // MARK: - Compression

  private static var initialLow: SIMD4<UInt64> {
    SIMD4(0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1)
  }
  private static var initialHigh: SIMD4<UInt64> {
    SIMD4(0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179)
  }

  /// σ: which words of the block each round takes, in the order x, y of the columns and then of the diagonals.
  private static let schedule: [SIMD16<UInt8>] = [
    SIMD16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    SIMD16(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    SIMD16(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
    SIMD16(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
    SIMD16(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
    SIMD16(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
    SIMD16(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
    SIMD16(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
    SIMD16(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
    SIMD16(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
  ]

  /// Takes in the block that waits.
  private mutating func compress(isLast: Bool) {
    var (a, b) = (low, high)
    var (c, d) = (Self.initialLow, Self.initialHigh)
    d[0] ^= byteCount
    d[2] ^= isLast ? ~0 : 0
    pending.withBytes { block in
      /// Four words of the block, every other one of σ from `first` on.
      func words(_ order: SIMD16<UInt8>, _ first: Int) -> SIMD4<UInt64> {
        var result = SIMD4<UInt64>.zero
        for index in 0..<4 {
          let word = block.loadUnaligned(fromByteOffset: 8 &* Int(order[first &+ 2 &* index]), as: UInt64.self)
          result[index] = UInt64(littleEndian: word)
        }
        return result
      }
      for round in 0..<12 {
        let order = Self.schedule[round % 10]
        Self.mix(&a, &b, &c, &d, words(order, 0), words(order, 1))
        // Diagonals become columns.
        (b, c, d) = (b.rotated(by: 1), c.rotated(by: 2), d.rotated(by: 3))
        Self.mix(&a, &b, &c, &d, words(order, 8), words(order, 9))
        (b, c, d) = (b.rotated(by: 3), c.rotated(by: 2), d.rotated(by: 1))
      }
    }
    low ^= a ^ c
    high ^= b ^ d
  }

  /// G on four columns.
  private static func mix(
    _ a: inout SIMD4<UInt64>, _ b: inout SIMD4<UInt64>, _ c: inout SIMD4<UInt64>, _ d: inout SIMD4<UInt64>,
    _ x: SIMD4<UInt64>, _ y: SIMD4<UInt64>
  ) {
    a = a &+ b &+ x
    d = (d ^ a).bitsRotated(32)
    c = c &+ d
    b = (b ^ c).bitsRotated(24)
    a = a &+ b &+ y
    d = (d ^ a).bitsRotated(16)
    c = c &+ d
    b = (b ^ c).bitsRotated(63)
  }
}

extension SIMD4<UInt64> {
  /// Lane i is what lane i + `count` was.
  fileprivate func rotated(by count: Int) -> SIMD4 {
    SIMD4(self[count & 3], self[(count &+ 1) & 3], self[(count &+ 2) & 3], self[(count &+ 3) & 3])
  }

  /// Each lane, to the right by 1 to 63 bits.
  fileprivate func bitsRotated(_ count: UInt64) -> SIMD4 {
    self &>> SIMD4(repeating: count) | self &<< SIMD4(repeating: 64 &- count)
  }
}
