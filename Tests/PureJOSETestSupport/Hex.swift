/// Hexadecimal text of byte strings, for vectors.
public enum Hex {
  /// The text is not hexadecimal: an odd number of digits, or another character.
  public struct Malformed: Error {}

  /// The bytes that `text` stands for. Spaces and line breaks are skipped, so that figures can be set as printed.
  public static func decode(_ text: String) throws(Malformed) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in text.utf8 {
      let digit: UInt8
      switch character {
      case UInt8(ascii: " "), UInt8(ascii: "\n"): continue
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
      default: throw Malformed()
      }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    guard high == nil else { throw Malformed() }
    return bytes
  }

  /// The bytes in lower-case hexadecimal.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// The bytes that hexadecimal text stands for. For literals in tests.
public func hex(_ text: String) throws -> [UInt8] {
  try Hex.decode(text)
}
