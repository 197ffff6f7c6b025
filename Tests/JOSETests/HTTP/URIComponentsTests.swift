import JOSE
import Testing

@Suite("URIs")
struct URIComponentsTests {
  @Test("A URI is split into all its parts")
  func allParts() throws {
    let uri = try URIComponents(parsing: "HTTPS://user:pw@idp.example:8443/a/b%20c;d?x=1&y=/?:@#frag/?")
    #expect(uri.scheme == "HTTPS")
    #expect(uri.hasScheme("https"))
    #expect(!uri.hasScheme("http"))
    #expect(uri.userInfo == "user:pw")
    #expect(uri.host == "idp.example")
    #expect(uri.port == 8443)
    #expect(uri.path == "/a/b%20c;d")
    #expect(uri.query == "x=1&y=/?:@")
    #expect(uri.fragment == "frag/?")
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var text: String
    var host: String?
    var port: UInt16?
    var path = ""
    var query: String?
    var fragment: String?

    var testDescription: String { text }
  }

  static let accepted: [Row] = [
    Row(text: "https://a.example", host: "a.example"), Row(text: "https://a.example/", host: "a.example", path: "/"),
    Row(text: "https://a.example?", host: "a.example", query: ""),
    Row(text: "https://a.example#", host: "a.example", fragment: ""),
    Row(text: "https://a.example?q#f?g", host: "a.example", query: "q", fragment: "f?g"),
    Row(text: "https://a.example:0/", host: "a.example", port: 0, path: "/"),
    Row(text: "https://a.example:65535", host: "a.example", port: 65535),
    Row(text: "http://127.0.0.1:8080/cb", host: "127.0.0.1", port: 8080, path: "/cb"),
    Row(text: "http://[::1]:8080/cb", host: "[::1]", port: 8080, path: "/cb"), Row(text: "http://[::1]", host: "[::1]"),
    Row(text: "http://[::]", host: "[::]"),
    Row(text: "http://[2001:db8::8:800:200c:417A]", host: "[2001:db8::8:800:200c:417A]"),
    Row(text: "http://[1:2:3:4:5:6:7:8]", host: "[1:2:3:4:5:6:7:8]"),
    Row(text: "http://[1:2:3:4:5:6:7::]", host: "[1:2:3:4:5:6:7::]"),
    Row(text: "http://[::ffff:192.0.2.1]", host: "[::ffff:192.0.2.1]"),
    Row(text: "http://[1:2:3:4:5:6:192.0.2.1]", host: "[1:2:3:4:5:6:192.0.2.1]"),
    Row(text: "com.example.appa:/cb", path: "/cb"), Row(text: "com.apple.platformsso://callback", host: "callback"),
    Row(text: "urn:ietf:params:oauth:grant-type:jwt-bearer", path: "ietf:params:oauth:grant-type:jwt-bearer"),
    Row(text: "https://u/v@a.example:x", host: "u", path: "/v@a.example:x"), Row(text: "a:", path: ""),
    Row(text: "mailto:a@b.example", path: "a@b.example"),
    Row(text: "file:///etc", host: "", path: "/etc"),
    Row(text: "x+y-1.0:z", path: "z"), Row(text: "https://a.example//b", host: "a.example", path: "//b"),
    Row(text: "https://%61.example", host: "%61.example"),
    Row(text: "https://a.example/%C3%A9", host: "a.example", path: "/%C3%A9"),
    Row(text: "https://a.example/!$&'()*+,;=:@~", host: "a.example", path: "/!$&'()*+,;=:@~"),
  ]

  @Test("A well-formed URI is parsed and keeps its text", arguments: accepted)
  func wellFormed(_ row: Row) throws {
    let uri = try URIComponents(parsing: row.text)
    #expect(uri.host == row.host)
    #expect(uri.port == row.port)
    #expect(uri.path == row.path)
    #expect(uri.query == row.query)
    #expect(uri.fragment == row.fragment)
    #expect(uri.userInfo == nil)
    #expect(uri.text == row.text)
  }

