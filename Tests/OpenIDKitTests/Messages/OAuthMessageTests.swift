import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// Revocation, introspection, pushed authorization requests and logout, both sides.
@Suite struct OAuthMessageTests {
  private static let endpoint = "https://op.example.com/endpoint"

  private static let authenticate: @Sendable (HTTPRequestValue, FormFields) async throws -> AuthenticatedClient? = {
    _, form in
    form.values("client_secret").first == "s3cret"
      ? form.values("client_id").first.map { AuthenticatedClient(id: $0) } : nil
  }

  private static func post(_ form: FormFields) -> HTTPRequestValue { .post(form, to: endpoint) }

  private static func client(
    _ answer: @escaping @Sendable (HTTPRequestValue) async throws -> HTTPResponseValue
  ) -> OAuthClient {
    OAuthClient(clientID: "app-a", authentication: .secretInForm("s3cret"), transport: answer)
  }

  private func answers(_ status: Int, _ body: String, _ headers: [(String, String)] = []) throws -> OAuthClient {
    let response = HTTPResponseValue(status: status, headers: try HTTPHeaderFields(headers), body: Array(body.utf8))
    return Self.client { _ in response }
  }

  /// What is wrong with any request, whatever the endpoint.
  private static func wrongRequests(_ good: FormFields) -> [(HTTPRequestValue, Int, String)] {
    var get = post(good)
    get.method = "GET"
    var json = post(good)
    try? json.headers.set("Content-Type", "application/json")
    var twice = good
    twice.append("client_id", "app-a")
    var stranger = FormFields(good.fields.filter { $0.name != "client_secret" }.map { ($0.name, $0.value) })
    stranger.append("client_secret", "wrong")
    var broken = post(good)
    broken.body = Array("token=%zz&client_id=app-a&client_secret=s3cret".utf8)
    return [
      (get, 400, "invalid_request"), (json, 400, "invalid_request"), (post(twice), 400, "invalid_request"),
      (broken, 400, "invalid_request"), (post(stranger), 401, "invalid_client"),
      (
        post(FormFields(good.fields.filter { $0.name != "client_id" }.map { ($0.name, $0.value) })), 401,
        "invalid_client"
      ),
    ]
  }

  private static func expect(
    _ response: HTTPResponseValue, _ status: Int, _ error: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(response.status == status, sourceLocation: sourceLocation)
    #expect(try JSONObject(parsing: response.body)["error"]?.stringValue == error, sourceLocation: sourceLocation)
    #expect(response.headers.values("Cache-Control") == ["no-store"], sourceLocation: sourceLocation)
  }

  // MARK: Revocation

  @Test func `a client revokes its own refresh token, and what is unknown or over is answered alike`() async throws {
    let provider = try Provider()
    let others = Mutex<[String]>([])
    let endpoint = OAuthRevocationEndpoint(service: provider.service, authenticate: Self.authenticate) {
      request, client in
      others.withLock { $0.append("\(client.id) \(request.token) \(request.hint?.description ?? "-")") }
    }
    let token = try await provider.issue()
    let client = Self.client { await endpoint.respond(to: $0) }
    let stranger = OAuthClient(clientID: "app-b", authentication: .secretInForm("s3cret")) {
      await endpoint.respond(to: $0)
    }
    // Another client's is refused, and stays good (RFC 7009 §2.1): no reuse, no alarm.
    for hint in [.refreshToken, nil] as [TokenTypeHint?] {
      let refusal = await failure {
        try await stranger.revoke(RevocationRequest(token: token, hint: hint), at: Self.endpoint)
      }
      #expect(refusal?.code == .configuration && refusal?.name == "invalid_grant")
    }
    #expect(try await provider.family(token)?.status == .active && provider.log.kinds.isEmpty)
    // A wrong hint is none.
    try await client.revoke(RevocationRequest(token: token, hint: .accessToken), at: Self.endpoint)
    #expect(try await provider.isRevoked(token, .revokedByClient))
    try await client.revoke(RevocationRequest(token: token), at: Self.endpoint)
    // What is over is nobody's any more.
    try await stranger.revoke(RevocationRequest(token: token), at: Self.endpoint)
    let expired = try await provider.issue()
    provider.clock.advance(91 * 86_400)
    for client in [client, stranger] { try await client.revoke(RevocationRequest(token: expired), at: Self.endpoint) }
    try await client.revoke(RevocationRequest(token: "other", hint: TokenTypeHint("device_secret")), at: Self.endpoint)
    #expect(others.withLock { $0 } == ["app-a other device_secret"])
    let response = await endpoint.respond(
      to: Self.post(["token": "x", "client_id": "app-a", "client_secret": "s3cret"]))
    #expect(response.status == 200 && response.body.isEmpty && response.headers.values("Content-Type").isEmpty)
  }

