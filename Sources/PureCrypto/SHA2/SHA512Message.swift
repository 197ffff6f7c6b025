/// A message on its way through the compression function that SHA-512 and SHA-384 share.
struct SHA512Message: BitwiseCopyable, Sendable {
  private var state: SHA512ChainingValue
  /// The bytes after the last whole block: the first `byteCount % 128` bytes of it count.
  private var pending = MessageBlock128()
  private var byteCount: UInt64 = 0
  private let backend: SHA512Backend

  init(_ initial: SHA512ChainingValue, on backend: SHA512Backend = .preferred) {
    self.state = initial
    self.backend = backend
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard var next = bytes.baseAddress else { return }
    var remaining = bytes.count
    let pendingCount = Int(byteCount & 127)
    byteCount &+= UInt64(remaining)
    if pendingCount > 0 {
      let taken = min(128 &- pendingCount, remaining)
      pending.copy(from: next, count: taken, at: pendingCount)
      next += taken
      remaining &-= taken
      guard pendingCount &+ taken == 128 else { return }
      pending.withBytes { state.compress(blocks: $0, count: 1, on: backend) }
    }
    let blockCount = remaining &>> 7
    if blockCount > 0 {
      state.compress(blocks: next, count: blockCount, on: backend)
      next += blockCount &<< 7
      remaining &= 127
    }
    if remaining > 0 { pending.copy(from: next, count: remaining, at: 0) }
  }

  func finalize() -> SHA512ChainingValue {
    var state = state
    pending.withBytes {
      state.compressEnd(
        UnsafeRawBufferPointer(start: $0, count: Int(byteCount & 127)), messageByteCount: byteCount, on: backend)
    }
    return state
  }

  static func hash(_ bytes: UnsafeRawBufferPointer, from initial: SHA512ChainingValue) -> SHA512ChainingValue {
    let backend = SHA512Backend.preferred
    var state = initial
    let blockCount = bytes.count &>> 7
    if blockCount > 0, let start = bytes.baseAddress { state.compress(blocks: start, count: blockCount, on: backend) }
    state.compressEnd(
      UnsafeRawBufferPointer(rebasing: bytes[(blockCount &<< 7)...]), messageByteCount: UInt64(bytes.count),
      on: backend)
    return state
  }
}
