import StrictJSON

extension FuzzTarget {
  static let jsonTargets = [jsonText, jsonCodable, jsonNumber]

  private static let words = [
    "null", "true", "false", "\"\":", "\\u0000", "\\ud83d\\ude00", "\\\"", "e+308", "-0.0", "1e400", "[[[[", "]]]]",
    "{\"a\":",
    "\u{FEFF}", "\u{2028}", "é", "e\u{301}", "9223372036854775807", "18446744073709551616",
  ]

  /// Text: accepted and read as the obvious parser does; the writer's text is read as the same value.
  private static let jsonText = FuzzTarget(
    "json", maximumByteCount: 256, dictionary: words,
    seeds: { try jsonSeeds($0) },
    run: { input in
      let expected = try? ObviousJSON.parse(input)
      let document: JSONDocument
      do throws(JSONError) {
        document = try JSONDocument(parsing: input)
      } catch {
        try require(expected == nil || error.code == .limitExceeded, "refused text is no JSON: \(error)")
        try require((try? JSONValue(parsing: input)) == nil, "the tree is refused where the tape is")
        return false
      }
      guard let expected else { throw LawBroken(description: "accepted text is JSON") }
      let value = document.root.value
      try require(value.isSame(as: expected), "both parsers read the same value")
      try require(try JSONValue(parsing: input) == value, "the tree is the tape's")
      for options in [JSONSerializationOptions.compact, .canonical, .pretty] {
        let text = value.serialized(options: options)
        let again = try JSONValue(parsing: text)
        if options == .canonical {
          try require(again.serialized(options: .canonical) == text, "the canonical form is its own")
        } else {
          try require(again == value, "what is written is read again")
        }
      }
      return true
    })

  /// Claims through `Decodable`: from the tape, from the tree, and by hand.
  private static let jsonCodable = FuzzTarget(
    "json-codable", maximumByteCount: 256,
    dictionary: words + ["\"text\":", "\"count\":", "\"size\":", "\"list\":", "\"rest\":", "\"nested\":"],
    seeds: { _ in
      [
        #"{"text":"a\u00e9","count":-5,"size":1.5e3,"list":["x",""],"rest":{"a":[null,true]},"nested":{"text":null}}"#,
        #"{"count":9223372036854775807,"size":0.1,"list":[],"rest":null}"#, #"{"count":1e3,"nested":{"nested":{}}}"#,
      ].map { Array($0.utf8) }
    },
    run: { input in
      let decoder = StrictJSONDecoder()
      let sample = try? decoder.decode(CodableSample.self, from: input)
      guard let value = try? JSONValue(parsing: input) else {
        try require(sample == nil, "nothing is decoded from text that is no JSON")
        return false
      }
      try require(
        try decoder.decode(JSONValue.self, from: input) == value, "decoding a tree is parsing it")
      try require((try? decoder.decode(CodableSample.self, from: value)) == sample, "tape and tree decode the same")
      try require(try StrictJSONEncoder().encode(value) == value.serialized(), "encoding a tree is writing it")
      guard let sample else { return false }
      let text = try StrictJSONEncoder().encode(sample)
      try require(try decoder.decode(CodableSample.self, from: text) == sample, "what is encoded is decoded again")
      return true
    })

  /// Numbers: exact integers and the nearest Double, as the standard library has them.
  private static let jsonNumber = FuzzTarget(
    "json-number", maximumByteCount: 48, dictionary: ["e+", "E-", "e308", "e-324", "0000", "9999999999"],
    seeds: { _ in
      [
        "0", "-0", "1.0", "1e3", "1.7976931348623157e308", "4.9e-324", "2.2250738585072011e-308", "9007199254740993",
        "-9223372036854775808", "18446744073709551615", "0.1", "123456789012345678901234567890.5e-20",
      ].map { Array($0.utf8) }
    },
    run: { input in
      guard let literal = String(validating: input, as: UTF8.self),
        let number = try? JSONNumber(literal: literal)
      else { return false }
      try require(number.double.bitPattern == Double(literal)?.bitPattern, "the nearest Double")
      if let expected = Int64(literal) { try require(number.int64 == expected, "an integer is read exactly") }
      if let value = number.int64 {
        try require(Double(value) == number.double, "the integer is the number")
        try require(JSONNumber(value).int64 == value, "an integer is written exactly")
      }
      let shortest = try JSONNumber(number.double)
      try require(
        shortest.double == number.double && (try JSONNumber(literal: shortest.literal)) == shortest,
        "a Double is written so that it is read again")
      return true
    })

  private static func jsonSeeds(_ vectors: VectorFolderReader) throws -> [[UInt8]] {
    try vectors.texts("jwk.json", member: "jwk").prefix(40) + vectors.objects("jwk_thumbprint.json", member: "jwk")
      + vectors.objects("jwt.json", member: "claims").prefix(40)
      + [
        #"{"a":[1,2.5,-0.0,1e7],"b":{"c":null,"d":true},"e":"\u00e9\ud83d\ude00\n"}"#, "[[],{},[{}]]", " [ ] ",
        #""a""#, "-1.5E+3",
      ].map { Array($0.utf8) }
  }
}

/// A type of each kind that claims have.
private struct CodableSample: Codable, Equatable {
  var text: String?
  var count: Int64?
  var size: Double?
  var list: [String]?
  var rest: JSONValue?
  var nested: [CodableSample]?
}

extension JSONValue {
  /// Whether this is the value that the obvious parser read.
  fileprivate func isSame(as other: ObviousJSON.Value) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left.literal.utf8.elementsEqual(right.utf8)
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right)
    case (.array(let left), .array(let right)): left.elementsEqual(right) { $0.isSame(as: $1) }
    case (.object(let left), .object(let right)):
      left.members.elementsEqual(right) { $0.name.utf8.elementsEqual($1.name) && $0.value.isSame(as: $1.value) }
    default: false
    }
  }
}