  @Test(
    "A malformed URI is refused",
    arguments: [
      "", ":", "a", "/", "//a.example", "/path", "?q", "1a:b", "+a:b", "-:b", "a_b:c", "ä:b", " https://a.example",
      "https ://a.example", "https://a.example ", "https://a.example/\n", "https://a.example/a b",
      "https://a.example/\u{0}",
      "https://a.example/é", "https://é.example", "https://a.example/\\b", "https://a.example\\@b.example",
      "https://a.example/<b>", "https://a.example/\"", "https://a.example/{b}", "https://a.example/|",
      "https://a.example/^",
      "https://a.example/`", "https://a.example/[b]", "https://a.example/%", "https://a.example/%4",
      "https://a.example/%4g",
      "https://a.example/%%41", "https://a.example?%g0", "https://a.example#%", "https://a.example?a b",
      "https://a.example#a#b",
      "https://a.example?q=[1]", "https://a.example:", "https://a.example:/", "https://a.example:65536",
      "https://a.example:-1",
      "https://a.example:+1", "https://a.example:8a", "https://a.example:99999999999999999999", "https://a.example:1:2",
      "https://u@v@a.example", "https://[::1", "https://::1]", "https://[]",
      "https://[::1]x",
      "https://x[::1]", "https://[1:2:3:4:5:6:7]", "https://[1:2:3:4:5:6:7:8:9]", "https://[1::2::3]", "https://[:::]",
      "https://[1:2:3:4:5:6:7:8::]", "https://[:1:2:3:4:5:6:7]", "https://[1:2:3:4:5:6:7:]", "https://[12345::]",
      "https://[g::]",
      "https://[::1.2.3]", "https://[::1.2.3.256]", "https://[::01.2.3.4]", "https://[1.2.3.4::]", "https://[1.2.3.4]",
      "https://[fe80::1%25eth0]", "https://[v1.a]", "https://[::1]]", "https://[::1]:", "https://[::1]8080",
      "https://a.example\u{301}/",
    ])
  func malformed(_ text: String) {
    #expect(throws: JOSEError(.malformed, "")) { try URIComponents(parsing: text) }
  }

  @Test("A URI longer than the limit is refused")
  func length() {
    let text = "a:" + String(repeating: "b", count: (8 << 10) - 2)
    #expect(throws: Never.self) { try URIComponents(parsing: text) }
    #expect(throws: JOSEError(.limitExceeded, "")) { try URIComponents(parsing: text + "b") }
    #expect(throws: JOSEError(.limitExceeded, "")) { try URIComponents(parsing: "ab:", maximumByteCount: 2) }
    #expect(throws: JOSEError(.limitExceeded, "")) { try URIComponents(parsing: "a:é", maximumByteCount: 3) }
  }

  @Test("Two URIs are the same when their bytes are")
  func equality() throws {
    let uri = try URIComponents(parsing: "https://a.example/cb")
    #expect(try uri == URIComponents(parsing: "https://a.example/cb"))
    for other in [
      "https://a.example/cb/", "https://A.example/cb", "https://a.example/c%62", "https://a.example:443/cb",
    ] {
      #expect(try uri != URIComponents(parsing: other))
    }
  }

  @Test(
    "Fields are added to the query",
    arguments: [
      ("https://a.example", "https://a.example?x=a%20%2B%26"), ("https://a.example?", "https://a.example?x=a%20%2B%26"),
      ("https://a.example/?k=v", "https://a.example/?k=v&x=a%20%2B%26"),
      ("https://a.example/?k#f", "https://a.example/?k&x=a%20%2B%26#f"), ("a:/cb#", "a:/cb?x=a%20%2B%26#"),
    ])
  func appendingQuery(_ text: String, _ expected: String) throws {
    let uri = try URIComponents(parsing: text)
    #expect(uri.appendingQuery(["x": "a +&"]) == expected)
    #expect(uri.appendingQuery([:]) == text)
    let query = try URIComponents(parsing: expected).query
    #expect(try #require(query).hasSuffix("x=a%20%2B%26"))
  }

  @Test("Every byte of a URI changed: an error or the same text back")
  func mutations() throws {
    let bytes = Array("https://u@[::1]:80/a%20b?q=1#f".utf8)
    for position in bytes.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = bytes
        changed[position] = byte
        let text = String(decoding: changed, as: UTF8.self)
        guard let uri = try? URIComponents(parsing: text) else { continue }
        var rebuilt = uri.scheme + ":"
        if let host = uri.host {
          rebuilt += "//" + (uri.userInfo.map { $0 + "@" } ?? "") + host + (uri.port.map { ":\($0)" } ?? "")
        }
        rebuilt += uri.path + (uri.query.map { "?" + $0 } ?? "") + (uri.fragment.map { "#" + $0 } ?? "")
        // A port may have been written with leading zeros.
        if !text.contains(":0") { #expect(rebuilt == text) }
      }
      _ = try? URIComponents(parsing: String(decoding: bytes[...position], as: UTF8.self))
      _ = try? URIComponents(parsing: String(decoding: bytes[position...], as: UTF8.self))
    }
  }

  @Test("Percent-decoding is strict")
  func percentDecoding() throws {
    #expect(try PercentEncoding.decode("a%20b+c") == "a b+c")
    #expect(PercentEncoding.encode("a b+é/~") == "a%20b%2B%C3%A9%2F~")
    for text in ["%", "%4", "%zz", "a b", "é", "\n"] {
      #expect(throws: JOSEError(.malformed, "")) { try PercentEncoding.decode(text) }
    }
    #expect(throws: JOSEError(.malformed, "")) { try PercentEncoding.decode("%ff") }
  }
}
