import JOSE
import StrictJSON
import Testing

@testable import AppleSignInKit

@Suite struct CallbackTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private func receive(
    _ request: HTTPRequestValue, _ pending: ApplePendingSignIn? = nil
  ) throws -> AppleAuthorizationOutcome {
    try AppleAuthorizationResponse.receive(request, for: pending ?? fixture.pending(), clock: fixture.clock)
  }

  private func response(_ body: String, _ pending: ApplePendingSignIn? = nil) throws -> AppleAuthorizationResponse {
    guard case .authorized(let response) = try receive(Fixture.post(body), pending) else {
      throw JOSEError(.callerMisuse, "cancelled")
    }
    return response
  }

  private func user(_ json: String) throws -> AppleUser? {
    try response("state=st-8d0b7e&code=abc&user=" + PercentEncoding.encode(json)).user
  }

  @Test func `P07 the printed callback`() throws {
    let response = try response(
      "state=st-8d0b7e&code=\(Fixture.code)&id_token=\(Printed.tokenF)&user=\(Printed.encodedUser)",
      fixture.pending(.codeAndIdentityToken))
    #expect(response.code == Fixture.code)
    #expect(response.unverifiedIdentityToken == Printed.tokenF)
    #expect(response.user?.givenName == "Zoë Ann" && response.user?.familyName == "O'Brien")
    #expect(response.user?.email == "synth7user@privaterelay.appleid.com")
  }

  @Test func `P08 a later authorization has no user`() throws {
    #expect(try response("state=st-8d0b7e&code=abc").user == nil)
  }

  @Test func `P09 a user with parts missing`() throws {
    #expect(try user(#"{"email":"a@b.example"}"#)?.email == "a@b.example")
    #expect(try user(#"{"name":{"firstName":"Ann"}}"#)?.givenName == "Ann")
    #expect(try user(#"{"name":{}}"#) == nil)
  }

  @Test func `P28 cancelled with the right state`() throws {
    guard case .cancelled = try receive(Fixture.post("state=st-8d0b7e&error=user_cancelled_authorize")) else {
      Issue.record("not cancelled")
      return
    }
  }

  @Test func `P30 a name with combining marks is stored in normalization form C`() throws {
    let name = try #require(try user("{\"name\":{\"firstName\":\"Zoe\u{308}\"}}")?.givenName)
    #expect(Array(name.utf8) == Array("Zoë".utf8))
  }

  static let refused: [(name: String, body: String, code: ErrorCode)] = [
    ("N06 duplicate state", "state=st-8d0b7e&state=st-8d0b7e&code=a", .fieldDuplicated),
    ("N06 duplicate code", "state=st-8d0b7e&code=a&code=b", .fieldDuplicated),
    ("N06 duplicate state, escaped", "state=st-8d0b7e&%73tate=x&code=a", .fieldDuplicated),
    ("N07 state missing", "code=a", .stateMissing), ("N07 state empty", "state=&code=a", .stateMissing),
    ("N07 state wrong", "state=st-8d0b7f&code=a", .stateMismatch),
    ("N07 state cut", "state=st-8d0b7&code=a", .stateMismatch),
    ("N07 state longer", "state=st-8d0b7ee&code=a", .stateMismatch),
    ("N08 cancelled with a wrong state", "state=other&error=user_cancelled_authorize", .stateMismatch),
    ("N08 cancelled without a state", "error=user_cancelled_authorize", .stateMissing),
    ("N09 both code and error", "state=st-8d0b7e&code=a&error=user_cancelled_authorize", .responseAmbiguous),
    ("another error", "state=st-8d0b7e&error=invalid_scope", .authorizationRefused),
    ("an unknown error", "state=st-8d0b7e&error=%3Cscript%3E", .authorizationRefused),
    ("code missing", "state=st-8d0b7e", .authorizationCodeInvalid),
    ("code empty", "state=st-8d0b7e&code=", .authorizationCodeInvalid),
    ("code with a space", "state=st-8d0b7e&code=a+b", .authorizationCodeInvalid),
    ("code too long", "state=st-8d0b7e&code=" + String(repeating: "a", count: 1025), .authorizationCodeInvalid),
    ("body too long", "state=st-8d0b7e&code=a&x=" + String(repeating: "a", count: 65_536), .limitExceeded),
    ("broken escape", "state=st-8d0b7e&code=%4", .malformed),
    ("illegal UTF-8", "state=st-8d0b7e&code=%FF", .malformed),
  ]

  @Test(arguments: refused.indices) func `responses that are refused`(_ index: Int) throws {
    let (name, body, code) = Self.refused[index]
    let error = failure { _ = try receive(Fixture.post(body)) }
    #expect(error?.code == code, "\(name): \(String(describing: error))")
    #expect(error.map { !"\($0)".contains("script") } == true)
  }

  @Test func `N07 a sign-in older than 10 minutes, or begun in the future`() throws {
    let body = Fixture.post("state=st-8d0b7e&code=abc")
    #expect(failure { _ = try receive(body, fixture.pending(startedAt: Fixture.now - 601)) }?.code == .signInExpired)
    #expect(failure { _ = try receive(body, fixture.pending(startedAt: Fixture.now + 61)) }?.code == .signInExpired)
    #expect(failure { _ = try receive(body, fixture.pending(startedAt: Fixture.now - 600)) } == nil)
  }

  @Test(arguments: ["", "&id_token="]) func `N10 the identity token asked for is missing`(_ rest: String) throws {
    let pending = try fixture.pending(.codeAndIdentityToken)
    #expect(failure { _ = try response("state=st-8d0b7e&code=abc" + rest, pending) }?.code == .identityTokenMissing)
  }

  @Test func `N11 GET for a form_post, POST for a query, another content type`() throws {
    let url = "https://www.example.com/apple/callback?state=st-8d0b7e&code=abc"
    let get = HTTPRequestValue(method: "GET", url: url)
    #expect(failure { _ = try receive(get) }?.code == .methodNotAllowed)
    #expect(failure { _ = try receive(get, fixture.pending(mode: .fragment, scopes: [])) }?.code == .methodNotAllowed)
    let query = try fixture.pending(mode: .query, scopes: [])
    #expect(failure { _ = try receive(Fixture.post("state=st-8d0b7e&code=abc"), query) }?.code == .methodNotAllowed)
    #expect(failure { _ = try receive(get, query) } == nil)
    let json = Fixture.post(#"{"state":"st-8d0b7e"}"#, type: "application/json")
    #expect(failure { _ = try receive(json) }?.code == .contentTypeInvalid)
    let charset = Fixture.post("state=st-8d0b7e&code=abc", type: "Application/x-www-form-urlencoded; charset=UTF-8")
    #expect(failure { _ = try receive(charset) } == nil)
  }

  static let hostileUsers: [(json: String, expected: String?)] = [
    ("not JSON", nil), ("[]", nil), ("\"x\"", nil), (#"{"name":"Ann"}"#, nil),
    (#"{"name":{"firstName":"a","firstName":"b"}}"#, nil),
    ("{\"x\":\"" + String(repeating: "a", count: 9 * 1024) + "\",\"name\":{\"firstName\":\"Ann\"}}", nil),
    (#"{"a":{"b":{"c":{"d":{}}}},"name":{"firstName":"Ann"}}"#, nil), (#"{"name":{"firstName":7}}"#, nil),
    (#"{"name":{"firstName":"<script>alert(1)</script>"}}"#, "<script>alert(1)</script>"),
    ("{\"name\":{\"firstName\":\"A\u{202E}n\u{2066}n\u{2028}\"}}", "Ann"),
    (#"{"name":{"firstName":"A\u0000n\u001bn\u0085"}}"#, "Ann"), (#"{"name":{"firstName":"  A \t\n nn  "}}"#, "A nn"),
    (#"{"name":{"firstName":" \u0007 "}}"#, nil),
  ]

  @Test(arguments: hostileUsers.indices) func `N12 a hostile user object does not stop the sign-in`(_ index: Int) throws
  {
    let (json, expected) = Self.hostileUsers[index]
    let response = try response("state=st-8d0b7e&code=abc&user=" + PercentEncoding.encode(json))
    #expect(response.code == "abc")
    #expect(response.user?.givenName == expected)
  }

  @Test func `N12 names are cut at 100 scalars and addresses must look like some`() throws {
    let long = String(repeating: "ä", count: 150)
    let name = try #require(try user("{\"name\":{\"firstName\":\"\(long)\"}}")?.givenName)
    #expect(name.unicodeScalars.count == 100)
    let addresses = [
      "a b@c.de", "@c.de", "a@", "no address", "a\u{202E}@b.example", String(repeating: "a", count: 320) + "@b",
    ]
    for email in addresses {
      #expect(try user("{\"email\":\"\(email)\"}") == nil)
    }
  }

  @Test func `an identity token that was not asked for is ignored`() throws {
    #expect(try response("state=st-8d0b7e&code=abc&id_token=x.y.z").unverifiedIdentityToken == nil)
  }

  @Test func `an event of the page script is parsed, and refused with another state`() throws {
    let event = """
      {"authorization":{"code":"abc","id_token":"x.y.z","state":"st-8d0b7e"},
      "user":{"email":"a@b.example","name":{"firstName":"Ann"}}}
      """
    let outcome = try AppleAuthorizationResponse.receive(
      scriptEvent: event.utf8, for: fixture.pending(.codeAndIdentityToken), clock: fixture.clock)
    guard case .authorized(let response) = outcome else { Issue.record("cancelled"); return }
    #expect(response.user?.givenName == "Ann" && response.unverifiedIdentityToken == "x.y.z")
    let wrong = event.replacing("st-8d0b7e", with: "st-other")
    let error = failure {
      _ = try AppleAuthorizationResponse.receive(scriptEvent: wrong.utf8, for: fixture.pending(), clock: fixture.clock)
    }
    #expect(error?.code == .stateMismatch)
    let malformed = failure {
      _ = try AppleAuthorizationResponse.receive(scriptEvent: "[]".utf8, for: fixture.pending(), clock: fixture.clock)
    }
    #expect(malformed?.code == .malformed)
  }

  @Test func `descriptions and reflections show nothing of a response`() throws {
    let response = try response("state=st-8d0b7e&code=abcdef")
    var dumped = ""
    dump(response, to: &dumped)
    dump(try fixture.pending(nonce: fixture.nonce()), to: &dumped)
    #expect(!dumped.contains("abcdef") && !dumped.contains("st-8d0b7e") && !dumped.contains("n-5f2c9a"))
  }
}
