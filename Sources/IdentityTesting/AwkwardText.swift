import StrictJSON

/// Texts that databases, files and keychains are known to change, cut or confuse.
package enum AwkwardText {
  package static let all: [(name: String, text: String)] = [
    ("an empty text", ""), ("a text with NUL in it", "a\u{0}b"), ("a text in two scalars", "e\u{301}"),
    ("a text in one scalar", "\u{E9}"), ("a text with a mark of the byte order before it", "\u{FEFF}a"),
    ("a text that ends with a space", "a "), ("a text of several lines", "a\r\nb\tc"),
    ("a statement of SQL", "'; DROP TABLE families; --"), ("a path", "../../etc/passwd"),
    ("a text of other planes", "\u{1F600}\u{10FFFF}"), ("a long text", String(repeating: "\u{E9}0", count: 20_000)),
  ]

  /// A text that is not this one, and that a careless comparison takes for it.
  package static func twin(of text: String) -> String {
    switch text {
    case let text where text.isEmpty: " "
    case let text where text.utf8.elementsEqual("\u{E9}".utf8): "e\u{301}"
    case let text where text.utf8.elementsEqual("e\u{301}".utf8): "\u{E9}"
    case let text where text.utf8.contains(0): String(text.unicodeScalars.prefix { $0.value != 0 }.map(Character.init))
    case let text where text.utf8.last == 0x20: String(text.dropLast())
    default: WireName(text.uppercased()) == text ? text.lowercased() + "x" : text.uppercased()
    }
  }
}
