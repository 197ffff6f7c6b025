import JOSE
import StrictJSON
import Testing

@testable import OpenIDKit

/// A login by authorization code, from the browser's departure to tokens that renew themselves.
@Suite struct OpenIDClientTests {
  static let redirectURI = "https://site.example.com/callback"

  static func client(
    _ provider: StandInProvider, redirectURI: String = OpenIDClientTests.redirectURI,
    authentication: ClientAuthentication = .none, binding: OpenIDClient.TokenBinding = .none,
    algorithms: [SignatureAlgorithm] = [.es256]
  ) async throws -> OpenIDClient {
    try OpenIDClient(
      clientID: "site", redirectURI: redirectURI,
      provider: try await .discover(provider.issuer, transport: provider.transport), algorithms: algorithms,
      scopes: ["profile"], authentication: authentication, binding: binding, clock: provider.clock.tokenClock,
      transport: provider.transport)
  }

  @Test(arguments: [false, true], [false, true])
  func `a user logs in`(_ pushes: Bool, _ isBound: Bool) async throws {
    let provider = try StandInProvider(pushes: pushes)
    let client = try await Self.client(provider, binding: isBound ? .freshKey : .none)
    let (pending, url) = try await client.begin()
    let login = try await client.finish(pending, redirect: try provider.authorize(url))
    #expect(login.subject == "alice" && login.sessionID == "s1")
    #expect(login.claims["auth_time"] != nil && login.idToken == login.tokens.idToken)
    #expect(try await login.manager.validToken().value == "at-1")
    #expect(try await login.manager.validToken().type == (isBound ? "DPoP" : "Bearer"))
    #expect((login.proofKey != nil) == isBound)
    #expect(provider.sent(to: "/par").count == (pushes ? 1 : 0))
  }

  /// A callback as it was registered, how a browser, an operating system or a framework writes it, and whether that is
  /// the same.
  static let callbacks: [(String, String, Bool)] = [
    ("https://site.example.com/callback", "HTTPS://Site.Example.COM/callback", true),
    ("https://Site.example.com/callback", "https://site.example.com/callback", true),
    ("https://site.example.com/callback", "https://site.example.com:443/callback", true),
    ("https://site.example.com:443/callback", "https://site.example.com/callback", true),
    ("https://site.example.com:8443/callback", "https://site.example.com/callback", false),
    ("https://site.example.com/callback", "https://site.example.com:80/callback", false),
    ("https://site.example.com", "https://site.example.com/", true),
    ("https://site.example.com/", "https://site.example.com", true),
    ("https://site.example.com?a=1", "https://site.example.com/?a=1", true),
    ("https://site.example.com/callback?A=1", "https://SITE.example.com/callback?A=1", true),
    ("https://site.example.com/callback?A=1", "https://site.example.com/callback?a=1", false),
    ("https://site.example.com/a", "https://site.example.com/a/", false),
    ("https://site.example.com/a", "https://site.example.com/A", false),
    ("https://site.example.com/%61", "https://site.example.com/a", false),
    ("https://site.example.com/a%2fb", "https://site.example.com/a%2Fb", false),
    ("https://u@site.example.com/a", "https://U@site.example.com/a", false),
    ("https://site.example.com/a", "https://site.example.com.evil.example/a", false),
    ("https://site.example.com/a", "https://evil.example/https://site.example.com/a", false),
    ("https://\u{212A}.example.com/a", "https://k.example.com/a", false),
    ("http://127.0.0.1:80/cb", "http://127.0.0.1/cb", true), ("http://127.0.0.1:443/cb", "http://127.0.0.1/cb", false),
    ("http://[::1]:49152/cb", "HTTP://[::1]:49152/cb", true), ("http://[::1]:49152/cb", "http://[::1]:49153/cb", false),
    ("com.Example.App:/callback", "com.example.app:/callback", true),
    ("com.example.app:/callback", "com.example.app:/Callback", false),
    ("com.example.app:/callback", "com.example.app:/callback/", false),
    ("com.example.app:/callback", "com.example.app://callback", false),
    ("com.example.app://Callback", "com.example.app://callback", true),
    ("com.example.app://callback", "com.example.app://callback/", true),
    ("com.example.app://callback:443", "com.example.app://callback", false),
    ("com.example.app://callback/x", "COM.example.app://callback/x", true),
  ]

