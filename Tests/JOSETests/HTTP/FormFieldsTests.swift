import JOSE
import Testing

@Suite("Forms")
struct FormFieldsTests {
  func decode(
    _ text: String, limits: Limits = .default, acceptsDuplicates: Bool = true
  ) throws(JOSEError) -> FormFields {
    try FormFields(decoding: text.utf8, limits: limits, acceptsDuplicates: acceptsDuplicates)
  }

  @Test("The example of RFC 6749 appendix B")
  func appendixB() throws {
    let form: FormFields = ["v": " %&+£€"]
    #expect(String(decoding: form.encoded(), as: UTF8.self) == "v=+%25%26%2B%C2%A3%E2%82%AC")
    #expect(try FormFields(decoding: form.encoded()) == form)
  }

  @Test("Every ASCII byte is written as the standards say")
  func everyByte() throws {
    for byte in 0..<0x80 as Range<UInt8> {
      let text = String(Unicode.Scalar(byte))
      let escaped = "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      let isAlphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8.contains(byte)
      let inForm = byte == 0x20 ? "+" : isAlphanumeric || "*-._".utf8.contains(byte) ? text : escaped
      let inQuery = isAlphanumeric || "-._~".utf8.contains(byte) ? text : escaped
      let form: FormFields = [text: text]
      #expect(String(decoding: form.encoded(), as: UTF8.self) == "\(inForm)=\(inForm)")
      #expect(form.encodedAsQuery() == "\(inQuery)=\(inQuery)")
      #expect(PercentEncoding.encode(text) == inQuery)
      #expect(try PercentEncoding.decode(inQuery) == text)
      #expect(try FormFields(decoding: form.encoded()) == form)
      #expect(try FormFields(decoding: form.encodedAsQuery().utf8) == form)
    }
  }

  static let accepted: [(String, [(String, String)])] = [
    ("", []), ("a=b", [("a", "b")]), ("a=", [("a", "")]), ("a=b&c=d", [("a", "b"), ("c", "d")]), ("a=b&", [("a", "b")]),
    ("a=b&a=c", [("a", "b"), ("a", "c")]), ("a=b=c==", [("a", "b=c==")]), ("a==", [("a", "=")]),
    ("a+b=+c+", [("a b", " c ")]), ("a=%2B", [("a", "+")]), ("a=%26%3d%3D", [("a", "&==")]), ("%61=%62", [("a", "b")]),
    ("a=%C3%A9", [("a", "é")]), ("a=e%CC%81", [("a", "e\u{301}")]), ("a=%F0%9F%98%80", [("a", "😀")]),
    ("a=%00%0A", [("a", "\u{0}\n")]),
    ("a=urn:x:y/z?~!$'()*,;@[]{}|\\^`<>\"#", [("a", "urn:x:y/z?~!$'()*,;@[]{}|\\^`<>\"#")]),
    ("a=%EF%BB%BF", [("a", "\u{FEFF}")]),
  ]

  @Test("Well-formed bodies", arguments: accepted)
  func wellFormed(_ text: String, _ fields: [(String, String)]) throws {
    let form = try decode(text)
    #expect(form == FormFields(fields))
    #expect(try FormFields(decoding: form.encoded(), acceptsDuplicates: true) == form)
  }

  static let refused: [(String, ErrorCode)] = [
    ("a", .malformed), ("=b", .malformed), ("=", .malformed), ("&", .malformed),
    ("a=b&&", .malformed), ("&&", .malformed),
    ("&a=b", .malformed), ("a=b&&c=d", .malformed), ("a=b&c", .malformed), ("a=b&=d", .malformed),
    ("a=%", .malformed), ("a=%4", .malformed), ("a=%4g", .malformed),
    ("a=%g4", .malformed), ("a=%%41", .malformed),
    ("a=%u0041", .malformed),
    ("a=% 1", .malformed), ("a=%+1", .malformed), ("%=b", .malformed),
    ("a=%4&b=1", .malformed), ("a=b c", .malformed), ("a=b\n", .malformed),
    ("a=b\u{0}", .malformed), ("a=\u{7F}", .malformed),
    ("a=é", .malformed),
    ("\u{FEFF}a=b", .malformed), ("a=%FF", .malformed), ("a=%C3", .malformed),
    ("a=%C3&b=%A9", .malformed), ("a=%C0%AF", .malformed), ("a=%ED%A0%80", .malformed), ("%80=b", .malformed),
    ("a=%F4%90%80%80", .malformed), ("a=%A9", .malformed),
  ]

  @Test("Malformed bodies", arguments: refused)
  func malformed(_ text: String, _ code: ErrorCode) {
    #expect(throws: JOSEError(code, "")) { try decode(text) }
  }

