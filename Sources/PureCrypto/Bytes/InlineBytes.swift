/// A fixed number of bytes, stored inline: a digest, a tag, an initialization vector.
public protocol InlineBytes: RandomAccessCollection<UInt8>, BitwiseCopyable, Sendable, Hashable where Index == Int {
  /// The length in bytes.
  static var byteCount: Int { get }

  /// Calls `body` with the bytes, without copying them.
  ///
  /// - Throws: what `body` throws.
  func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result
}

extension InlineBytes {
  /// Always 0.
  @inlinable
  public var startIndex: Int { 0 }

  /// The length in bytes.
  @inlinable
  public var endIndex: Int { Self.byteCount }

  /// The byte at `position`, counted from 0.
  @inlinable
  public subscript(position: Int) -> UInt8 {
    withBytes { $0.unsafeLoad(fromByteOffset: position, as: UInt8.self) }
  }

  /// Calls `body` with the bytes, without copying them.
  ///
  /// - Throws: what `body` throws.
  @inlinable
  public func withContiguousStorageIfAvailable<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    try withBytes { bytes throws(Failure) in
      try bytes.withUnsafeBytes { bytes throws(Failure) in try bytes.withMemoryRebound(to: UInt8.self, body) }
    }
  }

  /// Calls `body` with the bytes. The pointer must not leave `body`. Code that runs often calls ``withBytes(_:)``
  /// itself, since `package` functions are not inlined in debug builds.
  @inlinable
  package func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withBytes { bytes throws(Failure) in try bytes.withUnsafeBytes(body) }
  }
}
