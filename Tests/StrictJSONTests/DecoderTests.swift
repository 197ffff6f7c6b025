import Foundation
import StrictJSON
import Testing

@Suite("Decodable types straight from the tape")
struct DecoderTests {
  let decoder = StrictJSONDecoder()

  struct Claims: Codable, Equatable {
    struct Address: Codable, Equatable {
      var locality: String
      var codes: [Int]
    }

    enum Role: String, Codable { case admin, reader }

    var iss: String
    var exp: Int64
    var verified: Bool?
    var weight: Double
    var audience: [String]
    var address: Address?
    var roles: [String: Role]
    var extra: JSONValue
    var maybe: [Int?]
  }

  @Test("A struct with everything in it")
  func everything() throws {
    let text = """
      {"extra":{"n":1.10,"l":[null]},"maybe":[1,null,3],"roles":{"x":"admin","y":"reader"},"weight":2,"iss":"a\\u00e9b",
       "exp":1e3,"verified":null,"audience":["p","q"],"address":{"locality":"Z\\n","codes":[1,2,3]},"unknown":[{"a":1}]}
      """
    let claims = try decoder.decode(Claims.self, from: text.utf8)
    #expect(
      claims
        == Claims(
          iss: "aéb", exp: 1000, verified: nil, weight: 2, audience: ["p", "q"],
          address: .init(locality: "Z\n", codes: [1, 2, 3]), roles: ["x": .admin, "y": .reader],
          extra: ["n": .number(try JSONNumber(literal: "1.10")), "l": [nil]], maybe: [1, nil, 3]))
    #expect(try decoder.decode(Claims.self, from: parsed(text)) == claims)
    #expect(try decoder.decode(Claims.self, from: JSONDocument(parsing: text.utf8).root) == claims)
    #expect(try decoder.decode(Claims.self, from: StrictJSONEncoder().encode(claims)) == claims)
  }

  @Test("Bytes may come in any collection")
  func collections() throws {
    let bytes = Array("x[1,2]".utf8)
    #expect(try decoder.decode([Int].self, from: bytes.dropFirst()) == [1, 2])
    #expect(try decoder.decode([Int].self, from: Data(bytes).dropFirst()) == [1, 2])
    #expect(try decoder.decode([Int].self, from: "x[1,2]".utf8.dropFirst()) == [1, 2])
    #expect(try decoder.decode([Int].self, from: bytes.dropFirst().reversed().reversed()) == [1, 2])
    #expect(try decoder.decode([Int].self, from: bytes.lazy.filter { $0 != UInt8(ascii: "x") }) == [1, 2])
  }

  @Test("Absent, null, mistyped and out of range are different errors, with a path")
  func errors() throws {
    struct Item: Decodable { var small: UInt8 }
    struct List: Decodable { var items: [Item] }

    func summary(_ text: String) throws -> String {
      do {
        return "accepted: \(try decoder.decode(List.self, from: text.utf8))"
      } catch let error as DecodingError {
        return error.summary
      }
    }
    let prefix = #"{"items":[{"small":1},"#
    #expect(try summary(prefix + "{}]}") == "keyNotFound(small) items/Index 1")
    #expect(try summary(prefix + #"{"small":null}]}"#) == "valueNotFound items/Index 1/small")
    #expect(try summary(prefix + #"{"small":"1"}]}"#) == "typeMismatch items/Index 1/small")
    #expect(try summary(prefix + #"{"small":256}]}"#) == "dataCorrupted items/Index 1/small")
    #expect(try summary(prefix + #"{"small":1.5}]}"#) == "dataCorrupted items/Index 1/small")
    #expect(try summary(#"{"items":{}}"#) == "typeMismatch items")
    #expect(try summary(#"{"items":[{"small":1},{"sm\u0061ll":[1,{"x":[2]}]}]}"#) == "typeMismatch items/Index 1/small")
    #expect(try summary("[]") == "typeMismatch ")
    #expect(try summary("null") == "valueNotFound ")
    #expect(try summary("{}") == "keyNotFound(items) ")
    let range = try #require(throws: DecodingError.self) { try decoder.decode(UInt8.self, from: "256".utf8) }
    guard case .dataCorrupted(let context) = range else {
      Issue.record("\(range)")
      return
    }
    #expect(context.underlyingError as? JSONError == JSONError(.numberOutOfRange, ""))
    // A text that is not JSON is another kind of error.
    #expect(throws: JSONError(.malformed, "")) { try decoder.decode(List.self, from: "{".utf8) }
    #expect(throws: JSONError(.duplicateMember, "")) { try decoder.decode(List.self, from: #"{"x":1,"x":1}"#.utf8) }
  }

  @Test("Descriptions of errors quote nothing of the text")
  func errorsQuoteNothing() throws {
    for text in [
      #""SECRETVALUE""#, "12345678901234567890123", "-1", "1.5", #"["SECRETVALUE"]"#, #"{"a":"SECRETVALUE"}"#,
    ] {
      let error = try #require(throws: DecodingError.self) { try decoder.decode(UInt8.self, from: text.utf8) }
      #expect(!"\(error)".contains("SECRETVALUE"))
      #expect(!"\(error)".contains("123456789"))
    }
  }

  @Test("A value of another type is refused instead of converted")
  func noLeniency() {
    func refuses<Value: Decodable>(_ type: Value.Type, _ texts: String...) {
      for text in texts {
        #expect(throws: DecodingError.self, "\(type) from \(text)") { try decoder.decode(type, from: text.utf8) }
      }
    }
    refuses(Bool.self, "0", "1", "\"true\"", "null", "[]", "{}")
    refuses(Int.self, "\"1\"", "true", "null", "[1]", "{}", "1.5", "1e-1", "1e19")
    refuses(Double.self, "\"1\"", "true", "null", "\"NaN\"", "[]")
    refuses(String.self, "1", "true", "null", "[]", "{}")
    refuses([Int].self, "{}", "1", "null", "[1,\"2\"]", "[null]")
    refuses([String: Int].self, "[]", "1", "null", #"{"a":"1"}"#, #"{"a":null}"#)
    refuses(JSONObject.self, "[]", "1", "null", "\"{}\"")
    refuses(JSONNumber.self, "\"1\"", "null", "true", "[]")
    refuses(Claims.Role.self, "\"Admin\"", "\"\"", "1", "null")
    refuses(Data.self, "\"A\"", "[1]", "[256]")
    refuses(Date.self, "\"2026-01-01T00:00:00Z\"")
  }

  @Test("Optionals at the root and in containers")
  func optionals() throws {
    #expect(try decoder.decode(Int?.self, from: "null".utf8) == nil)
    #expect(try decoder.decode(Int?.self, from: "1".utf8) == 1)
    #expect(try decoder.decode([String: Int?].self, from: #"{"a":null,"b":1}"#.utf8) == ["a": nil, "b": 1])
    #expect(throws: DecodingError.self) { try decoder.decode(Int?.self, from: "\"1\"".utf8) }
  }

  @Test("Every scalar type, required and optional, in all three kinds of container")
  func scalars() throws {
    func check<Value: Codable & Equatable>(_ value: Value, mistyped: String? = "[]") throws {
      let keyed = Everywhere(present: value, optional: value, null: nil, absent: nil, list: [value, value])
      var text = String(decoding: try StrictJSONEncoder().encode(keyed), as: UTF8.self)
      #expect(text.hasPrefix("{"))
      text = "{\"null\":null," + text.dropFirst()
      #expect(try decoder.decode(Everywhere<Value>.self, from: text.utf8) == keyed)
      guard let mistyped else { return }
      let wrong = text.replacingOccurrences(of: "\"null\":null", with: "\"null\":\(mistyped)")
      #expect(throws: DecodingError.self) { try decoder.decode(Everywhere<Value>.self, from: wrong.utf8) }
    }
    try check(true)
    try check("é")
    try check(-0.1)
    try check(Float(0.1))
    try check(Int.min)
    try check(Int8.min)
    try check(Int16.min)
    try check(Int32.min)
    try check(Int64.min)
    try check(Int128.min)
    try check(UInt.max)
    try check(UInt8.max)
    try check(UInt16.max)
    try check(UInt32.max)
    try check(UInt64.max)
    try check(UInt128.max)
    try check([1], mistyped: "{}")
    try check(["k": "v"])
    try check(["x": 1.5] as JSONValue, mistyped: nil)
    try check(["x": []] as JSONObject)
    try check(JSONNumber(literal: "1.0e+0"))
    try check(UUID())
  }

  @Test("Keys are matched by bytes, in either direction")
  func keysByBytes() throws {
    enum Keys: String, CodingKey { case K, plain }
    struct Probe: Decodable {
      var contains: Bool
      var keys: [String]

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        contains = container.contains(.K)
        keys = container.allKeys.map(\.stringValue)
      }
    }
    #expect(try decoder.decode(Probe.self, from: "{\"K\":1,\"plain\":2,\"x\":3}".utf8).keys == ["K", "plain"])
    let lookalike = try decoder.decode(Probe.self, from: "{\"\u{212A}\":1}".utf8)
    #expect(!lookalike.contains)
    #expect(lookalike.keys.isEmpty)
    // An escape is only a way of writing the same bytes.
    #expect(try decoder.decode([String: Int].self, from: #"{"\u00e9\u0041":1}"#.utf8) == ["éA": 1])
    struct Plain: Decodable { var plain: Int }
    #expect(try decoder.decode(Plain.self, from: #"{"pl\u0061in":7}"#.utf8).plain == 7)
  }

  @Test(
    "Canonically equivalent names can't collapse in a dictionary",
    arguments: [
      "{\"é\":1,\"e\u{301}\":2}", "{\"K\":1,\"\u{212A}\":2}", #"{"a":0,"\u00e9":1,"e\u0301":2}"#,
      "{\";\":1,\"\u{37E}\":2}",
    ])
  func canonicalEquivalents(_ text: String) throws {
    let error = try #require(throws: DecodingError.self) {
      try decoder.decode([String: Int].self, from: text.utf8)
    }
    #expect(error.summary == "dataCorrupted ")
    #expect(try decoder.decode(JSONObject.self, from: text.utf8).count >= 2)
    #expect(try decoder.decode([String: Int].self, from: "{\"é\":1,\"è\":2}".utf8).count == 2)
  }

  @Test("Containers by hand: nested, super, positions, ends")
  func containersByHand() throws {
    struct Probe: Decodable {
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        #expect(container.codingPath.isEmpty)
        #expect(container.allKeys.map(\.stringValue) == ["list", "object", "super", "null"])
        #expect(try container.decodeNil(forKey: "null"))
        #expect(try !container.decodeNil(forKey: "list"))
        #expect(throws: DecodingError.self) { try container.decodeNil(forKey: "none") }
        #expect(throws: DecodingError.self) { try container.nestedContainer(keyedBy: AnyKey.self, forKey: "list") }
        #expect(throws: DecodingError.self) { try container.nestedUnkeyedContainer(forKey: "object") }
        #expect(throws: DecodingError.self) { try container.nestedUnkeyedContainer(forKey: "none") }

        let object = try container.nestedContainer(keyedBy: AnyKey.self, forKey: "object")
        #expect(try object.decode(Int.self, forKey: "a") == 1)
        #expect(object.codingPath.map(\.stringValue) == ["object"])
        #expect(throws: DecodingError.self) { try object.superDecoder() }

        #expect(try String(from: container.superDecoder()) == "up")
        #expect(try String(from: container.superDecoder(forKey: "super")) == "up")

        var list = try container.nestedUnkeyedContainer(forKey: "list")
        #expect(list.count == 6)
        #expect(list.currentIndex == 0)
        #expect(try !list.decodeNil())
        #expect(throws: DecodingError.self) { try list.decode(String.self) }
        #expect(list.currentIndex == 0, "a failed element stays in turn")
        #expect(try list.decode(Int.self) == 1)
        #expect(try list.decodeNil())
        #expect(list.currentIndex == 2)
        var inner = try list.nestedUnkeyedContainer()
        #expect(inner.codingPath.map(\.stringValue) == ["list", "Index 2"])
        #expect(try inner.decode(Int.self) == 2)
        #expect(inner.isAtEnd)
        let innerObject = try list.nestedContainer(keyedBy: AnyKey.self)
        #expect(try innerObject.decode(Bool.self, forKey: "x"))
        #expect(try String(from: list.superDecoder()) == "s")
        #expect(!list.isAtEnd)
        #expect(try list.decodeIfPresent(Double.self) == 0.5)
        #expect(list.isAtEnd)
        #expect(throws: DecodingError.self) { try list.decode(Int.self) }
        #expect(throws: DecodingError.self) { try list.decodeNil() }
        #expect(throws: DecodingError.self) { try list.superDecoder() }
        #expect(throws: DecodingError.self) { try list.nestedUnkeyedContainer() }
      }
    }
    let text = #"{"list":[1,null,[2],{"x":true},"s",0.5],"object":{"a":1},"super":"up","null":null}"#
    _ = try decoder.decode(Probe.self, from: text.utf8)
  }

  @Test("userInfo reaches nested types")
  func userInfo() throws {
    struct Probe: Decodable {
      var tenant: String?

      init(from decoder: any Decoder) throws {
        tenant = CodingUserInfoKey(rawValue: "tenant").flatMap { decoder.userInfo[$0] as? String }
      }
    }
    let key = try #require(CodingUserInfoKey(rawValue: "tenant"))
    let decoder = StrictJSONDecoder(userInfo: [key: "t1"])
    #expect(try decoder.decode([Probe].self, from: "[{}]".utf8).map(\.tenant) == ["t1"])
    #expect(try decoder.decode(Probe.self, from: JSONDocument(parsing: "1".utf8).root).tenant == "t1")
    #expect(try StrictJSONDecoder().decode(Probe.self, from: "1".utf8).tenant == nil)
  }

  @Test("Errors that a type throws itself come out as they are")
  func ownErrors() {
    struct Refusal: Error, Equatable {}
    struct Picky: Decodable {
      init(from decoder: any Decoder) throws { throw Refusal() }
    }
    #expect(throws: Refusal()) { try decoder.decode([Picky].self, from: "[1]".utf8) }
  }

  @Test("Value types also pass through Foundation's coders")
  func foreignCoders() throws {
    let value: JSONValue = ["a": [1, 2.5, nil, true, "x"], "b": ["c": [:]], "big": .number(JSONNumber(UInt64.max))]
    let data = try JSONEncoder().encode(value)
    #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
    #expect(try JSONDecoder().decode(JSONObject.self, from: data) == value.objectValue)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(JSONObject.self, from: Data("[1]".utf8)) }
  }
}

