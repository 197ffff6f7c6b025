extension AESGCM {
  /// Encrypts `bytes` in place, under an initialization vector of the caller's. Nothing is allocated.
  ///
  /// Two messages under the same key and initialization vector give away both and the means to forge more.
  /// - Parameter bytes: the plaintext, then the ciphertext; at most 2³⁶ − 32 bytes.
  /// - Parameter additionalAuthenticatedData: authenticated but not encrypted; the receiver must have it too.
  /// - Parameter initializationVector: never used before with this key.
  /// - Returns: the authentication tag.
  /// - Throws: `.lengthLimitExceeded`; the bytes are then unchanged.
  ///
  /// Timing: depends on the lengths only.
  /// Source: NIST SP 800-38D §7.1.
  @inlinable
  public func sealInPlace(
    _ bytes: inout MutableRawSpan,
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>(),
    uniqueInitializationVector initializationVector: InitializationVector
  ) throws(CryptoError) -> AuthenticationTag {
    try bytes.withUnsafeMutableBytes { (buffer) throws(CryptoError) in
      try sealInPlace(
        buffer, authenticating: additionalAuthenticatedData, uniqueInitializationVector: initializationVector)
    }
  }

  /// Encrypts the bytes of `buffer` in place, under an initialization vector of the caller's.
  ///
  /// - Throws: `.lengthLimitExceeded`; the buffer is then unchanged.
  ///
  /// Timing: depends on the lengths only.
  @inlinable
  package func sealInPlace(
    _ buffer: UnsafeMutableRawBufferPointer,
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>(),
    uniqueInitializationVector initializationVector: InitializationVector
  ) throws(CryptoError) -> AuthenticationTag {
    try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
      try sealInPlace(buffer, data: data, initializationVector)
    }
  }

  /// Encrypts the bytes of an array in place, under an initialization vector of the caller's.
  ///
  /// See ``sealInPlace(_:authenticating:uniqueInitializationVector:)-(MutableRawSpan,_,_)`` for other memory.
  /// - Throws: `.lengthLimitExceeded`; the array is then unchanged.
  ///
  /// Timing: depends on the lengths only.
  @inlinable
  public func sealInPlace(
    _ bytes: inout [UInt8],
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>(),
    uniqueInitializationVector initializationVector: InitializationVector
  ) throws(CryptoError) -> AuthenticationTag {
    try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
      try sealInPlace(&bytes, data: data, initializationVector)
    }
  }

  /// Checks and decrypts `bytes` in place. Nothing is allocated.
  /// - Parameter bytes: the ciphertext, then the plaintext. Wiped if the tag is not right.
  /// - Parameter authenticationTag: 16 bytes.
  /// - Parameter initializationVector: that of the sender.
  /// - Parameter additionalAuthenticatedData: what was given on sealing.
  /// - Throws: `.authenticationFailed` if any part is not what was sealed, `.invalidTagLength`,
  ///   `.lengthLimitExceeded`.
  ///
  /// Timing: depends on the lengths and on whether the tag is right.
  /// Source: NIST SP 800-38D §7.2.
  @inlinable
  public func openInPlace(
    _ bytes: inout MutableRawSpan, authenticationTag: some Collection<UInt8>,
    initializationVector: InitializationVector,
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>()
  ) throws(CryptoError) {
    try bytes.withUnsafeMutableBytes { (buffer) throws(CryptoError) in
      try openInPlace(
        buffer, authenticationTag: authenticationTag, initializationVector: initializationVector,
        authenticating: additionalAuthenticatedData)
    }
  }

  /// Checks and decrypts the bytes of `buffer` in place. They are wiped if the tag is not right.
  ///
  /// - Throws: `.authenticationFailed`, `.invalidTagLength`, `.lengthLimitExceeded`.
  ///
  /// Timing: depends on the lengths and on whether the tag is right.
  @inlinable
  package func openInPlace(
    _ buffer: UnsafeMutableRawBufferPointer, authenticationTag: some Collection<UInt8>,
    initializationVector: InitializationVector,
    authenticating additionalAuthenticatedData: some Collection<UInt8> = EmptyCollection<UInt8>()
  ) throws(CryptoError) {
    try withContiguousBytes(authenticationTag) { (tag) throws(CryptoError) in
      try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
        try openInPlace(buffer, tag: tag, data: data, initializationVector)
      }
    }
  }

  @usableFromInline
  func sealInPlace(
    _ buffer: UnsafeMutableRawBufferPointer, data: UnsafeRawBufferPointer, _ initializationVector: InitializationVector
  ) throws(CryptoError) -> AuthenticationTag {
    try seal(
      from: UnsafeRawBufferPointer(buffer), to: buffer, authenticating: data,
      from: initializationVector.initialCounterBlock)
  }

  @usableFromInline
  func sealInPlace(
    _ bytes: inout [UInt8], data: UnsafeRawBufferPointer, _ initializationVector: InitializationVector
  ) throws(CryptoError) -> AuthenticationTag {
    try Self.withMutableBytes(&bytes) { (buffer) throws(CryptoError) in
      try sealInPlace(buffer, data: data, initializationVector)
    }
  }

  @usableFromInline
  func openInPlace(
    _ buffer: UnsafeMutableRawBufferPointer, tag: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer,
    _ initializationVector: InitializationVector
  ) throws(CryptoError) {
    guard tag.count == Self.tagByteCount else {
      throw CryptoError(.invalidTagLength, "an authentication tag has 16 bytes")
    }
    try open(
      from: UnsafeRawBufferPointer(buffer), to: buffer, tag: tag, authenticating: data,
      from: initializationVector.initialCounterBlock)
  }
}

