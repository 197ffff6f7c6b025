/// Room for one or two blocks of a message, zero at first, stored inline so that no hash allocates.
protocol MessageBlock: BitwiseCopyable, Sendable {}

extension MessageBlock {
  /// Copies `count` bytes to `position`. `position` + `count` must not exceed the size of the block.
  @inline(__always)
  mutating func copy(from source: UnsafeRawPointer, count: Int, at position: Int) {
    withMutableBytes { ($0 + position).copyMemory(from: source, byteCount: count) }
  }

  /// Calls `body` with the address of the block.
  @inline(__always)
  func withBytes<Result>(_ body: (UnsafeRawPointer) -> Result) -> Result {
    withUnsafePointer(to: self) { body(UnsafeRawPointer($0)) }
  }

  /// Calls `body` with the address of the block, to write into it.
  @inline(__always)
  mutating func withMutableBytes<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
    withUnsafeMutablePointer(to: &self) { body(UnsafeMutableRawPointer($0)) }
  }
}

/// 64 bytes: a block of SHA-256.
struct MessageBlock64: MessageBlock {
  private var words = SIMD8<UInt64>.zero
}

/// 128 bytes: a block of SHA-512 or two of SHA-256.
struct MessageBlock128: MessageBlock {
  private var words = (SIMD8<UInt64>.zero, SIMD8<UInt64>.zero)
}

/// 256 bytes: two blocks of SHA-512.
struct MessageBlock256: MessageBlock {
  private var words = (SIMD8<UInt64>.zero, SIMD8<UInt64>.zero, SIMD8<UInt64>.zero, SIMD8<UInt64>.zero)
}
