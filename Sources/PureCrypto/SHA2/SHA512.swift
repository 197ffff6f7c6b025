extension SHA2 {
  /// SHA-512: digests of 64 bytes, blocks of 128.
  ///
  /// A value is a hash in progress: copying it forks the message. Nothing is allocated.
  ///
  /// Timing: depends on the message's length and on how it is split, not on its bytes.
  /// Source: FIPS 180-4 §6.4.
  public struct SHA512: SHA2Function {
    /// The bytes that are compressed at once: 128.
    public static var blockByteCount: Int { 128 }

    private var message: SHA512Message

    /// Starts with no input.
    public init() { message = SHA512Message(.initial512) }

    /// Starts with no input, on a backend of the caller's choice. For tests and comparisons.
    package init(backend: Backend) { message = SHA512Message(.initial512, on: SHA512Backend(backend)) }

    /// Appends to the message.
    public mutating func update(_ bytes: RawSpan) { bytes.withUnsafeBytes { message.update($0) } }

    /// Appends to the message.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) { message.update(bytes) }

    /// The digest of the message so far.
    public func finalize() -> Digest { Digest(message.finalize()) }

    /// The digest of a whole message.
    public static func hash(_ bytes: RawSpan) -> Digest { bytes.withUnsafeBytes { hash($0) } }

    /// The digest of a whole message.
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> Digest {
      Digest(SHA512Message.hash(bytes, from: .initial512))
    }
  }
}

extension SHA2.SHA512 {
  /// A SHA-512 digest: 64 bytes.
  public struct Digest: SHA2Digest {
    /// The bytes in their order of output.
    @usableFromInline let words: SIMD8<UInt64>

    /// 64.
    @inlinable
    public static var byteCount: Int { 64 }

    init(_ state: SHA512ChainingValue) {
      self.words = unsafeBitCast(state.bigEndian, to: SIMD8<UInt64>.self)
    }

    /// Calls `body` with the 64 bytes.
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
