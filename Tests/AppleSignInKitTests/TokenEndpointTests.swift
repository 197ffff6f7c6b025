import JOSE
import IdentityTesting
import StrictJSON
import Testing

@testable import AppleSignInKit

@Suite struct TokenEndpointTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private func request(_ grant: AppleTokenEndpoint.Grant) async throws -> (sent: HTTPRequestValue, secret: String) {
    let secret = try fixture.signer().clientSecret(for: Fixture.clientID)
    return (try await AppleTokenEndpoint.request(grant.fields, to: AppleService.apple.tokenURL, secret), secret.value)
  }

  private func json(_ text: String, status: Int = 200) -> HTTPResponseValue {
    HTTPResponseValue(
      status: status, headers: HTTPHeaderFields(known: [("Content-Type", "application/json")]), body: Array(text.utf8))
  }

  private var codeGrant: AppleTokenEndpoint.Grant {
    get throws { .authorizationCode(Fixture.code, redirectURI: try fixture.redirectURI()) }
  }

  @Test func `the printed token request`() async throws {
    let (sent, secret) = try await request(codeGrant)
    let form = try sent.form()
    #expect(sent.method == "POST" && sent.url == "https://appleid.apple.com/auth/token")
    #expect(sent.headers.values("User-Agent") == ["PureJOSE"] && sent.headers.values("Accept") == ["application/json"])
    let expected = [
      ("client_id", Fixture.clientID), ("client_secret", secret), ("code", Fixture.code),
      ("grant_type", "authorization_code"), ("redirect_uri", "https://www.example.com/apple/callback"),
    ]
    #expect(form.fields.count == expected.count)
    for (name, value) in expected { #expect(form.values(name) == [value]) }
    let native = try await request(.authorizationCode(Fixture.code, redirectURI: nil)).sent
    #expect(try native.form().values("redirect_uri").isEmpty)
  }

  @Test func `the printed token response`() throws {
    let response = try AppleTokenEndpoint.tokens(
      in: json(
        #"{"access_token":"\#(Fixture.accessToken)","token_type":"Bearer","expires_in":3600,"refresh_token":"r0synthetic.0.synth.UmVmcmVzaA","id_token":"\#(Printed.tokenT)"}"#
      ), to: codeGrant)
    #expect(response.accessToken == Fixture.accessToken && response.expiresIn == .seconds(3600))
    #expect(
      response.refreshToken == "r0synthetic.0.synth.UmVmcmVzaA" && response.idToken == Printed.tokenT)
  }

  @Test func `P21 a refresh response without refresh token and identity token`() throws {
    let response = try AppleTokenEndpoint.tokens(
      in: json(#"{"access_token":"a","token_type":"Bearer","expires_in":3600}"#), to: .refreshToken("r"))
    #expect(response.refreshToken == nil && response.idToken == nil)
  }

  @Test(arguments: ["bearer", "BEARER", "Bearer"]) func `P22 the token type in any case`(_ type: String) throws {
    _ = try AppleTokenEndpoint.tokens(
      in: json(#"{"access_token":"a","token_type":"\#(type)","expires_in":3600}"#), to: .refreshToken("r"))
  }

  @Test(arguments: ["", #"{"success":true}"#, "anything"]) func `P23 revocation succeeds whatever the body`(
    _ body: String
  ) throws {
    try OAuthAnswer.requireAnswer(json(body))
  }

  @Test func `revocation requests and refusals`() throws {
    #expect(
      failure { try OAuthAnswer.requireAnswer(json(#"{"error":"invalid_client"}"#, status: 400)) }?.name
        == "invalid_client")
    #expect(failure { try OAuthAnswer.requireAnswer(json("", status: 502)) }?.code == .serverUnavailable)
  }

  static let badAnswers: [(body: String, code: ErrorCode)] = [
    ("", .malformed), ("[]", .malformed), ("<html>", .malformed),
    (#"{"access_token":"a","access_token":"b"}"#, .malformed),
    (#"{"token_type":"Bearer","expires_in":1,"refresh_token":"r","id_token":"t"}"#, .fieldMissing),
    (
      #"{"access_token":"","token_type":"Bearer","expires_in":1,"refresh_token":"r","id_token":"t"}"#, .fieldMissing
    ),
    (#"{"access_token":"a","expires_in":1,"refresh_token":"r","id_token":"t"}"#, .fieldMissing),
    (#"{"access_token":"a","token_type":"mac","expires_in":1,"refresh_token":"r","id_token":"t"}"#, .fieldInvalid),
    (#"{"access_token":7,"token_type":"Bearer","expires_in":1,"refresh_token":"r","id_token":"t"}"#, .fieldInvalid),
    (#"{"access_token":"a","token_type":"Bearer","expires_in":1,"id_token":"t"}"#, .fieldMissing),
    (#"{"access_token":"a","token_type":"Bearer","expires_in":1,"refresh_token":"r"}"#, .fieldMissing),
  ]

  @Test(arguments: badAnswers.indices) func `answers that are refused`(_ index: Int) throws {
    let (body, code) = Self.badAnswers[index]
    #expect(failure { _ = try AppleTokenEndpoint.tokens(in: json(body), to: codeGrant) }?.code == code)
  }

  @Test(
    arguments: [
      (400, #"{"error":"invalid_grant"}"#, .restartSignIn, .signInRevoked),
      (400, #"{"error":"invalid_client"}"#, .renewClientSecret, .renewClientSecret),
      (400, #"{"error":"invalid_request"}"#, .fixConfiguration, .fixConfiguration),
      (400, #"{"error":"unauthorized_client"}"#, .fixConfiguration, .fixConfiguration),
      (400, #"{"error":"something_new","error_description":"secret"}"#, .fixConfiguration, .fixConfiguration),
      (400, "<html>", .restartSignIn, .retryLater), (429, #"{"error":"slow_down"}"#, .restartSignIn, .retryLater),
      (400, #"{"error":"slow_down"}"#, .restartSignIn, .retryLater),
      (400, #"{"error":"temporarily_unavailable"}"#, .restartSignIn, .retryLater),
      (502, "<html>bad gateway</html>", .restartSignIn, .retryLater), (503, "", .restartSignIn, .retryLater),
      (302, "", .restartSignIn, .retryLater),
    ] as [(Int, String, AppleTokenRecovery, AppleTokenRecovery)])
  func `N31 and N32 what to do after a refusal: a code is never sent again`(
    status: Int, body: String, forCode: AppleTokenRecovery, forRefresh: AppleTokenRecovery
  ) throws {
    for (grant, kind, expected) in [
      (try codeGrant, AppleTokenRecovery.Grant.authorizationCode, forCode),
      (.refreshToken("r"), .refreshToken, forRefresh),
    ] {
      let error = try #require(
        failure { _ = try AppleTokenEndpoint.tokens(in: json(body, status: status), to: grant) })
      #expect(AppleTokenRecovery(after: error, grant: kind) == expected)
      #expect(!"\(error)".contains("secret") && !"\(error)".contains("something_new"))
    }
    #expect(AppleTokenRecovery(after: nil, grant: .authorizationCode) == .restartSignIn)
    #expect(AppleTokenRecovery(after: nil, grant: .refreshToken) == .retryLater)
    for error in [
      JOSEError(.keysUnavailable, ""), JOSEError(.keyNotFound, "", name: "kid", fault: .unavailable),
    ] {
      #expect(AppleTokenRecovery(after: error, grant: .authorizationCode) == .restartSignIn)
      #expect(AppleTokenRecovery(after: error, grant: .refreshToken) == .retryLater)
    }
  }

  // MARK: The stand-in's side

  private func send(_ fields: [(String, String)], to standIn: AppleStandIn) async throws -> (Int, String) {
    let secret = try fixture.signer().clientSecret(for: Fixture.clientID, lifetime: 3600).value
    let response = await standIn.token(
      FormBody.post(
        [("client_id", Fixture.clientID), ("client_secret", secret)] + fields, to: fixture.service.tokenURL))
    return (response.status, String(decoding: response.body, as: UTF8.self))
  }

  private static let invalidGrant = #"{"error":"invalid_grant"}"#

  @Test func `N28 a code twice, late, for another client, for another address`() async throws {
    let clock = ManualClock(Fixture.now)
    var second = try fixture.client()
    second.clientID = "com.example.second"
    let standIn = AppleStandIn(
      service: fixture.service, clients: [try fixture.client(), second], signingKey: fixture.serviceKey,
      clock: clock.wallClock)
    let uri = try fixture.redirectURI()
    let request = try AppleAuthorizationRequest(clientID: Fixture.clientID, redirectURI: uri, responseMode: .formPost)
    func code() async throws -> String {
      let answer = await standIn.authorize(request.url(of: fixture.service), decision: .approve(fixture.user))
      let callback = try #require(answer.callback)
      return try #require(try FormBody.parse(callback.body, limit: 9999)["code"])
    }
    func redeem(_ code: String, _ address: String) async throws -> String {
      try await send([("grant_type", "authorization_code"), ("code", code), ("redirect_uri", address)], to: standIn).1
    }
    let first = try await code()
    #expect(try await redeem(first, uri.text).contains("access_token"))
    #expect(try await redeem(first, uri.text) == Self.invalidGrant)
    #expect(try await redeem(code(), uri.text + "/") == Self.invalidGrant)
    #expect(try await redeem("unknown", uri.text) == Self.invalidGrant)
    let foreign = try await code()
    let otherSecret = try fixture.signer().clientSecret(for: "com.example.second").value
    let response = await standIn.token(
      FormBody.post(
        [
          ("client_id", "com.example.second"), ("client_secret", otherSecret), ("grant_type", "authorization_code"),
          ("code", foreign), ("redirect_uri", uri.text),
        ], to: fixture.service.tokenURL))
    #expect(response.body == Array(Self.invalidGrant.utf8))
    let late = try await code()
    clock.move(to: Fixture.now + 301)
    #expect(try await redeem(late, uri.text) == Self.invalidGrant)
  }

  @Test func `N29 a native code with a redirect URI added`() async throws {
    let standIn = try fixture.standIn()
    let code = try #require(await standIn.nativeCode(clientID: Fixture.clientID, user: fixture.user, nonce: "n"))
    let fields = [("grant_type", "authorization_code"), ("code", code)]
    #expect(
      try await send(fields + [("redirect_uri", "https://www.example.com/apple/callback")], to: standIn).1
        == Self.invalidGrant)
    #expect(try await send(fields, to: standIn).0 == 200)
  }

  @Test func `N30 a JSON body, a duplicate field, missing and unknown grants`() async throws {
    let standIn = try fixture.standIn()
    let json = HTTPRequestValue(
      method: "POST", url: fixture.service.tokenURL,
      headers: HTTPHeaderFields(known: [("Content-Type", "application/json")]),
      body: Array("{}".utf8))
    #expect(await standIn.token(json).body == Array(#"{"error":"invalid_request"}"#.utf8))
    let twice = HTTPRequestValue(
      method: "POST", url: fixture.service.tokenURL,
      headers: HTTPHeaderFields(known: [("Content-Type", "application/x-www-form-urlencoded")]),
      body: Array("code=a&code=b".utf8))
    #expect(await standIn.token(twice).body == Array(#"{"error":"invalid_request"}"#.utf8))
    #expect(try await send([], to: standIn).1 == #"{"error":"invalid_request"}"#)
    #expect(try await send([("grant_type", "authorization_code")], to: standIn).1 == #"{"error":"invalid_request"}"#)
    #expect(try await send([("grant_type", "refresh_token")], to: standIn).1 == #"{"error":"invalid_request"}"#)
    #expect(try await send([("grant_type", "password")], to: standIn).1 == #"{"error":"unsupported_grant_type"}"#)
  }

  @Test func `N31 a refresh token that was revoked`() async throws {
    let standIn = try fixture.standIn()
    let client = AppleSignInClient(
      clientID: Fixture.clientID, redirectURI: try fixture.redirectURI(), signer: try fixture.signer(),
      transport: { await standIn.handle($0) })
    let start = try await client.begin()
    let answer = await standIn.authorize(start.url, decision: .approve(fixture.user))
    guard
      case .signedIn(let signIn) = try await client.finish(
        #require(answer.callback), handle: start.handle, keepingUser: { _ in })
    else {
      Issue.record("cancelled")
      return
    }
    let refreshToken = try #require(signIn.tokens.refreshToken)
    #expect(try await client.refresh(refreshToken).tokens.refreshToken == nil)
    try await client.revoke(refreshToken, type: .refreshToken)
    let error = try #require(await failure { _ = try await client.refresh(refreshToken) })
    #expect(error.name == "invalid_grant")
    #expect(AppleTokenRecovery(after: error, grant: .refreshToken) == .signInRevoked)
    try await client.revoke(refreshToken, type: nil)
  }
}
