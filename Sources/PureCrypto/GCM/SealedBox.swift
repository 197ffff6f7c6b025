extension AESGCM {
  /// An encrypted message: everything that the receiver needs besides the key and the additional authenticated data.
  public struct SealedBox: Hashable, Sendable {
    /// The initialization vector; unique for the key.
    public let initializationVector: InitializationVector
    /// As long as the plaintext.
    public let ciphertext: [UInt8]
    /// The authentication tag, 16 bytes.
    public let authenticationTag: [UInt8]
  }

  /// Encrypts a message under a fresh random initialization vector of 96 bits.
  /// - Parameter plaintext: at most 2³⁶ − 32 bytes.
  /// - Parameter additionalAuthenticatedData: authenticated but not encrypted; the receiver must have it too.
  /// - Throws: `.usageLimitReached` after 2³² messages under this key, `.lengthLimitExceeded`.
  ///
  /// Timing: depends on the lengths only.
  /// Source: NIST SP 800-38D §7.1, 8.2.2, 8.3.
  @inlinable
  public func seal(
    _ plaintext: some Collection<UInt8>,
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>()
  ) throws(CryptoError) -> SealedBox {
    try withContiguousBytes(plaintext) { (plaintext) throws(CryptoError) in
      try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
        try seal(plaintext, authenticating: data)
      }
    }
  }

  /// Encrypts a message under an initialization vector of the caller's.
  ///
  /// Two messages under the same key and initialization vector give away both and the means to forge more. Use this
  /// form only if your construction rules that out; otherwise ``seal(_:authenticating:)-(Collection<UInt8>,_)`` draws a
  /// fresh one.
  /// - Parameter plaintext: at most 2³⁶ − 32 bytes.
  /// - Parameter additionalAuthenticatedData: authenticated but not encrypted; the receiver must have it too.
  /// - Parameter initializationVector: never used before with this key.
  /// - Throws: `.lengthLimitExceeded`.
  ///
  /// Timing: depends on the lengths only.
  /// Source: NIST SP 800-38D §7.1.
  @inlinable
  public func seal(
    _ plaintext: some Collection<UInt8>,
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>(),
    uniqueInitializationVector initializationVector: InitializationVector
  ) throws(CryptoError) -> SealedBox {
    try withContiguousBytes(plaintext) { (plaintext) throws(CryptoError) in
      try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
        try sealedBox(plaintext, authenticating: data, initializationVector)
      }
    }
  }

  /// Checks and decrypts a message.
  /// - Parameter ciphertext: at most 2³⁶ − 32 bytes.
  /// - Parameter authenticationTag: 16 bytes.
  /// - Parameter initializationVector: that of the sender.
  /// - Parameter additionalAuthenticatedData: what was given on sealing.
  /// - Returns: the plaintext. None of it leaves before the tag is known to be right.
  /// - Throws: `.authenticationFailed` if any part is not what was sealed, `.invalidTagLength`, `.lengthLimitExceeded`.
  ///
  /// Timing: depends on the lengths and on whether the tag is right.
  /// Source: NIST SP 800-38D §7.2.
  @inlinable
  public func open(
    ciphertext: some Collection<UInt8>, authenticationTag: some Collection<UInt8>,
    initializationVector: InitializationVector,
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>()
  ) throws(CryptoError) -> [UInt8] {
    try withContiguousBytes(ciphertext) { (ciphertext) throws(CryptoError) in
      try withContiguousBytes(authenticationTag) { (tag) throws(CryptoError) in
        try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
          try open(ciphertext, tag: tag, initializationVector: initializationVector, authenticating: data)
        }
      }
    }
  }
}

// MARK: - One copy of the machine code, whatever the collections

extension AESGCM {
  @usableFromInline
  func seal(
    _ plaintext: UnsafeRawBufferPointer, authenticating additionalAuthenticatedData: UnsafeRawBufferPointer
  ) throws(CryptoError) -> SealedBox {
    try countRandomUse()
    return try sealedBox(plaintext, authenticating: additionalAuthenticatedData, .random())
  }

  @usableFromInline
  func sealedBox(
    _ plaintext: UnsafeRawBufferPointer, authenticating additionalAuthenticatedData: UnsafeRawBufferPointer,
    _ initializationVector: InitializationVector
  ) throws(CryptoError) -> SealedBox {
    let (ciphertext, tag) = try sealed(
      plaintext, authenticating: additionalAuthenticatedData, from: initializationVector.initialCounterBlock)
    return SealedBox(initializationVector: initializationVector, ciphertext: ciphertext, authenticationTag: tag)
  }

  func sealed(
    _ plaintext: UnsafeRawBufferPointer, authenticating additionalAuthenticatedData: UnsafeRawBufferPointer,
    from initialCounterBlock: AESBlock
  ) throws(CryptoError) -> (ciphertext: [UInt8], authenticationTag: [UInt8]) {
    var tag: Result<AuthenticationTag, CryptoError>?
    // At least one byte: the storage of empty arrays is shared by all threads, and not even its count may be written.
    let ciphertext = [UInt8](unsafeUninitializedCapacity: max(plaintext.count, 1)) { buffer, initializedCount in
      let output = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<plaintext.count])
      let outcome = Result { () throws(CryptoError) in
        try seal(
          from: plaintext, to: output, authenticating: additionalAuthenticatedData, from: initialCounterBlock)
      }
      if case .success = outcome { initializedCount = plaintext.count }
      tag = outcome
    }
    guard let tag else { throw CryptoError(.authenticationFailed, "nothing was sealed") }
    return (ciphertext, Array(try tag.get()))
  }

  @usableFromInline
  func open(
    _ ciphertext: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer,
    initializationVector: InitializationVector, authenticating additionalAuthenticatedData: UnsafeRawBufferPointer
  ) throws(CryptoError) -> [UInt8] {
    guard tag.count == Self.tagByteCount else {
      throw CryptoError(.invalidTagLength, "an authentication tag has 16 bytes")
    }
    return try opened(
      ciphertext, tag: tag, authenticating: additionalAuthenticatedData,
      from: initializationVector.initialCounterBlock)
  }

  func opened(
    _ ciphertext: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer,
    authenticating additionalAuthenticatedData: UnsafeRawBufferPointer, from initialCounterBlock: AESBlock
  ) throws(CryptoError) -> [UInt8] {
    var failure: CryptoError?
    let plaintext = [UInt8](unsafeUninitializedCapacity: max(ciphertext.count, 1)) { buffer, initializedCount in
      let output = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<ciphertext.count])
      do throws(CryptoError) {
        try open(
          from: ciphertext, to: output, tag: tag, authenticating: additionalAuthenticatedData,
          from: initialCounterBlock)
        initializedCount = ciphertext.count
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return plaintext
  }

  /// The bytes of an array, in place. `withUnsafeMutableBytes` can't carry a typed error.
  static func withMutableBytes<Result>(
    _ array: inout [UInt8], _ body: (UnsafeMutableRawBufferPointer) throws(CryptoError) -> Result
  ) throws(CryptoError) -> Result {
    let outcome = array.withUnsafeMutableBytes { bytes in
      Swift.Result { () throws(CryptoError) -> Result in try body(bytes) }
    }
    return try outcome.get()
  }
}

extension AESGCM.InitializationVector {
  /// J₀ as a block.
  @inline(__always)
  var initialCounterBlock: AESBlock { unsafeBitCast(counterBlock, to: AESBlock.self) }
}
