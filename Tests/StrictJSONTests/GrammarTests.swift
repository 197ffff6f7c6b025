import StrictJSON
import Testing

/// One text and what the parser must say to it.
struct GrammarCase: Sendable, CustomTestStringConvertible {
  let text: [UInt8]
  /// The compact form of an accepted text, or nil when it must be refused.
  let compact: String?
  let code: JSONError.Code?

  var testDescription: String { "\(String(decoding: text.prefix(60), as: UTF8.self)) (\(text.count) bytes)" }

  static func accept(_ text: String, _ compact: String? = nil) -> GrammarCase {
    GrammarCase(text: Array(text.utf8), compact: compact ?? text, code: nil)
  }

  static func reject(_ text: String, _ code: JSONError.Code = .malformed) -> GrammarCase {
    reject(Array(text.utf8), code)
  }

  static func reject(_ bytes: [UInt8], _ code: JSONError.Code) -> GrammarCase {
    GrammarCase(text: bytes, compact: nil, code: code)
  }

  /// A string literal around these bytes, which aren't valid UTF-8.
  static func rejectInString(_ bytes: UInt8...) -> GrammarCase {
    reject([0x22, 0x61] + bytes + [0x62, 0x22], .invalidUTF8)
  }
}

@Suite("Grammar of RFC 8259, UTF-8 and unique names")
struct GrammarTests {
  static let all = values + numbers + strings + unicode + containers + duplicates + headers

  @Test("The corpus has at least 150 rows, none twice")
  func corpusSize() {
    #expect(Self.all.count >= 150)
    #expect(Set(Self.all.map(\.text)).count == Self.all.count)
  }

  @Test("Each text is accepted with its exact meaning, or refused with its code", arguments: all)
  func judge(_ row: GrammarCase) {
    do {
      let value = try JSONValue(parsing: row.text)
      #expect(String(decoding: value.serialized(), as: UTF8.self) == row.compact)
    } catch {
      #expect(error.code == row.code, "\(error)")
      #expect(row.compact == nil)
    }
  }

  /// Short texts are read by words, the rest of long ones by four words at a time.
  @Test("What ends plain text is seen at every place of a short and of a long string")
  func placesInStrings() throws {
    for count in 0...170 {
      let plain = String(repeating: "a", count: count)
      for rest in ["", "b", String(repeating: "c", count: 70)] {
        for (written, meant) in [("", ""), ("\\n", "\n"), ("é", "é"), ("\u{7f}", "\u{7f}")] {
          let value = try JSONValue(parsing: Array("\"\(plain)\(written)\(rest)\"".utf8))
          #expect(value == .string(plain + meant + rest))
        }
        for octet: UInt8 in [0x00, 0x1f, 0x80, 0xff] {
          let text = Array("\"\(plain)".utf8) + [octet] + Array("\(rest)\"".utf8)
          #expect { try JSONValue(parsing: text) } throws: { ($0 as? JSONError)?.byteOffset == count + 1 }
        }
        #expect(throws: JSONError.self) { try JSONValue(parsing: Array("\"\(plain)\(rest)".utf8)) }
      }
    }
  }

  @Test("The Codable door judges each text as the parser does", arguments: all)
  func judgeThroughDecoder(_ row: GrammarCase) throws {
    do {
      let value = try StrictJSONDecoder().decode(JSONValue.self, from: row.text)
      #expect(String(decoding: value.serialized(), as: UTF8.self) == row.compact)
    } catch let error as JSONError {
      #expect(error.code == row.code)
      #expect(row.compact == nil)
    }
  }

  @Test(
    "White space may stand before and after the value and changes nothing", arguments: all.filter { $0.compact != nil })
  func whiteSpaceAround(_ row: GrammarCase) throws {
    for space in [" ", "\n", "\r", "\t", " \r\n\t "] {
      let text = Array(space.utf8) + row.text + Array(space.utf8)
      let value = try JSONValue(parsing: text)
      #expect(String(decoding: value.serialized(), as: UTF8.self) == row.compact)
    }
  }

  // MARK: - Corpus

