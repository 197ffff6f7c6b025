// What published vectors need and the public interface refuses: initialization vectors of any length, and tags that were cut.

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

  /// Checks and decrypts a message under an initialization vector of any length, whose tag may have been cut to its leading bytes.
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
