#if HARDWARE_KERNELS && arch(x86_64)
  internal import PureCryptoKernels
#endif

/// How SHA-256 takes in blocks.
enum SHA256Backend: Sendable {
  case portable
  #if HARDWARE_KERNELS && arch(x86_64)
    case shani
  #endif

  /// The choice for a backend: SHA-NI if it and the processor have it.
  init(_ backend: Backend) {
    #if HARDWARE_KERNELS && arch(x86_64)
      self = backend.hasSHANI ? .shani : .portable
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
    #if HARDWARE_KERNELS && arch(x86_64)
      case .shani:
        withUnsafeMutableBytes(of: &self) { words in
          guard let words = words.assumingMemoryBound(to: UInt32.self).baseAddress else { return }
          sha256CompressSHANI(state: words, blocks: blocks, count: count)
        }
    #endif
    }
  }
}
