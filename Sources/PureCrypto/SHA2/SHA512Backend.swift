#if ARM_SHA512_KERNELS && arch(arm64)
  internal import PureCryptoKernelsSHA512
#endif

/// How SHA-512 and SHA-384 take in blocks.
enum SHA512Backend: Sendable {
  case portable
  #if ARM_SHA512_KERNELS && arch(arm64)
    case hardware
  #endif

  /// The choice for a backend: the processor's instructions if both have them.
  init(_ backend: Backend) {
    #if ARM_SHA512_KERNELS && arch(arm64)
      self = backend.hasSHA512Instructions ? .hardware : .portable
    #else
      self = .portable
    #endif
  }

  /// The choice for the preferred backend.
  #if ARM_SHA512_KERNELS && arch(arm64)
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
    #if ARM_SHA512_KERNELS && arch(arm64)
      case .hardware:
        withUnsafeMutableBytes(of: &self) { words in
          guard let words = words.assumingMemoryBound(to: UInt64.self).baseAddress else { return }
          sha512Compress(state: words, blocks: blocks, count: count)
        }
    #endif
    }
  }
}
