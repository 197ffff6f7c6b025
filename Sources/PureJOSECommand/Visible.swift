import JOSE
import StrictJSON

/// Text that another party wrote, for a terminal.
enum Visible {
  /// The text escaped and cut off, as an error shows it.
  static func text(_ text: String, length: Int = 200) -> String { VisibleText.escaped(text, length: length) }

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
