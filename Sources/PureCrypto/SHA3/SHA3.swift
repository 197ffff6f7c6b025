/// SHA3-256, SHA3-384 and SHA3-512.
///
/// A value is a hash in progress: copying it forks the message. Nothing is allocated but digests.
///
/// Timing: depends on the message's length and on how it is split, not on its bytes.
/// Source: FIPS 202 §6.1.
public struct SHA3: BitwiseCopyable, Sendable {
  /// The length of a digest.
  public enum Size: BitwiseCopyable, Sendable {
    /// SHA3-256: 32 bytes.
    case bits256
    /// SHA3-384: 48 bytes.
    case bits384
    /// SHA3-512: 64 bytes.
    case bits512

    var byteCount: Int {
      switch self {
      case .bits256: 32
      case .bits384: 48
      case .bits512: 64
      }
    }
  }

  private var sponge: KeccakSponge
  private let size: Size

  /// Starts with no input.
  public init(_ size: Size) {
    self.sponge = .hash(digestByteCount: size.byteCount)
    self.size = size
  }

  /// Appends to the message.
  @inlinable
  public mutating func update(_ bytes: some Collection<UInt8>) {
    withContiguousBytes(bytes) { update($0) }
  }

  @usableFromInline
  mutating func update(_ bytes: UnsafeRawBufferPointer) { sponge.update(bytes) }

  /// The digest of the message so far: 32, 48 or 64 bytes. The message may go on afterwards.
  public func finalize() -> [UInt8] { sponge.output(byteCount: size.byteCount) }

  /// The digest of a whole message: 32, 48 or 64 bytes.
  @inlinable
  public static func hash(_ bytes: some Collection<UInt8>, _ size: Size) -> [UInt8] {
    var hash = SHA3(size)
    hash.update(bytes)
    return hash.finalize()
  }
}
