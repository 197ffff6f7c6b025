import StrictJSON

/// Text that another party wrote, for a terminal.
enum Visible {
  /// The text with what is not visible ASCII escaped, so that it can neither move the cursor, begin a line nor pass for
  /// another, and cut off after `length` characters.
  static func text(_ text: String, length: Int = 200) -> String {
    // Counted in scalars: one character may have any number of them.
    let shown = text.unicodeScalars.prefix(length)
    return shown.map { (0x20...0x7E).contains($0.value) ? String($0) : $0.escaped(asASCII: true) }.joined()
      + (shown.endIndex == text.unicodeScalars.endIndex ? "" : "…")
  }

  /// An object in lines, with an end of line, as ``json(_:isPretty:)`` shows it.
  static func lines(_ object: JSONObject) -> [UInt8] { Array(json(.object(object)).utf8) + [0x0A] }

  /// JSON, whole and with the same meaning: what moves the cursor or turns the direction of the text is escaped, as
  /// JSON does it.
  static func json(_ value: JSONValue, isPretty: Bool = true) -> String {
    let text = String(decoding: value.serialized(options: isPretty ? .pretty : .compact), as: UTF8.self)
    var shown = ""
    // JSON escapes the first 32 itself, but for the line feeds of its layout.
    for scalar in text.unicodeScalars {
      guard scalar.value >= 0x7F, isUnseen(scalar) else {
        shown.unicodeScalars.append(scalar)
        continue
      }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        shown += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return shown
  }

  private static func isUnseen(_ scalar: UnicodeScalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
