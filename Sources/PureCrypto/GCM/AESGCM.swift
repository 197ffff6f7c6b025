/// AES in Galois/Counter Mode: encryption and authentication in one, with a key made ready once for many messages.
///
/// The value is a reference to the prepared key. Copies share it, it may be used from several threads at once, and it
/// is wiped when the last copy goes.
///
/// Initialization vectors have 96 bits, see ``InitializationVector``.
///
/// Timing: depends on the length of the key and on the lengths of the parts; on opening also on whether the tag is
/// right.
/// Source: NIST SP 800-38D.
public struct AESGCM: Sendable {
  let key: AESGCMKey

  /// The length of an authentication tag: 16 bytes.
  public static var tagByteCount: Int { 16 }

  /// Makes a key ready.
  /// - Parameter key: 16, 24 or 32 bytes. Secret.
  /// - Throws: `.invalidKeyLength` for any other length.
  @inlinable
  public init(key: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(key) { (bytes) throws(CryptoError) in try AESGCM(key: bytes) }
  }

  /// Makes a key ready.
  /// - Parameter key: 16, 24 or 32 bytes.
  /// - Throws: `.invalidKeyLength` for any other length.
  public init(key: SecretBytes) throws(CryptoError) {
    self = try key.withUnsafeBytes { (bytes) throws(CryptoError) in try AESGCM(key: bytes) }
  }

  @usableFromInline
  init(key: UnsafeRawBufferPointer) throws(CryptoError) {
    try self.init(key: key, backend: .preferred)
  }

  /// Makes a key ready on a backend of the caller's choice. For tests and comparisons.
  package init(key: some Collection<UInt8>, backend: Backend) throws(CryptoError) {
    self = try withContiguousBytes(key) { (bytes) throws(CryptoError) in try AESGCM(key: bytes, backend: backend) }
  }

  private init(key: UnsafeRawBufferPointer, backend: Backend) throws(CryptoError) {
    let variant = try AESVariant(keyByteCount: key.count)
    guard let key = key.baseAddress else {
      throw CryptoError(.invalidKeyLength, "an AES key has 16, 24 or 32 bytes")
    }
    self.key = AESGCMKey(key: key, variant: variant, backend: backend)
  }
}

// MARK: - The core that all forms share

extension AESGCM {
  /// Encrypts `input` to `output`, which may be the same memory.
  func seal(
    from input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer,
    authenticating additionalAuthenticatedData: UnsafeRawBufferPointer, from initialCounterBlock: AESBlock
  ) throws(CryptoError) -> AuthenticationTag {
    try Self.checkLengths(message: input.count, additionalAuthenticatedData: additionalAuthenticatedData.count)
    let message = GCMMessage(from: input, to: output, authenticating: additionalAuthenticatedData)
    return AuthenticationTag(key.process(message, .seal, from: initialCounterBlock))
  }

  /// Decrypts `input` to `output`, which may be the same memory. Unless the tag is right, the output is wiped.
  /// - Parameter tag: the leading bytes of the tag, at most 16; the callers see to it that there are enough.
  func open(
    from input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer,
    tag: UnsafeRawBufferPointer, authenticating additionalAuthenticatedData: UnsafeRawBufferPointer,
    from initialCounterBlock: AESBlock
  ) throws(CryptoError) {
    try Self.checkLengths(message: input.count, additionalAuthenticatedData: additionalAuthenticatedData.count)
    let message = GCMMessage(from: input, to: output, authenticating: additionalAuthenticatedData)
    let expected = key.process(message, .open, from: initialCounterBlock)
    let isAuthentic = withUnsafeBytes(of: expected) { ConstantTime.equality(tag, $0) }
    guard isAuthentic.declassified else {
      wipe(output)
      throw CryptoError(.authenticationFailed, "the authentication tag does not belong to this message and key")
    }
  }

  /// The lengths that the standard allows.
  ///
  /// Source: NIST SP 800-38D §5.2.1.1: plaintext up to 2³⁹ − 256 bits, authenticated data up to 2⁶⁴ − 1
  /// bits.
  static func checkLengths(message: Int, additionalAuthenticatedData: Int) throws(CryptoError) {
    guard UInt64(message) <= 1 << 36 - 32, UInt64(additionalAuthenticatedData) < 1 << 61 else {
      throw CryptoError(.lengthLimitExceeded, "AES-GCM takes messages of up to 2^36 - 32 bytes")
    }
  }

  /// Counts one more random initialization vector for this key.
  ///
  /// Source: NIST SP 800-38D §8.3: at most 2³² invocations under one key.
  func countRandomUse() throws(CryptoError) {
    guard key.countRandomUse() < 1 << 32 else {
      throw CryptoError(.usageLimitReached, "the key has encrypted 2^32 messages under random initialization vectors")
    }
  }
}

extension AESGCM: Redacted {}

// What published vectors need and the public interface refuses: initialization vectors of any length, and tags that
// were cut.

extension AESGCM {
  /// J₀ for an initialization vector of any length but none. For vectors only.
  private func initialCounterBlock(_ initializationVector: [UInt8]) throws(CryptoError) -> AESBlock {
    guard !initializationVector.isEmpty else {
      throw CryptoError(.invalidInitializationVectorLength, "the initialization vector is empty")
    }
    guard initializationVector.count != InitializationVector.byteCount else {
      return try InitializationVector(initializationVector).initialCounterBlock
    }
    return initializationVector.withUnsafeBytes { key.hashedCounterBlock($0) }
  }

  /// Encrypts a message under an initialization vector of any length.
  /// - Throws: `.invalidInitializationVectorLength` when it is empty, and as `seal`.
  package func seal(
    _ plaintext: [UInt8], authenticating additionalAuthenticatedData: [UInt8] = [],
    anyInitializationVector initializationVector: [UInt8]
  ) throws(CryptoError) -> (ciphertext: [UInt8], authenticationTag: [UInt8]) {
    let block = try initialCounterBlock(initializationVector)
    return try withContiguousBytes(plaintext) { (plaintext) throws(CryptoError) in
      try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
        try sealed(plaintext, authenticating: data, from: block)
      }
    }
  }

  /// Checks and decrypts a message under an initialization vector of any length, whose tag may have been cut to its
  /// leading bytes.
  /// - Parameter tag: 4, 8 or 12 to 16 bytes.
  /// - Throws: `.invalidInitializationVectorLength` when it is empty, `.invalidTagLength`, and as `open`.
  package func open(
    ciphertext: [UInt8], truncatedTag tag: [UInt8], anyInitializationVector initializationVector: [UInt8],
    authenticating additionalAuthenticatedData: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    guard [4, 8, 12, 13, 14, 15, 16].contains(tag.count) else {
      throw CryptoError(.invalidTagLength, "a truncated tag has 4, 8 or 12 to 16 bytes")
    }
    let block = try initialCounterBlock(initializationVector)
    return try withContiguousBytes(ciphertext) { (ciphertext) throws(CryptoError) in
      try withContiguousBytes(tag) { (tag) throws(CryptoError) in
        try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
          try opened(ciphertext, tag: tag, authenticating: data, from: block)
        }
      }
    }
  }
}
