/// SHA-1, whose collisions are known, for purposes that do not depend on them: OAEP with its default parameters, and
/// `x5t`, which is a name that no verifier trusts.
///
/// Timing: depends on the length only.
/// Source: FIPS 180-4 §6.1.
package enum SHA1 {
  /// The length of a digest in bytes.
  static var digestByteCount: Int { 20 }

  /// The digest of a message, 20 bytes.
  package static func hash(_ message: some Collection<UInt8>) -> [UInt8] {
    withContiguousBytes(message) { message in
      [UInt8](unsafeUninitializedCapacity: digestByteCount) { digest, initializedCount in
        initializedCount = digestByteCount
        hash(message, UnsafeRawBufferPointer(start: nil, count: 0), into: UnsafeMutableRawBufferPointer(digest))
      }
    }
  }

  /// Writes the digest of `first` ‖ `second`.
  /// - Parameter digest: 20 bytes.
  static func hash(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, into digest: UnsafeMutableRawBufferPointer
  ) {
    let messageCount = first.count &+ second.count
    // The message, 80, zeros, and its length in bits in the last eight bytes of a block of 64.
    let paddedCount = (messageCount &+ 9 &+ 63) & ~63
    withUnsafeTemporaryAllocation(byteCount: paddedCount, alignment: 4) { padded in
      defer { wipe(padded) }
      padded.initializeMemory(as: UInt8.self, repeating: 0)
      padded.copyMemory(from: first)
      UnsafeMutableRawBufferPointer(rebasing: padded[first.count...]).copyMemory(from: second)
      padded[messageCount] = 0x80
      padded.storeBytes(
        of: (UInt64(messageCount) &* 8).bigEndian, toByteOffset: paddedCount &- 8, as: UInt64.self)
      var state = initialState
      for block in stride(from: 0, to: paddedCount, by: 64) {
        compress(&state, UnsafeRawBufferPointer(rebasing: padded[block..<(block &+ 64)]))
      }
      store(state, to: digest)
      wipe(&state)
    }
  }

  /// What a hash begins with, in the first five words.
  static var initialState: SIMD8<UInt32> {
    SIMD8(0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0, 0, 0, 0)
  }

  /// Writes a state as a digest of 20 bytes.
  static func store(_ state: SIMD8<UInt32>, to digest: UnsafeMutableRawBufferPointer) {
    for word in 0..<5 { digest.storeBytes(of: state[word].bigEndian, toByteOffset: word &* 4, as: UInt32.self) }
  }

  /// The words of a digest.
  static func words(_ digest: UnsafeRawBufferPointer) -> SIMD8<UInt32> {
    var state = SIMD8<UInt32>.zero
    for word in 0..<5 {
      state[word] = UInt32(bigEndian: digest.loadUnaligned(fromByteOffset: word &* 4, as: UInt32.self))
    }
    return state
  }

  /// FIPS 180-4 §6.1.2 for one block of 64 bytes.
  static func compress(_ state: inout SIMD8<UInt32>, _ block: UnsafeRawBufferPointer) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { w in
      defer { wipe(UnsafeMutableRawBufferPointer(w)) }
      for t in 0..<16 {
        w[t] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: t &* 4, as: UInt32.self))
      }
      for t in 16..<80 { w[t] = rotate(w[t &- 3] ^ w[t &- 8] ^ w[t &- 14] ^ w[t &- 16], 1) }
      var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
      for t in 0..<80 {
        let (f, k): (UInt32, UInt32) =
          switch t {
          case 0..<20: (b & c ^ ~b & d, 0x5a82_7999)
          case 20..<40: (b ^ c ^ d, 0x6ed9_eba1)
          case 40..<60: (b & c ^ b & d ^ c & d, 0x8f1b_bcdc)
          default: (b ^ c ^ d, 0xca62_c1d6)
          }
        let sum = rotate(a, 5) &+ f &+ e &+ k &+ w[t]
        (a, b, c, d, e) = (sum, a, rotate(b, 30), c, d)
      }
      state[0] &+= a
      state[1] &+= b
      state[2] &+= c
      state[3] &+= d
      state[4] &+= e
    }
  }

  @inline(__always)
  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word &<< count | word &>> (32 &- count)
  }
}