  static let values: [GrammarCase] = [
    .accept("null"), .accept("true"), .accept("false"), .accept(" null ", "null"), .accept("\n\t\r null", "null"),
    .accept("\"\""), .accept("[]"), .accept("{}"), .accept("0"),
    .reject(""), .reject(" "), .reject("\n"), .reject("nul"), .reject("nulll"), .reject("Null"), .reject("NULL"),
    .reject("tru"), .reject("truee"), .reject("True"), .reject("fals"), .reject("falsE"), .reject("t"), .reject("n"),
    .reject("undefined"), .reject("NaN"), .reject("nan"), .reject("Infinity"), .reject("-Infinity"), .reject("inf"),
    .reject("null null"), .reject("true,"), .reject("1 2"), .reject("{}{}"), .reject("[][]"), .reject("{}x"),
    .reject("null\u{0}"), .reject("\u{0}null"), .reject("\u{B}null"), .reject("\u{C}null"), .reject("null\u{C}"),
    .reject("\u{A0}null"), .reject("null\u{2028}"), .reject("\u{85}1"),
    .reject([0xEF, 0xBB, 0xBF, 0x7B, 0x7D], .malformed), .reject([0xFE, 0xFF, 0x00, 0x31], .malformed),
    .reject([0xFF, 0xFE, 0x31, 0x00], .malformed), .reject([0x31, 0x00], .malformed),
    .reject([0x00, 0x31], .malformed),
    .reject([0x7B, 0x00, 0x7D, 0x00], .malformed), .reject([0x80], .malformed), .reject([0xFF], .malformed),
    .reject("// c\n1"), .reject("1 // c"), .reject("/* c */ 1"), .reject("# c\n1"), .reject("a"), .reject("'a'"),
    .reject("\"a\" \"b\""), .reject("(1)"), .reject("=1"), .reject(","), .reject(":"), .reject("]"), .reject("}"),
  ]

  static let numbers: [GrammarCase] = [
    .accept("1"), .accept("-1"), .accept("-0"), .accept("0.0"), .accept("-0.0"), .accept("10"), .accept("1234567890"),
    .accept("9223372036854775807"), .accept("9223372036854775808"), .accept("-9223372036854775808"),
    .accept("-9223372036854775809"), .accept("18446744073709551616"), .accept("1.0"), .accept("1.50"), .accept("1e3"),
    .accept("1E3"), .accept("1e+3"), .accept("1e-3"), .accept("1e03"), .accept("0e0"), .accept("0e999999999999"),
    .accept("-0e-99999999999999999999999999"), .accept("1e-400"), .accept("1e308"),
    .accept("1.7976931348623157e308"), .accept("0.1234567890123456789012345678901234567890"),
    .accept("1e-99999999999999999999999999"), .accept("4.9e-324"),
    .accept(String(repeating: "9", count: 308)), .accept("1" + String(repeating: "0", count: 308)),
    .accept("1" + String(repeating: "0", count: 400) + "e-200"),
    .accept("0." + String(repeating: "0", count: 400) + "1e500"),
    .reject("1e309", .numberOutOfRange), .reject("1e400", .numberOutOfRange), .reject("-1e400", .numberOutOfRange),
    .reject("1.7976931348623159e308", .numberOutOfRange), .reject("1e99999999999999999999", .numberOutOfRange),
    .reject("1" + String(repeating: "0", count: 309), .numberOutOfRange),
    .reject(String(repeating: "9", count: 309), .numberOutOfRange),
    .reject("0." + String(repeating: "0", count: 400) + "1e800", .numberOutOfRange),
    .reject("01"), .reject("-01"), .reject("00"), .reject("00.1"), .reject("+1"), .reject("-"), .reject("--1"),
    .reject("- 1"), .reject(".5"), .reject("-.5"), .reject("1."), .reject("1.e3"), .reject("1e"), .reject("1e+"),
    .reject("1e-"), .reject("1e1.5"), .reject("1e+-1"), .reject("e3"), .reject("1.2.3"), .reject("1,5"),
    .reject("0x1F"),
    .reject("1_000"), .reject("1f"), .reject("1L"), .reject("1n"), .reject("0b1"), .reject("1 e3"), .reject("1e 3"),
    .reject("-NaN"), .reject("1Infinity"), .reject("\u{661}"), .reject("1\u{661}"), .reject("\u{FF11}"),
  ]