/// A value in each place where a container can hold one.
private struct Everywhere<Value: Codable & Equatable>: Codable, Equatable {
  var present: Value
  var optional: Value?
  var null: Value?
  var absent: Value?
  var list: [Value]
}

/// What the document keeps for a second reader.
@Suite("Strings read twice")
struct KeptStringTests {
  @Test("A string that was kept is read again as it stands, and others too")
  func keptStrings() throws {
    let members = (0..<5).map { "\"m\($0)\":\"string number \($0), longer than fifteen octets\"" }
    let text =
      "{"
      + (members + ["\"short\":\"s\"", "\"escaped\":\"\\u0041 string with an escape in it\""]).joined(separator: ",")
      + "}"
    let plain = try StrictJSONDecoder().decode([String: String].self, from: Array(text.utf8))
    var document = try JSONDocument(parsing: Array(text.utf8))
    var places: [JSONPlace] = []
    document.forEachMember { _, place in places.append(place) }
    #expect(places.count == 7)
    for place in places { #expect(plain.values.contains(try document.keptString(at: place))) }
    #expect(try StrictJSONDecoder().decode([String: String].self, from: document.root) == plain)
    #expect(throws: JSONError.self) {
      var numbers = try JSONDocument(parsing: Array("{\"n\":1}".utf8))
      numbers.forEachMember { _, place in places = [place] }
      _ = try numbers.keptString(at: places[0])
    }
  }

