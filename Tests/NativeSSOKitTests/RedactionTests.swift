import JOSE
import NativeSSOKit
import StrictJSON
import Testing
import OpenIDKit

@Suite("N39 nothing shows a secret")
struct RedactionTests {
  private static let secrets = [
    WorkedExample.secret, WorkedExample.secondSecret, WorkedExample.idToken, "s3cret-token",
  ]

  private func shown(_ value: Any) -> String {
    var text = "\(value) \(String(reflecting: value)) "
    dump(value, to: &text)
    return text
  }

  @Test("Descriptions, reflection and dumps")
  func descriptions() async throws {
    let secret = try DeviceSecret(WorkedExample.secret)
    let pair = try #require(try Device.pair())
    let tokens = TokenResponse(
      TokenAnswer(
        accessToken: "s3cret-token", expiresIn: .seconds(1), refreshToken: "s3cret-token",
        idToken: WorkedExample.idToken),
      deviceSecret: secret)
    let request = TokenExchangeRequest(clientID: "app-b", idToken: WorkedExample.idToken, deviceSecret: secret)
    let device = Device(try await World())
    let record = try await device.world.record()
    let (login, _) = try await device.app("app-a").beginLogin()
    let grant = AcceptedGrant(
      clientID: "a", sessionID: "s", scopes: [], form: presenting(WorkedExample.secret))
    var configuration = device.configuration("app-a")
    configuration.authentication = .basic(secret.reveal())
    let values: [Any] = [
      secret, secret.fingerprint, pair, SSOPairEntry(generation: 1, pair: pair), tokens, tokens.issued, request,
      request.form, HTTPRequestValue.post(request.form, to: "/token"), record, login, grant, configuration,
      PKCE(), RateLimitKey.deviceSecret(secret.fingerprint),
      RecoveryDecision(after: .transient), LoginReason.responseRejected(NativeSSOClientTests.invalid("sub")),
    ]
    let hash = secret.fingerprint.hexadecimal
    for value in values {
      let text = shown(value)
      for forbidden in Self.secrets + [hash] { #expect(!text.contains(forbidden), "\(type(of: value))") }
    }
    #expect(!shown(login).contains(login.request.nonce) && !shown(login).contains(login.request.state))
  }

  @Test("A server that echoes a credential in its error is not repeated")
  func echo() throws {
    let body =
      #"{"error":"invalid_grant","error_description":"bad \#(WorkedExample.secret)","error_uri":"https://x/#\#(WorkedExample.idToken)"}"#
    let response = HTTPResponseValue(status: 400, body: Array(body.utf8))
    let error = try #require(OAuthErrorResponse(response, withholding: [WorkedExample.secret, WorkedExample.idToken]))
    #expect(error.code == .invalidGrant && error.text == nil && error.uri == nil)
    #expect(OAuthErrorResponse(response)?.text != nil)
    #expect(!shown(OAuthErrorResponse(response) as Any).contains("never"))
  }

  @Test("A malformed error response is ignored, and so is text that RFC 6749 forbids")
  func errors() {
    func parse(_ body: String) -> OAuthErrorResponse? {
      OAuthErrorResponse(HTTPResponseValue(status: 400, body: Array(body.utf8)))
    }
    for body in [
      "", "[]", "{}", #"{"error":7}"#, #"{"error":"a","error":"b"}"#, "<html>", #"{"error":"a b\"c"}"#,
      #"{"error":""}"#,
      #"{"error":"Forbidden"}"#,
    ] {
      #expect(parse(body) == nil)
    }
    #expect(parse(#"{"error":"invalid_grant","error_description":"line\nbreak"}"#)?.text == nil)
    #expect(parse(#"{"error":"invalid_grant","error_description":7}"#)?.text == nil)
    // Canonical equivalence is not equality.
    #expect(OAuthErrorCode("invalid_grant\u{301}") != .invalidGrant)
  }

  @Test("The worked example's error responses, byte for byte in what matters")
  func workedErrors() throws {
    let refusal = OAuthErrorResponse(
      .invalidGrant, "The device credential is not valid", uri: "https://op.example.com/docs/errors#device_secret")
    let expected =
      #"{"error":"invalid_grant","error_description":"The device credential is not valid","error_uri":"https://op.example.com/docs/errors#device_secret"}"#
    let request = HTTPRequestValue.post([:], to: "https://op.example.com/token")
    let response = refusal.response(to: request)
    #expect(response.body == Array(expected.utf8) && response.status == 400)
    #expect(response.headers.values("Cache-Control") == ["no-store"])
    let pause = OAuthErrorResponse(.slowDown, "Too many attempts", status: 429, retryAfter: .seconds(900))
      .response(to: request)
    #expect(
      pause.headers.values("Retry-After") == ["900"] && pause.headers.values("Content-Type") == ["application/json"])
  }
}
