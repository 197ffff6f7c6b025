// The generic forms are specialised by an optimised client only. Arrays are what most clients have, and for them these forms are as fast in
// a client's debug build as in its release build.

extension AESGCM {
  /// Encrypts an array under a fresh random initialization vector; see ``seal(_:authenticating:)-(Collection<UInt8>,_)``.
  public func seal(
    _ plaintext: [UInt8], authenticating additionalAuthenticatedData: [UInt8] = []
  ) throws(CryptoError) -> SealedBox {
    try withContiguousBytes(plaintext) { (plaintext) throws(CryptoError) in
      try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
        try seal(plaintext, authenticating: data)
      }
    }
  }

  /// Encrypts an array under an initialization vector of the caller's; see
  /// ``seal(_:authenticating:uniqueInitializationVector:)-(Collection<UInt8>,_,_)``.
  public func seal(
    _ plaintext: [UInt8], authenticating additionalAuthenticatedData: [UInt8] = [],
    uniqueInitializationVector initializationVector: [UInt8]
  ) throws(CryptoError) -> SealedBox {
    try withContiguousBytes(plaintext) { (plaintext) throws(CryptoError) in
      try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
        try withContiguousBytes(initializationVector) { (initializationVector) throws(CryptoError) in
          try seal(plaintext, authenticating: data, uniqueInitializationVector: initializationVector)
        }
      }
    }
  }

  /// Checks and decrypts an array; see ``open(ciphertext:authenticationTag:initializationVector:authenticating:)``.
  public func open(
    ciphertext: [UInt8], authenticationTag: [UInt8], initializationVector: [UInt8],
    authenticating additionalAuthenticatedData: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try withContiguousBytes(ciphertext) { (ciphertext) throws(CryptoError) in
      try withContiguousBytes(authenticationTag) { (tag) throws(CryptoError) in
        try withContiguousBytes(initializationVector) { (initializationVector) throws(CryptoError) in
          try withContiguousBytes(additionalAuthenticatedData) { (data) throws(CryptoError) in
            try open(ciphertext, tag: tag, initializationVector: initializationVector, authenticating: data)
          }
        }
      }
    }
  }
}
