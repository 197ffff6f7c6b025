/// Hexadecimal text, as the lines of the program have it. `-` stands for no octets.
enum Hex {
  static func encode(_ octets: [UInt8]) -> [UInt8] {
    octets.flatMap { [digit($0 >> 4), digit($0 & 15)] }
  }

  /// The octets, or nil if the text is not hexadecimal.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    if text.elementsEqual(CollectionOfOne(UInt8(ascii: "-"))) { return [] }
    guard text.count.isMultiple(of: 2) else { return nil }
    var octets: [UInt8] = []
    octets.reserveCapacity(text.count / 2)
    var index = text.startIndex
    while index < text.endIndex {
      guard let high = value(text[index]), let low = value(text[index + 1]) else { return nil }
      octets.append(high << 4 | low)
      index += 2
    }
    return octets
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
