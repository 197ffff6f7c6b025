/// Random UUIDs as text.
package enum UUIDText {
  /// A fresh version 4 UUID in upper case, 36 ASCII characters, with 122 random bits from the system.
  package static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// The same from another generator, for tests.
  package static func random(using generator: inout some RandomNumberGenerator) -> String {
    // RFC 9562 §5.4: the version stands in bits 48…51, the variant, 10, in bits 64 and 65.
    let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for position in 0..<32 {
      if [8, 12, 16, 20].contains(position) { text.append(UInt8(ascii: "-")) }
      let word = position < 16 ? high : low
      text.append(digits[Int(word >> UInt64(60 - position % 16 * 4) & 0xF)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether a text is a UUID: 32 hexadecimal digits in either case, in five groups.
  package static func isUUID(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy { $0.hexadecimalValue != nil } }
  }
}