  static let strings: [GrammarCase] = [
    .accept(#""a""#), .accept(#""a/b""#), .accept(#""a\/b""#, #""a/b""#), .accept(#""\"\\\b\f\n\r\t""#),
    .accept(#""\u0041""#, #""A""#), .accept(#""\u0000""#), .accept(#""\u001F""#, #""\u001f""#),
    .accept(#""\u0008\u0009\u000a\u000c\u000D""#, #""\b\t\n\f\r""#), .accept(#""\u0022\u005C\u002f""#, #""\"\\/""#),
    .accept("\"\u{7F}\""), .accept(#""\u007f""#, "\"\u{7F}\""), .accept("\"'\""), .accept("\"{}[]:,\""),
    .accept("\"01234567\""), .accept(#""0123456\n""#), .accept(#""01234567\n89abcdef\t""#),
    .accept("\"" + String(repeating: "abcdefg", count: 999) + "\""),
    .reject("\""), .reject("\"a"), .reject(#""a\""#), .reject(#""\"#), .reject(#""\x41""#), .reject(#""\a""#),
    .reject(#""\v""#), .reject(#""\'""#), .reject(#""\0""#), .reject(#""\U0041""#), .reject(#""\u""#),
    .reject(#""\u0""#),
    .reject(#""\u00""#), .reject(#""\u004""#), .reject(#""\u004g""#), .reject(#""\u+041""#), .reject(#""\u 041""#),
    .reject(#""\u00e""#), .reject(#""\u004"#), .reject(#""\ u0041""#), .reject("\"a\u{0}b\""), .reject("\"a\u{1}b\""),
    .reject("\"a\tb\""), .reject("\"a\nb\""), .reject("\"a\rb\""), .reject("\"a\u{1F}b\""), .reject("\"a\\\nb\""),
    .reject("\"abcdefgh\u{1F}\""), .reject("\u{201C}a\u{201D}"), .reject("`a`"), .reject(#"\"a\""#),
  ]

  static let unicode: [GrammarCase] = [
    .accept("\"é\""), .accept("\"e\u{301}\""), .accept("\"\u{212A}\""), .accept("\"\u{2028}\u{2029}\""),
    .accept("\"\u{80}\""), .accept("\"\u{7FF}\""), .accept("\"\u{800}\""), .accept("\"\u{D7FF}\""),
    .accept("\"\u{E000}\""), .accept("\"\u{FFFD}\u{FFFE}\u{FFFF}\""), .accept("\"\u{10000}\""),
    .accept("\"\u{10FFFF}\""),
    .accept("\"\u{FEFF}\""), .accept("\"日本語のテキスト\""), .accept("\"👩‍👩‍👧‍👦\""), .accept("\"\u{301}\""),
    .accept(#""\u00e9""#, "\"é\""), .accept(#""\u07ff\u0800""#, "\"\u{7FF}\u{800}\""),
    .accept(#""\uFFFF""#, "\"\u{FFFF}\""),
    .accept(#""\ud83d\ude00""#, "\"😀\""), .accept(#""\uD800\uDC00""#, "\"\u{10000}\""),
    .accept(#""\udbff\udfff""#, "\"\u{10FFFF}\""), .accept(#""a\ud83d\ude00b""#, "\"a😀b\""),
    .reject(#""\ud800""#, .invalidUTF8), .reject(#""\udbff""#, .invalidUTF8), .reject(#""\udc00""#, .invalidUTF8),
    .reject(#""\udfff""#, .invalidUTF8), .reject(#""\ud800a""#, .invalidUTF8), .reject(#""\ud800\n""#, .invalidUTF8),
    .reject(#""\ud800\ud800""#, .invalidUTF8), .reject(#""\ud800\u0041""#, .invalidUTF8),
    .reject(#""\udc00\ud800""#, .invalidUTF8), .reject(#""\ud800 \udc00""#, .invalidUTF8),
    .reject(#""\ud83d\ude00\ud83d""#, .invalidUTF8), .reject(#""\ud800\u""#), .reject(#""\ud800\udc0""#),
    .rejectInString(0xFF), .rejectInString(0xFE), .rejectInString(0x80), .rejectInString(0xBF),
    .rejectInString(0xC0, 0xAF), .rejectInString(0xC1, 0xBF), .rejectInString(0xC0, 0x80), .rejectInString(0xC3),
    .rejectInString(0xC3, 0x28), .rejectInString(0xC3, 0xA9, 0xA9), .rejectInString(0xE0, 0x80, 0xAF),
    .rejectInString(0xE0, 0x9F, 0xBF), .rejectInString(0xE2, 0x82), .rejectInString(0xE2, 0x28, 0xA1),
    .rejectInString(0xE2, 0x82, 0x28), .rejectInString(0xED, 0xA0, 0x80), .rejectInString(0xED, 0xBF, 0xBF),
    .rejectInString(0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80), .rejectInString(0xF0, 0x80, 0x80, 0xAF),
    .rejectInString(0xF0, 0x8F, 0xBF, 0xBF), .rejectInString(0xF0, 0x9F, 0x98), .rejectInString(0xF0, 0x28, 0x8C, 0x28),
    .rejectInString(0xF4, 0x90, 0x80, 0x80), .rejectInString(0xF5, 0x80, 0x80, 0x80),
    .rejectInString(0xF8, 0x88, 0x80, 0x80, 0x80), .rejectInString(0xFC, 0x84, 0x80, 0x80, 0x80, 0x80),
    .reject([0x22, 0xC3], .invalidUTF8), .reject([0x22, 0xF0, 0x9F], .invalidUTF8),
    .reject([0x22, 0xE2, 0x82], .invalidUTF8),
    .reject([0x22, 0xC3, 0xA9], .malformed), .reject([0x5B, 0xC3, 0xA9, 0x5D], .malformed),
    .reject([0x7B, 0x22, 0xC0, 0xAF, 0x22, 0x3A, 0x31, 0x7D], .invalidUTF8),
  ]

  static let containers: [GrammarCase] = [
    .accept("[1]"), .accept("[1,2]"), .accept("[ 1 , 2 ]", "[1,2]"), .accept("[[],[[]],{}]"), .accept("[\"]\"]"),
    .accept("[null,true,false,0,\"\",[],{}]"), .accept(#"{"a":1}"#),
    .accept(#"{ "a" : 1 , "b" : 2 }"#, #"{"a":1,"b":2}"#),
    .accept(#"{"":""}"#), .accept(#"{"b":1,"a":2}"#), .accept(#"{"a":{"a":{"a":[]}}}"#), .accept(#"{"a\nb":1}"#),
    .accept(#"{"a":[{"b":[{"c":null}]}]}"#), .accept(#"{"a":"}"}"#), .accept(#"[{"a":1},{"a":1}]"#),
    .accept(#"{"a":1,"A":2}"#), .accept(#"{"\u0061":1}"#, #"{"a":1}"#), .accept("[\r\n\t 1\n]", "[1]"),
    .accept("{\"é\":1,\"e\u{301}\":2}"), .accept("{\"K\":1,\"\u{212A}\":2}"), .accept(#"{"a\u0000":1,"a":2}"#),
    .accept(#"{"toString":1,"__proto__":2}"#), .accept(#"{"a":1,"b":{"a":1}}"#),
    .reject("["), .reject("[1"), .reject("[1,"), .reject("[1,]"), .reject("[,1]"), .reject("[,]"), .reject("[1,,2]"),
    .reject("[1 2]"), .reject("[1:2]"), .reject("[1}"), .reject("[}"), .reject("[]]"), .reject("[1]]"), .reject("[[]"),
    .reject("[1;2]"), .reject("[...1]"), .reject("[\"a\":1]"), .reject("[\"a"), .reject("[1.]"), .reject("[01]"),
    .reject("{"), .reject("{}}"), .reject(#"{"a""#), .reject(#"{"a":"#), .reject(#"{"a":1"#), .reject(#"{"a":1,"#),
    .reject(#"{"a":1,}"#), .reject(#"{,"a":1}"#), .reject(#"{"a":1,,"b":2}"#), .reject(#"{"a"}"#), .reject(#"{"a":}"#),
    .reject(#"{:1}"#), .reject(#"{"a" 1}"#), .reject(#"{"a"=1}"#), .reject(#"{"a"::1}"#), .reject(#"{"a":1:2}"#),
    .reject(#"{a:1}"#), .reject(#"{'a':1}"#), .reject(#"{1:1}"#), .reject(#"{null:1}"#), .reject(#"{[]:1}"#),
    .reject(#"{"a":1 "b":2}"#), .reject(#"{"a":1;"b":2}"#), .reject(#"{"a":1]"#), .reject("{]"), .reject(#"{"a":1}x"#),
    .reject(#"{"a":01}"#), .reject(#"{"a":+1}"#), .reject(#"{"a":.5}"#), .reject(#"{"a":1.}"#), .reject(#"{"a":NaN}"#),
    .reject(#"{"a":Infinity}"#), .reject(#"{"a":1}// c"#), .reject(#"{"a":/**/1}"#), .reject(#"{"a":"\x"}"#),
    .reject(#"{"a":1e400}"#, .numberOutOfRange), .reject(#"{"a":"\ud800"}"#, .invalidUTF8),
    .reject(#"{"\ud800":1}"#, .invalidUTF8), .reject("{\"a\nb\":1}"), .reject(#"{"a":tru}"#), .reject(#"{"a":1,"b"}"#),
  ]

  static let duplicates: [GrammarCase] = [
    .reject(#"{"a":1,"a":2}"#, .duplicateMember), .reject(#"{"a":1,"a":1}"#, .duplicateMember),
    .reject(#"{"":1,"":2}"#, .duplicateMember), .reject(#"{"a":1,"\u0061":2}"#, .duplicateMember),
    .reject(#"{"\u0061":1,"a":2}"#, .duplicateMember), .reject(#"{"\u0061":1,"\u0061":2}"#, .duplicateMember),
    .reject(#"{"a/b":1,"a\/b":2}"#, .duplicateMember), .reject(#"{"é":1,"\u00e9":2}"#, .duplicateMember),
    .reject(#"{"é":1,"\u00E9":2}"#, .duplicateMember), .reject(#"{"😀":1,"\ud83d\ude00":2}"#, .duplicateMember),
    .reject(#"{"\n":1,"\u000a":2}"#, .duplicateMember), .reject(#"{"\"":1,"\u0022":2}"#, .duplicateMember),
    .reject(#"{"a":1,"b":{"c":1,"c":1}}"#, .duplicateMember), .reject(#"[[[{"c":1,"d":2,"c":3}]]]"#, .duplicateMember),
    .reject(#"{"a":{"x":1},"b":2,"a":{"y":1}}"#, .duplicateMember),
    .reject(#"{"a":[1,2],"b":[3],"a":[]}"#, .duplicateMember),
    .reject(#"{"x":{"a":1,"a":2},"x":3}"#, .duplicateMember),
    .reject(#"{"longer than eight bytes":1,"b":2,"longer than eight bytes":3}"#, .duplicateMember),
  ]

  /// Protected headers and claims that lenient parsers let through.
  static let headers: [GrammarCase] = [
    .accept(#"{"alg":"ES256"}"#), .accept("\n  {\"alg\":\"ES256\"}", #"{"alg":"ES256"}"#),
    .reject(#"{"alg":"ES256","alg":"ES256"}"#, .duplicateMember),
    .reject(#"{"alg":"none","\u0061lg":"ES256"}"#, .duplicateMember),
    .reject(#"{"alg":"ES256",}"#), .reject([0xEF, 0xBB, 0xBF] + Array(#"{"alg":"ES256"}"#.utf8), .malformed),
    .reject(#"{"alg":"ES256"}"#.utf8.flatMap { [$0, 0] }, .malformed),
    .reject(#"{"alg":"ES256"}"#.utf8.flatMap { [0, $0] }, .malformed),
    .accept(#"{"alg":"A128\u212aW"}"#, "{\"alg\":\"A128\u{212A}W\"}"),
    .accept(#"{"\u0061lg":"n\u006fne"}"#, #"{"alg":"none"}"#),
    .reject(#"{"sub":"a","exp":1e400}"#, .numberOutOfRange), .accept(#"{"exp":4102444800.5}"#),
    .reject(Array("{\"sub\":\"a".utf8) + [0xFF] + Array("b\"}".utf8), .invalidUTF8),
    .reject(
      "{\"sub\":" + String(repeating: "[", count: 2000) + String(repeating: "]", count: 2000) + "}", .limitExceeded),
  ]
}
