extension AESGCM {
  /// The authentication tag of a message: 16 bytes, stored inline.
  ///
  /// `==` takes the same time wherever two tags differ.
  public struct AuthenticationTag: RandomAccessCollection, BitwiseCopyable, Hashable, Sendable {
    @usableFromInline let words: SIMD2<UInt64>

    init(_ block: AESBlock) { self.words = block }

    /// Always 0.
    @inlinable
    public var startIndex: Int { 0 }

    /// Always 16.
    @inlinable
    public var endIndex: Int { 16 }

    /// The byte at `position`, counted from 0.
    @inlinable
    public subscript(position: Int) -> UInt8 {
      withUnsafeBytes { $0[position] }
    }

    /// Calls `body` with the 16 bytes. The pointer must not leave `body`.
    ///
    /// - Throws: what `body` throws.
    @inlinable
    public func withUnsafeBytes<Result, Failure: Error>(
      _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try Swift.withUnsafeBytes(of: words, body)
    }

    /// Calls `body` with the bytes, without copying them.
    ///
    /// - Throws: what `body` throws.
    @inlinable
    public func withContiguousStorageIfAvailable<Result, Failure: Error>(
      _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
      try withUnsafeBytes { bytes throws(Failure) in try bytes.withMemoryRebound(to: UInt8.self, body) }
    }

    /// Compares all bytes.
    ///
    /// Timing: constant.
    public static func == (lhs: AuthenticationTag, rhs: AuthenticationTag) -> Bool {
      let difference = lhs.words ^ rhs.words
      return Mask(isZero: difference[0] | difference[1]).declassified
    }
  }
}
