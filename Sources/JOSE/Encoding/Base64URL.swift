import PureCrypto

/// base64url without padding, strictly: no `=`, no white space, no other alphabet, no bits set beyond the last octet.
///
/// Source: RFC 7515 §2, RFC 4648 §5.
public enum Base64URL {
  // Buffers to write to have `encodedCount` or `decodedCount` of what is read, or more, and are cut to it. Texts and
  // octets to read are lent for the call.

  /// Encodes octets. The empty sequence becomes the empty string.
  ///
  /// Timing: depends on the length only.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    unsafe withInlinedContiguousBytes(bytes) { bytes in
      unsafe String(unsafeUninitializedCapacity: Base64Alphabet.encodedCount(bytes.count)) { output in
        let count = Base64Alphabet.encodedCount(bytes.count)
        unsafe Base64Alphabet.url.encode(bytes, into: UnsafeMutableBufferPointer(rebasing: output[..<count]))
        return count
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

  /// Decodes text.
  ///
  /// Timing: depends on the length, and, where the text is not legal, on what is wrong with it.
  /// - Throws: ``ErrorCode/malformed``.
  public static func decode(_ text: String) throws(JOSEError) -> [UInt8] {
    try decode(utf8: text.utf8)
  }

  /// Decodes text given as ASCII bytes.
  ///
  /// - Throws: ``ErrorCode/malformed``.
  public static func decode(utf8 text: some Collection<UInt8>) throws(JOSEError) -> [UInt8] {
    try unsafe withInlinedContiguousBytes(text) { text throws(JOSEError) in try unsafe decode(text) }
  }

  package static func decode(_ text: UnsafeRawBufferPointer) throws(JOSEError) -> [UInt8] {
    guard let count = Base64Alphabet.decodedCount(text.count) else { throw unsafe malformed(text) }
    // The storage of empty arrays is shared by all threads: below, not even its count may be written.
    guard count > 0 else { return [] }
    var legal = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { output, initializedCount in
      legal = unsafe decode(text, into: UnsafeMutableRawBufferPointer(output))
      initializedCount = count
    }
    guard legal else { throw unsafe malformed(text) }
    return bytes
  }

  /// Decodes text given as ASCII bytes straight into memory that is wiped.
  ///
  /// Timing: depends on the length, and on whether the text is legal.
  package static func decodeSecret(utf8 text: some Collection<UInt8>) throws(JOSEError) -> SecretBytes {
    try unsafe withInlinedContiguousBytes(text) { text throws(JOSEError) in
      guard let count = Base64Alphabet.decodedCount(text.count) else { throw malformedSecret }
      return try unsafe SecretBytes(count: count) { output throws(JOSEError) in
        guard unsafe decode(text, into: output) else { throw malformedSecret }
      }
    }
  }

  /// The text of a secret, as ASCII bytes in memory that is wiped.
  ///
  /// Timing: depends on the length only.
  package static func encodeSecret(_ secret: SecretBytes) -> SecretBytes {
    unsafe secret.withUnsafeBytes { octets in
      unsafe SecretBytes(count: Base64Alphabet.encodedCount(octets.count)) { text in
        unsafe text.withMemoryRebound(to: UInt8.self) { unsafe Base64Alphabet.url.encode(octets, into: $0) }
      }
    }
  }

  /// Decodes two texts into one array, the second behind the first.
  package static func decode(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
  ) throws(JOSEError) -> (octets: [UInt8], firstCount: Int) {
    guard let firstCount = Base64Alphabet.decodedCount(first.count),
      let secondCount = Base64Alphabet.decodedCount(second.count)
    else { throw unsafe malformed(first, second) }
    let count = firstCount + secondCount
    guard count > 0 else { return ([], 0) }
    var isLegal = false
    let octets = unsafe [UInt8](unsafeUninitializedCapacity: count) { output, initializedCount in
      isLegal = unsafe decode(first, firstCount, second, into: UnsafeMutableRawBufferPointer(output))
      initializedCount = count
    }
    guard isLegal else { throw unsafe malformed(first, second) }
    return (octets, firstCount)
  }

  /// Calls `body` with the octets of two texts, which are not kept: texts of usual length go to the stack.
  @inline(__always)
  static func withDecoded<Result>(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer,
    _ body: (_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) throws(JOSEError) -> Result
  ) throws(JOSEError) -> Result {
    guard let firstCount = Base64Alphabet.decodedCount(first.count),
      let secondCount = Base64Alphabet.decodedCount(second.count)
    else { throw unsafe malformed(first, second) }
    let outcome = unsafe withUnsafeTemporaryAllocation(byteCount: firstCount + secondCount, alignment: 16) { room in
      Swift.Result { () throws(JOSEError) in
        guard unsafe decode(first, firstCount, second, into: room) else { throw unsafe malformed(first, second) }
        let octets = UnsafeRawBufferPointer(room)
        return try unsafe body(
          UnsafeRawBufferPointer(rebasing: octets[..<firstCount]),
          UnsafeRawBufferPointer(rebasing: octets[firstCount..<(firstCount + secondCount)]))
      }
    }
    // Not `get()`, which makes a copy of what may hold many references.
    switch consume outcome {
    case .success(let result): return result
    case .failure(let error): throw error
    }
  }

  /// Decodes one text of this many octets, and another behind it.
  private static func decode(
    _ first: UnsafeRawBufferPointer, _ firstCount: Int, _ second: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    unsafe Base64Alphabet.url.decode(first, into: UnsafeMutableRawBufferPointer(rebasing: output[..<firstCount]))
      && Base64Alphabet.url.decode(second, into: UnsafeMutableRawBufferPointer(rebasing: output[firstCount...]))
  }

  /// Requires that a text is legal, whatever it says.
  static func requireLegal(_ text: UnsafeRawBufferPointer) throws(JOSEError) {
    guard let count = Base64Alphabet.decodedCount(text.count) else { throw unsafe malformed(text) }
    let isLegal = unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { unsafe decode(text, into: $0) }
    guard isLegal else { throw unsafe malformed(text) }
  }

  /// Decodes into storage of exactly `decodedCount(text.count)` octets, or more; false if the text is not legal.
  package static func decode(_ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
    unsafe Base64Alphabet.url.decode(text, into: output)
  }

  /// The most characters that this many octets have; for a limit, which may be any number.
  static func characterLimit(_ byteLimit: Int) -> Int {
    // Four characters for three octets: up to here the product can't overflow, and no text is as long as what follows.
    byteLimit > Int.max / 4 ? .max : byteLimit < 0 ? -1 : Base64Alphabet.encodedCount(byteLimit)
  }

  /// How many characters this many octets have.
  static func characterCount(_ byteCount: Int) -> Int { Base64Alphabet.encodedCount(byteCount) }

  /// Encodes octets into the first characters of `output`, which has room for them, and returns the rest of it.
  static func encode(
    _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<UInt8>
  ) -> UnsafeMutableBufferPointer<UInt8> {
    let count = Base64Alphabet.encodedCount(bytes.count)
    unsafe Base64Alphabet.url.encode(bytes, into: UnsafeMutableBufferPointer(rebasing: output[..<count]))
    return unsafe UnsafeMutableBufferPointer(rebasing: output[count...])
  }

  /// Appends the encoding of `bytes` to `output` as ASCII bytes.
  package static func append(_ bytes: some Collection<UInt8>, to output: inout [UInt8]) {
    unsafe withInlinedContiguousBytes(bytes) { bytes in
      let start = output.count
      output.append(contentsOf: repeatElement(0, count: Base64Alphabet.encodedCount(bytes.count)))
      unsafe output.withUnsafeMutableBufferPointer {
        unsafe Base64Alphabet.url.encode(bytes, into: UnsafeMutableBufferPointer(rebasing: $0[start...]))
      }
    }
  }

  private static var malformedSecret: JOSEError { JOSEError(.malformed, "not base64url without padding") }

  /// What is wrong with texts that are no secrets: the commonest causes, each with what helps.
  ///
  /// Timing: depends on the texts.
  private static func malformed(_ texts: UnsafeRawBufferPointer...) -> JOSEError {
    unsafe JOSEError(.malformed, texts.lazy.compactMap(fault).first ?? cutOff)
  }

  private static func fault(_ text: UnsafeRawBufferPointer) -> StaticString? {
    if unsafe text.starts(with: "Bearer ".utf8) || text.starts(with: "DPoP ".utf8) {
      return "the authentication scheme stands in front of the token: remove \"Bearer \" or \"DPoP \""
    }
    return unsafe text.lazy.compactMap { octet -> StaticString? in
      switch octet {
      case 0x22, 0x27: "quotes stand around or in the text: remove them"
      case 0x20, 0x09, 0x0A, 0x0D: "white space stands in the text or behind it: remove it"
      case 0x25: "the text is percent-encoded: decode it first, as form fields and query items are"
      case 0x3D: "base64url has no padding here: remove each ="
      case 0x2B, 0x2F: "the text is standard base64: base64url has - for + and _ for /"
      default: nil
      }
    }.first
  }

  private static var cutOff: StaticString {
    "not base64url: the text is cut short, or a character in it is none of A-Z, a-z, 0-9, - and _"
  }
}
