import PureCrypto

/// base64url without padding, strictly: no `=`, no white space, no other alphabet, no bits set beyond the last octet.
///
/// Source: RFC 7515 §2, RFC 4648 §5.
public enum Base64URL {
  /// Encodes octets. The empty sequence becomes the empty string.
  ///
  /// Timing: depends on the length only.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    withContiguousBytes(bytes) { bytes in
      String(unsafeUninitializedCapacity: Base64Alphabet.encodedCount(bytes.count)) { output in
        let count = Base64Alphabet.encodedCount(bytes.count)
        Base64Alphabet.url.encode(bytes, into: UnsafeMutableBufferPointer(rebasing: output[..<count]))
        return count
      }
    }
  }

  /// Decodes text.
  ///
  /// Timing: depends on the length, and on whether the text is legal.
  /// - Throws: ``JOSEErrorCode/malformed``.
  public static func decode(_ text: String) throws(JOSEError) -> [UInt8] {
    try decode(utf8: text.utf8)
  }

  /// Decodes text given as ASCII bytes.
  ///
  /// - Throws: ``JOSEErrorCode/malformed``.
  public static func decode(utf8 text: some Collection<UInt8>) throws(JOSEError) -> [UInt8] {
    try withContiguousBytes(text) { text throws(JOSEError) in try decode(text) }
  }

  package static func decode(_ text: UnsafeRawBufferPointer) throws(JOSEError) -> [UInt8] {
    guard let count = Base64Alphabet.decodedCount(text.count) else { throw malformed }
    // The storage of empty arrays is shared by all threads: below, not even its count may be written.
    guard count > 0 else { return [] }
    var legal = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { output, initializedCount in
      legal = decode(text, into: UnsafeMutableRawBufferPointer(output))
      initializedCount = count
    }
    guard legal else { throw malformed }
    return bytes
  }

  /// Decodes into storage of exactly `decodedCount(text.count)` octets, or more; false if the text is not legal.
  package static func decode(_ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
    guard let count = Base64Alphabet.decodedCount(text.count), output.count >= count else { return false }
    return Base64Alphabet.url.decode(text, into: output)
  }

  /// The most characters that so many octets have; for a limit, which may be any number.
  static func characterLimit(_ byteLimit: Int) -> Int {
    // Four characters for three octets: up to here the product can't overflow, and no text is as long as what follows.
    byteLimit > Int.max / 4 ? .max : byteLimit < 0 ? -1 : Base64Alphabet.encodedCount(byteLimit)
  }

  /// Appends the encoding of `bytes` to `output` as ASCII bytes.
  package static func append(_ bytes: some Collection<UInt8>, to output: inout [UInt8]) {
    withContiguousBytes(bytes) { bytes in
      let start = output.count
      let count = Base64Alphabet.encodedCount(bytes.count)
      output.append(contentsOf: repeatElement(0, count: count))
      output.withUnsafeMutableBufferPointer { output in
        Base64Alphabet.url.encode(
          bytes, into: UnsafeMutableBufferPointer(rebasing: output[start..<(start + count)]))
      }
    }
  }

  private static var malformed: JOSEError { JOSEError(.malformed, "not base64url without padding") }
}
