extension RSAPublicKey {
  /// Encrypts a short message, such as a key, for the owner of the private key.
  /// - Parameter message: at most 214 bytes with OAEP-SHA-1 and 190 with OAEP-SHA-256 for a modulus of 2048 bits.
  /// - Parameter padding: what the receiver expects: a ciphertext does not say which it is.
  /// - Returns: a ciphertext as long as the modulus.
  /// - Throws: `.lengthLimitExceeded` when the message is too long.
  ///
  /// Timing: depends on the lengths and on e, not on the message.
  /// Source: RFC 8017 §7.1.1.
  @inlinable
  public func encrypt(
    _ message: some Collection<UInt8>, padding: RSAEncryptionPadding
  ) throws(CryptoError) -> [UInt8] {
    try withContiguousBytes(message) { message throws(CryptoError) in
      try encrypt(message, padding: padding, label: UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// Encrypts a secret, such as a key.
  /// - Throws: `.lengthLimitExceeded` when it is too long.
  ///
  /// Timing: depends on the lengths and on e, not on the secret.
  public func encrypt(_ secret: SecretBytes, padding: RSAEncryptionPadding) throws(CryptoError) -> [UInt8] {
    try secret.withUnsafeBytes { secret throws(CryptoError) in
      try encrypt(secret, padding: padding, label: UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// - Parameter label: empty in JOSE.
  @usableFromInline
  package func encrypt(
    _ message: UnsafeRawBufferPointer, padding: RSAEncryptionPadding, label: UnsafeRawBufferPointer
  ) throws(CryptoError) -> [UInt8] {
    guard message.count <= OAEPEncoding.maximumByteCount(modulusByteCount: byteCount, padding: padding) else {
      throw CryptoError(.lengthLimitExceeded, "the message is too long for the modulus")
    }
    let ciphertext: [UInt8]? = withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { encoded in
      defer { wipe(encoded) }
      OAEPEncoding(padding: padding, label: label).encode(message, into: encoded)
      return withPower(of: UnsafeRawBufferPointer(encoded)) { Array($0) }
    }
    // The first byte of the encoding is zero, that of the modulus is not: the encoding is always below.
    guard let ciphertext else { throw CryptoError(.invalidPublicKey, "the encoding is not below the modulus") }
    return ciphertext
  }
}
