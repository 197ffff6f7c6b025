#if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
  internal import PureCryptoKernels
#endif

/// How SHA-256 takes in blocks.
enum SHA256Backend: Sendable {
  case portable
  #if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
    case hardware
  #endif

  /// The choice for a backend: the processor's instructions if both have them.
  init(_ backend: Backend) {
    #if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
      self = backend.hasSHA256Instructions ? .hardware : .portable
    #else
      self = .portable
    #endif
  }

  /// The choice for the preferred backend.
  static let preferred = SHA256Backend(.preferred)
}

extension SHA256ChainingValue {
  /// Takes in whole blocks. `blocks` must be readable for 64 · `count` bytes.
  @inline(__always)
  mutating func compress(blocks: UnsafeRawPointer, count: Int, on backend: SHA256Backend) {
    switch backend {
    case .portable: compressPortable(blocks: blocks, count: count)
    #if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
      case .hardware:
        withUnsafeMutableBytes(of: &self) { words in
          guard let words = words.assumingMemoryBound(to: UInt32.self).baseAddress else { return }
          sha256Compress(state: words, blocks: blocks, count: count)
        }
    #endif
    }
  }
}
