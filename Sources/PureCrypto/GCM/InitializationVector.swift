extension AESGCM {
  /// An initialization vector of 96 bits: 12 bytes, stored inline. Not a secret.
  ///
  /// The standard knows others as well. Their counters would begin at a hash under the secret key, they are no safer,
  /// and no protocol of today asks for them.
  ///
  /// Source: NIST SP 800-38D §8.2.
  public struct InitializationVector: InlineBytes {
    /// The counter block J₀ that a message begins with: the 12 bytes, then the counter 1.
    ///
    /// Source: NIST SP 800-38D §7.1 step 2.
    @usableFromInline let counterBlock: SIMD4<UInt32>

    /// The length of an initialization vector: 12 bytes.
    @inlinable
    public static var byteCount: Int { 12 }

    private init(_ word0: UInt32, _ word1: UInt32, _ word2: UInt32) {
      counterBlock = SIMD4(word0, word1, word2, UInt32(1).bigEndian)
    }

    /// Takes bytes, such as those that came with a message.
    /// - Parameter bytes: 12 of them.
    /// - Throws: `.invalidInitializationVectorLength` for any other number.
    @inlinable
    public init(_ bytes: some Collection<UInt8>) throws(CryptoError) {
      self = try withContiguousBytes(bytes) { (bytes) throws(CryptoError) in try InitializationVector(raw: bytes) }
    }

    @usableFromInline
    init(raw bytes: UnsafeRawBufferPointer) throws(CryptoError) {
      guard bytes.count == InitializationVector.byteCount else {
        throw CryptoError(.invalidInitializationVectorLength, "an initialization vector of AES-GCM has 12 bytes")
      }
      self.init(
        bytes.loadUnaligned(as: UInt32.self), bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
        bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    }

    /// The deterministic construction, for senders that count: it never repeats while the parts don't.
    /// - Parameter fixedField: the device or context, different for each that uses the key. The first 4 bytes,
    ///   big-endian.
    /// - Parameter invocationField: the message's number under this key, never used before, not even before a restart.
    ///   The other 8 bytes, big-endian.
    ///
    /// Source: NIST SP 800-38D §8.2.1.
    public init(fixedField: UInt32, invocationField: UInt64) {
      self.init(
        fixedField.bigEndian, UInt32(truncatingIfNeeded: invocationField &>> 32).bigEndian,
        UInt32(truncatingIfNeeded: invocationField).bigEndian)
    }

    /// Draws 12 bytes from the system's random number generator. One key takes 2³² of them at most, which
    /// ``AESGCM/seal(_:authenticating:)-(Collection<UInt8>,_)`` counts.
    ///
    /// Source: NIST SP 800-38D §8.2.2, 8.3.
    public static func random() -> InitializationVector {
      var words = SIMD4<UInt32>.zero
      withUnsafeMutableBytes(of: &words) {
        SystemRandom.fill(UnsafeMutableRawBufferPointer(rebasing: $0[..<InitializationVector.byteCount]))
      }
      return InitializationVector(words[0], words[1], words[2])
    }

    /// Calls `body` with the 12 bytes.
    ///
    /// - Throws: what `body` throws.
    @inlinable
    public func withBytes<Result, Failure: Error>(
      _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try Swift.withUnsafeBytes(of: counterBlock) { (block: UnsafeRawBufferPointer) throws(Failure) -> Result in
        let bytes = UnsafeRawBufferPointer(rebasing: block[..<12])
        return try body(bytes.bytes)
      }
    }
  }
}
