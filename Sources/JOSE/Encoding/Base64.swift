import PureCrypto

/// base64 with the standard alphabet and padding, strictly. JOSE uses it for `x5c` only; Platform SSO for key
/// identifiers.
///
/// Source: RFC 4648 §4.
package enum Base64 {
  /// Encodes octets with padding.
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    unsafe withInlinedContiguousBytes(bytes) { bytes in
      let count = Base64Alphabet.encodedCount(bytes.count)
      // count <= padded, the capacity.
      let padded = (count + 3) / 4 * 4
      return unsafe String(unsafeUninitializedCapacity: padded) { output in
        unsafe Base64Alphabet.standard.encode(bytes, into: UnsafeMutableBufferPointer(rebasing: output[..<count]))
        unsafe output[count..<padded].update(repeating: 0x3D)
        return padded
      }
    }
  }

  /// Encodes a secret that is sent as text, which is not wiped.
  ///
  /// Timing: depends on the length only.
  package static func encode(_ secret: SecretBytes) -> String {
    // The octets are read before the closure returns.
    unsafe secret.withUnsafeBytes { unsafe encode($0) }
  }

  /// Decodes padded text.
  ///
  /// - Throws: ``ErrorCode/malformed`` if padding is missing or wrong, a character is foreign or an unused bit is
  ///   set.
  package static func decode(_ text: String) throws(JOSEError) -> [UInt8] {
    try unsafe withInlinedContiguousBytes(text.utf8) { text throws(JOSEError) in
      var end = text.count
      guard end & 3 == 0 else { throw malformed }
      // At most two padding characters, and only at the end; an earlier one is a foreign character.
      if end > 0, unsafe text[end - 1] == 0x3D { end -= 1 }
      if end & 3 == 3, unsafe text[end - 1] == 0x3D { end -= 1 }
      guard let count = Base64Alphabet.decodedCount(end) else { throw malformed }
      guard count > 0 else { return [] }
      var legal = false
      // end <= text.count, and `output` has room for `count`.
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { output, initializedCount in
        legal = unsafe Base64Alphabet.standard.decode(
          UnsafeRawBufferPointer(rebasing: text[..<end]), into: UnsafeMutableRawBufferPointer(output))
        initializedCount = count
      }
      guard legal else { throw malformed }
      return bytes
    }
  }

  private static var malformed: JOSEError { JOSEError(.malformed, "not padded base64") }
}
