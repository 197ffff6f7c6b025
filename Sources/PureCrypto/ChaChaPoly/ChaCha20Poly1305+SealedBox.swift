extension ChaCha20Poly1305 {
  /// An encrypted message: everything that the receiver needs besides the key and the additional authenticated data.
  public struct SealedBox: Hashable, Sendable {
    /// The nonce; unique for the key.
    public let nonce: Nonce
    /// As long as the plaintext.
    public let ciphertext: [UInt8]
    /// The authentication tag, 16 bytes.
    public let authenticationTag: [UInt8]
  }

  /// Encrypts a message under a fresh random nonce of 96 bits.
  /// - Parameter plaintext: at most 2³⁸ − 64 bytes.
  /// - Parameter additionalAuthenticatedData: authenticated but not encrypted; the receiver must have it too.
  /// - Throws: `.usageLimitReached` after 2³² messages under this key, `.lengthLimitExceeded`.
  ///
  /// Timing: depends on the lengths only.
  /// Source: RFC 8439 §2.8.
  @inlinable
  public func seal(
    _ plaintext: some Collection<UInt8>,
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>()
  ) throws(CryptoError) -> SealedBox {
    try withContiguousBytes(plaintext) { (plaintext) throws(CryptoError) in
      try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
        try sealedBoxWithRandomNonce(plaintext, authenticating: data)
      }
    }
  }

  /// Encrypts a message under a nonce of the caller's.
  ///
  /// Two messages under the same key and nonce give away both and the means to forge more. Use this form only if your
  /// construction rules that out; otherwise ``seal(_:authenticating:)`` draws a fresh one.
  /// - Parameter plaintext: at most 2³⁸ − 64 bytes.
  /// - Parameter additionalAuthenticatedData: authenticated but not encrypted; the receiver must have it too.
  /// - Parameter nonce: never used before with this key.
  /// - Throws: `.lengthLimitExceeded`.
  ///
  /// Timing: depends on the lengths only.
  /// Source: RFC 8439 §2.8.
  @inlinable
  public func seal(
    _ plaintext: some Collection<UInt8>,
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>(),
    uniqueNonce nonce: Nonce
  ) throws(CryptoError) -> SealedBox {
    try withContiguousBytes(plaintext) { (plaintext) throws(CryptoError) in
      try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
        try sealedBox(plaintext, authenticating: data, nonce)
      }
    }
  }

  /// Checks and decrypts a message.
  /// - Parameter ciphertext: at most 2³⁸ − 64 bytes.
  /// - Parameter authenticationTag: 16 bytes.
  /// - Parameter nonce: that of the sender.
  /// - Parameter additionalAuthenticatedData: what was given on sealing.
  /// - Returns: the plaintext. Nothing is decrypted before the tag is known to be right.
  /// - Throws: `.authenticationFailed` if any part is not what was sealed, `.invalidTagLength`, `.lengthLimitExceeded`.
  ///
  /// Timing: depends on the lengths and on whether the tag is right.
  /// Source: RFC 8439 §2.8.
  @inlinable
  public func open(
    ciphertext: some Collection<UInt8>, authenticationTag: some Collection<UInt8>, nonce: Nonce,
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>()
  ) throws(CryptoError) -> [UInt8] {
    try withContiguousBytes(ciphertext) { (ciphertext) throws(CryptoError) in
      try withContiguousBytes(authenticationTag) { (tag) throws(CryptoError) in
        try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
          try opened(ciphertext, tag: tag, authenticating: data, nonce)
        }
      }
    }
  }
}

// MARK: - One copy of the machine code, whatever the collections

extension ChaCha20Poly1305 {
  @usableFromInline
  func sealedBoxWithRandomNonce(
    _ plaintext: UnsafeRawBufferPointer, authenticating additionalAuthenticatedData: UnsafeRawBufferPointer
  ) throws(CryptoError) -> SealedBox {
    try countRandomUse()
    return try sealedBox(plaintext, authenticating: additionalAuthenticatedData, .random())
  }

  @usableFromInline
  func sealedBox(
    _ plaintext: UnsafeRawBufferPointer, authenticating additionalAuthenticatedData: UnsafeRawBufferPointer,
    _ nonce: Nonce
  ) throws(CryptoError) -> SealedBox {
    var tag: Result<AuthenticationTag, CryptoError>?
    // At least one byte: the storage of empty arrays is shared by all threads, and not even its count may be written.
    let ciphertext = [UInt8](unsafeUninitializedCapacity: max(plaintext.count, 1)) { buffer, initializedCount in
      let output = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<plaintext.count])
      let outcome = Result { () throws(CryptoError) in
        try seal(from: plaintext, to: output, authenticating: additionalAuthenticatedData, nonce)
      }
      if case .success = outcome { initializedCount = plaintext.count }
      tag = outcome
    }
    guard let tag else { throw CryptoError(.authenticationFailed, "nothing was sealed") }
    return SealedBox(nonce: nonce, ciphertext: ciphertext, authenticationTag: Array(try tag.get()))
  }

  @usableFromInline
  func opened(
    _ ciphertext: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer,
    authenticating additionalAuthenticatedData: UnsafeRawBufferPointer, _ nonce: Nonce
  ) throws(CryptoError) -> [UInt8] {
    try Self.checkTag(tag)
    var failure: CryptoError?
    let plaintext = [UInt8](unsafeUninitializedCapacity: max(ciphertext.count, 1)) { buffer, initializedCount in
      let output = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<ciphertext.count])
      do throws(CryptoError) {
        try open(from: ciphertext, to: output, tag: tag, authenticating: additionalAuthenticatedData, nonce)
        initializedCount = ciphertext.count
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return plaintext
  }

  static func checkTag(_ tag: UnsafeRawBufferPointer) throws(CryptoError) {
    guard tag.count == AuthenticationTag.byteCount else {
      throw CryptoError(.invalidTagLength, "an authentication tag has 16 bytes")
    }
  }
}
