import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// The form of OAuth 2.0: client and endpoint, alone and together.
@Suite struct OAuthTests {
  static func attempt(_ token: String = "rt", scope: String? = nil) -> RefreshAttempt {
    RefreshAttempt(
      refreshToken: token, scope: scope, dpopNonce: nil, attemptNumber: 0, loginID: "l", generation: 1)
  }

  static let answers: [(status: Int, body: String, expected: String)] = [
    (200, #"{"access_token":"a","token_type":"bearer","expires_in":3600}"#, "tokens"),
    (200, #"{"access_token":"a","token_type":"bearer"}"#, "tokens"), (200, #"{"access_token":"a"}"#, "unusableAnswer"),
    (200, "{}", "unusableAnswer"), (200, #"{"access_token":7,"token_type":"bearer"}"#, "unusableAnswer"),
    (200, #"{"access_token":"a","access_token":"b","token_type":"bearer"}"#, "noAnswer"), (200, "", "noAnswer"),
    (200, "<html>", "noAnswer"), (201, #"{"access_token":"a","token_type":"bearer"}"#, "tokens"), (204, "", "noAnswer"),
    (302, "", "noAnswer"),
    (400, #"{"error":"invalid_grant"}"#, "invalidGrant"), (400, #"{"error":"invalid_scope"}"#, "invalidScope"),
    (400, #"{"error":"invalid_client"}"#, "misconfigured"), (401, #"{"error":"invalid_client"}"#, "misconfigured"),
    (400, #"{"error":"unauthorized_client"}"#, "misconfigured"),
    (400, #"{"error":"invalid_request"}"#, "misconfigured"),
    (400, #"{"error":"unsupported_grant_type"}"#, "misconfigured"), (400, #"{"error":"new_error"}"#, "misconfigured"),
    (400, #"{"error":"login_required"}"#, "loginRequired"),
    (400, #"{"error":"interaction_required"}"#, "loginRequired"),
    (400, #"{"error":"slow_down"}"#, "serverBusy"), (400, #"{"error":"temporarily_unavailable"}"#, "serverBusy"),
    (503, #"{"error":"temporarily_unavailable"}"#, "serverBusy"), (500, #"{"error":"server_error"}"#, "serverBusy"),
    (429, "", "serverBusy"), (400, "", "unusableAnswer"), (400, #"{"error":"use_dpop_nonce"}"#, "misconfigured"),
    (408, "", "noAnswer"), (425, "", "noAnswer"), (500, "", "noAnswer"), (502, "<html>", "noAnswer"),
    (503, "", "noAnswer"), (504, "", "noAnswer"), (500, #"{"error":"invalid_grant"}"#, "noAnswer"),
    (404, "<html>", "unusableAnswer"), (404, #"{"error":"invalid_client"}"#, "misconfigured"),
    (429, #"{"error":"invalid_grant"}"#, "serverBusy"),
  ]

  @Test(arguments: answers.indices) func `each token response means tokens or a certain failure`(_ index: Int) {
    let (status, body, expected) = Self.answers[index]
    let outcome = RefreshOutcome(of: HTTPResponseValue(status: status, body: Array(body.utf8)))
    switch outcome {
    case .tokens: #expect(expected == "tokens")
    case .failed(let failure): #expect(failure.description == expected)
    }
  }

  @Test func `an unusable answer's refresh token is not lost`() {
    let body = #"{"token_type":"bearer","refresh_token":"r2"}"#
    guard
      case .failed(let failure) = RefreshOutcome(of: HTTPResponseValue(status: 200, body: Array(body.utf8)))
    else { Issue.record("tokens"); return }
    #expect(failure.newRefreshToken == "r2")
  }

  @Test func `Retry-After and DPoP-Nonce are read from an error response`() throws {
    var headers = HTTPHeaderFields()
    try headers.append("Retry-After", "7")
    try headers.append("DPoP-Nonce", "n")
    guard case .failed(let busy) = RefreshOutcome(of: .init(status: 503, headers: headers)),
      case .failed(let nonce) = RefreshOutcome(
        of: .init(status: 400, headers: headers, body: Array(#"{"error":"use_dpop_nonce"}"#.utf8)))
    else { Issue.record("tokens"); return }
    #expect(busy.retryAfter == .seconds(7) && nonce.kind == .dpopNonceRequired("n"))
    headers.remove("DPoP-Nonce")
    try headers.append("DPoP-Nonce", String(repeating: "n", count: 1025))
    guard
      case .failed(let long) = RefreshOutcome(
        of: .init(status: 400, headers: headers, body: Array(#"{"error":"use_dpop_nonce"}"#.utf8)))
    else { Issue.record("tokens"); return }
    #expect(long.kind == .misconfigured("use_dpop_nonce"))
  }

  @Test func `requests prove who the client is in each way`() async throws {
    let sent = Mutex<[HTTPRequestValue]>([])
    let ways: [ClientAuthentication] = [
      .none, .secretInForm("s c"), .basic("s c"), .fields { [("client_assertion", "j")] },
    ]
    for way in ways {
      let refresher = OAuthTokenRefresher(
        tokenEndpoint: "https://op.example.com/token", clientID: "app a", authentication: way,
        revocationEndpoint: "https://op.example.com/revoke"
      ) { request in
        sent.withLock { $0.append(request) }
        return HTTPResponseValue(status: 200)
      }
      _ = await refresher.refresh(Self.attempt(scope: "a b"))
      await refresher.revoke(refreshToken: "rt")
    }
    let bodies = sent.withLock { $0.map { String(decoding: $0.body, as: UTF8.self) } }
    let common = "grant_type=refresh_token&refresh_token=rt&scope=a+b"
    #expect(
      bodies[0] == common + "&client_id=app+a" && bodies[1] == "token=rt&token_type_hint=refresh_token&client_id=app+a")
    #expect(bodies[2] == common + "&client_id=app+a&client_secret=s+c" && bodies[4] == common)
    #expect(sent.withLock { $0[4].headers.values("Authorization") } == ["Basic YXBwJTIwYTpzJTIwYw=="])
    #expect(bodies[6] == common + "&client_id=app+a&client_assertion=j")
  }

  @Test func `a request that was not sent is told from one without an answer`() async {
    struct Reset: Error {}
    for (error, expected) in [(RequestNotSent(), .notSent), (Reset(), .noAnswer)]
      as [(any Error & Sendable, RefreshFailure.Kind)]
    {
      let refresher = OAuthTokenRefresher(tokenEndpoint: "https://op.example.com/token", clientID: "a") { _ in
        throw error
      }
      guard case .failed(let failure) = await refresher.refresh(Self.attempt()) else { Issue.record("tokens"); return }
      #expect(failure.kind == expected)
    }
  }

  // MARK: Endpoint

  static func endpoint(_ provider: Provider) -> TokenEndpoint {
    TokenEndpoint(grants: [
      .refreshToken(provider.service) { grant, _ in
        TokenAnswer(accessToken: "at-\(grant.generation)")
      }
    ]) { _, fields in
      fields.values("client_id").first.map { AuthenticatedClient(id: $0) }
    }
  }

  private func post(_ body: String, type: String = "application/x-www-form-urlencoded") throws -> HTTPRequestValue {
    HTTPRequestValue(
      method: "POST", url: "https://op.example.com/token", headers: try HTTPHeaderFields([("Content-Type", type)]),
      body: Array(body.utf8))
  }

  @Test func `the printed exchange`() async throws {
    let provider = try Provider()
    let token = try await provider.issue()
    let response = await Self.endpoint(provider).respond(
      to: try post("grant_type=refresh_token&client_id=app-a&refresh_token=\(token)"))
    let object = try JSONObject(parsing: response.body)
    #expect(response.status == 200 && response.headers.values("Cache-Control") == ["no-store"])
    #expect(object["access_token"] == "at-2" && object["token_type"] == "Bearer" && object["expires_in"] == 3600)
    #expect(object["scope"] == "openid profile" && object["refresh_token"]?.stringValue?.hasPrefix("rt1.") == true)
  }

  @Test func `requests that are refused`() async throws {
    let provider = try Provider()
    let token = try await provider.issue()
    let endpoint = Self.endpoint(provider)
    let good = "grant_type=refresh_token&client_id=app-a&refresh_token=\(token)"
    var get = try post(good)
    get.method = "GET"
    let cases: [(HTTPRequestValue, Int, String)] = [
      (get, 400, "invalid_request"), (try post("{}", type: "application/json"), 400, "invalid_request"),
      (try post(good + "&client_id=app-b"), 400, "invalid_request"),
      (try post("grant_type=refresh_token&refresh_token=\(token)"), 401, "invalid_client"),
      (try post("client_id=app-a&refresh_token=\(token)"), 400, "invalid_request"),
      (try post("grant_type=password&client_id=app-a"), 400, "unsupported_grant_type"),
      (try post("grant_type=refresh_token&client_id=app-a"), 400, "invalid_request"),
      (try post("grant_type=refresh_token&client_id=app-a&refresh_token=x"), 400, "invalid_grant"),
      (try post(good + "&scope=admin"), 400, "invalid_scope"),
      (try post(good + "&resource=https%3A%2F%2Fother.example"), 400, "invalid_target"),
    ]
    for (request, status, error) in cases {
      let response = await endpoint.respond(to: request)
      let object = try JSONObject(parsing: response.body)
      #expect(response.status == status && object["error"]?.stringValue == error)
      #expect(object["access_token"] == nil && object["refresh_token"] == nil)
    }
    #expect(try await provider.family(token)?.generation == 1)
  }

  @Test func `unknown and reused tokens get the same answer`() async throws {
    let provider = try Provider()
    let token = try await provider.issue()
    _ = try await provider.redeem(token)
    provider.clock.advance(60)
    let endpoint = Self.endpoint(provider)
    let reused = await endpoint.respond(to: try post("grant_type=refresh_token&client_id=app-a&refresh_token=\(token)"))
    let unknown = await endpoint.respond(to: try post("grant_type=refresh_token&client_id=app-a&refresh_token=x"))
    #expect(reused == unknown)
  }

  @Test(arguments: [200, 201]) func `manager and endpoint together, for a year`(_ status: Int) async throws {
    let clock = VirtualClock()
    let provider = try Provider(clock: clock)
    let endpoint = Self.endpoint(provider)
    let refresher = OAuthTokenRefresher(tokenEndpoint: "https://op.example.com/token", clientID: "app-a") {
      var response = await endpoint.respond(to: $0)
      if response.status == 200 { response.status = status }
      return response
    }
    let manager = try TokenManager(
      store: MemorySecretStore(), refresher: refresher, settings: Client.settings, clock: clock.tokenClock)
    try await manager.logIn(
      TokenAnswer(accessToken: "at-1", expiresIn: .seconds(3600), refreshToken: try await provider.issue()))
    for round in 2...200 {
      clock.advance(3500)
      #expect(try await manager.validToken().value == "at-\(round)")
    }
    #expect(provider.log.reuses == 0)
  }

  // MARK: What servers and clients meet in production

  @Test func `a client database that is down is the server's fault, and clients come again`() async throws {
    struct Down: Error {}
    let provider = try Provider()
    let token = try await provider.issue()
    let endpoint = TokenEndpoint(grants: [
      .refreshToken(provider.service) { _, _ in
        TokenAnswer(accessToken: "at")
      }
    ]) { _, _ in
      throw Down()
    }
    let response = await endpoint.respond(
      to: try post("grant_type=refresh_token&client_id=app-a&refresh_token=\(token)"))
    #expect(response.status == 503)
    guard case .failed(let failure) = RefreshOutcome(of: response) else { return }
    #expect(failure.kind == .serverBusy)
  }

  @Test func `several resources, an empty scope, and the fields of a refusal`() async throws {
    let provider = try Provider()
    let resources = ["https://a.example", "https://b.example"]
    let token = try await provider.issue(
      RefreshGrant(subject: "alice", clientID: "app-a", scope: ["openid"], resources: resources))
    let made = Mutex<[RefreshedGrant]>([])
    let endpoint = TokenEndpoint(grants: [
      .refreshToken(provider.service) { grant, _ in
        made.withLock { $0.append(grant) }
        return TokenAnswer(accessToken: "at")
      }
    ]) { _, fields in
      fields.values("client_id").first.map { AuthenticatedClient(id: $0) }
    }
    let form = "grant_type=refresh_token&client_id=app-a&refresh_token=\(token)"
    let both = "&resource=https%3A%2F%2Fa.example&resource=https%3A%2F%2Fb.example"
    let response = await endpoint.respond(to: try post(form + both + "&scope="))
    #expect(response.status == 200 && response.headers.values("Pragma") == ["no-cache"])
    #expect(made.withLock { $0.map(\.resources) } == [resources] && made.withLock { $0.map(\.scope) } == [["openid"]])
    #expect(await endpoint.respond(to: try post(form + "&scope=openid&scope=openid")).status == 400)
    let stranger = await endpoint.respond(to: try post("grant_type=refresh_token&refresh_token=\(token)"))
    #expect(stranger.status == 401)
  }

  @Test func `further members are answered, and never with an error`() async throws {
    let provider = try Provider()
    let answer = Mutex(TokenAnswer(accessToken: "at"))
    let presented = Mutex<[String]>([])
    let endpoint = TokenEndpoint(grants: [
      .refreshToken(provider.service) { grant, request in
        presented.withLock { $0 += request.form.values("device_secret") }
        return answer.withLock { $0 }
      }
    ]) { _, fields in
      fields.values("client_id").first.map { AuthenticatedClient(id: $0) }
    }
    var token = try await provider.issue()
    let cases: [(idToken: String?, secret: String?)] = [("it", "ds-1"), ("it", nil), (nil, nil)]
    for (idToken, secret) in cases {
      answer.withLock {
        $0 = TokenAnswer(accessToken: "at", idToken: idToken)
        if let secret { $0.additionalMembers["device_secret"] = .string(secret) }
        // What the service knows is not for others to say.
        $0.additionalMembers["refresh_token"] = "another"
      }
      let response = await endpoint.respond(
        to: try post("grant_type=refresh_token&client_id=app-a&refresh_token=\(token)&device_secret=garbage%20%C3%A4"))
      let object = try JSONObject(parsing: response.body)
      #expect(response.status == 200 && response.headers.values("Cache-Control") == ["no-store"])
      #expect(object["device_secret"]?.stringValue == secret)
      #expect(object["id_token"]?.stringValue == idToken)
      token = try #require(object["refresh_token"]?.stringValue)
    }
    // What the client presents reaches whoever makes the tokens, as it came.
    #expect(presented.withLock { $0 } == Array(repeating: "garbage ä", count: 3))
    let refused = await endpoint.respond(
      to: try post("grant_type=refresh_token&client_id=app-b&refresh_token=\(token)&device_secret=ds"))
    #expect(try JSONObject(parsing: refused.body)["device_secret"] == nil && refused.status == 400)
    let twice = "grant_type=refresh_token&client_id=app-a&refresh_token=\(token)&device_secret=a&device_secret=b"
    #expect(await endpoint.respond(to: try post(twice)).status == 400)
    #expect(presented.withLock { $0.count } == 3)
  }

  @Test func `a parameter without a value is one that is absent`() async throws {
    let provider = try Provider()
    let token = try await provider.issue()
    for form in [
      "grant_type=&client_id=app-a&refresh_token=\(token)", "grant_type=refresh_token&client_id=app-a&refresh_token=",
    ] {
      let response = await Self.endpoint(provider).respond(to: try post(form))
      #expect(try JSONObject(parsing: response.body)["error"] == "invalid_request")
    }
  }

  @Test func `Retry-After as a date, by the server's clock`() throws {
    var headers = try HTTPHeaderFields([("Retry-After", "Fri, 27 Feb 2026 23:59:59 GMT")])
    #expect(headers.retryAfter(now: NumericDate(1_772_236_789)) == .seconds(10))
    try headers.append("Date", "Fri, 27 Feb 2026 23:59:39 GMT")
    #expect(headers.retryAfter(now: NumericDate(0)) == .seconds(20))
    // All three forms (RFC 9110 §5.6.7), by the clock of 2026: two digits of a year are at most 50 years ahead.
    let now = NumericDate(1_772_236_789)
    for (text, seconds) in [
      ("Sun, 06 Nov 2026 08:49:37 GMT", 1_793_954_977), ("Sunday, 06-Nov-26 08:49:37 GMT", 1_793_954_977),
      ("Sun Nov  6 08:49:37 2026", 1_793_954_977), ("Mon Nov 16 08:49:37 2026", 1_794_818_977),
      ("Sunday, 06-Nov-75 08:49:37 GMT", 3_340_255_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sunday, 06-Nov-77 08:49:37 GMT", 247_654_177), ("Sunday, 26-Feb-76 08:49:37 GMT", 3_349_932_577),
    ] {
      let pause = max(0, Double(seconds) - now.secondsSince1970)
      #expect(
        try HTTPHeaderFields([("Retry-After", text)]).retryAfter(now: now) == Duration(saturating: pause), "\(text)")
    }
    for text in [
      "Sunday, 06-Nov-94 08:49:37", "Sun Nov 6 08:49:37 2026 GMT", "Sunn Nov  6 08:49:37 2026",
      "Sun Nov   6 08:49:37 2026",
      "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "",
    ] {
      #expect(try HTTPHeaderFields([("Retry-After", text)]).retryAfter(now: now) == nil, "\(text)")
    }
    for text in ["soon", "Fri, 27 Foo 2026 23:59:59 GMT", "-1", "Fri, 27 Feb 2026 24:59:59 GMT"] {
      #expect(try HTTPHeaderFields([("Retry-After", text)]).retryAfter(now: NumericDate(0)) == nil)
    }
  }

  @Test func `an access token that no header field takes is refused`() {
    for token in ["a\\r\\nX: y", "a\\u0000", "ä"] {
      let body = #"{"access_token":"\#(token)","token_type":"Bearer","refresh_token":"r2"}"#
      guard case .failed(let failure) = RefreshOutcome(of: .init(status: 200, body: Array(body.utf8)))
      else { Issue.record("tokens"); continue }
      #expect(failure.kind == .unusableAnswer && failure.newRefreshToken == "r2")
    }
  }

  @Test func `DPoP: each request has a proof, with the server's latest nonce`() async throws {
    let key = try SigningKey.generate(.es256)
    let proofs = Mutex<[JSONObject]>([])
    let refresher = OAuthTokenRefresher(
      tokenEndpoint: "https://op.example.com/token", clientID: "a", proofKey: key
    ) { request in
      let proof = try JSONObject(
        parsing: try UnverifiedJWS(parsing: request.headers.values("DPoP").first ?? "").unverifiedPayload)
      let number = proofs.withLock { proofs in
        proofs.append(proof)
        return proofs.count
      }
      let isWanted = proof["nonce"]?.stringValue == "n1"
      return HTTPResponseValue(
        status: isWanted ? 200 : 400, headers: try HTTPHeaderFields([("DPoP-Nonce", isWanted ? "n2" : "n1")]),
        body: Array(
          (isWanted
            ? #"{"access_token":"at-\#(number)","token_type":"DPoP","refresh_token":"rt-\#(number)"}"#
            : #"{"error":"use_dpop_nonce"}"#).utf8))
    }
    let manager = try TokenManager(
      store: MemorySecretStore(), refresher: refresher, settings: Client.settings, clock: VirtualClock().tokenClock)
    try await manager.logIn(TokenAnswer(accessToken: "at", expiresIn: .seconds(5), refreshToken: "rt"))
    #expect(try await manager.validToken().value == "at-2")
    _ = await refresher.refresh(Self.attempt())
    #expect(proofs.withLock { $0.map { $0["nonce"]?.stringValue } } == [nil, "n1", "n2"])
    #expect(proofs.withLock { $0.allSatisfy { $0["htu"] == "https://op.example.com/token" } })
  }

  @Test func `no description shows a secret`() {
    var text = ""
    dump(ClientAuthentication.basic("s3cr3t"), to: &text)
    dump(ClientAuthentication.secretInForm("s3cr3t"), to: &text)
    dump(TokenAnswer(accessToken: "s3cr3t", idToken: "s3cr3t"), to: &text)
    text += "\(ClientAuthentication.basic("s3cr3t"))"
    #expect(!text.contains("s3cr3t"))
  }
}
