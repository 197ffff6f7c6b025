extension ChaCha20Poly1305 {
  /// A nonce of 96 bits: 12 bytes, stored inline. Not a secret.
  ///
  /// Source: RFC 8439 §2.8.
  public struct Nonce: InlineBytes {
    /// The 12 bytes, then four of zero.
    @usableFromInline let words: SIMD4<UInt32>

    /// The length of a nonce: 12 bytes.
    @inlinable
    public static var byteCount: Int { 12 }

    private init(_ word0: UInt32, _ word1: UInt32, _ word2: UInt32) {
      words = SIMD4(word0, word1, word2, 0)
    }

    /// Takes bytes, such as those that came with a message.
    /// - Parameter bytes: 12 of them.
    /// - Throws: `.invalidInitializationVectorLength` for any other number.
    @inlinable
    public init(_ bytes: some Collection<UInt8>) throws(CryptoError) {
      self = try withContiguousBytes(bytes) { (bytes) throws(CryptoError) in try Nonce(raw: bytes) }
    }

    @usableFromInline
    init(raw bytes: UnsafeRawBufferPointer) throws(CryptoError) {
      guard bytes.count == Nonce.byteCount else {
        throw CryptoError(.invalidInitializationVectorLength, "a nonce of ChaCha20-Poly1305 has 12 bytes")
      }
      self.init(
        bytes.loadUnaligned(as: UInt32.self), bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
        bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }

    /// Draws 12 bytes from the system's random number generator. One key takes 2³² of them at most, which
    /// ``ChaCha20Poly1305/seal(_:authenticating:)`` counts.
    public static func random() -> Nonce {
      var words = SIMD4<UInt32>.zero
      withUnsafeMutableBytes(of: &words) {
        SystemRandom.fill(UnsafeMutableRawBufferPointer(rebasing: $0[..<Nonce.byteCount]))
      }
      return Nonce(words[0], words[1], words[2])
    }

    /// Calls `body` with the 12 bytes.
    ///
    /// - Throws: what `body` throws.
    @inlinable
    public func withBytes<Result, Failure: Error>(
      _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try Swift.withUnsafeBytes(of: words) { (words: UnsafeRawBufferPointer) throws(Failure) -> Result in
        let bytes = UnsafeRawBufferPointer(rebasing: words[..<12])
        return try body(bytes.bytes)
      }
    }
  }
}
