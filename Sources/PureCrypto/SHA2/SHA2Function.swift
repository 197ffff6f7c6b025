/// A hash function of the SHA-2 family, fed piece by piece or at once.
///
/// Source: FIPS 180-4.
public protocol SHA2Function: BitwiseCopyable, Sendable {
  /// The result of the function.
  associatedtype Digest: SHA2Digest

  /// The length of the digest in bytes.
  static var digestByteCount: Int { get }

  /// The length of the blocks that the function works in, in bytes. HMAC needs it.
  static var blockByteCount: Int { get }

  /// Starts with no input.
  init()

  /// Appends to the message.
  mutating func update(_ bytes: RawSpan)

  /// The digest of the message so far. The message may go on afterwards.
  func finalize() -> Digest

  /// The digest of a whole message.
  static func hash(_ bytes: RawSpan) -> Digest
}

extension SHA2Function {
  /// The length of the digest in bytes.
  @inlinable
  public static var digestByteCount: Int { Digest.byteCount }

  /// Appends to the message.
  @inlinable
  public mutating func update(_ bytes: some Collection<UInt8>) {
    withContiguousBytes(bytes) { update($0.bytes) }
  }

  /// The digest of a whole message.
  @inlinable
  public static func hash(_ bytes: some Collection<UInt8>) -> Digest {
    withContiguousBytes(bytes) { hash($0.bytes) }
  }
}

/// The hash functions of FIPS 180-4 that JOSE uses: ``SHA256``, ``SHA384`` and ``SHA512``.
public enum SHA2 {}
