extension ChaCha20Poly1305 {
  /// Encrypts `bytes` in place, under a nonce of the caller's. Nothing is allocated.
  ///
  /// Two messages under the same key and nonce give away both and the means to forge more.
  /// - Parameter bytes: the plaintext, then the ciphertext; at most 2³⁸ − 64 bytes.
  /// - Parameter additionalAuthenticatedData: authenticated but not encrypted; the receiver must have it too.
  /// - Parameter nonce: never used before with this key.
  /// - Returns: the authentication tag.
  /// - Throws: `.lengthLimitExceeded`; the bytes are then unchanged.
  ///
  /// Timing: depends on the lengths only.
  /// Source: RFC 8439 §2.8.
  @inlinable
  public func sealInPlace(
    _ bytes: inout MutableRawSpan,
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>(),
    uniqueNonce nonce: Nonce
  ) throws(CryptoError) -> AuthenticationTag {
    try bytes.withUnsafeMutableBytes { (buffer) throws(CryptoError) in
      try sealInPlace(buffer, authenticating: additionalAuthenticatedData, uniqueNonce: nonce)
    }
  }

  /// Encrypts the bytes of `buffer` in place, under a nonce of the caller's.
  ///
  /// - Throws: `.lengthLimitExceeded`; the buffer is then unchanged.
  ///
  /// Timing: depends on the lengths only.
  @inlinable
  package func sealInPlace(
    _ buffer: UnsafeMutableRawBufferPointer,
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>(),
    uniqueNonce nonce: Nonce
  ) throws(CryptoError) -> AuthenticationTag {
    try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
      try sealInPlace(buffer, data: data, nonce)
    }
  }

  /// Checks and decrypts `bytes` in place. Nothing is allocated.
  /// - Parameter bytes: the ciphertext, then the plaintext. Wiped if the tag is not right.
  /// - Parameter authenticationTag: 16 bytes.
  /// - Parameter nonce: that of the sender.
  /// - Parameter additionalAuthenticatedData: what was given on sealing.
  /// - Throws: `.authenticationFailed` if any part is not what was sealed, `.invalidTagLength`,
  ///   `.lengthLimitExceeded`.
  ///
  /// Timing: depends on the lengths and on whether the tag is right.
  /// Source: RFC 8439 §2.8.
  @inlinable
  public func openInPlace(
    _ bytes: inout MutableRawSpan, authenticationTag: some Collection<UInt8>, nonce: Nonce,
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>()
  ) throws(CryptoError) {
    try bytes.withUnsafeMutableBytes { (buffer) throws(CryptoError) in
      try openInPlace(
        buffer, authenticationTag: authenticationTag, nonce: nonce, authenticating: additionalAuthenticatedData)
    }
  }

  /// Checks and decrypts the bytes of `buffer` in place. They are wiped if the tag is not right.
  ///
  /// - Throws: `.authenticationFailed`, `.invalidTagLength`, `.lengthLimitExceeded`.
  ///
  /// Timing: depends on the lengths and on whether the tag is right.
  @inlinable
  package func openInPlace(
    _ buffer: UnsafeMutableRawBufferPointer, authenticationTag: some Collection<UInt8>, nonce: Nonce,
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>()
  ) throws(CryptoError) {
    try withContiguousBytes(authenticationTag) { (tag) throws(CryptoError) in
      try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
        try openInPlace(buffer, tag: tag, data: data, nonce)
      }
    }
  }

  @usableFromInline
  func sealInPlace(
    _ buffer: UnsafeMutableRawBufferPointer, data: UnsafeRawBufferPointer, _ nonce: Nonce
  ) throws(CryptoError) -> AuthenticationTag {
    try seal(from: UnsafeRawBufferPointer(buffer), to: buffer, authenticating: data, nonce)
  }

  @usableFromInline
  func openInPlace(
    _ buffer: UnsafeMutableRawBufferPointer, tag: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer, _ nonce: Nonce
  ) throws(CryptoError) {
    try Self.checkTag(tag)
    try open(from: UnsafeRawBufferPointer(buffer), to: buffer, tag: tag, authenticating: data, nonce)
  }
}
