/// Percent-encoding of RFC 3986 §2.1.
package enum PercentEncoding {
  /// The text with every byte escaped that is not unreserved, so that it can stand as one component anywhere in a URI.
  ///
  /// A space becomes `%20`. Digits of escapes are in upper case.
  package static func encode(_ text: String) -> String {
    var bytes: [UInt8] = []
    append(text, to: &bytes) { $0.isURIUnreserved }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text that percent-encoded bytes stand for.
  /// - Throws: ``ErrorCode/malformed`` for a `%` without two hexadecimal digits and for bytes
  ///   outside printable ASCII, and when the result is not valid UTF-8.
  package static func decode(_ text: String) throws(JOSEError) -> String {
    try decode(Array(text.utf8)[...], plusIsSpace: false)
  }

  static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) throws(JOSEError) -> String {
    if let text = asItStands(bytes, plusIsSpace) { return text }
    var decoded: [UInt8] = []
    try decode(bytes, plusIsSpace: plusIsSpace, to: &decoded)
    guard let text = String(validating: decoded, as: UTF8.self) else {
      throw JOSEError(.malformed, "escaped bytes are not valid UTF-8")
    }
    return text
  }

  /// The text that percent-encoded bytes stand for, up to what can't be decoded.
  static func decodePrefix(of bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> (text: String, isWhole: Bool) {
    if let text = asItStands(bytes, plusIsSpace) { return (text, true) }
    var decoded: [UInt8] = []
    let isRead = (try? decode(bytes, plusIsSpace: plusIsSpace, to: &decoded)) != nil
    if let text = String(validating: decoded, as: UTF8.self) { return (text, isRead) }
    let text = String(decoding: decoded, as: UTF8.self).unicodeScalars.prefix { $0 != "\u{FFFD}" }
    return (String(text), false)
  }

  /// The text if no byte of it stands for another, as in most fields; nil for any other.
  private static func asItStands(_ bytes: ArraySlice<UInt8>, _ plusIsSpace: Bool) -> String? {
    let isPlain = bytes.allSatisfy { byte in
      (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%") && !(plusIsSpace && byte == UInt8(ascii: "+"))
    }
    return isPlain ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// Appends the bytes that others stand for, until an error is thrown.
  private static func decode(
    _ bytes: ArraySlice<UInt8>, plusIsSpace: Bool, to decoded: inout [UInt8]
  ) throws(JOSEError) {
    decoded.reserveCapacity(bytes.count)
    var rest = bytes
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
          throw JOSEError(.malformed, "a percent sign lacks two hexadecimal digits")
        }
        decoded.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace:
        decoded.append(UInt8(ascii: " "))
      case 0x21...0x7E:
        decoded.append(byte)
      default:
        throw JOSEError(.malformed, "a byte outside printable ASCII is not escaped")
      }
    }
  }

  /// Appends the text's UTF-8 bytes, escaping those that may not stand as they are. The others are copied run by run.
  @inline(__always)
  static func append(
    _ text: String, to bytes: inout [UInt8], spaceIsPlus: Bool = false, isUnescaped: (UInt8) -> Bool
  ) {
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10 }
    var text = text
    text.withUTF8 { characters in
      var run = 0
      // 0 <= run <= position < count.
      for position in characters.indices {
        let byte = unsafe characters[position]
        if isUnescaped(byte) { continue }
        unsafe bytes.append(contentsOf: characters[run..<position])
        run = position + 1
        if spaceIsPlus, byte == UInt8(ascii: " ") {
          bytes.append(UInt8(ascii: "+"))
        } else {
          bytes.append(UInt8(ascii: "%"))
          bytes.append(digit(byte >> 4))
          bytes.append(digit(byte & 15))
        }
      }
      unsafe bytes.append(contentsOf: characters[run...])
    }
  }
}
