/// A message on its way through ChaCha20-Poly1305: where its parts are.
///
/// `input` and `output` are `count` bytes each and may be the same memory, but must not overlap otherwise. `data` are
/// the `dataCount` bytes that are authenticated only.
struct ChaCha20Poly1305Message {
  private let input: UnsafeRawPointer
  private let output: UnsafeMutableRawPointer
  private let count: Int
  private let data: UnsafeRawPointer
  private let dataCount: Int

  /// How many bytes are encrypted before they are hashed: they are then still in the processor's first cache.
  private static let stepByteCount = 16 * 1024

  init(
    from input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer,
    authenticating additionalAuthenticatedData: UnsafeRawBufferPointer
  ) {
    // An empty buffer may have no address; any will do for no bytes.
    let anywhere = UnsafeMutableRawPointer(bitPattern: 64).unsafelyUnwrapped
    self.input = input.baseAddress ?? UnsafeRawPointer(anywhere)
    self.output = output.baseAddress ?? anywhere
    self.count = input.count
    self.data = additionalAuthenticatedData.baseAddress ?? UnsafeRawPointer(anywhere)
    self.dataCount = additionalAuthenticatedData.count
  }

  /// Encrypts and returns the tag.
  ///
  /// Source: RFC 8439 §2.8.
  func seal(_ key: ChaCha20Poly1305Key, _ nonce: ChaCha20Poly1305.Nonce) -> SIMD2<UInt64> {
    withStreams(key, nonce) { cipher, keystream, hash in
      hash.update(data, count: dataCount)
      var encrypted = addFirst(keystream, of: cipher)
      var hashed = 0
      while encrypted < count {
        encrypted = addStep(from: encrypted, keystream, of: cipher)
        guard encrypted &- hashed >= Self.stepByteCount || encrypted == count else { continue }
        // Whole groups of blocks for the kernels of Poly1305, but for the last.
        let end = encrypted == count ? count : encrypted & ~127
        hash.update(UnsafeRawPointer(output + hashed), count: end &- hashed)
        hashed = end
      }
      hash.update(UnsafeRawPointer(output + hashed), count: encrypted &- hashed)
      hash.update(byteCounts: dataCount, count)
      return hash.tag
    }
  }

  /// Computes the tag that belongs to the ciphertext, and decrypts if it is the right one.
  /// - Parameter isRight: whether it is; also what is returned.
  func open(
    _ key: ChaCha20Poly1305Key, _ nonce: ChaCha20Poly1305.Nonce, if isRight: (SIMD2<UInt64>) -> Bool
  ) -> Bool {
    withStreams(key, nonce) { cipher, keystream, hash in
      hash.update(data, count: dataCount)
      hash.update(input, count: count)
      hash.update(byteCounts: dataCount, count)
      guard isRight(hash.tag) else { return false }
      var decrypted = addFirst(keystream, of: cipher)
      while decrypted < count { decrypted = addStep(from: decrypted, keystream, of: cipher) }
      return true
    }
  }

  /// Calls `body` with the cipher, its first batch of keystream, and Poly1305 under the key that this begins with. All
  /// of it is wiped afterwards.
  ///
  /// Source: RFC 8439 §2.6.
  @inline(__always)
  private func withStreams<Result>(
    _ key: ChaCha20Poly1305Key, _ nonce: ChaCha20Poly1305.Nonce,
    _ body: (ChaCha20, _ keystream: UnsafeMutableRawPointer, Poly1305) -> Result
  ) -> Result {
    // Two rooms, each small enough for the stack, which aligns them to 16 bytes.
    withUnsafeTemporaryAllocation(byteCount: ChaCha20.maximumBatchByteCount, alignment: 16) { keystream in
      withUnsafeTemporaryAllocation(
        byteCount: ChaCha20.blockByteCount + Poly1305.byteCount + 48, alignment: 16
      ) { memory in
        defer {
          wipe(keystream)
          wipe(memory)
        }
        // Neither is empty. Kernels read powers in each step: they must not straddle cache lines.
        let start = memory.baseAddress.unsafelyUnwrapped.alignedUp(toMultipleOf: 64)
        let first = keystream.baseAddress.unsafelyUnwrapped
        let block = start.bindMemory(to: UInt32.self, capacity: 16)
        let cipher = key.withKey { ChaCha20(key: $0, nonce: nonce, memory: block, backend: key.backend) }
        cipher.write(from: 0, into: first)
        let hash = Poly1305(
          key: first, memory: start + ChaCha20.blockByteCount, expecting: max(count, dataCount), backend: key.backend)
        return body(cipher, first, hash)
      }
    }
  }

  /// Adds what the first batch of keystream has behind its first block, and returns for how many bytes that was.
  @inline(__always)
  private func addFirst(_ keystream: UnsafeMutableRawPointer, of cipher: ChaCha20) -> Int {
    let first = min(count, cipher.batchByteCount &- ChaCha20.blockByteCount)
    add(UnsafeRawPointer(keystream + ChaCha20.blockByteCount), from: 0, count: first)
    return first
  }

  /// Adds keystream to some more bytes and returns where they end: at a multiple of 64, or at the end of the message.
  /// - Parameter start: a multiple of 64 below `count`.
  @inline(__always)
  private func addStep(from start: Int, _ keystream: UnsafeMutableRawPointer, of cipher: ChaCha20) -> Int {
    // The number of a block fits: a message has less than 2³² of them.
    let counter = UInt32(truncatingIfNeeded: start &>> 6 &+ 1)
    let batchCount = min(count &- start, Self.stepByteCount) &>> cipher.batchShift
    if batchCount > 0 {
      cipher.add(from: counter, to: input + start, into: output + start, batchCount: batchCount)
      return start &+ batchCount &<< cipher.batchShift
    }
    cipher.write(from: counter, into: keystream)
    add(UnsafeRawPointer(keystream), from: start, count: count &- start)
    return count
  }

  /// Output = input ⊕ keystream for `count` bytes from `start` on, all within the message.
  @inline(__always)
  private func add(_ keystream: UnsafeRawPointer, from start: Int, count: Int) {
    let (input, output) = (input + start, output + start)
    var offset = 0
    while count &- offset >= 64 {
      let sum =
        input.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt64>.self)
        ^ keystream.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt64>.self)
      output.storeBytes(of: sum, toByteOffset: offset, as: SIMD8<UInt64>.self)
      offset &+= 64
    }
    while count &- offset >= 8 {
      let sum =
        input.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        ^ keystream.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      output.storeBytes(of: sum, toByteOffset: offset, as: UInt64.self)
      offset &+= 8
    }
    while offset < count {
      let sum =
        input.load(fromByteOffset: offset, as: UInt8.self) ^ keystream.load(fromByteOffset: offset, as: UInt8.self)
      output.storeBytes(of: sum, toByteOffset: offset, as: UInt8.self)
      offset &+= 1
    }
  }
}
