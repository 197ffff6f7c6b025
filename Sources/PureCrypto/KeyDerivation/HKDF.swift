/// HKDF: a key derivation function in two steps, extract and expand, over HMAC.
///
/// Timing: depends on lengths only.
/// Source: RFC 5869.
package enum HKDF<Function: SHA2Function> {
  /// Extracts a pseudorandom key from input keying material.
  /// - Parameter inputKeyMaterial: of any length and shape. Secret.
  /// - Parameter salt: not secret; empty counts as `HashLen` zeros.
  package static func extract(inputKeyMaterial: SecretBytes, salt: some Collection<UInt8>) -> SecretBytes {
    var code = HMACSHA2<Function>(key: salt)
    inputKeyMaterial.withUnsafeBytes { code.update($0) }
    return SecretBytes(copying: code.finalize())
  }

  /// Expands a pseudorandom key.
  /// - Parameter info: what the key is for. Public.
  /// - Parameter byteCount: 1 to 255 times the length of the digest.
  /// - Throws: `.invalidKeyLength` for any other length.
  package static func expand(
    pseudorandomKey: SecretBytes, info: some Collection<UInt8>, byteCount: Int
  ) throws(CryptoError) -> SecretBytes {
    guard byteCount > 0, byteCount <= 255 &* Function.digestByteCount else {
      throw CryptoError(.invalidKeyLength, "HKDF gives 1 to 255 times the length of the digest")
    }
    let prepared = HMACSHA2<Function>(key: pseudorandomKey)
    return SecretBytes(count: byteCount) { key in
      var offset = 0
      var counter: UInt8 = 1
      while offset < byteCount {
        // T(i) = HMAC(PRK, T(i − 1) ‖ info ‖ i), T(0) empty. T(i − 1) is the digest's length just before `offset`.
        var code = prepared
        let start = max(0, offset &- Function.digestByteCount)
        code.update(UnsafeRawBufferPointer(rebasing: key[start..<offset]))
        code.update(info)
        code.update(CollectionOfOne(counter))
        let count = min(Function.digestByteCount, byteCount &- offset)
        code.finalize().withUnsafeBytes { digest in
          UnsafeMutableRawBufferPointer(rebasing: key[offset...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: digest[..<count]))
        }
        offset &+= count
        counter &+= 1
      }
    }
  }
}
