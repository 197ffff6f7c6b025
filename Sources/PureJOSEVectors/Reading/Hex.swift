/// Hexadecimal text of vector files.
enum Hex {
  /// The octets of `text`: an even number of digits of either case, and nothing else.
  static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var octets: [UInt8] = []
    octets.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else { return nil }
      octets.append(high << 4 | low)
    }
    return octets
  }

  /// Whether octets are hexadecimal text, and not empty.
  static func isHex(_ text: some Collection<UInt8>) -> Bool {
    !text.isEmpty && text.count.isMultiple(of: 2) && text.allSatisfy { value(of: $0) != nil }
  }

  /// The octets as lower-case digits.
  static func encode(_ octets: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for octet in octets {
      text.append(digits[Int(octet >> 4)])
      text.append(digits[Int(octet & 0x0F)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
