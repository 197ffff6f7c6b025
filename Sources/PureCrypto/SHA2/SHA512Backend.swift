#if HARDWARE_KERNELS && arch(x86_64)
  internal import PureCryptoKernelsAVX2
#elseif ARM_SHA512_KERNELS && arch(arm64)
  internal import PureCryptoKernelsSHA512
#endif

/// How SHA-512 and SHA-384 take in blocks.
enum SHA512Backend: Sendable {
  case portable
  #if HARDWARE_KERNELS && arch(x86_64)
    /// The message schedule of two blocks in vectors.
    case avx2
  #elseif ARM_SHA512_KERNELS && arch(arm64)
    case hardware
  #endif

  /// The choice for a backend: the processor's instructions if both have them.
  init(_ backend: Backend) {
    #if HARDWARE_KERNELS && arch(x86_64)
      self = backend.hasAVX2AndBMI2 ? .avx2 : .portable
    #elseif ARM_SHA512_KERNELS && arch(arm64)
      self = backend.hasSHA512Instructions ? .hardware : .portable
    #else
      self = .portable
    #endif
  }

  /// The choice for the preferred backend.
  #if HARDWARE_KERNELS && arch(x86_64) || ARM_SHA512_KERNELS && arch(arm64)
    static let preferred = SHA512Backend(.preferred)
  #else
    @inline(__always)
    static var preferred: SHA512Backend { .portable }
  #endif
}

extension SHA512ChainingValue {
  /// Takes in whole blocks. `blocks` must be readable for 128 · `count` bytes.
  @inline(__always)
  mutating func compress(blocks: UnsafeRawPointer, count: Int, on backend: SHA512Backend) {
    switch backend {
    case .portable: compressPortable(blocks: blocks, count: count)
    #if HARDWARE_KERNELS && arch(x86_64)
      case .avx2: compressOnVectors(blocks: blocks, count: count)
    #elseif ARM_SHA512_KERNELS && arch(arm64)
      case .hardware:
        withUnsafeMutableBytes(of: &self) { words in
          guard let words = words.assumingMemoryBound(to: UInt64.self).baseAddress else { return }
          sha512Compress(state: words, blocks: blocks, count: count)
        }
    #endif
    }
  }

  #if HARDWARE_KERNELS && arch(x86_64)
    @inline(never)
    private mutating func compressOnVectors(blocks: UnsafeRawPointer, count: Int) {
      // A temporary allocation of this size would be on the heap.
      var schedule = MessageSchedule()
      withUnsafeMutableBytes(of: &self) { words in
        guard let words = words.assumingMemoryBound(to: UInt64.self).baseAddress else { return }
        schedule.withMutableBytes { room in
          Self.withRoundConstants {
            sha512CompressAVX2(
              state: words, blocks: blocks, count: count, constants: $0, schedule: room, zero: 0)
          }
          // The message may be a key, and its schedule tells it.
          wipe(UnsafeMutableRawBufferPointer(start: room, count: 1280))
        }
      }
    }
  #endif
}

#if HARDWARE_KERNELS && arch(x86_64)
  /// 1280 bytes: Wₜ + Kₜ of two blocks.
  private struct MessageSchedule: MessageBlock {
    private typealias Words = (SIMD8<UInt64>, SIMD8<UInt64>, SIMD8<UInt64>, SIMD8<UInt64>, SIMD8<UInt64>)

    private var first: Words = (.zero, .zero, .zero, .zero, .zero)
    private var second: Words = (.zero, .zero, .zero, .zero, .zero)
    private var third: Words = (.zero, .zero, .zero, .zero, .zero)
    private var fourth: Words = (.zero, .zero, .zero, .zero, .zero)
  }
#endif
