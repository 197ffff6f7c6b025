/// AES-GCM in portable constant-time Swift: the bitsliced cipher and GHASH without tables.
///
/// A view of a prepared key in memory that the caller keeps: the sliced round keys, then the hash subkey.
///
/// Timing: depends on the variant and on the lengths of the parts only.
/// Source: NIST SP 800-38D §7.
struct PortableGCM {
  /// Room for a prepared key.
  static let keyByteCount = BitslicedAES.maximumByteCount + MemoryLayout<GHASHKey>.size

  private let cipher: BitslicedAES
  private let hashKey: UnsafePointer<GHASHKey>

  /// Writes the prepared form of `key`, which has the variant's length, into room for `keyByteCount` bytes.
  static func prepare(key: UnsafeRawPointer, variant: AESVariant, into memory: UnsafeMutableRawPointer) {
    BitslicedAES.expand(key: key, variant: variant, into: memory)
    var state = ByteSlices(repeating: BlockSlice(.zero))
    BitslicedAES(roundKeys: memory, variant: variant).encrypt(&state)
    let h = state.s0.bits.transposedBytes
    (memory + BitslicedAES.maximumByteCount).initializeMemory(as: GHASHKey.self, to: GHASHKey(h.bigEndianValue))
  }

  /// A view of what `prepare` wrote.
  init(key: UnsafeRawPointer, variant: AESVariant) {
    self.cipher = BitslicedAES(roundKeys: key, variant: variant)
    self.hashKey = (key + BitslicedAES.maximumByteCount).assumingMemoryBound(to: GHASHKey.self)
  }

  /// J₀ for an initialization vector that doesn't have 96 bits: GHASH over it, filled up to a block, and its length.
  ///
  /// Source: NIST SP 800-38D §7.1 step 2.
  func initialCounterBlock(hashing initializationVector: UnsafeRawBufferPointer) -> AESBlock {
    var hash = GHASH()
    hash.update(initializationVector, key: hashKey)
    hash.update(bitCounts: 0, UInt64(initializationVector.count) &<< 3, key: hashKey)
    return AESBlock(bigEndianValue: hash.y)
  }

  /// Encrypts or decrypts a message and returns the authentication tag that belongs to its ciphertext.
  @inline(never)
  func process(_ message: GCMMessage, _ direction: GCMDirection, from initialCounterBlock: AESBlock) -> AESBlock {
    var hash = GHASH()
    hash.update(UnsafeRawBufferPointer(start: message.data, count: message.dataCount), key: hashKey)

    // J₀ itself is the first of the first eight counter blocks: its keystream masks the tag.
    var counters = GCMCounter(initialCounterBlock)
    var keystream = ByteSlices(counterRows: &counters)
    cipher.encrypt(&keystream)
    keystream.transposeRows()
    let tagMask = keystream.s0.bits
    var offset = 0
    var used = 1
    while true {
      let count = min(128 &- 16 &* used, message.count &- offset)
      if count > 0 {
        let input = message.input + offset
        let output = message.output + offset
        if direction == .open { hash.update(UnsafeRawBufferPointer(start: input, count: count), key: hashKey) }
        withUnsafeBytes(of: &keystream) { blocks in
          Self.add(blocks, from: 16 &* used, to: input, into: output, count: count)
        }
        if direction == .seal { hash.update(UnsafeRawBufferPointer(start: output, count: count), key: hashKey) }
        offset &+= count
      }
      if offset == message.count { break }
      keystream = ByteSlices(counterRows: &counters)
      cipher.encrypt(&keystream)
      keystream.transposeRows()
      used = 0
    }
    withUnsafeMutableBytes(of: &keystream) { wipe($0) }

    hash.update(
      bitCounts: UInt64(message.dataCount) &<< 3, UInt64(message.count) &<< 3, key: hashKey)
    return AESBlock(bigEndianValue: hash.y) ^ tagMask
  }

  /// Output = input ⊕ keystream for `count` bytes, the keystream from byte `start` on. `start` + `count` ≤ 128.
  @inline(__always)
  private static func add(
    _ keystream: UnsafeRawBufferPointer, from start: Int,
    to input: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int
  ) {
    guard let keystream = keystream.baseAddress else { return }
    var offset = 0
    while count &- offset >= 16 {
      let block =
        input.loadUnaligned(fromByteOffset: offset, as: AESBlock.self)
        ^ keystream.loadUnaligned(fromByteOffset: start &+ offset, as: AESBlock.self)
      output.storeBytes(of: block, toByteOffset: offset, as: AESBlock.self)
      offset &+= 16
    }
    while offset < count {
      let byte =
        input.load(fromByteOffset: offset, as: UInt8.self)
        ^ keystream.load(fromByteOffset: start &+ offset, as: UInt8.self)
      output.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
      offset &+= 1
    }
  }
}

/// The counter blocks of a message: J₀, inc₃₂(J₀), …
///
/// Source: NIST SP 800-38D §6.2, 6.5.
struct GCMCounter {
  private var block: SIMD4<UInt32>
  private var counter: UInt32

  init(_ initial: AESBlock) {
    block = unsafeBitCast(initial, to: SIMD4<UInt32>.self)
    counter = UInt32(bigEndian: block[3])
  }

  /// The block, with rows and columns exchanged; then moves on. The counter wraps at 32 bits as the standard says.
  @inline(__always)
  mutating func nextRows() -> BlockSlice {
    block[3] = counter.bigEndian
    counter &+= 1
    return BlockSlice(unsafeBitCast(block, to: AESBlock.self).transposedBytes)
  }
}

extension ByteSlices<BlockSlice> {
  @inline(__always)
  fileprivate init(repeating slice: BlockSlice) {
    self.init(s0: slice, s1: slice, s2: slice, s3: slice, s4: slice, s5: slice, s6: slice, s7: slice)
  }

  /// The next eight counter blocks.
  @inline(__always)
  fileprivate init(counterRows counters: inout GCMCounter) {
    self.init(
      s0: counters.nextRows(), s1: counters.nextRows(), s2: counters.nextRows(), s3: counters.nextRows(),
      s4: counters.nextRows(), s5: counters.nextRows(), s6: counters.nextRows(), s7: counters.nextRows())
  }

  /// Exchanges rows and columns of all eight blocks.
  @inline(__always)
  fileprivate mutating func transposeRows() {
    s0 = BlockSlice(s0.bits.transposedBytes)
    s1 = BlockSlice(s1.bits.transposedBytes)
    s2 = BlockSlice(s2.bits.transposedBytes)
    s3 = BlockSlice(s3.bits.transposedBytes)
    s4 = BlockSlice(s4.bits.transposedBytes)
    s5 = BlockSlice(s5.bits.transposedBytes)
    s6 = BlockSlice(s6.bits.transposedBytes)
    s7 = BlockSlice(s7.bits.transposedBytes)
  }
}