  @Test("A string that is the whole text, and a document that others have too")
  func sharedDocument() throws {
    let text = "a string, longer than fifteen octets"
    #expect(try StrictJSONDecoder().decode(String.self, from: Array("\"\(text)\"".utf8)) == text)
    var document = try JSONDocument(parsing: Array("{\"a\":\"\(text)\"}".utf8))
    let root = document.root
    var places: [JSONPlace] = []
    document.forEachMember { _, place in places.append(place) }
    #expect(try document.keptString(at: places[0]) == text)
    #expect(try root["a"]?.string() == text)
  }
}

extension DecodingError {
  /// The case, the key that is missing, and the path.
  var summary: String {
    func path(_ context: Context) -> String { context.codingPath.map(\.stringValue).joined(separator: "/") }
    return switch self {
    case .keyNotFound(let key, let context): "keyNotFound(\(key.stringValue)) \(path(context))"
    case .valueNotFound(_, let context): "valueNotFound \(path(context))"
    case .typeMismatch(_, let context): "typeMismatch \(path(context))"
    case .dataCorrupted(let context): "dataCorrupted \(path(context))"
    @unknown default: "unknown"
    }
  }
}

/// A key of any name.
struct AnyKey: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init(stringLiteral value: String) { stringValue = value }
  init?(intValue: Int) { nil }
}
