extension RSAPrivateKey {
  /// Decrypts a short message.
  /// - Parameter ciphertext: as long as the modulus.
  /// - Parameter padding: that of the sender: a ciphertext does not say which it is.
  /// - Returns: the message, whose length is no longer a secret.
  /// - Throws: `.decryptionFailed`, whatever is wrong.
  ///
  /// Timing: depends on the lengths; until the message is known to be valid, on nothing else.
  /// Source: RFC 8017 §7.1.2.
  @inlinable
  public func decrypt(
    _ ciphertext: some Collection<UInt8>, padding: RSAEncryptionPadding
  ) throws(CryptoError) -> SecretBytes {
    try withContiguousBytes(ciphertext) { ciphertext throws(CryptoError) in
      try decrypt(ciphertext, padding: padding, label: UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// - Parameter label: empty in JOSE.
  @usableFromInline
  package func decrypt(
    _ ciphertext: UnsafeRawBufferPointer, padding: RSAEncryptionPadding, label: UnsafeRawBufferPointer
  ) throws(CryptoError) -> SecretBytes {
    let message: SecretBytes?? = withPower(of: ciphertext) { encoded in
      let decoded = OAEPEncoding(padding: padding, label: label).decode(encoded)
      guard decoded.isValid.declassified else { return nil }
      // Below 2¹⁰, since a modulus has no more than 1024 bytes, and so is the length that is returned.
      let start = Int(truncatingIfNeeded: declassified(decoded.messageStart, bitCount: 10))
      return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: decoded.data[start...]))
    }
    guard let message, let message else {
      throw CryptoError(.decryptionFailed, "the ciphertext could not be decrypted")
    }
    return message
  }

  /// Decrypts a key whose length is known. If anything is wrong, length included, the result is random, and nobody can tell
  /// that from the time it took: what is encrypted with the key will then fail to open.
  /// - Parameter byteCount: the length of the key, at most 128.
  ///
  /// Timing: depends on the lengths, and on whether the ciphertext is as long as the modulus and below it.
  /// Source: RFC 8017 §7.1.2, RFC 7516 §11.5.
  package func decryptKey(
    _ ciphertext: some Collection<UInt8>, padding: RSAEncryptionPadding, byteCount: Int
  ) -> SecretBytes {
    let substitute = SecretBytes.random(count: byteCount)
    guard byteCount <= 128 else { return substitute }
    let key: SecretBytes? = withContiguousBytes(ciphertext) { ciphertext in
      withPower(of: ciphertext) { encoded in
        let label = UnsafeRawBufferPointer(start: nil, count: 0)
        let decoded = OAEPEncoding(padding: padding, label: label).decode(encoded)
        // DB of a modulus of 2048 bits or more is longer than 190 bytes.
        let start = decoded.data.count &- byteCount
        let isValid = decoded.isValid & Mask(decoded.messageStart, equals: UInt64(truncatingIfNeeded: start))
        return SecretBytes(count: byteCount) { key in
          substitute.withUnsafeBytes { substitute in
            for position in 0..<byteCount {
              key[position] = isValid.select(decoded.data[start &+ position], substitute[position])
            }
          }
        }
      }
    }
    return key ?? substitute
  }
}
