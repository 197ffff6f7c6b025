import JOSE
import StrictJSON
import Testing

@testable import AppleSignInKit

/// What LIMITS.md says of Sign in with Apple.
@Suite("Sign in with Apple: limits, at the edge and one past it")
struct LimitTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private func receive(_ body: String) throws -> AppleAuthorizationOutcome {
    try AppleAuthorizationResponse.receive(Fixture.post(body), for: fixture.pending(), clock: fixture.clock)
  }

  @Test("a callback's body", arguments: [(65_536, nil), (65_537, ErrorCode.limitExceeded)])
  func callback(count: Int, code: ErrorCode?) {
    let start = "state=st-8d0b7e&code=a&x="
    let body = start + String(repeating: "a", count: count - start.utf8.count)
    #expect(failure { _ = try receive(body) }?.code == code)
  }

  @Test("an authorization code", arguments: [(1024, nil), (1025, ErrorCode.authorizationCodeInvalid)])
  func authorizationCode(count: Int, code: ErrorCode?) {
    let body = "state=st-8d0b7e&code=" + String(repeating: "a", count: count)
    #expect(failure { _ = try receive(body) }?.code == code)
  }

  @Test("the user parameter", arguments: [(8192, true), (8193, false)])
  func user(count: Int, isRead: Bool) throws {
    let start = #"{"email":"a@b","x":""#
    let json = start + String(repeating: "a", count: count - start.utf8.count - 2) + "\"}"
    guard case .authorized(let response) = try receive("state=st-8d0b7e&code=c&user=" + PercentEncoding.encode(json))
    else {
      Issue.record("the user is no reason to refuse")
      return
    }
    #expect((response.user != nil) == isRead)
  }

  @Test("a redirect URI", arguments: [(2048, nil), (2049, ErrorCode.redirectURIInvalid)])
  func redirectURI(count: Int, code: ErrorCode?) {
    let start = "https://a.example/"
    let text = start + String(repeating: "a", count: count - start.utf8.count)
    #expect(failure { _ = try AppleRedirectURI(text) }?.code == code)
  }

  @Test("an identity token", arguments: [0, 1])
  func identityToken(excess: Int) throws {
    // Padding in the claims makes a token of every length but some; the header's padding fills the rest.
    func token(_ padding: Int, _ header: Int) throws -> String {
      var claims = Fixture.claimsF
      claims["pad"] = .string(String(repeating: "a", count: padding))
      return try JWS.sign(
        claims.serialized(), with: fixture.serviceKey,
        header: HeaderParameters(additional: ["pad": .string(String(repeating: "a", count: header))]))
    }
    let wanted = 16 * 1024 + excess
    let base = try token(0, 0).utf8.count
    let start = (wanted - base) * 3 / 4 - 8
    let sizes = (start..<start + 9).flatMap { claims in (0..<5).map { (claims, $0) } }
    let fitting = try sizes.lazy.map { try token($0.0, $0.1) }.first { $0.utf8.count == wanted }
    let text = try #require(fitting)
    let found = failure {
      _ = try fixture.verifier().verify(
        text, keys: fixture.keys, nonce: fixture.nonce(), origin: .authorizationResponse(code: Fixture.code))
    }
    #expect(found?.code == (excess == 0 ? nil : .limitExceeded))
  }

  @Test(
    "a notification's body, and the events in it", arguments: [(16, nil), (17, ErrorCode.claimInvalid)])
  func notification(eventCount: Int, code: ErrorCode?) throws {
    let verifier = AppleNotificationVerifier(
      audiences: ["com.example.app"], service: fixture.service, clock: .fixed(at: NumericDate(NotificationTests.now)))
    var claims = NotificationTests.claims
    claims["events"] = .string(
      "[" + repeatElement(NotificationTests.events, count: eventCount).joined(separator: ",") + "]")
    #expect(failure { _ = try verifier.verify(fixture.token(claims), keys: fixture.keys) }?.code == code)
    for excess in [0, 1] {
      let start = #"{"payload":"x","pad":""#
      let text = start + String(repeating: "a", count: 65_536 + excess - start.utf8.count - 2) + "\"}"
      let request = HTTPRequestValue(method: "POST", url: "/", body: Array(text.utf8))
      #expect(
        failure { _ = try verifier.unverifiedPayload(of: request) }?.code == (excess == 0 ? nil : .limitExceeded))
    }
  }

  @Test("an answer of the service", arguments: [(262_144, nil), (262_145, ErrorCode.malformed)])
  func answer(count: Int, code: ErrorCode?) throws {
    let start = #"{"access_token":"a","token_type":"Bearer","expires_in":1,"x":""#
    let text = start + String(repeating: "a", count: count - start.utf8.count - 2) + "\"}"
    let response = HTTPResponseValue(status: 200, body: Array(text.utf8))
    #expect(failure { _ = try AppleTokenEndpoint.tokens(in: response, to: .refreshToken("r")) }?.code == code)
  }
}