  @Test("Duplicates are refused unless they are asked for, by bytes after unescaping")
  func duplicates() throws {
    for text in ["a=1&a=2", "a=1&b=2&a=1", "a=1&%61=2", "a+b=1&a%20b=2", "a=1&a=1"] {
      #expect(throws: JOSEError(.fieldDuplicated, "")) { try decode(text, acceptsDuplicates: false) }
      #expect(try decode(text).fields.count >= 2)
    }
    #expect(try decode("%C3%A9=1&e%CC%81=2&K=3&%E2%84%AA=4&a=5&A=6", acceptsDuplicates: false).fields.count == 6)
    let form = try decode("a=1&b=&a=2&c=3")
    #expect(throws: JOSEError(.fieldDuplicated, "")) { try form.uniqueValue("a") }
    #expect(throws: JOSEError(.fieldDuplicated, "")) { try form.requiredValue("a") }
    #expect(form.values("a") == ["1", "2"])
    #expect(try form.uniqueValue("c") == "3")
    #expect(try form.uniqueValue("b") == "")
    #expect(try form.uniqueValue("d") == nil)
    #expect(try form.requiredValue("c") == "3")
    #expect(throws: JOSEError(.fieldMissing, "")) { try form.requiredValue("b") }
    #expect(throws: JOSEError(.fieldMissing, "")) { try form.requiredValue("d") }
  }

  @Test("Limits, at the edge and one past it")
  func limits() throws {
    #expect(try decode("a=bc", limits: Limits(formByteCount: 4)).fields.count == 1)
    #expect(throws: JOSEError(.limitExceeded, "")) { try decode("a=bcd", limits: Limits(formByteCount: 4)) }
    #expect(try decode("a=1&b=2", limits: Limits(formFieldCount: 2)).fields.count == 2)
    #expect(throws: JOSEError(.limitExceeded, "")) {
      try decode("a=1&b=2&c=3", limits: Limits(formFieldCount: 2))
    }
    #expect(throws: JOSEError(.limitExceeded, "")) { try decode("a=1", limits: Limits(formFieldCount: 0)) }
    #expect(try decode("", limits: Limits(formByteCount: 0, formFieldCount: 0)).fields.isEmpty)
    #expect(throws: JOSEError(.limitExceeded, "")) { try decode("a=1", limits: Limits(formByteCount: -1)) }
    let full = (0..<128).map { "k\($0)=v" }.joined(separator: "&")
    #expect(try decode(full, acceptsDuplicates: false).fields.count == 128)
    #expect(throws: JOSEError(.limitExceeded, "")) { try decode(full + "&k128=v") }
    #expect(try decode("a=" + String(repeating: "b", count: (64 << 10) - 2)).fields.count == 1)
    #expect(throws: JOSEError(.limitExceeded, "")) {
      try decode("a=" + String(repeating: "b", count: (64 << 10) - 1))
    }
  }

  @Test("Fields in order, appended and written")
  func fields() {
    var form: FormFields = ["a": "1", "a": "2"]
    form.append("b", "")
    #expect(form.fields.map(\.name) == ["a", "a", "b"])
    #expect(String(decoding: form.encoded(), as: UTF8.self) == "a=1&a=2&b=")
    #expect(FormFields().encoded().isEmpty)
    #expect(FormFields([("x", "y")]) == ["x": "y"])
    #expect(FormFields([("x", "é")]) != ["x": "e\u{301}"])
  }

  @Test("Every byte of a body changed, deleted or doubled: an error or a form that is written back the same")
  func mutations() throws {
    let body = Array("grant_type=a%3Ab&s=%C3%A9+x&t=1".utf8)
    var accepted = 0
    func check(_ bytes: [UInt8]) throws {
      guard let form = try? FormFields(decoding: bytes, acceptsDuplicates: true) else { return }
      accepted += 1
      #expect(try FormFields(decoding: form.encoded(), acceptsDuplicates: true) == form)
      #expect(try FormFields(decoding: form.encodedAsQuery().utf8, acceptsDuplicates: true) == form)
    }
    for position in body.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = body
        changed[position] = byte
        try check(changed)
      }
      var deleted = body
      deleted.remove(at: position)
      try check(deleted)
      try check(Array(body[...position]))
      try check(Array(body[position...]))
      try check(Array(body[...position]) + Array(body[position...]))
    }
    #expect(accepted > 1000)
  }

  @Test("A form of a megabyte is parsed or refused, whatever it consists of")
  func megabyte() {
    let limits = Limits(formByteCount: 1 << 20, formFieldCount: 1 << 20)
    func code(_ text: String) -> ErrorCode? {
      do throws(JOSEError) {
        _ = try decode(text, limits: limits, acceptsDuplicates: false)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(String(repeating: "&", count: 1 << 20)) == .malformed)
    #expect(code(String(repeating: "=", count: 1 << 20)) == .malformed)
    #expect(code(String(repeating: "%", count: 1 << 20)) == .malformed)
    #expect(code("a=" + String(repeating: "%41", count: 1 << 18)) == nil)
    #expect(code(String(repeating: "a=&", count: 1 << 18) + "a=") == .fieldDuplicated)
    #expect(code((0..<80_000).map { "k\($0)=" }.joined(separator: "&")) == nil)
  }

  @Test("Errors quote nothing")
  func errors() {
    let secret = "correct-horse-battery"
    for text in ["\(secret)", "\(secret)=1&\(secret)=2", "a=\(secret)%", "a=\(secret)%FF"] {
      do throws(JOSEError) {
        _ = try decode(text, acceptsDuplicates: false)
        Issue.record("accepted")
      } catch {
        #expect(!"\(error)".contains("horse"))
        #expect("\(error)".contains("\(error.code)"))
      }
    }
  }
}