  @Test(arguments: callbacks)
  func `a callback matches its redirect URI in the form in which browsers write it`(
    _ address: String, _ written: String, _ isSame: Bool
  ) throws {
    let separator = address.contains("?") ? "&" : "?"
    let request = AuthorizationResponse.Request(
      state: "s", redirectURI: address, issuer: "https://op.example.com", requiresIssuer: true)
    let answer = separator + "code=c&state=s&iss=https%3A%2F%2Fop.example.com"
    #expect(try AuthorizationResponse(redirect: address + answer, answering: request).code == "c")
    let read = Result { () throws(AuthorizationResponse.Fault) in
      try AuthorizationResponse(redirect: written + answer, answering: request).code
    }
    #expect((try? read.get()) == (isSame ? "c" : nil))
    var logout = LogoutRequest(postLogoutRedirectURI: address)
    #expect(logout.isAnswered(by: address) && logout.isAnswered(by: written) == isSame)
    logout.state = "s"
    #expect(logout.isAnswered(by: address + separator + "state=s"))
    #expect(logout.isAnswered(by: written + separator + "state=s&flag") == isSame)
    #expect(!logout.isAnswered(by: written + separator + "state=S"))
  }

  @Test(arguments: [
    "&flag", "&&", "&%E4", "&%E4=1", "&error_description=%E4", "&x=%zz", "&session_state=", "&a|b=c|d", "&x=\"1\"",
  ])
  func `what a browser's extension or a proxy adds to a callback is no reason to refuse it`(_ more: String) async throws
  {
    let provider = try StandInProvider()
    let client = try await Self.client(provider)
    let (pending, url) = try await client.begin()
    let redirect = try provider.authorize(url) + more
    #expect(try await client.finish(pending, redirect: redirect).subject == "alice")
  }

  @Test(arguments: ["&error=%E4", "&code=%", "&code", "&state", "&iss=%zz", "&iss"])
  func `a callback with a malformed or duplicate parameter of OAuth is refused`(_ more: String) async throws {
    let provider = try StandInProvider()
    let client = try await Self.client(provider)
    let (pending, url) = try await client.begin()
    let redirect = try provider.authorize(url)
    #expect(await failure { _ = try await client.finish(pending, redirect: redirect + more) }?.code == .redirectInvalid)
    #expect(try await client.finish(pending, redirect: redirect).subject == "alice")
  }

