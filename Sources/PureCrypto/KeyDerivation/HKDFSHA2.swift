/// HKDF over a SHA-2 function: a key derivation function in two steps, extract and expand.
///
/// From key material without structure, such as a ``SharedSecret``, and not from passwords, which ``Argon2id`` and
/// ``PBKDF2`` take.
///
/// Timing: depends on lengths only.
/// Source: RFC 5869.
public enum HKDFSHA2<Function: SHA2Function> {
  /// Derives a key: extracts with the salt, then expands.
  /// - Parameter inputKeyMaterial: of any length and shape. Secret.
  /// - Parameter salt: not secret; empty counts as `HashLen` zeros.
  /// - Parameter info: what the key is for. Public.
  /// - Parameter byteCount: 1 to 255 times the length of the digest.
  /// - Throws: `.invalidKeyLength` for any other length.
  ///
  /// Timing: depends on lengths only.
  /// Source: RFC 5869 §2.
  public static func deriveKey(
    inputKeyMaterial: SecretBytes, salt: some Collection<UInt8>, info: some Collection<UInt8>, byteCount: Int
  ) throws(CryptoError) -> SecretBytes {
    try expand(
      pseudorandomKey: extract(inputKeyMaterial: inputKeyMaterial, salt: salt), info: info, byteCount: byteCount)
  }

  /// Extracts a pseudorandom key from input keying material.
  /// - Parameter inputKeyMaterial: of any length and shape. Secret.
  /// - Parameter salt: not secret; empty counts as `HashLen` zeros.
  /// - Returns: a key as long as the digest, for ``expand(pseudorandomKey:info:byteCount:)``.
  ///
  /// Timing: depends on lengths only.
  /// Source: RFC 5869 §2.2.
  public static func extract(inputKeyMaterial: SecretBytes, salt: some Collection<UInt8>) -> SecretBytes {
    withContiguousBytes(salt) { salt in
      inputKeyMaterial.withUnsafeBytes { extract(inputKeyMaterial: $0, salt: salt) }
    }
  }

  @_specialize(where Function == SHA2.SHA256)
  @_specialize(where Function == SHA2.SHA384)
  @_specialize(where Function == SHA2.SHA512)
  private static func extract(
    inputKeyMaterial: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer
  ) -> SecretBytes {
    var code = HMACSHA2<Function>(anyKey: salt)
    code.update(inputKeyMaterial)
    return SecretBytes(copying: code.finalize())
  }

  /// Expands a pseudorandom key.
  /// - Parameter pseudorandomKey: at least as long as the digest: extracted, or uniform from the beginning. Secret.
  /// - Parameter info: what the key is for. Public.
  /// - Parameter byteCount: 1 to 255 times the length of the digest.
  /// - Throws: `.invalidKeyLength` for any other length, and for a shorter pseudorandom key.
  ///
  /// Timing: depends on lengths only.
  /// Source: RFC 5869 §2.3.
  public static func expand(
    pseudorandomKey: SecretBytes, info: some Collection<UInt8>, byteCount: Int
  ) throws(CryptoError) -> SecretBytes {
    guard byteCount > 0, byteCount <= 255 &* Function.digestByteCount else {
      throw CryptoError(.invalidKeyLength, "HKDF output must be 1 byte to 255 times the digest's length")
    }
    let prepared = try HMACSHA2<Function>(key: pseudorandomKey)
    return withContiguousBytes(info) { info in
      SecretBytes(count: byteCount) { expand(prepared, info: info, into: $0) }
    }
  }

  @_specialize(where Function == SHA2.SHA256)
  @_specialize(where Function == SHA2.SHA384)
  @_specialize(where Function == SHA2.SHA512)
  private static func expand(
    _ prepared: HMACSHA2<Function>, info: UnsafeRawBufferPointer, into key: UnsafeMutableRawBufferPointer
  ) {
    var offset = 0
    var counter: UInt8 = 1
    while offset < key.count {
      // T(i) = HMAC(PRK, T(i − 1) ‖ info ‖ i), T(0) empty. T(i − 1) are the octets up to `offset`, as many as a
      // digest has.
      var code = prepared
      let start = max(0, offset &- Function.digestByteCount)
      code.update(UnsafeRawBufferPointer(rebasing: key[start..<offset]))
      code.update(info)
      withUnsafeBytes(of: counter) { code.update($0) }
      let count = min(Function.digestByteCount, key.count &- offset)
      code.finalize().withBytes { digest in
        digest.withUnsafeBytes { digest in
          UnsafeMutableRawBufferPointer(rebasing: key[offset...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: digest[..<count]))
        }
      }
      offset &+= count
      counter &+= 1
    }
  }
}
