internal import Synchronization

/// A key for ChaCha20-Poly1305 and the backend that it is used on. Wiped when the last reference goes.
final class ChaCha20Poly1305Key: Sendable {
  /// The length of a key: 32 bytes.
  static let byteCount = 32

  let backend: Backend
  private let bytes: SecretBytes
  /// How many messages were sealed under random nonces.
  private let randomUses = Atomic<UInt64>(0)

  /// - Parameter bytes: 32 of them, or there is no key.
  init(_ bytes: SecretBytes, backend: Backend) throws(CryptoError) {
    guard bytes.count == Self.byteCount else {
      throw CryptoError(.invalidKeyLength, "a key of ChaCha20-Poly1305 has 32 bytes")
    }
    self.bytes = bytes
    self.backend = backend
  }

  /// Calls `body` with the 32 bytes.
  @inline(__always)
  func withKey<Result>(_ body: (UnsafeRawPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in body(bytes.baseAddress.unsafelyUnwrapped) }
  }

  /// Counts one more message under a random nonce and returns how many there were before.
  func countRandomUse() -> UInt64 {
    randomUses.wrappingAdd(1, ordering: .relaxed).oldValue
  }

  /// Sets the count of uses. For tests of its limit, which use doesn't reach.
  func setRandomUses(_ count: UInt64) {
    randomUses.store(count, ordering: .relaxed)
  }
}