  @Test(arguments: [false, true])
  func `an authorization request has the parameters of OpenID Connect and fresh values`(_ isBound: Bool) async throws {
    let provider = try StandInProvider()
    let client = try await Self.client(provider, binding: isBound ? .freshKey : .none)
    let (first, second) = (
      try await client.begin(maximumAge: .zero), try await client.begin(parameters: ["prompt": "login"])
    )
    let asked = try provider.parameters(of: first.url)
    #expect(
      asked.fields.map(\.name) == [
        "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "max_age",
      ] + (isBound ? ["dpop_jkt"] : []))
    #expect(asked.values("response_type") == ["code"] && asked.values("scope") == ["openid profile"])
    #expect(asked.values("redirect_uri") == [Self.redirectURI] && asked.values("client_id") == ["site"])
    #expect(asked.values("code_challenge_method") == ["S256"] && asked.values("max_age") == ["0"])
    let other = try provider.parameters(of: second.url)
    #expect(other.values("prompt") == ["login"] && other.values("max_age").isEmpty)
    for name in ["state", "nonce", "code_challenge"] + (isBound ? ["dpop_jkt"] : []) {
      let values = [try asked.requiredValue(name), try other.requiredValue(name)]
      #expect(values[0] != values[1] && values.allSatisfy { $0.utf8.count == 43 }, "\(name)")
    }
    #expect(Set([try asked.requiredValue("state"), try asked.requiredValue("nonce")]).count == 2)
  }

  @Test(arguments: [
    "client_id", "response_type", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
    "max_age", "response_mode", "request", "request_uri", "dpop_jkt", "client_secret", "client_assertion",
    "client_assertion_type",
  ])
  func `an additional parameter replaces nothing`(_ name: String) async throws {
    let client = try await Self.client(try StandInProvider())
    let error = await #expect(throws: OpenIDError.self) {
      try await client.begin(parameters: FormFields([(name, "x")]))
    }
    #expect(error?.code == .settingInvalid && error?.name == name)
  }

  @Test func `each way of proving who the client is`() async throws {
    let key = try SigningKey.generate(.es256, keyID: "c1")
    let ways: [(ClientAuthentication, (HTTPRequestValue, FormFields) throws -> Bool)] = [
      (.none, { $1.values("client_id") == ["site"] && $0.headers.values("Authorization").isEmpty }),
      (.basic("s3cret"), { request, _ in request.headers.values("Authorization") == ["Basic c2l0ZTpzM2NyZXQ="] }),
      (
        .privateKeyJWT(key, clientID: "site", audience: "https://op.example.com"),
        { _, form in
          let policy = JWTPolicy.clientAssertion(clientID: "site", audience: ["https://op.example.com"])
          _ = try JWTVerifier(key: key.verificationKey, policy: policy).verify(form.requiredValue("client_assertion"))
          return form.values("client_assertion_type") == ["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"]
        }
      ),
    ]
    for (way, isRight) in ways {
      let provider = try StandInProvider(pushes: true)
      let client = try await Self.client(provider, authentication: way)
      let (pending, url) = try await client.begin()
      _ = try await client.finish(pending, redirect: try provider.authorize(url))
      for path in ["/par", "/token"] {
        let request = try #require(provider.sent(to: path).first)
        #expect(try isRight(request, try request.form()), "\(way) \(path)")
      }
    }
  }

  @Test func `the login is one that renews itself, with the same key, and is revoked at the end`() async throws {
    let provider = try StandInProvider()
    let client = try await Self.client(provider, binding: .freshKey)
    let (pending, url) = try await client.begin()
    let login = try await client.finish(pending, redirect: try provider.authorize(url))
    provider.clock.advance(3500)
    #expect(try await login.manager.validToken().value == "at-2")
    let proofs = try provider.sent(to: "/token").map { try thumbprint($0) }
    let own = try login.proofKey?.thumbprint()
    #expect(proofs == [own, own] && own != nil)
    await login.manager.logOut()
    #expect(try provider.sent(to: "/revoke").first?.form().values("token") == ["rt-2"])
  }

  private func thumbprint(_ request: HTTPRequestValue) throws -> String? {
    try StandInProvider.thumbprint(ofProof: #require(request.headers.values("DPoP").first))
  }

  @Test func `a refresh's ID token is checked against the login's`() async throws {
    let provider = try StandInProvider()
    let client = try await Self.client(provider)
    let (pending, url) = try await client.begin()
    let login = try await client.finish(pending, redirect: try provider.authorize(url))
    provider.fail { $0.claims = ["sub": "mallory"] }
    provider.clock.advance(3500)
    let error = await #expect(throws: OpenIDError.self) {
      provider.clock.advance(200)
      _ = try await login.manager.validToken()
    }
    #expect(error?.logoutReason == .identityTokenInvalid || error?.code == .identityTokenInvalid)
  }

  @Test func `a login at a provider of this machine goes to its end`() async throws {
    let provider = try StandInProvider("http://127.0.0.1:8080")
    let metadata = try await OpenIDProviderMetadata.discover(
      provider.issuer, plainHTTP: .loopback, transport: provider.transport)
    let client = try OpenIDClient(
      clientID: "site", redirectURI: "http://127.0.0.1:8081/callback", provider: metadata, algorithms: [.es256],
      clock: provider.clock.tokenClock, transport: provider.transport)
    let (pending, url) = try await client.begin()
    let login = try await client.finish(pending, redirect: try provider.authorize(url))
    #expect(try await login.userInfo()["name"]?.stringValue == "Alice")
  }

  @Test func `userinfo of another subject or without a subject is refused`() async throws {
    let provider = try StandInProvider()
    let client = try await Self.client(provider, binding: .freshKey)
    let (pending, url) = try await client.begin()
    let login = try await client.finish(pending, redirect: try provider.authorize(url))
    #expect(try await login.userInfo()["name"]?.stringValue == "Alice")
    let request = try #require(provider.sent(to: "/userinfo").first)
    #expect(request.headers.values("Authorization") == ["DPoP at-1"] && request.headers.values("DPoP").count == 1)
    let wrong: [(Int, String, ErrorCode, String?)] = [
      (200, #"{"sub":"mallory"}"#, .answerMalformed, "sub"), (200, "{}", .answerMalformed, "sub"),
      (200, #"{"sub":["alice"]}"#, .answerMalformed, "sub"), (200, "a.b.c", .answerMalformed, "sub"),
      (500, "", .temporarilyUnavailable, nil), (302, "", .temporarilyUnavailable, nil),
      (403, #"{"error":"insufficient_scope"}"#, .configuration, "insufficient_scope"),
    ]
    for (status, body, code, name) in wrong {
      provider.fail { $0.userInfo = HTTPResponseValue(status: status, body: Array(body.utf8)) }
      await #expect(throws: OpenIDError(code, "", name: name)) { try await login.userInfo() }
    }
    let poor = try OpenIDProviderMetadata(
      issuer: provider.issuer, authorizationEndpoint: provider.issuer + "/authorize",
      tokenEndpoint: provider.issuer + "/token", keySetURL: provider.issuer + "/jwks")
    let other = try OpenIDClient(
      clientID: "site", redirectURI: Self.redirectURI, provider: poor, algorithms: [.es256],
      clock: provider.clock.tokenClock, transport: provider.transport)
    let (again, place) = try await other.begin()
    let bare = try await other.finish(again, redirect: try provider.authorize(place))
    await #expect(throws: OpenIDError(.settingInvalid, "", name: "userinfo_endpoint")) {
      try await bare.userInfo()
    }
  }

  @Test func `how long ago the user may have logged in is asked for in whole seconds, rounded down`() async throws {
    let provider = try StandInProvider()
    let client = try await Self.client(provider)
    let longest = Duration.seconds(Int64.max)
    for (age, text) in [(Duration.milliseconds(60_999), "60"), (.milliseconds(1), "0"), (longest, "9007199254740992")] {
      let (_, url) = try await client.begin(maximumAge: age)
      #expect(try provider.parameters(of: url).values("max_age") == [text])
    }
    for age in [Duration.milliseconds(-1), .seconds(-60), .seconds(-1e20)] {
      await #expect(throws: OpenIDError(.settingInvalid, "", name: "max_age")) {
        try await client.begin(maximumAge: age)
      }
    }
  }

  @Test func `another process finishes what one has begun, and goes on with the tokens`() async throws {
    let provider = try StandInProvider()
    let client = try await Self.client(provider, binding: .freshKey)
    let (pending, url) = try await client.begin(maximumAge: .seconds(600))
    let stored = pending.serialized()
    let other = try await Self.client(provider, binding: .freshKey)
    let store = MemorySecretStore()
    let login = try await other.finish(
      .init(parsing: stored), redirect: try provider.authorize(url), store: store)
    let manager = try client.manager(store: store, proofKey: login.proofKey)
    #expect(try await manager.validToken().value == "at-1")
    provider.clock.advance(3500)
    #expect(try await manager.validToken().value == "at-2")
    #expect(throws: OpenIDError(.settingInvalid, "", name: "proofKey")) { try client.manager(store: store) }
  }

  @Test func `a key of the client's own is not stored with the login`() async throws {
    let provider = try StandInProvider()
    let client = try await Self.client(provider, binding: .key(.generate(.es256)))
    let (pending, url) = try await client.begin()
    #expect(try JSONObject(parsing: pending.serialized())["proofKey"] == nil)
    let login = try await client.finish(pending, redirect: try provider.authorize(url))
    #expect(login.proofKey == nil)
    #expect(try await login.manager.validToken().type == "DPoP")
  }

  @Test func `a nonce that the token endpoint wants in the proof is given once`() async throws {
    let provider = try StandInProvider()
    provider.fail { $0.nonces = 1 }
    let client = try await Self.client(provider, binding: .freshKey)
    let (pending, url) = try await client.begin()
    let login = try await client.finish(pending, redirect: try provider.authorize(url))
    #expect(provider.sent(to: "/token").count == 2 && login.subject == "alice")
  }

  @Test(arguments: [
    ("https://site.example.com/callback", "https://site.example.com"),
    ("https://site.example.com/callback?op=1", "https://site.example.com"),
    ("https://site.example.com/callback", ""), ("com.example.app:/callback?op=1", ""),
    ("com.example.app:/callback", "com.example.app:"), ("http://127.0.0.1:49152/", "http://127.0.0.1:49152"),
  ])
  func `the redirect may be what a server sees of it, and have a query of its own`(
    _ address: String, _ unseen: String
  ) async throws {
    let provider = try StandInProvider()
    let client = try await Self.client(provider, redirectURI: address)
    let (pending, url) = try await client.begin()
    let redirect = try provider.authorize(url)
    #expect(redirect.hasPrefix(address) && redirect.hasPrefix(unseen))
    #expect(
      try await client.finish(pending, redirect: String(redirect.dropFirst(unseen.count))).subject == "alice")
  }

  @Test(arguments: ["clientID", "redirectURI", "algorithms", "loginLifetime", "provider", "scopes"])
  func `settings that make no sense are refused`(_ name: String) throws {
    var provider = try OpenIDProviderMetadata(
      issuer: "https://op.example.com", authorizationEndpoint: "https://op.example.com/authorize",
      tokenEndpoint: "https://op.example.com/token", keySetURL: "https://op.example.com/jwks")
    provider.requiresPushedRequests = name == "provider"
    let error = #expect(throws: OpenIDError.self) {
      try OpenIDClient(
        clientID: name == "clientID" ? "" : "site", redirectURI: name == "redirectURI" ? "/callback" : Self.redirectURI,
        provider: provider, algorithms: name == "algorithms" ? [] : [.es256],
        scopes: name == "scopes" ? ["a b"] : [], loginLifetime: .seconds(name == "loginLifetime" ? 86_401 : 600),
        transport: { _ in HTTPResponseValue(status: 500) })
    }
    #expect(error?.code == .settingInvalid && error?.name == name)
  }

  // MARK: Discovery

  private static let wrongMembers: [(String, JSONValue?)] = [
    ("issuer", "https://evil.example.com"), ("issuer", nil), ("jwks_uri", nil),
    ("jwks_uri", "http://op.example.com/jwks"),
    ("authorization_endpoint", nil), ("authorization_endpoint", "http://op.example.com/authorize"),
    ("authorization_endpoint", "https://op.example.com/#f"), ("token_endpoint", nil),
    ("token_endpoint", "https://u:p@op.example.com/token"), ("token_endpoint", 7), ("token_endpoint", "token"),
  ]

  @Test(arguments: wrongMembers.indices) func `a discovery document that is wrong is refused`(_ index: Int) throws {
    let (name, value) = Self.wrongMembers[index]
    var document = try StandInProvider().document
    document[name] = value
    let error = #expect(throws: OpenIDError.self) {
      try OpenIDProviderMetadata(parsing: document.serialized(), issuer: "https://op.example.com")
    }
    #expect(error?.code == .metadataInvalid && error?.name == name)
  }

  @Test func `an endpoint that a client can do without is absent if it is wrong`() throws {
    var document = try StandInProvider(pushes: true).document
    document["revocation_endpoint"] = "http://op.example.com/revoke"
    document["pushed_authorization_request_endpoint"] = "par"
    document["userinfo_endpoint"] = ["https://op.example.com/"]
    document["end_session_endpoint"] = "javascript:alert(1)"
    let metadata = try OpenIDProviderMetadata(parsing: document.serialized(), issuer: "https://op.example.com")
    #expect(metadata.revocationEndpoint == nil && metadata.pushedAuthorizationEndpoint == nil)
    #expect(metadata.userInfoEndpoint == nil && metadata.endSessionEndpoint == nil)
    // Where the provider demands pushed requests, the client can't do without.
    document["require_pushed_authorization_requests"] = true
    let required = try OpenIDProviderMetadata(parsing: document.serialized(), issuer: "https://op.example.com")
    #expect(throws: OpenIDError(.settingInvalid, "", name: "provider")) {
      try OpenIDClient(
        clientID: "app", redirectURI: "https://app.example.com/cb", provider: required, algorithms: [.es256]
      ) { _ in HTTPResponseValue(status: 500) }
    }
  }

  @Test func `a discovery document says what there is, and a flag is true or it is not`() throws {
    var document = try StandInProvider(pushes: true).document
    var metadata = try OpenIDProviderMetadata(parsing: document.serialized(), issuer: "https://op.example.com")
    #expect(metadata.pushedAuthorizationEndpoint == "https://op.example.com/par" && metadata.announcesIssuerInResponse)
    #expect(metadata.endSessionEndpoint == "https://op.example.com/logout" && !metadata.requiresPushedRequests)
    document["authorization_response_iss_parameter_supported"] = "true"
    document["require_pushed_authorization_requests"] = true
    document["pushed_authorization_request_endpoint"] = nil
    metadata = try OpenIDProviderMetadata(parsing: document.serialized(), issuer: "https://op.example.com")
    #expect(!metadata.announcesIssuerInResponse && metadata.requiresPushedRequests)
    #expect(metadata.pushedAuthorizationEndpoint == nil)
  }

  @Test func `discovery fails if the provider is unreachable, redirects or isn't https`() async throws {
    let provider = try StandInProvider()
    await #expect(throws: OpenIDError(.temporarilyUnavailable, "")) {
      try await OpenIDProviderMetadata.discover(provider.issuer) { _ in HTTPResponseValue(status: 302) }
    }
    await #expect(throws: OpenIDError(.temporarilyUnavailable, "")) {
      try await OpenIDProviderMetadata.discover(provider.issuer) { _ in throw RequestNotSent() }
    }
    await #expect(throws: OpenIDError(.settingInvalid, "", name: "issuer")) {
      try await OpenIDProviderMetadata.discover("http://op.example.com", transport: provider.transport)
    }
    #expect(provider.sent.isEmpty)
  }
}
