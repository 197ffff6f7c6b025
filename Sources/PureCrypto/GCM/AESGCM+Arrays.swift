// The generic forms are specialised by an optimised client only. Arrays are what most clients have, and for them these forms are as fast in
// a client's debug build as in its release build.

extension AESGCM {
  /// Encrypts an array under a fresh random initialization vector; see ``seal(_:authenticating:)-(Collection<UInt8>,_)``.
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

  /// Encrypts the bytes of `buffer` in place; see
  /// ``sealInPlace(_:authenticating:uniqueInitializationVector:)-(UnsafeMutableRawBufferPointer,Collection<UInt8>,_)``.
  ///
  /// - Throws: as that method.
  public func sealInPlace(
    _ buffer: UnsafeMutableRawBufferPointer, authenticating additionalAuthenticatedData: [UInt8] = [],
    uniqueInitializationVector initializationVector: InitializationVector
  ) throws(CryptoError) -> AuthenticationTag {
    try additionalAuthenticatedData.withUnsafeBufferPointer { data throws(CryptoError) in
      try sealInPlace(buffer, data: UnsafeRawBufferPointer(data), initializationVector)
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
