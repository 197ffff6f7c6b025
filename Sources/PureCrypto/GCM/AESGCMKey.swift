import Synchronization

/// A key made ready for AES-GCM: round keys and hash subkey, wiped when the last reference goes.
final class AESGCMKey: Sendable {
  let variant: AESVariant
  /// Written only in `init`, before anybody else holds the reference, and wiped in `deinit`, when nobody does any more. In
  /// between the memory is read only, so threads may share it.
  private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
  /// How many messages were sealed under random initialization vectors.
  private let randomUses = Atomic<UInt64>(0)

  /// - Parameter key: as many bytes as the variant says.
  init(key: UnsafeRawPointer, variant: AESVariant) {
    self.variant = variant
    self.memory = UnsafeMutableRawPointer.allocate(byteCount: PortableGCM.keyByteCount, alignment: 16)
    PortableGCM.prepare(key: key, variant: variant, into: memory)
  }

  deinit {
    wipe(UnsafeMutableRawBufferPointer(start: memory, count: PortableGCM.keyByteCount))
    memory.deallocate()
  }

  /// Counts one more message under a random initialization vector and returns how many there were before.
  func countRandomUse() -> UInt64 {
    randomUses.wrappingAdd(1, ordering: .relaxed).oldValue
  }

  /// J₀ for an initialization vector of at least one byte.
  ///
  /// Source: NIST SP 800-38D §7.1 step 2.
  func initialCounterBlock(_ initializationVector: UnsafeRawBufferPointer) -> AESBlock {
    if initializationVector.count == 12 {
      var block = SIMD4<UInt32>()
      block[0] = initializationVector.loadUnaligned(fromByteOffset: 0, as: UInt32.self)
      block[1] = initializationVector.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
      block[2] = initializationVector.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
      block[3] = UInt32(1).bigEndian
      return unsafeBitCast(block, to: AESBlock.self)
    }
    return PortableGCM(key: memory, variant: variant).initialCounterBlock(hashing: initializationVector)
  }

  /// Encrypts or decrypts a message and returns the authentication tag that belongs to its ciphertext.
  func process(_ message: GCMMessage, _ direction: GCMDirection, from initialCounterBlock: AESBlock) -> AESBlock {
    PortableGCM(key: memory, variant: variant).process(message, direction, from: initialCounterBlock)
  }
}
