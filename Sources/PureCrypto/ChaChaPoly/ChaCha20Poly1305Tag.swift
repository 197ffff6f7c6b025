extension ChaCha20Poly1305 {
  /// The authentication tag of a message: 16 bytes, stored inline.
  ///
  /// `==` takes the same time wherever two tags differ.
  public struct AuthenticationTag: InlineBytes {
    @usableFromInline let words: SIMD2<UInt64>

    init(_ words: SIMD2<UInt64>) { self.words = words }

    /// The length of a tag: 16 bytes.
    @inlinable
    public static var byteCount: Int { 16 }

    /// Calls `body` with the 16 bytes.
    ///
    /// - Throws: what `body` throws.
    @inlinable
    public func withBytes<Result, Failure: Error>(
      _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try Swift.withUnsafeBytes(of: words) { bytes throws(Failure) in try body(bytes.bytes) }
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