  @Test func `revocations that are refused`() async throws {
    let provider = try Provider()
    let token = try await provider.issue()
    let endpoint = OAuthRevocationEndpoint(service: provider.service, authenticate: Self.authenticate)
    let good: FormFields = ["token": token, "client_id": "app-a", "client_secret": "s3cret"]
    for (request, status, error) in Self.wrongRequests(good) {
      try Self.expect(await endpoint.respond(to: request), status, error)
    }
    for text in ["", String(repeating: "t", count: 32 * 1024 + 1)] {
      let response = await endpoint.respond(
        to: Self.post(["token": text, "client_id": "app-a", "client_secret": "s3cret"]))
      try Self.expect(response, 400, "invalid_request")
    }
    #expect(try await provider.family(token)?.status == .active)
    struct Down: Error {}
    let failing = OAuthRevocationEndpoint(service: provider.service, authenticate: Self.authenticate) { _, _ in
      throw Down()
    }
    let response = await failing.respond(
      to: Self.post(["token": "x", "client_id": "app-a", "client_secret": "s3cret"]))
    try Self.expect(response, 503, "temporarily_unavailable")
  }

  @Test func `each response to a revocation means success, wrong configuration or a retry`() async throws {
    let cases: [(Int, String, ErrorCode?, String?)] = [
      (200, "", nil, nil), (200, "<html>", nil, nil),
      (400, #"{"error":"unsupported_token_type"}"#, .configuration, "unsupported_token_type"),
      (401, #"{"error":"invalid_client"}"#, .configuration, "invalid_client"),
      (400, #"{"error":"made_up"}"#, .configuration, nil), (400, "<html>", .temporarilyUnavailable, nil),
      (400, #"{"error":"made up"}"#, .temporarilyUnavailable, nil),
      (503, "", .temporarilyUnavailable, nil), (429, #"{"error":"slow_down"}"#, .temporarilyUnavailable, nil),
      (302, "", .temporarilyUnavailable, nil), (500, #"{"error":"server_error"}"#, .temporarilyUnavailable, nil),
    ]
    for (status, body, code, name) in cases {
      let client = try answers(status, body, [("Retry-After", "7")])
      let error = await failure { try await client.revoke(RevocationRequest(token: "t"), at: Self.endpoint) }
      #expect(error?.code == code && error?.name == name)
      #expect(code != .temporarilyUnavailable || error?.retryAfter == .seconds(7))
    }
    struct Down: Error {}
    let down = Self.client { _ in throw Down() }
    let error = await failure { try await down.revoke(RevocationRequest(token: "t"), at: Self.endpoint) }
    #expect(error?.code == .temporarilyUnavailable)
  }

  // MARK: Introspection

  @Test func `a resource server learns what a token is good for`() async throws {
    let endpoint = OAuthIntrospectionEndpoint(authenticate: Self.authenticate) { request, _ in
      guard request.token == "at-1" else { return nil }
      var answer = IntrospectionResponse.active
      answer.scope = ["openid", "email"]
      answer.clientID = "app-a"
      answer.username = "alice"
      answer.tokenType = "DPoP"
      answer.subject = "u1"
      answer.issuer = "https://op.example.com"
      answer.tokenID = "1"
      answer.audience = ["https://api.example", "https://b.example"]
      answer.expiration = NumericDate(2000)
      answer.issuedAt = NumericDate(1000)
      answer.notBefore = NumericDate(1500)
      answer.keyThumbprint = "thumb"
      (answer.authenticationContext, answer.authenticationTime) = ("gold", NumericDate(900))
      return answer
    }
    let client = Self.client { await endpoint.respond(to: $0) }
    let answer = try await client.introspect(IntrospectionRequest(token: "at-1"), at: Self.endpoint)
    #expect(answer.isActive && answer.scope == ["openid", "email"] && answer.audience.count == 2)
    #expect(answer == (try IntrospectionResponse(parsing: answer.jsonObject.serialized())))
    #expect(answer.keyThumbprint == "thumb" && answer.subject == "u1")
    #expect(answer.authenticationContext == "gold" && answer.authenticationTime == NumericDate(900))
    let moments = [1499, 1500, 1999, 2000].map { answer.isGood(at: NumericDate($0)) }
    #expect(moments == [false, true, true, false])
    let unknown = await endpoint.respond(
      to: Self.post(["token": "x", "client_id": "app-a", "client_secret": "s3cret"]))
    #expect(unknown.status == 200 && String(decoding: unknown.body, as: UTF8.self) == #"{"active":false}"#)
    let good: FormFields = ["token": "at-1", "client_id": "app-a", "client_secret": "s3cret"]
    for (request, status, error) in Self.wrongRequests(good) {
      try Self.expect(await endpoint.respond(to: request), status, error)
    }
    #expect(!"\(answer)".contains("u1"))
  }

  @Test func `an inactive introspection response has no other members`() throws {
    let body = #"{"active":false,"sub":"u1","exp":99999999999,"scope":1}"#
    let answer = try IntrospectionResponse(parsing: body.utf8)
    #expect(answer == .inactive && !answer.isGood(at: NumericDate(0)))
    #expect(answer.jsonObject == ["active": false])
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"active":"true"}"#, #"{"active":1}"#, #"{"active":true,"active":false}"#,
    #"{"active":true,"exp":"2000"}"#,
    #"{"active":true,"exp":null}"#, #"{"active":true,"exp":1e400}"#, #"{"active":true,"nbf":[]}"#,
    #"{"active":true,"scope":[]}"#,
    #"{"active":true,"sub":1}"#, #"{"active":true,"aud":{}}"#, #"{"active":true,"aud":["a",1]}"#,
    #"{"active":true,"cnf":"x"}"#,
    #"{"active":true,"cnf":{"jkt":1}}"#, #"{"active":true}x"#, "\u{FEFF}{}",
  ]) func `a malformed introspection response is refused`(body: String) async throws {
    let client = try answers(200, body)
    let error = await failure {
      _ = try await client.introspect(IntrospectionRequest(token: "t"), at: Self.endpoint)
    }
    #expect(error?.code == .answerMalformed)
  }

  // MARK: Pushed authorization requests

  private static let parameters: FormFields = [
    "response_type": "code", "redirect_uri": "https://app.example/cb", "scope": "openid", "state": "s",
    "code_challenge": "c", "code_challenge_method": "S256", "resource": "https://a.example",
  ]

  private static func pushing(_ clock: VirtualClock) throws -> PushedAuthorizationEndpoint {
    try PushedAuthorizationEndpoint(clock: clock.wall, authenticate: authenticate) { form, _ in
      guard form.values("redirect_uri") == ["https://app.example/cb"] else {
        throw OpenIDError(.invalidRequest, "not registered", name: "redirect_uri")
      }
    }
  }

  @Test func `a request is pushed, and its reference serves one browser once`() async throws {
    let clock = VirtualClock()
    let endpoint = try Self.pushing(clock)
    let client = Self.client { await endpoint.respond(to: $0) }
    let pushed = try await client.push(Self.parameters, to: Self.endpoint)
    #expect(pushed.expiresIn == .seconds(60) && pushed.requestURI.hasPrefix("urn:ietf:params:oauth:request_uri:"))
    let url = try pushed.url(of: "https://op.example.com/authorize?tenant=1")
    let reference = try #require(URIComponents(parsing: url).query).utf8
    #expect(try FormFields(decoding: Array(reference)).fields.map(\.name) == ["tenant", "client_id", "request_uri"])
    #expect(try await endpoint.take(pushed.requestURI, clientID: "app-a")?.values("state") == ["s"])
    #expect(try await endpoint.take(pushed.requestURI, clientID: "app-a") == nil)
    // What proves the client is no part of the request.
    let second = try await client.push(Self.parameters, to: Self.endpoint)
    let taken = try #require(try await endpoint.take(second.requestURI, clientID: "app-a"))
    #expect(taken.values("client_secret").isEmpty && taken.values("client_id") == ["app-a"])
    #expect(second.requestURI != pushed.requestURI)
    // Another client's reference gives nothing, and stays.
    let third = try await client.push(Self.parameters, to: Self.endpoint)
    #expect(try await endpoint.take(third.requestURI, clientID: "app-b") == nil)
    #expect(try await endpoint.take(third.requestURI, clientID: "app-a") != nil)
    let late = try await client.push(Self.parameters, to: Self.endpoint)
    clock.advance(60)
    #expect(try await endpoint.take(late.requestURI, clientID: "app-a") == nil)
    for other in ["", "https://evil.example/request", "urn:ietf:params:oauth:request_uri:", late.requestURI + "x"] {
      #expect(try await endpoint.take(other, clientID: "app-a") == nil)
    }
    #expect(!"\(pushed)".contains(pushed.requestURI))
  }

  @Test func `a quota limits the pushed requests of one client`() async throws {
    let clock = VirtualClock()
    var endpoint = try Self.pushing(clock)
    endpoint.quota = 2
    func push(_ client: String) async -> Int {
      var form = Self.parameters
      form.append("client_id", client)
      form.append("client_secret", "s3cret")
      return await endpoint.respond(to: Self.post(form)).status
    }
    var statuses: [Int] = []
    for client in ["app-a", "app-a", "app-a", "app-b"] { statuses.append(await push(client)) }
    #expect(statuses == [201, 201, 503, 201])
    clock.advance(60)
    #expect(await push("app-a") == 201)
  }

  @Test func `a proof beside a pushed request binds its code to the key`() async throws {
    let endpoint = try PushedAuthorizationEndpoint(authenticate: { _, _ in
      AuthenticatedClient(id: "app-a", confirmation: "k")
    }) { _, _ in }
    let cases: [(named: String?, status: Int)] = [(nil, 201), ("", 201), ("k", 201), ("other", 400)]
    for (named, status) in cases {
      var form = Self.parameters
      if let named { form.append("dpop_jkt", named) }
      let response = await endpoint.respond(to: Self.post(form))
      #expect(response.status == status)
      guard status == 201 else { continue }
      let reference = try JSONObject(parsing: response.body).string("request_uri")
      let taken = try await endpoint.take(reference, clientID: "app-a")
      #expect(taken?.values("dpop_jkt").filter { !$0.isEmpty } == ["k"])
    }
  }

  @Test func `pushed requests that are refused`() async throws {
    let endpoint = try Self.pushing(VirtualClock())
    var good = Self.parameters
    good.append("client_id", "app-a")
    good.append("client_secret", "s3cret")
    for (request, status, error) in Self.wrongRequests(good) {
      try Self.expect(await endpoint.respond(to: request), status, error)
    }
    var nested = good
    nested.append("request_uri", "urn:ietf:params:oauth:request_uri:x")
    try Self.expect(await endpoint.respond(to: Self.post(nested)), 400, "invalid_request")
    let elsewhere: FormFields = [
      "client_id": "app-a", "client_secret": "s3cret", "redirect_uri": "https://evil.example/cb",
    ]
    try Self.expect(await endpoint.respond(to: Self.post(elsewhere)), 400, "invalid_request")
    var several = good
    several.append("resource", "https://b.example")
    #expect(await endpoint.respond(to: Self.post(several)).status == 201)
    let client = Self.client { await endpoint.respond(to: $0) }
    let error = await failure {
      _ = try await client.push(["request_uri": "urn:x"], to: Self.endpoint)
    }
    #expect(error?.code == .invalidRequest)
    #expect(throws: OpenIDError(.settingInvalid, "", name: "lifetime")) {
      try PushedAuthorizationEndpoint(lifetime: .seconds(3600), authenticate: Self.authenticate) { _, _ in }
    }
  }

  @Test(arguments: [
    "", "{}", #"{"request_uri":"","expires_in":60}"#, #"{"request_uri":"urn:x"}"#,
    #"{"request_uri":"urn:x","expires_in":0}"#,
    #"{"request_uri":"urn:x","expires_in":-1}"#, #"{"request_uri":"urn:x","expires_in":"60 s"}"#,
    #"{"request_uri":1,"expires_in":60}"#,
    #"{"request_uri":"urn:x y","expires_in":60}"#, #"{"request_uri":"urn:\r\nx","expires_in":60}"#,
  ]) func `a malformed response to a pushed request is refused`(body: String) async throws {
    let client = try answers(201, body)
    let error = await failure { _ = try await client.push(Self.parameters, to: Self.endpoint) }
    #expect(error?.code == .answerMalformed)
  }

  @Test func `a stored request is read as it was written`() throws {
    let record = PushedAuthorizationRecord(
      parameters: ["a": "1 +&=\u{E9}", "resource": "x", "resource": "y", "": ""], clientID: "app")
    #expect(try PushedAuthorizationRecord(parsing: record.serialized()) == record)
    for text in [
      "", "{}", #"{"version":2,"parameters":[],"client":"a"}"#, #"{"version":1,"parameters":"","client":"a"}"#,
      #"{"version":1,"parameters":[["a"]],"client":"a"}"#, #"{"version":1,"parameters":[["a",1]],"client":"a"}"#,
      #"{"version":1,"parameters":[["a","b"]]}"#,
    ] {
      #expect(throws: OpenIDError(.recordMalformed, "")) { try PushedAuthorizationRecord(parsing: text.utf8) }
    }
  }

  // MARK: Logout

  private static let address = "https://app.example/bye?tenant=1"

  private static let signer = Result { try SigningKey.generate(.es256, keyID: "k") }
  private static let now = NumericDate(1_760_000_000)

  private func policy() throws -> LogoutPolicy {
    let published = JWKSet([try #require(Self.signer.get().verificationKey.publicJWK)])
    return LogoutPolicy(
      issuer: "https://op.example.com", keys: published, algorithms: [.es256], clock: .fixed(at: Self.now)
    ) { clientID in
      clientID == "app-a" || clientID == "app-b" ? [Self.address] : nil
    }
  }

  /// An ID token that has expired long ago, unless it is changed.
  private static func hint(
    _ subject: String = "u1", session: String? = "s1", audience: JSONValue? = "app-a", type: String? = "JWT",
    key: SigningKey? = nil, changing changes: [String: JSONValue?] = [:]
  ) throws -> String {
    var claims: JSONObject = [
      "iss": "https://op.example.com", "sub": .string(subject), "iat": 1_700_000_000,
      "exp": 1_700_000_300, "nonce": "n", "auth_time": 1_700_000_000,
    ]
    claims["aud"] = audience
    if let session { claims["sid"] = .string(session) }
    for (name, value) in changes { claims[name] = value }
    return try JWT.sign(claims, with: key ?? signer.get(), type: type)
  }

  @Test func `a logout travels by address or by form, and its answer is told from others`() throws {
    let request = LogoutRequest(
      idTokenHint: "a.b.c", logoutHint: "alice@example.com", clientID: "app-a", postLogoutRedirectURI: Self.address,
      state: "x&y=1", uiLocales: ["de", "en"])
    let url = try request.url(of: "https://op.example.com/logout?a=b")
    for read in [
      try LogoutRequest(HTTPRequestValue(method: "GET", url: url + "#f")),
      try LogoutRequest(.post(request.form, to: "https://op.example.com/logout")),
    ] {
      #expect(read.idTokenHint == "a.b.c" && read.logoutHint == "alice@example.com" && read.clientID == "app-a")
      #expect(read.postLogoutRedirectURI == Self.address && read.state == "x&y=1" && read.uiLocales == ["de", "en"])
    }
    #expect(request.isAnswered(by: Self.address + "&state=x%26y%3D1"))
    let logout = "https://op.example.com/logout?"
    for query in ["state=s&flag", "&&state=s", "%E4&state=s", "state=s&client_id=&client_id=", "state=s&ui_locales"] {
      #expect(try LogoutRequest(HTTPRequestValue(method: "GET", url: logout + query)).state == "s")
      var posted = HTTPRequestValue.post([:], to: logout)
      posted.body = Array(query.utf8)
      #expect(try LogoutRequest(posted).state == "s")
    }
    for query in ["state=%E4", "id_token_hint=%", "state=s&state=s", "x=1&x=2"] {
      #expect(throws: OpenIDError(.invalidRequest, "")) {
        try LogoutRequest(HTTPRequestValue(method: "GET", url: logout + query))
      }
    }
    for other in [
      Self.address, Self.address + "&state=x", Self.address + "?state=x%26y%3D1",
      "https://evil.example/?state=x%26y%3D1",
      Self.address + "&state=x%26y%3D1&state=x%26y%3D1", Self.address + "x&state=x%26y%3D1",
      Self.address + "&state=%zz",
    ] {
      #expect(!request.isAnswered(by: other))
    }
    #expect(try LogoutRequest().url(of: "https://op.example.com/logout") == "https://op.example.com/logout")
    #expect(throws: OpenIDError(.settingInvalid, "", name: "end_session_endpoint")) {
      try LogoutRequest().url(of: "no URL")
    }
    #expect(!"\(request)".contains("a.b.c"))
  }

  @Test func `what a provider does with a logout`() async throws {
    let here = LogoutPolicy.BrowserSession(subject: "u1", sessionID: "s1")
    let back = Self.address + "&state=st"
    let (hint, noSession) = (try Self.hint(), try Self.hint(session: nil))
    let (otherSession, otherUser) = (try Self.hint(session: "s0"), try Self.hint("u2"))
    let both = try Self.hint(audience: ["app-b", "app-a"])
    let madeForB = try Self.hint(audience: ["app-b", "app-a"], changing: ["azp": "app-b"])
    let madeForOther = try Self.hint(changing: ["azp": "app-b"])
    let plain = LogoutRequest(postLogoutRedirectURI: Self.address, state: "st")
    func request(_ change: (inout LogoutRequest) -> Void) -> LogoutRequest {
      var request = plain
      change(&request)
      return request
    }
    let cases: [(LogoutRequest, LogoutPolicy.BrowserSession?, LogoutPolicy.Decision)] = [
      (request { $0.idTokenHint = hint }, here, .logOut(redirect: back)),
      (request { $0.idTokenHint = noSession }, here, .logOut(redirect: back)),
      (request { $0.idTokenHint = otherSession }, here, .ask(redirect: back)),
      (request { $0.idTokenHint = otherUser }, here, .nothingToEnd(redirect: back)),
      (request { $0.idTokenHint = hint }, nil, .nothingToEnd(redirect: back)),
      (request { $0.clientID = "app-a" }, here, .ask(redirect: back)),
      (
        request {
          ($0.idTokenHint, $0.clientID) = (both, "app-a")
        }, here, .logOut(redirect: back)
      ),
      (request { $0.idTokenHint = madeForB }, here, .logOut(redirect: back)),
      (LogoutRequest(), here, .ask(redirect: nil)),
      (LogoutRequest(idTokenHint: hint), here, .logOut(redirect: nil)),
      (LogoutRequest(clientID: "app-a", postLogoutRedirectURI: Self.address), here, .ask(redirect: Self.address)),
    ]
    for (request, session, decision) in cases {
      #expect(try await policy().decide(request, session: session) == decision)
    }
    let refused: [(LogoutRequest, String)] = [
      (plain, "post_logout_redirect_uri"), (request { $0.clientID = "app-c" }, "post_logout_redirect_uri"),
      (
        request {
          $0.clientID = "app-a"; $0.postLogoutRedirectURI = "https://evil.example/"
        }, "post_logout_redirect_uri"
      ),
      (
        request {
          $0.clientID = "app-a"; $0.postLogoutRedirectURI = Self.address + "&x=y"
        }, "post_logout_redirect_uri"
      ),
      (request { $0.idTokenHint = "forged" }, "id_token_hint"),
      (
        request {
          ($0.idTokenHint, $0.clientID) = (hint, "app-b")
        }, "client_id"
      ),
      (request { $0.idTokenHint = both }, "id_token_hint"),
      (request { $0.idTokenHint = madeForOther }, "id_token_hint"),
      (
        request {
          ($0.idTokenHint, $0.clientID) = (madeForB, "app-a")
        }, "client_id"
      ),
      (
        request {
          ($0.idTokenHint, $0.clientID) = (madeForOther, "app-a")
        }, "client_id"
      ),
    ]
    for (request, name) in refused {
      let error = await failure { _ = try await policy().decide(request, session: here) }
      #expect(error?.code == .invalidRequest && error?.name == name)
    }
  }

  /// What the provider's key signs too, or what its ID tokens are not.
  private static let foreignTokens: [(String, @Sendable () throws -> String)] = [
    ("another key's", { try hint(key: .generate(.es256, keyID: "k")) }),
    ("another issuer's", { try hint(changing: ["iss": "https://op.example.com/"]) }),
    ("without issuer", { try hint(changing: ["iss": nil]) }),
    ("an access token", { try hint(type: "at+jwt") }),
    ("an access token without type", { try hint(type: nil, changing: ["scope": "openid", "client_id": "app-a"]) }),
    ("an access token for an API", { try hint(audience: "https://api.example.com") }),
    ("a logout token", { try hint(type: "logout+jwt", changing: ["events": [:], "jti": "j"]) }),
    ("a logout token without type", { try hint(type: nil, changing: ["events": [:], "jti": "j", "nonce": nil]) }),
    ("a security event", { try hint(type: "secevent+jwt") }),
    (
      "an introspection",
      { try hint(type: "token-introspection+jwt", changing: ["token_introspection": ["active": true]]) }
    ),
    ("without subject", { try hint(changing: ["sub": nil]) }), ("with an empty subject", { try hint("") }),
    ("without audience", { try hint(audience: nil) }), ("without end", { try hint(changing: ["exp": nil]) }),
    ("from the future", { try hint(changing: ["iat": 1_760_000_900]) }),
    ("a client's that is gone", { try hint(audience: "app-c") }),
    ("several clients', without the one that asked", { try hint(audience: ["app-a", "app-b"]) }),
    ("a stranger's by azp", { try hint(audience: ["app-a", "app-b"], changing: ["azp": "app-c"]) }),
  ]

  @Test(arguments: foreignTokens.indices)
  func `a hint is an ID token of this provider for one of its clients`(_ index: Int) async throws {
    let token = try Self.foreignTokens[index].1()
    let here = LogoutPolicy.BrowserSession(subject: "u1", sessionID: "s1")
    let error = await failure { _ = try await policy().decide(LogoutRequest(idTokenHint: token), session: here) }
    #expect(error?.code == .invalidRequest && error?.name == "id_token_hint", "\(Self.foreignTokens[index].0)")
  }

  @Test func `a hint may be of several clients, and of any age`() async throws {
    let here = LogoutPolicy.BrowserSession(subject: "u1", sessionID: "s1")
    for token in [
      try Self.hint(type: nil), try Self.hint(audience: ["app-a", "app-b"], changing: ["azp": "app-b"]),
      try Self.hint(changing: ["exp": 1]),
      try Self.hint(changing: ["exp": 1_760_000_300, "iat": 1_760_000_000]),
      // Of another machine, whose clock is ahead.
      try Self.hint(changing: ["exp": 1_760_000_300, "iat": 1_760_000_002]),
    ] {
      #expect(
        try await policy().decide(LogoutRequest(idTokenHint: token), session: here) == .logOut(redirect: nil))
    }
  }

  @Test func `a malformed logout request is refused`() async throws {
    let long = String(repeating: "x", count: 16 * 1024 + 1)
    let form = try HTTPHeaderFields([("Content-Type", "application/x-www-form-urlencoded")])
    for request in [
      HTTPRequestValue(method: "PUT", url: "https://op.example.com/logout"),
      HTTPRequestValue(method: "GET", url: "https://op.example.com/logout?state=a&state=b"),
      HTTPRequestValue(method: "GET", url: "https://op.example.com/logout?state=%zz"),
      HTTPRequestValue(method: "GET", url: "https://op.example.com/logout?id_token_hint=" + long),
      HTTPRequestValue(method: "POST", url: "https://op.example.com/logout", body: Array("state=a".utf8)),
      HTTPRequestValue(
        method: "POST", url: "https://op.example.com/logout", headers: form, body: Array("state=\u{FF}".utf8)),
    ] {
      #expect(await failure { _ = try LogoutRequest(request) }?.code == .invalidRequest)
    }
    let empty = HTTPRequestValue(method: "GET", url: "https://op.example.com/logout?id_token_hint=&state=")
    #expect(try LogoutRequest(empty).idTokenHint == nil)
    let noise = HTTPRequestValue(method: "POST", url: "https://op.example.com/logout", headers: form, body: [0xFF])
    #expect(try LogoutRequest(noise).form.fields.isEmpty)
  }
}