// The generic forms are specialised by an optimised client only. Arrays are what most clients have, and for them these
// forms are as fast in a client's debug build as in its release build.

extension AESGCM {
  /// Encrypts an array under a fresh random initialization vector; see
  /// ``seal(_:authenticating:)-(Collection<UInt8>,_)``.
  ///
  /// - Throws: as that method.
  public func seal(
    _ plaintext: [UInt8], authenticating additionalAuthenticatedData: [UInt8] = []
  ) throws(CryptoError) -> SealedBox {
    try plaintext.withUnsafeBufferPointer { plaintext throws(CryptoError) in
      try additionalAuthenticatedData.withUnsafeBufferPointer { data throws(CryptoError) in
        try seal(UnsafeRawBufferPointer(plaintext), authenticating: UnsafeRawBufferPointer(data))
      }
    }
  }

  /// Encrypts an array under an initialization vector of the caller's; see
  /// ``seal(_:authenticating:uniqueInitializationVector:)-(Collection<UInt8>,_,_)``.
  ///
  /// - Throws: as that method.
  public func seal(
    _ plaintext: [UInt8], authenticating additionalAuthenticatedData: [UInt8] = [],
    uniqueInitializationVector initializationVector: InitializationVector
  ) throws(CryptoError) -> SealedBox {
    try plaintext.withUnsafeBufferPointer { plaintext throws(CryptoError) in
      try additionalAuthenticatedData.withUnsafeBufferPointer { data throws(CryptoError) in
        try sealedBox(
          UnsafeRawBufferPointer(plaintext), authenticating: UnsafeRawBufferPointer(data), initializationVector)
      }
    }
  }

  /// Checks and decrypts an array; see ``open(ciphertext:authenticationTag:initializationVector:authenticating:)``.
  ///
  /// - Throws: as that method.
  public func open(
    ciphertext: [UInt8], authenticationTag: [UInt8], initializationVector: InitializationVector,
    authenticating additionalAuthenticatedData: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try ciphertext.withUnsafeBufferPointer { ciphertext throws(CryptoError) in
      try authenticationTag.withUnsafeBufferPointer { tag throws(CryptoError) in
        try additionalAuthenticatedData.withUnsafeBufferPointer { data throws(CryptoError) in
          try open(
            UnsafeRawBufferPointer(ciphertext), tag: UnsafeRawBufferPointer(tag),
            initializationVector: initializationVector, authenticating: UnsafeRawBufferPointer(data))
        }
      }
    }
  }

  /// Encrypts the bytes of an array in place; see
  /// ``sealInPlace(_:authenticating:uniqueInitializationVector:)-([UInt8],Collection<UInt8>,_)``.
  ///
  /// - Throws: as that method.
  public func sealInPlace(
    _ bytes: inout [UInt8], authenticating additionalAuthenticatedData: [UInt8] = [],
    uniqueInitializationVector initializationVector: InitializationVector
  ) throws(CryptoError) -> AuthenticationTag {
    try additionalAuthenticatedData.withUnsafeBufferPointer { data throws(CryptoError) in
      try sealInPlace(&bytes, data: UnsafeRawBufferPointer(data), initializationVector)
    }
  }
}
