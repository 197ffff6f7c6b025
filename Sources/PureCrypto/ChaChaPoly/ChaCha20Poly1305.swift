/// ChaCha20 with Poly1305: encryption and authentication in one, with one key for many messages.
///
/// The value is a reference to the key. Copies share it, it may be used from several threads at once, and it is wiped
/// when the last copy goes.
///
/// Timing: depends on the lengths of the parts; on opening also on whether the tag is right.
/// Source: RFC 8439 §2.8.
public struct ChaCha20Poly1305: Sendable {
  let key: ChaCha20Poly1305Key

  /// Takes a key.
  /// - Parameter key: 32 bytes. Secret.
  /// - Throws: `.invalidKeyLength` for any other length.
  @inlinable
  public init(key: some Collection<UInt8>) throws(CryptoError) {
    try self.init(key: SecretBytes(copying: key))
  }

  /// Takes a key.
  /// - Parameter key: 32 bytes.
  /// - Throws: `.invalidKeyLength` for any other length.
  public init(key: SecretBytes) throws(CryptoError) {
    try self.init(key: key, backend: .preferred)
  }

  /// Takes a key for a backend of the caller's choice. For tests and comparisons.
  package init(key: SecretBytes, backend: Backend) throws(CryptoError) {
    self.key = try ChaCha20Poly1305Key(key, backend: backend)
  }
}

// MARK: - The core that all forms share

extension ChaCha20Poly1305 {
  /// Encrypts `input` to `output`, which may be the same memory.
  func seal(
    from input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer,
    authenticating additionalAuthenticatedData: UnsafeRawBufferPointer, _ nonce: Nonce
  ) throws(CryptoError) -> AuthenticationTag {
    try Self.checkLength(message: input.count)
    let message = ChaCha20Poly1305Message(from: input, to: output, authenticating: additionalAuthenticatedData)
    return AuthenticationTag(message.seal(key, nonce))
  }

  /// Decrypts `input` to `output`, which may be the same memory. Unless the tag is right, the output is wiped, and
  /// nothing was decrypted.
  /// - Parameter tag: 16 bytes; the callers see to it.
  func open(
    from input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer, tag: UnsafeRawBufferPointer,
    authenticating additionalAuthenticatedData: UnsafeRawBufferPointer, _ nonce: Nonce
  ) throws(CryptoError) {
    try Self.checkLength(message: input.count)
    let message = ChaCha20Poly1305Message(from: input, to: output, authenticating: additionalAuthenticatedData)
    let isAuthentic = message.open(key, nonce) { expected in
      withUnsafeBytes(of: expected) { ConstantTime.equality(tag, $0) }.declassified
    }
    guard isAuthentic else {
      wipe(output)
      throw CryptoError(.authenticationFailed, "the authentication tag does not belong to this message and key")
    }
  }

  /// The length that the standard allows. That of authenticated data, 2⁶⁴ − 1 bytes, no memory exceeds.
  ///
  /// Blocks are counted with 32 bits, and the first of them makes the key of Poly1305.
  /// Source: RFC 8439 §2.8.
  static func checkLength(message: Int) throws(CryptoError) {
    guard UInt64(message) <= 1 << 38 - 64 else {
      throw CryptoError(.lengthLimitExceeded, "ChaCha20-Poly1305 takes messages of up to 2^38 - 64 bytes")
    }
  }

  /// Counts one more random nonce for this key. Two of 2³² are the same with a probability of 2⁻³³.
  func countRandomUse() throws(CryptoError) {
    guard key.countRandomUse() < 1 << 32 else {
      throw CryptoError(.usageLimitReached, "the key has encrypted 2^32 messages under random nonces")
    }
  }
}

extension ChaCha20Poly1305: Redacted {}
