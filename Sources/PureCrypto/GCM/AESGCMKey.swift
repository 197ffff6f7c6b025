internal import Synchronization

#if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
  internal import PureCryptoKernels
#endif
#if HARDWARE_KERNELS && arch(x86_64)
  internal import PureCryptoKernelsAVX512
  internal import PureCryptoKernelsVAES
#endif

/// A key made ready for AES-GCM on one backend: round keys and hash subkey, wiped when the last reference goes.
final class AESGCMKey: Sendable {
  let variant: AESVariant
  let backend: Backend
  /// Written only in `init`, before the reference is shared, and wiped in `deinit`, when no reference is left. In
  /// between the memory is read only, so threads may share it.
  private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
  /// Where the allocation starts: `memory` is the first 64-byte boundary in it, so that vectors don't straddle cache
  /// lines.
  private nonisolated(unsafe) let allocation: UnsafeMutableRawPointer
  /// How many messages were sealed under random initialization vectors.
  private let randomUses = Atomic<UInt64>(0)

  /// - Parameter key: as many bytes as the variant says.
  init(key: UnsafeRawPointer, variant: AESVariant, backend: Backend) {
    self.variant = variant
    self.backend = backend
    self.allocation = UnsafeMutableRawPointer.allocate(byteCount: Self.byteCount(for: backend) &+ 48, alignment: 16)
    self.memory = allocation.alignedUp(toMultipleOf: 64)
    switch backend {
    case .portable: PortableGCM.prepare(key: key, variant: variant, into: memory)
    #if HARDWARE_KERNELS && arch(x86_64)
      case .avx2vaes:
        aesExpandKey(key: key, keyWordCount: variant.keyWordCount, roundKeys: memory)
        gcmPrepareVAES256(roundCount: variant.roundCount, memory: memory)
      case .avx512, .avx512ifma:
        aesExpandKey(key: key, keyWordCount: variant.keyWordCount, roundKeys: memory)
        gcmPrepareVAES(roundCount: variant.roundCount, memory: memory)
    #endif
    #if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
      default: gcmPrepare(key: key, keyWordCount: variant.keyWordCount, memory: memory)
    #endif
    }
  }

  deinit {
    wipe(UnsafeMutableRawBufferPointer(start: memory, count: Self.byteCount(for: backend)))
    allocation.deallocate()
  }

  private static func byteCount(for backend: Backend) -> Int {
    switch backend {
    case .portable: PortableGCM.keyByteCount
    #if HARDWARE_KERNELS && arch(x86_64)
      case .avx2vaes: gcmKeyByteCountVAES256
      case .avx512, .avx512ifma: gcmKeyByteCountVAES
    #endif
    #if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
      default: gcmKeyByteCount
    #endif
    }
  }

  /// Counts one more message under a random initialization vector and returns how many there were before.
  func countRandomUse() -> UInt64 {
    randomUses.wrappingAdd(1, ordering: .relaxed).oldValue
  }

  /// Sets the count of uses. For tests of its limit, which use doesn't reach.
  func setRandomUses(_ count: UInt64) {
    randomUses.store(count, ordering: .relaxed)
  }

  /// J₀ for an initialization vector that doesn't have 96 bits: GHASH over it, filled up to a block, and its length.
  /// It is a secret, as whatever GHASH gives: it tells of H.
  ///
  /// Source: NIST SP 800-38D §7.1 step 2.
  func hashedCounterBlock(_ initializationVector: UnsafeRawBufferPointer) -> AESBlock {
    guard let bytes = initializationVector.baseAddress else { return .zero }
    let count = initializationVector.count
    let lengths = SIMD2(0, UInt64(count) &<< 3)
    switch backend {
    case .portable:
      return PortableGCM(key: memory, variant: variant).initialCounterBlock(hashing: initializationVector)
    #if HARDWARE_KERNELS && arch(x86_64)
      case .avx2vaes:
        return AESBlock(truncatingIfNeeded: gcmHashVAES256(key: memory, bytes: bytes, count: count, lengths: lengths))
      case .avx512, .avx512ifma:
        return AESBlock(truncatingIfNeeded: gcmHashVAES(key: memory, bytes: bytes, count: count, lengths: lengths))
    #endif
    #if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
      default: return AESBlock(truncatingIfNeeded: gcmHash(key: memory, bytes: bytes, count: count, lengths: lengths))
    #endif
    }
  }

  /// Encrypts or decrypts a message and returns the authentication tag that belongs to its ciphertext.
  func process(_ message: GCMMessage, _ direction: GCMDirection, from initialCounterBlock: AESBlock) -> AESBlock {
    switch (backend, direction) {
    case (.portable, _):
      PortableGCM(key: memory, variant: variant).process(message, direction, from: initialCounterBlock)
    #if HARDWARE_KERNELS && arch(x86_64)
      case (.avx2vaes, .seal): run(gcmSealVAES256, message, initialCounterBlock)
      case (.avx2vaes, .open): run(gcmOpenVAES256, message, initialCounterBlock)
      case (.avx512, .seal), (.avx512ifma, .seal): run(gcmSealVAES, message, initialCounterBlock)
      case (.avx512, .open), (.avx512ifma, .open): run(gcmOpenVAES, message, initialCounterBlock)
    #endif
    #if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
      case (_, .seal): run(gcmSeal, message, initialCounterBlock)
      case (_, .open): run(gcmOpen, message, initialCounterBlock)
    #endif
    }
  }

  @inline(__always)
  private func run(_ kernel: Kernel, _ message: GCMMessage, _ initialCounterBlock: AESBlock) -> AESBlock {
    AESBlock(
      truncatingIfNeeded: kernel(
        memory, variant.roundCount, SIMD2<Int64>(truncatingIfNeeded: initialCounterBlock), message.data,
        message.dataCount, message.input, message.output, message.count))
  }

  /// Key, number of rounds, J₀, additional authenticated data, its count, input, output, their count.
  private typealias Kernel = (
    UnsafeRawPointer, Int, SIMD2<Int64>, UnsafeRawPointer, Int, UnsafeRawPointer, UnsafeMutableRawPointer, Int
  ) -> SIMD2<Int64>
}
