import JOSE
import Testing

@Suite("Requests and responses")
struct MessageTests {
  @Test("A form goes out and comes in")
  func form() throws {
    let form: FormFields = ["grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "a.b-c_d"]
    let headers = try HTTPHeaderFields([("Accept", "application/json"), ("content-type", "text/plain")])
    let request = HTTPRequestValue.post(form, to: "https://idp.example/token", headers: headers)
    #expect(request.method == "POST")
    #expect(request.url == "https://idp.example/token")
    #expect(try request.headers.uniqueValue("Content-Type") == "application/x-www-form-urlencoded")
    #expect(try request.headers.uniqueValue("Accept") == "application/json")
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b-c_d")
    #expect(try request.form() == form)
  }

  @Test(
    "A body is read as a form only when it is declared to be one",
    arguments: [
      [], ["application/json"], ["application/x-www-form-urlencoded", "application/x-www-form-urlencoded"], [""],
      ["multipart/form-data"],
    ])
  func undeclared(_ types: [String]) throws {
    let headers = try HTTPHeaderFields(types.map { ("Content-Type", $0) })
    let request = HTTPRequestValue(method: "POST", url: "/", headers: headers, body: Array("a=b".utf8))
    #expect(throws: JOSEError(.contentTypeInvalid, "")) { try request.form() }
  }

  @Test("Parameters of the type, limits and the duplicate policy")
  func declared() throws {
    let headers = try HTTPHeaderFields([("content-type", "Application/X-WWW-Form-Urlencoded; charset=UTF-8")])
    let request = HTTPRequestValue(method: "POST", url: "/", headers: headers, body: Array("a=b&a=c".utf8))
    #expect(throws: JOSEError(.fieldDuplicated, "")) { try request.form() }
    #expect(try request.form(acceptsDuplicates: true).values("a") == ["b", "c"])
    #expect(throws: JOSEError(.limitExceeded, "")) { try request.form(limits: Limits(formByteCount: 6)) }
  }

  @Test("Equality is by bytes")
  func equality() {
    let request = HTTPRequestValue(method: "GET", url: "https://a.example/é")
    #expect(request == HTTPRequestValue(method: "GET", url: "https://a.example/é"))
    #expect(request != HTTPRequestValue(method: "GET", url: "https://a.example/e\u{301}"))
    #expect(request != HTTPRequestValue(method: "get", url: "https://a.example/é"))
    #expect(request != HTTPRequestValue(method: "GET", url: "https://a.example/é", body: [1]))
    #expect(HTTPResponseValue(status: 200) != HTTPResponseValue(status: 201))
    #expect(HTTPResponseValue(status: 200, body: [1]) == HTTPResponseValue(status: 200, body: [1]))
  }

  @Test("Descriptions, dumps and wrappers show no credentials")
  func redaction() throws {
    let secret = "refresh-token-of-someone"
    let form: FormFields = ["refresh_token": secret]
    let headers = try HTTPHeaderFields([("Authorization", "Bearer \(secret)")])
    let request = HTTPRequestValue.post(
      form, to: "https://idp.example/token?code=\(secret)#\(secret)", headers: headers)
    let response = HTTPResponseValue(status: 200, headers: headers, body: Array(secret.utf8))
    let decimal = secret.utf8.map(String.init).joined(separator: ", ")
    let values: [Any] = [
      form, headers, request, response, [request], Optional(response) as Any, Result<_, Never>.success(form),
    ]
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        #expect(!text.contains(secret))
        #expect(!text.contains(decimal))
      }
    }
    #expect("\(request)" == "POST https://idp.example/token [Authorization, Content-Type] \(request.body.count) bytes")
    #expect("\(response)" == "200 [Authorization] 24 bytes")
    #expect("\(form)" == "[refresh_token]")
  }
}

@Suite("UUID text")
struct UUIDTextTests {
  struct Fixed: RandomNumberGenerator {
    var words: [UInt64]
    mutating func next() -> UInt64 { words.removeFirst() }
  }

  @Test("Version and variant stand where they belong, all other bits are random")
  func layout() {
    var zeros = Fixed(words: [0, 0])
    #expect(UUIDText.random(using: &zeros) == "00000000-0000-4000-8000-000000000000")
    var ones = Fixed(words: [.max, .max])
    #expect(UUIDText.random(using: &ones) == "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF")
    var digits = Fixed(words: [0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210])
    #expect(UUIDText.random(using: &digits) == "01234567-89AB-4DEF-BEDC-BA9876543210")
  }

  @Test("Fresh ones differ")
  func fresh() {
    let texts = Set((0..<1000).map { _ in UUIDText.random() })
    #expect(texts.count == 1000)
    #expect(texts.allSatisfy { $0.utf8.count == 36 })
  }
}
