import JOSE
import Testing

@Suite("Header fields")
struct HTTPHeaderFieldsTests {
  @Test("Names are found without regard to ASCII case, in order, with repeated ones visible")
  func lookup() throws {
    let headers = try HTTPHeaderFields([("Accept", "a/b"), ("X-One", "1"), ("accept", "c/d")])
    #expect(headers.values("ACCEPT") == ["a/b", "c/d"])
    #expect(try headers.uniqueValue("x-one") == "1")
    #expect(try headers.uniqueValue("x-two") == nil)
    #expect(throws: JOSEError(.fieldDuplicated, "")) { try headers.uniqueValue("Accept") }
    #expect(headers.fields.map(\.name) == ["Accept", "X-One", "accept"])
  }

  @Test("Case folding is ASCII only")
  func asciiOnly() throws {
    let headers = try HTTPHeaderFields([("X-K", "1")])
    #expect(headers.values("X-\u{212A}").isEmpty)
    #expect("\u{212A}".hasSameBytesIgnoringASCIICase(as: "K") == false)
    #expect("\u{17F}".hasSameBytesIgnoringASCIICase(as: "S") == false)
    #expect("É".hasSameBytesIgnoringASCIICase(as: "é") == false)
    #expect("aZ@[`{".hasSameBytesIgnoringASCIICase(as: "Az@[`{"))
    #expect("@".hasSameBytesIgnoringASCIICase(as: "`") == false)
    #expect("[".hasSameBytesIgnoringASCIICase(as: "{") == false)
  }

  @Test("Setting keeps the first place, removing takes all")
  func setAndRemove() throws {
    var headers = try HTTPHeaderFields([("A", "1"), ("B", "2"), ("a", "3"), ("C", "4")])
    try headers.set("a", "5")
    #expect(headers.fields.map(\.value) == ["5", "2", "4"])
    try headers.set("D", "6")
    #expect(headers.fields.map(\.value) == ["5", "2", "4", "6"])
    headers.remove("b")
    #expect(headers.fields.map(\.value) == ["5", "4", "6"])
    headers.remove("none")
    #expect(headers.fields.count == 3)
  }

  @Test(
    "Nothing breaks out of its line",
    arguments: [
      ("", "v"), ("A B", "v"), ("A:", "v"), ("A\r\n", "v"), ("Ä", "v"), ("A\u{0}", "v"), ("(A)", "v"),
      ("A", "v\r\nB: w"),
      ("A", "v\nw"), ("A", "v\rw"), ("A", "v\u{0}w"), ("A", "v\u{7F}w"), ("A", "\u{1F}v"), ("A", "v\n"), ("A", "\r"),
    ])
  func invalidFields(_ name: String, _ value: String) throws {
    #expect(throws: JOSEError(.fieldInvalid, "")) { try HTTPHeaderFields([(name, value)]) }
    var headers = try HTTPHeaderFields([("A", "old")])
    #expect(throws: JOSEError(.fieldInvalid, "")) { try headers.append(name, value) }
    #expect(throws: JOSEError(.fieldInvalid, "")) { try headers.set(name, value) }
    #expect(headers.fields.map(\.value) == ["old"])
  }

  @Test("Values are trimmed and otherwise kept")
  func values() throws {
    let headers = try HTTPHeaderFields([
      ("A", " \tv w\t "), ("B", ""), ("C", "  "), ("D", "é\ta"), ("!#$%&'*+-.^_`|~09", "x"),
    ])
    #expect(headers.fields.map(\.value) == ["v w", "", "", "é\ta", "x"])
  }

  @Test("Equality follows names without case and values by bytes, in order")
  func equality() throws {
    let headers = try HTTPHeaderFields([("A", "1"), ("B", "é")])
    #expect(try headers == HTTPHeaderFields([("a", "1"), ("b", "é")]))
    #expect(try headers != HTTPHeaderFields([("A", "1"), ("B", "e\u{301}")]))
    #expect(try headers != HTTPHeaderFields([("B", "é"), ("A", "1")]))
    #expect(try headers != HTTPHeaderFields([("A", "1")]))
    #expect(HTTPHeaderFields() == HTTPHeaderFields())
  }
}

@Suite("Media types")
struct MediaTypeTests {
  @Test(
    "Case and parameters don't matter",
    arguments: [
      "application/json", "Application/JSON", "application/json; charset=utf-8", "application/json;charset=\"a;b/c\"",
      " application/json ; x", "application/json;",
    ])
  func matching(_ value: String) {
    #expect(MediaType.matches(value, MediaType.json))
    #expect(!MediaType.matches(value, MediaType.form))
  }

  @Test(
    "Everything else names no type",
    arguments: [
      nil, "", ";", "application", "application/", "/json", "application/json/x", "application /json",
      "application/ json",
      "application/json, text/html", "application/jso\u{212A}", "application/json\u{0}", "text/json",
      "application/json+x",
      "*/*", "application/json\r\n",
    ])
  func notMatching(_ value: String?) {
    #expect(!MediaType.matches(value, MediaType.json))
  }

  @Test("A malformed expectation matches nothing")
  func malformedExpectation() {
    #expect(!MediaType.matches("json", "json"))
    #expect(
      MediaType.matches(
        "application/platformsso-login-response+jwt; charset=utf-8", "application/platformsso-login-response+jwt"))
  }
}
