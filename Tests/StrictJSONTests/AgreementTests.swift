import Foundation
import PureJOSETestSupport
import StrictJSON
import Testing

@Suite("The tree, the tape, the writer and Foundation agree")
struct AgreementTests {
  /// The same fields read through `Decodable` and through the tree, when both or neither work.
  struct Sample: Codable, Equatable {
    var iss: String?
    var exp: Int64?
    var weight: Double?
    var tags: [String]?
    var extra: JSONValue?

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      iss = try container.decodeIfPresent(String.self, forKey: .iss)
      exp = try container.decodeIfPresent(Int64.self, forKey: .exp)
      weight = try container.decodeIfPresent(Double.self, forKey: .weight)
      tags = try container.decodeIfPresent([String].self, forKey: .tags)
      extra = try container.decodeIfPresent(JSONValue.self, forKey: .extra)
    }

    struct Refused: Error {}

    init(tree: JSONValue) throws {
      guard case .object(let object) = tree else { throw Refused() }
      // Null and absent are one for an optional property.
      func read<Value>(_ name: String, _ read: (JSONValue) -> Value?) throws -> Value? {
        guard let member = object[name], !member.isNull else { return nil }
        guard let value = read(member) else { throw Refused() }
        return value
      }
      // Names that String confuses are refused by keyed decoding.
      guard Set(object.names).count == object.count else { throw Refused() }
      iss = try read("iss", \.stringValue)
      exp = try read("exp", \.int64Value)
      weight = try read("weight", \.doubleValue)
      tags = try read("tags") { value in
        let strings = value.arrayValue.map { $0.map(\.stringValue) }
        return strings.flatMap { $0.contains(nil) ? nil : $0.compactMap { $0 } }
      }
      extra = try read("extra") { $0 }
    }
  }

  static let samples = [
    #"{"iss":"https://a.example","exp":1700000000,"weight":-1.5e3,"tags":["x","\u00e9\ud83d\ude00"],"extra":{"a":[null,true]}}"#,
    "{ \"exp\" : 12345678901234567890 , \"iss\":\"é\u{2028}日本\", \"extra\":[[[],{}],-0.0,1e-7] }",
    #"{"e":1,"é":2,"iss":null,"tags":[],"weight":0.1,"\t\"\\\/":"\b\f\n\r\t"}"#,
  ]

  private func check(_ bytes: [UInt8]) {
    let tree = Result { try JSONValue(parsing: bytes) }
    let value = Result { try StrictJSONDecoder().decode(JSONValue.self, from: bytes) }
    switch (tree, value) {
    case (.success(let left), .success(let right)):
      #expect(left == right)
      let text = left.serialized()
      #expect((try? JSONValue(parsing: text)) == left)
      let fromTape = try? StrictJSONDecoder().decode(Sample.self, from: bytes)
      let fromTree = try? Sample(tree: left)
      #expect(fromTape == fromTree)
      #expect((try? StrictJSONDecoder().decode(Sample.self, from: left)) == fromTree)
    case (.failure(let left), .failure(let right)):
      #expect(left as? JSONError == right as? JSONError)
      #expect((left as? JSONError)?.byteOffset == (right as? JSONError)?.byteOffset)
      #expect(left is JSONError)
    default:
      Issue.record("one path accepts what the other refuses")
    }
  }

  @Test("Every prefix and suffix of a text is judged alike by all readers", arguments: samples)
  func prefixes(_ text: String) {
    let bytes = Array(text.utf8)
    for count in 0..<bytes.count {
      check(Array(bytes.prefix(count)))
      #expect(parsingError(bytes.prefix(count)) != nil, "a prefix is never whole")
      check(Array(bytes.suffix(count)))
    }
    check(bytes)
  }

  @Test("Every byte changed, deleted and doubled", arguments: samples)
  func mutations(_ text: String) {
    let bytes = Array(text.utf8)
    var judged = 0
    for position in bytes.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = bytes
        changed[position] = byte
        check(changed)
        judged += 1
      }
      var deleted = bytes
      deleted.remove(at: position)
      check(deleted)
      var doubled = bytes
      doubled.insert(bytes[position], at: position)
      check(doubled)
    }
    #expect(judged == bytes.count * 256)
  }

  @Test("Random splices of JSON's own characters")
  func splices() {
    var generator = SeededGenerator(seed: 3)
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u00e9", "\\ud83d", "null", "true", "1", "-", ".5", "e9", " ",
      "\"a\"",
      "\"iss\":", "é", "\u{0}",
    ].map { Array($0.utf8) }
    for _ in 0..<20_000 {
      check(
        (0..<Int.random(in: 1..<12, using: &generator)).flatMap { _ in pieces.randomElement(using: &generator) ?? [] })
    }
  }

  @Test("What is written reads back the same, in every layout", arguments: 0..<20)
  func roundTrips(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<60 {
      let value = generator.value(depth: 5)
      let compact = value.serialized()
      let reread = try JSONValue(parsing: compact)
      #expect(reread == value)
      #expect(reread.serialized() == compact, "order and numbers are kept")
      #expect(try JSONValue(parsing: value.serialized(options: .pretty)) == value)
      #expect(try JSONValue(parsing: value.serialized(options: .pretty)).serialized() == compact)
      let canonical = value.serialized(options: .canonical)
      #expect(try JSONValue(parsing: canonical) == value)
      #expect(try JSONValue(parsing: canonical).serialized(options: .canonical) == canonical)
      #expect(try StrictJSONEncoder().encode(value) == compact)
      #expect(try StrictJSONEncoder().encodeValue(value) == value)
      #expect(try StrictJSONDecoder().decode(JSONValue.self, from: compact) == value)
      check(compact)
    }
  }

  @Test("Valid texts mean to Foundation what they mean here", arguments: 0..<10)
  func foundation(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(1000 + seed))
    var compared = 0
    for _ in 0..<40 {
      let value = generator.value(depth: 4)
      guard !isMisreadByFoundation(value) else { continue }
      compared += 1
      let object = try JSONSerialization.jsonObject(with: Data(value.serialized()), options: .fragmentsAllowed)
      try compare(value, object)
    }
    #expect(compared > 10)
  }

  /// Foundation joins names that are canonically equivalent, and drops U+FEFF at the beginning of a string and after
  /// escapes.
  private func isMisreadByFoundation(_ value: JSONValue) -> Bool {
    switch value {
    case .string(let string): string.unicodeScalars.contains("\u{FEFF}")
    case .array(let elements): elements.contains(where: isMisreadByFoundation)
    case .object(let object):
      Set(object.names).count != object.count
        || object.members.contains { isMisreadByFoundation(.string($0.name)) || isMisreadByFoundation($0.value) }
    default: false
    }
  }

  private func compare(_ value: JSONValue, _ object: Any) throws {
    switch value {
    case .null: #expect(object is NSNull)
    case .bool(let bool): #expect(object as? Bool == bool)
    case .number(let number):
      let other = try #require(object as? NSNumber)
      if let integer = number.int64, !number.literal.contains("e") { #expect(other.int64Value == integer) }
      // Foundation goes through Decimal and may miss the nearest Double by a few units in the last place.
      #expect((other.doubleValue - number.double).magnitude <= number.double.magnitude * 1e-14, "\(number)")
    case .string(let string): #expect((object as? String).map { Array($0.utf8) } == Array(string.utf8))
    case .array(let elements):
      let others = try #require(object as? [Any])
      #expect(others.count == elements.count)
      for (element, other) in zip(elements, others) { try compare(element, other) }
    case .object(let members):
      let others = try #require(object as? [String: Any])
      #expect(others.count == members.count)
      for (name, member) in members.members { try compare(member, #require(others[name])) }
    }
  }
}
