import Foundation
import PureJOSETestSupport
import StrictJSON
import Testing

@Suite("Serializer, byte by byte")
struct SerializerTests {
  static let sample: JSONValue = [
    "z": 1, "a": [true, false, nil, [], [:]], "text": "a/b\\\"\u{7F}é😀\u{2028}", "number": -1.5e-7,
    "object": ["b": 2, "a": ["deep": "x"]], "": "empty",
  ]

  @Test("Compact: no white space, order as given")
  func compact() {
    #expect(
      Self.sample.text()
        == #"{"z":1,"a":[true,false,null,[],{}],"text":"a/b\\\""# + "\u{7F}é😀\u{2028}"
        + #"","number":-1.5e-7,"object":{"b":2,"a":{"deep":"x"}},"":"empty"}"#)
  }

  @Test("Canonical: members sorted at every level, arrays left alone")
  func canonical() {
    #expect(
      Self.sample.text(.canonical)
        == #"{"":"empty","a":[true,false,null,[],{}],"number":-1.5e-7,"object":{"a":{"deep":"x"},"b":2},"text":"a/b\\\""#
        + "\u{7F}é😀\u{2028}" + #"","z":1}"#)
  }

  @Test("Pretty: two spaces, a space on both sides of the colon")
  func pretty() {
    #expect(
      Self.sample.text(.pretty) == """
        {
          "z" : 1,
          "a" : [
            true,
            false,
            null,
            [

            ],
            {

            }
          ],
          "text" : "a/b\\\\\\"\u{7F}é😀\u{2028}",
          "number" : -1.5e-7,
          "object" : {
            "b" : 2,
            "a" : {
              "deep" : "x"
            }
          },
          "" : "empty"
        }
        """)
    #expect(JSONValue.number(1).text(.pretty) == "1")
  }

  @Test("Pretty is what Foundation prints")
  func prettyAsFoundation() throws {
    struct Sample: Codable {
      var array = [1, 2, 3]
      var empty: [Int] = []
      var nested = [["a": [true]], [:]]
      var object = ["k": "a/b", "é": "\u{1}\n\""]
      var text = "x"
    }
    let foundation = JSONEncoder()
    foundation.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let ours = StrictJSONEncoder(options: JSONSerializationOptions(sortsMembers: true, isPretty: true))
    #expect(try ours.encode(Sample()) == Array(foundation.encode(Sample())))
  }

  @Test("Every control character, and only these, is escaped")
  func escapes() {
    let expected = [
      "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007", "\\b", "\\t", "\\n",
      "\\u000b", "\\f", "\\r", "\\u000e", "\\u000f", "\\u0010", "\\u0011", "\\u0012", "\\u0013", "\\u0014", "\\u0015",
      "\\u0016", "\\u0017", "\\u0018", "\\u0019", "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f",
    ]
    for code in 0..<0x100 as Range<UInt32> {
      guard let scalar = Unicode.Scalar(code) else { continue }
      let character = String(scalar)
      let written: String =
        switch character {
        case "\"": "\\\""
        case "\\": "\\\\"
        default: code < 0x20 ? expected[Int(code)] : character
        }
      // At each place within and after a word of eight bytes.
      for prefix in 0..<10 {
        let padding = String(repeating: "p", count: prefix)
        #expect(JSONValue.string("\(padding)\(character)q").text() == "\"\(padding)\(written)q\"")
      }
    }
  }

  @Test("Canonical order is that of UTF-16 code units")
  func canonicalOrder() throws {
    // The example of RFC 8785 §3.2.3.
    let value = try parsed(
      #"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","#
        + #""\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#)
    let sorted = try #require(try parsed(value.text(.canonical)).objectValue)
    #expect(
      sorted.members.map(\.value) == [
        "Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis", "Euro Sign", "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
      ])
  }

  @Test("Canonical order agrees with a comparison of UTF-16 views on random names")
  func canonicalOrderAtRandom() {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<300 {
      let object = JSONObject((0..<12).map { _ in (generator.string(), 0) })
      let expected = object.names.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }
      let text = JSONValue.object(object).serialized(options: .canonical)
      let names = (try? JSONObject(parsing: text))?.names ?? []
      #expect(names.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    }
  }

  @Test("Numbers keep their text in every layout")
  func numbersKept() throws {
    let text = "[1.0,1e2,100,12345678901234567890123,0.10,-0,1E+2]"
    #expect(try parsed(text).text() == text)
    #expect(try parsed(text).text(.canonical) == text)
  }

  @Test("An object is written like its value")
  func object() throws {
    let object = try JSONObject(parsing: #"{"b":1,"a":2}"#.utf8)
    #expect(object.serialized() == Array(#"{"b":1,"a":2}"#.utf8))
    #expect(object.serialized(options: .canonical) == Array(#"{"a":2,"b":1}"#.utf8))
  }
}
