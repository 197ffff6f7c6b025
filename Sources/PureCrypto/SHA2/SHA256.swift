extension SHA2 {
  /// SHA-256: digests of 32 bytes, blocks of 64.
  ///
  /// A value is a hash in progress: copying it forks the message. Nothing is allocated.
  ///
  /// Timing: depends on the message's length and on how it is split, not on its bytes.
  /// Source: FIPS 180-4 §6.2.
  public struct SHA256: SHA2Function {
    /// The bytes that are compressed at once: 64.
    public static var blockByteCount: Int { 64 }

    private var state: SHA256ChainingValue
    /// The bytes after the last whole block: the first `byteCount % 64` bytes of it count.
    private var pending: MessageBlock64
    private var byteCount: UInt64
    private let backend: SHA256Backend

    /// Starts with no input.
    public init() {
      self.init(backend: SHA256Backend.preferred)
    }

    /// Starts with no input, on a backend of the caller's choice. For tests and comparisons.
    package init(backend: Backend) {
      self.init(backend: SHA256Backend(backend))
    }

    private init(backend: SHA256Backend) {
      self.state = .initial
      self.pending = MessageBlock64()
      self.byteCount = 0
      self.backend = backend
    }

    /// Appends to the message.
    public mutating func update(_ bytes: RawSpan) { bytes.withUnsafeBytes { update($0) } }

    /// Appends to the message.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
      guard var next = bytes.baseAddress else { return }
      var remaining = bytes.count
      let pendingCount = Int(byteCount & 63)
      byteCount &+= UInt64(remaining)
      if pendingCount > 0 {
        let taken = min(64 &- pendingCount, remaining)
        pending.copy(from: next, count: taken, at: pendingCount)
        next += taken
        remaining &-= taken
        guard pendingCount &+ taken == 64 else { return }
        pending.withBytes { state.compress(blocks: $0, count: 1, on: backend) }
      }
      let blockCount = remaining &>> 6
      if blockCount > 0 {
        state.compress(blocks: next, count: blockCount, on: backend)
        next += blockCount &<< 6
        remaining &= 63
      }
      if remaining > 0 { pending.copy(from: next, count: remaining, at: 0) }
    }

    /// The digest of the message so far.
    public func finalize() -> Digest {
      var state = state
      pending.withBytes {
        state.compressEnd(
          UnsafeRawBufferPointer(start: $0, count: Int(byteCount & 63)), messageByteCount: byteCount, on: backend)
      }
      return Digest(state)
    }

    /// The digest of a whole message.
    public static func hash(_ bytes: RawSpan) -> Digest { bytes.withUnsafeBytes { hash($0) } }

    /// The digest of a whole message.
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> Digest {
      let backend = SHA256Backend.preferred
      var state = SHA256ChainingValue.initial
      let blockCount = bytes.count &>> 6
      if blockCount > 0, let start = bytes.baseAddress { state.compress(blocks: start, count: blockCount, on: backend) }
      state.compressEnd(
        UnsafeRawBufferPointer(rebasing: bytes[(blockCount &<< 6)...]), messageByteCount: UInt64(bytes.count),
        on: backend)
      return Digest(state)
    }
  }
}

extension SHA2.SHA256 {
  /// A SHA-256 digest: 32 bytes.
  public struct Digest: SHA2Digest {
    /// The bytes in their order of output.
    @usableFromInline let words: SIMD4<UInt64>

    /// 32.
    @inlinable
    public static var byteCount: Int { 32 }

    init(_ state: SHA256ChainingValue) {
      self.words = unsafeBitCast(state.bigEndian, to: SIMD4<UInt64>.self)
    }

    /// Calls `body` with the 32 bytes.
    ///
    /// - Throws: what `body` throws.
    @inlinable
    public func withBytes<Result, Failure: Error>(
      _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try Swift.withUnsafeBytes(of: words) { bytes throws(Failure) in try body(bytes.bytes) }
    }
  }
}
