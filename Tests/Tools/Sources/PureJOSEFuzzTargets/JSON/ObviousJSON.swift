/// JSON by the grammar of RFC 8259, one function for each rule, for comparison.
///
/// It knows no limits: its inputs are short. It refuses what StrictJSON's documentation says is refused, and nothing
/// else.
struct ObviousJSON {
  indirect enum Value {
    case null
    case bool(Bool)
    case number(String)
    case string([UInt8])
    case array([Value])
    case object([(name: [UInt8], value: Value)])
  }

  struct Refused: Error {}

  private let text: [UInt8]
  private var position = 0

  static func parse(_ text: [UInt8]) throws -> Value {
    var parser = ObviousJSON(text: text)
    let value = try parser.element()
    guard parser.position == text.count else { throw Refused() }
    return value
  }

  private init(text: [UInt8]) { self.text = text }

  private var next: UInt8? { position < text.count ? text[position] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ word: String) throws {
    guard text[position...].starts(with: word.utf8) else { throw Refused() }
    position += word.utf8.count
  }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func element() throws -> Value {
    skipSpace()
    let value = try value()
    skipSpace()
    return value
  }

  private mutating func value() throws -> Value {
    switch next {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"):
      try expect("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try expect("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try expect("null")
      return .null
    default: return .number(try number())
    }
  }

  private mutating func object() throws -> Value {
    try expect("{")
    var members: [(name: [UInt8], value: Value)] = []
    skipSpace()
    if take("}") { return .object([]) }
    repeat {
      skipSpace()
      let name = try string()
      skipSpace()
      try expect(":")
      guard !members.contains(where: { $0.name == name }) else { throw Refused() }
      members.append((name, try element()))
    } while take(",")
    try expect("}")
    return .object(members)
  }

  private mutating func array() throws -> Value {
    try expect("[")
    var elements: [Value] = []
    skipSpace()
    if take("]") { return .array([]) }
    repeat { elements.append(try element()) } while take(",")
    try expect("]")
    return .array(elements)
  }

  private mutating func number() throws -> String {
    let start = position
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    let literal = String(decoding: text[start..<position], as: UTF8.self)
    guard let double = Double(literal), double.isFinite else { throw Refused() }
    return literal
  }

  private mutating func digits() throws {
    let start = position
    while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
    guard position > start else { throw Refused() }
  }

  private mutating func string() throws -> [UInt8] {
    try expect("\"")
    var units: [UInt16] = []
    while !take("\"") {
      guard let byte = next, byte >= 0x20 else { throw Refused() }
      if byte == UInt8(ascii: "\\") {
        position += 1
        units.append(try escape())
      } else {
        // Whatever is not an escape is copied up to the next special byte, and must be UTF-8 as a whole.
        let start = position
        while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { position += 1 }
        guard let run = String(validating: text[start..<position], as: UTF8.self) else { throw Refused() }
        // An escaped surrogate must not pair up with text, so runs are kept apart by being whole scalars.
        units += run.utf16
      }
    }
    guard let result = String(validating: units, as: UTF16.self) else { throw Refused() }
    return Array(result.utf8)
  }

  private mutating func escape() throws -> UInt16 {
    guard let letter = next else { throw Refused() }
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(letter)
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"):
      let digits = text[position...].prefix(4)
      guard digits.count == 4, !digits.contains(UInt8(ascii: "+")), !digits.contains(UInt8(ascii: "-")),
        let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
      else { throw Refused() }
      position += 4
      return unit
    default: throw Refused()
    }
  }
}
