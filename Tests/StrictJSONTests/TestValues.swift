import PureJOSETestSupport
import StrictJSON

extension SeededGenerator {
  /// A value with awkward strings, names and numbers, at most `depth` levels deep.
  mutating func value(depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &self) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &self))
    case 2: return .number(JSONNumber(Int64(truncatingIfNeeded: next() >> UInt64.random(in: 0..<64, using: &self))))
    case 3: return .number(number())
    case 4, 5: return .string(string())
    case 6: return .array((0..<Int.random(in: 0..<6, using: &self)).map { _ in value(depth: depth - 1) })
    default:
      return .object(
        JSONObject((0..<Int.random(in: 0..<40, using: &self) / 4).map { _ in (string(), value(depth: depth - 1)) }))
    }
  }

  private mutating func number() -> JSONNumber {
    while true {
      if let number = try? JSONNumber(Double(bitPattern: next())) { return number }
    }
  }

  mutating func string() -> String {
    let awkward: [Unicode.Scalar] = [
      "\u{0}", "\u{1}", "\u{8}", "\t", "\n", "\u{B}", "\u{C}", "\r", "\u{1F}", " ", "\"", "/", "\\", "a", "K", "\u{7F}",
      "\u{80}", "é", "\u{301}", "\u{7FF}", "\u{800}", "\u{212A}", "\u{2028}", "\u{D7FF}", "\u{E000}", "\u{FEFF}",
      "\u{FFFF}", "\u{10000}", "😀", "\u{10FFFF}",
    ]
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0..<24, using: &self) {
      text.append(Bool.random(using: &self) ? awkward.randomElement(using: &self) ?? "x" : "x")
    }
    return String(text)
  }
}

/// The value of a text. (`JSONValue("[1]")` would be a string literal.)
func parsed(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(parsing: text.utf8) }

/// The code with which parsing fails, or nil when it doesn't.
func parsingError(_ text: some Collection<UInt8>, _ limits: JSONLimits = .default) -> JSONError.Code? {
  do {
    _ = try JSONValue(parsing: text, limits: limits)
    return nil
  } catch {
    return error.code
  }
}

func parsingError(_ text: String, _ limits: JSONLimits = .default) -> JSONError.Code? {
  parsingError(text.utf8, limits)
}

extension JSONValue {
  func text(_ options: JSONSerializationOptions = .compact) -> String {
    String(decoding: serialized(options: options), as: UTF8.self)
  }
}
