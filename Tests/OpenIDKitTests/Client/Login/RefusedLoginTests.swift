import JOSE
import StrictJSON
import Testing

@testable import OpenIDKit

/// Every answer that is no login: no user is logged in, nothing is stored, and the error says what is wrong.
@Suite struct RefusedLoginTests {
  private let provider: StandInProvider
  private let client: OpenIDClient
  private let pending: OpenIDClient.PendingLogin
  private let url: String
  private let store = MemorySecretStore()

  init() async throws {
    provider = try StandInProvider()
    client = try await OpenIDClientTests.client(provider)
    (pending, url) = try await client.begin(maximumAge: .seconds(3600))
  }

  /// Expects that a redirect logs nobody in.
  private func refuse(
    _ redirect: String, _ code: ErrorCode, _ name: String? = nil, by client: OpenIDClient? = nil,
    of pending: OpenIDClient.PendingLogin? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let (client, pending) = (client ?? self.client, pending ?? self.pending)
    let error = await #expect(throws: OpenIDError.self, sourceLocation: sourceLocation) {
      try await client.finish(pending, redirect: redirect, store: store)
    }
    #expect(error?.code == code && error?.name == name, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(try await TokenRecords(store).load() == nil, sourceLocation: sourceLocation)
  }

  /// Expects that the login can still be finished.
  private func finish(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let login = try await client.finish(pending, redirect: try provider.authorize(url), store: store)
    #expect(login.subject == "alice", sourceLocation: sourceLocation)
  }

  /// The right answer with one part changed: removed if there is no value, doubled if there are two.
  private func answer(_ name: String, _ values: String...) throws -> String {
    let redirect = try provider.authorize(url)
    let query = redirect.dropFirst(OpenIDClientTests.redirectURI.count + 1)
    var fields = FormFields(
      try FormFields(decoding: Array(query.utf8)).fields.filter { $0.name != name }.map { ($0.name, $0.value) })
    for value in values { fields.append(name, value) }
    return OpenIDClientTests.redirectURI + "?" + fields.encodedAsQuery()
  }

  // MARK: The redirect

  @Test func `a wrong state`() async throws {
    try await refuse(answer("state", pending.request.state + "x"), .redirectInvalid, "state")
    try await refuse(answer("state", String(pending.request.state.dropLast())), .redirectInvalid, "state")
    try await refuse(answer("state", ""), .redirectInvalid, "state")
    try await refuse(answer("state"), .redirectInvalid, "state")
    try await refuse(answer("state", pending.request.state, pending.request.state), .redirectInvalid, "state")
    try await finish()
  }

  @Test func `another browser's answer`() async throws {
    let (_, other) = try await client.begin()
    try await refuse(provider.authorize(other), .redirectInvalid, "state")
    #expect(provider.sent(to: "/token").isEmpty)
    try await finish()
  }

  @Test func `another issuer, be it beside the right one`() async throws {
    for issuer in ["https://evil.example.com", "https://op.example.com/", ""] {
      try await refuse(answer("iss", issuer), .redirectInvalid, "iss")
    }
    try await refuse(answer("iss", provider.issuer, "https://evil.example.com"), .redirectInvalid, "iss")
    #expect(provider.sent(to: "/token").isEmpty)
    try await finish()
  }

  @Test func `no issuer, from a provider that announces it`() async throws {
    try await refuse(answer("iss"), .redirectInvalid, "iss")
    try await finish()
  }

  @Test func `no issuer, from a provider that announces none, is no reason; another issuer is`() async throws {
    let provider = try StandInProvider(names: false)
    let client = try await OpenIDClientTests.client(provider)
    let (pending, url) = try await client.begin()
    let redirect = try provider.authorize(url)
    try await refuse(redirect + "&iss=https%3A%2F%2Fevil.example.com", .redirectInvalid, "iss", by: client, of: pending)
    #expect(try await client.finish(pending, redirect: redirect).subject == "alice")
  }

  /// Where no provider names itself, each has a redirect URI of its own, and an answer at another's is none.
  @Test func `an answer at the address of another provider's answers`() async throws {
    let provider = try StandInProvider(names: false)
    let client = try await OpenIDClientTests.client(provider, redirectURI: "https://site.example.com/callback/a")
    let (pending, url) = try await client.begin()
    let redirect = try provider.authorize(url)
    for other in ["/callback/b", "/callback/a/", "/callback", "/callback/ab"] {
      let there = redirect.replacing("/callback/a?", with: other + "?")
      try await refuse(there, .redirectInvalid, "state", by: client, of: pending)
      try await refuse(
        String(there.dropFirst("https://site.example.com".count)), .redirectInvalid, "state", by: client, of: pending)
    }
    try await refuse(
      redirect.replacing("site.example", with: "evil.example"), .redirectInvalid, "state", by: client, of: pending)
  }

  @Test func `a callback with two codes, without a code or with an empty one is refused`() async throws {
    try await refuse(answer("code", "code-1", "code-2"), .redirectInvalid, "code")
    try await refuse(answer("code"), .redirectInvalid, "code")
    try await refuse(answer("code", ""), .redirectInvalid, "code")
    // Whatever else is doubled.
    try await refuse(answer("session_state", "1", "2"), .redirectInvalid, "code")
    try await finish()
  }

  @Test(arguments: [
    ("access_denied", "access_denied"), ("login_required", "login_required"), ("secret-or-what-not", nil as String?),
    ("", nil),
  ])
  func `an error answer`(_ error: String, _ name: String?) async throws {
    // With a code beside it, too.
    try await refuse(answer("error", error), .authorizationRefused, name)
    #expect(provider.sent(to: "/token").isEmpty)
    // That was the answer: the login is over.
    try await refuse(provider.authorize(url), .loginOver)
  }

  @Test func `a text that is no redirect is refused`() async throws {
    for text in [
      "", "/", "?", "/callback", "/callback?", "/callback?state", "https://", "/callback?state=%zz", "\u{0}",
    ] {
      try await refuse(text, .redirectInvalid, "state")
    }
    try await finish()
  }

  // MARK: The pending login

  @Test func `a pending login used twice`() async throws {
    let redirect = try provider.authorize(url)
    _ = try await client.finish(pending, redirect: redirect)
    try await refuse(redirect, .loginOver)
    // Nor with another code, nor as it was stored.
    try await refuse(provider.authorize(url), .loginOver)
    try await refuse(provider.authorize(url), .loginOver, of: .init(parsing: pending.serialized()))
    #expect(provider.sent(to: "/token").count == 1)
  }

  @Test func `of two who finish it at once one does`() async throws {
    let redirects = [try provider.authorize(url), try provider.authorize(url)]
    let count = await withTaskGroup(of: Bool.self) { group in
      for redirect in redirects {
        group.addTask { (try? await client.finish(pending, redirect: redirect)) != nil }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(count == 1)
  }

  @Test func `a login that was begun too long ago`() async throws {
    provider.clock.advance(1800)
    try await refuse(provider.authorize(url), .loginOver)
    #expect(provider.sent(to: "/token").isEmpty)
  }

  @Test func `a pending login of another client or provider is refused`() async throws {
    let elsewhere = try StandInProvider("https://other.example.com")
    let other = try await OpenIDClientTests.client(elsewhere)
    try await refuse(provider.authorize(url), .settingInvalid, "pending", by: other)
    let namesake = try OpenIDClient(
      clientID: "other", redirectURI: OpenIDClientTests.redirectURI, provider: client.provider, algorithms: [.es256],
      clock: provider.clock.tokenClock, transport: provider.transport)
    try await refuse(provider.authorize(url), .settingInvalid, "pending", by: namesake)
  }

  @Test func `wrong settings are refused without using up the pending login`() async throws {
    let redirect = try provider.authorize(url)
    var settings = TokenSettings()
    settings.requestTimeout = .zero
    await #expect(throws: OpenIDError(.settingInvalid, "", name: "requestTimeout")) {
      try await client.finish(pending, redirect: redirect, settings: settings)
    }
    #expect(try await client.finish(pending, redirect: redirect).subject == "alice")
  }

  @Test func `a login that lost its key`() async throws {
    let bound = try await OpenIDClientTests.client(provider, binding: .freshKey)
    try await refuse(provider.authorize(url), .settingInvalid, "proofKey", by: bound)
  }

  // MARK: The ID token

  private static let wrongClaims: [(String, [String: JSONValue?])] = [
    ("nonce", ["nonce": "another"]), ("nonce", ["nonce": nil]), ("aud", ["aud": "other"]), ("aud", ["aud": nil]),
    ("aud", ["aud": ["site", "other"]]), ("azp", ["azp": "other"]), ("iss", ["iss": "https://evil.example.com"]),
    ("iss", ["iss": nil]), ("exp", ["exp": 1_759_999_940]), ("exp", ["exp": nil]), ("iat", ["iat": nil]),
    ("at_hash", ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"]), ("at_hash", ["at_hash": 7]), ("sub", ["sub": nil]),
    ("sub", ["sub": ""]), ("auth_time", ["auth_time": 1_759_996_000]), ("auth_time", ["auth_time": nil]),
    ("events", ["events": [:]]),
  ]

  @Test(arguments: wrongClaims.indices) func `a wrong claim`(_ index: Int) async throws {
    let (name, claims) = Self.wrongClaims[index]
    provider.fail { $0.claims = claims }
    try await refuse(provider.authorize(url), .identityTokenInvalid, name)
    // The code was redeemed: the login is over.
    try await refuse(provider.authorize(url), .loginOver)
  }

  @Test func `an algorithm that is not accepted`() async throws {
    let strict = try await OpenIDClientTests.client(provider, algorithms: [.rs256, .es384])
    let (pending, url) = try await strict.begin()
    try await refuse(provider.authorize(url), .identityTokenInvalid, "alg", by: strict, of: pending)
  }

  @Test(arguments: ["e30.e30.", "eyJhbGciOiJub25lIn0.e30.", "a.b.c", "a.b.c.d.e"])
  func `an ID token that is none`(_ text: String) async throws {
    provider.fail { $0.answer = ["id_token": .string(text)] }
    let redirect = try provider.authorize(url)
    let error = await #expect(throws: OpenIDError.self) { try await client.finish(pending, redirect: redirect) }
    #expect(error?.code == .identityTokenInvalid)
  }

  @Test func `a signature of another key`() async throws {
    let stranger = try SigningKey.generate(.es256, keyID: "k1")
    provider.fail { $0.signingKey = stranger }
    try await refuse(provider.authorize(url), .identityTokenInvalid)
  }

  @Test func `keys that can't be had`() async throws {
    provider.fail { $0.keySetStatus = 503 }
    try await refuse(provider.authorize(url), .temporarilyUnavailable)
  }

  // MARK: The token endpoint

  @Test func `no ID token`() async throws {
    for value: JSONValue? in [nil, .null, ""] {
      let (pending, url) = try await client.begin()
      provider.fail { $0.answer = ["id_token": value] }
      try await refuse(provider.authorize(url), .answerMalformed, "id_token", of: pending)
    }
  }

  private static let wrongAnswers: [(String, JSONValue?)] = [
    ("access_token", nil), ("access_token", ""), ("access_token", "a\nb"), ("access_token", 7), ("token_type", nil),
    ("token_type", "mac"), ("token_type", "N_A"), ("id_token", 7),
  ]

  @Test(arguments: wrongAnswers.indices) func `no tokens`(_ index: Int) async throws {
    let (name, value) = Self.wrongAnswers[index]
    provider.fail { $0.answer = [name: value] }
    try await refuse(provider.authorize(url), .answerMalformed)
  }

  @Test func `tokens of a type that wasn't asked for`() async throws {
    provider.fail { $0.answer = ["token_type": "DPoP"] }
    try await refuse(provider.authorize(url), .answerMalformed, "token_type")
  }

  @Test func `tokens that are not bound to the key`() async throws {
    let bound = try await OpenIDClientTests.client(provider, binding: .freshKey)
    let (pending, url) = try await bound.begin()
    provider.fail { $0.answer = ["token_type": "Bearer"] }
    try await refuse(provider.authorize(url), .answerMalformed, "token_type", by: bound, of: pending)
  }

  @Test(arguments: [
    (400, #"{"error":"invalid_grant"}"#, ErrorCode.invalidGrant, nil as String?),
    (401, #"{"error":"invalid_client"}"#, .configuration, "invalid_client"),
    (400, #"{"error":"invalid_scope"}"#, .configuration, "invalid_scope"),
    (400, #"{"error":"what-is-that"}"#, .configuration, nil),
    (400, #"{"error":"login_required"}"#, .authorizationRefused, "login_required"),
    (400, "<html>", .answerMalformed, nil), (200, "{}", .answerMalformed, nil),
    (200, "<html>", .temporarilyUnavailable, nil), (302, "", .temporarilyUnavailable, nil),
    (500, "", .temporarilyUnavailable, nil),
    (503, #"{"error":"temporarily_unavailable"}"#, .temporarilyUnavailable, nil),
  ])
  func `an error of the token endpoint`(
    _ status: Int, _ body: String, _ code: ErrorCode, _ name: String?
  ) async throws {
    provider.fail { $0.response = HTTPResponseValue(status: status, body: Array(body.utf8)) }
    try await refuse(provider.authorize(url), code, name)
  }

  @Test func `a network that fails`() async throws {
    let redirect = try provider.authorize(url)
    provider.fail { $0.isOffline = true }
    try await refuse(redirect, .temporarilyUnavailable)
  }

  @Test func `a token endpoint that wants a nonce time and again`() async throws {
    provider.fail { $0.nonces = 2 }
    let bound = try await OpenIDClientTests.client(provider, binding: .freshKey)
    let (pending, url) = try await bound.begin()
    try await refuse(provider.authorize(url), .configuration, "use_dpop_nonce", by: bound, of: pending)
    #expect(provider.sent(to: "/token").count == 2)
  }

  @Test func `tokens that can't be stored`() async throws {
    struct Full: SecretStore {
      func load() async throws -> StoredSecret? { throw CancellationError() }
      func replace(expecting version: [UInt8]?, with document: [UInt8]?) async throws -> [UInt8]? {
        throw CancellationError()
      }
    }
    let redirect = try provider.authorize(url)
    await #expect(throws: OpenIDError(.storeUnavailable, "")) {
      try await client.finish(pending, redirect: redirect, store: Full())
    }
  }

  // MARK: Pushing

  @Test func `a provider that doesn't take the pushed request`() async throws {
    let pushing = try StandInProvider(pushes: true)
    let transport: HTTPTransport = { request in
      guard request.url.hasSuffix("/par") else { return try await pushing.transport(request) }
      return HTTPResponseValue(status: 400, body: Array(#"{"error":"invalid_scope"}"#.utf8))
    }
    let client = try OpenIDClient(
      clientID: "site", redirectURI: OpenIDClientTests.redirectURI,
      provider: try await .discover(pushing.issuer, transport: transport), algorithms: [.es256], transport: transport)
    await #expect(throws: OpenIDError(.configuration, "", name: "invalid_scope")) { try await client.begin() }
  }

  // MARK: Stored logins

  @Test func `a login is stored as it is, and shows nothing`() async throws {
    for binding in [OpenIDClient.TokenBinding.none, .freshKey] {
      let client = try await OpenIDClientTests.client(provider, binding: binding)
      for age in [nil, 0, 600] {
        let (pending, _) = try await client.begin(maximumAge: age.map { .seconds($0) })
        let again = try OpenIDClient.PendingLogin(parsing: pending.serialized())
        #expect(again.serialized() == pending.serialized())
        #expect(again.issuer == provider.issuer && again.expiration == pending.expiration)
        #expect(again.maximumAge == age && (again.proofKey != nil) == (pending.proofKey != nil))
        let shown = "\(pending) \(String(reflecting: pending))"
        #expect(
          ![pending.request.state, pending.request.nonce, pending.request.pkce.verifier].contains { shown.contains($0) }
        )
      }
    }
  }

  private static let publicKey = """
    {"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",\
    "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}
    """

  private static let wrongMembers: [(String, JSONValue?)] = [
    ("version", 2), ("version", nil), ("issuer", nil), ("client", 7), ("redirect", nil), ("state", ""), ("state", nil),
    ("nonce", ""), ("nonce", nil), ("verifier", "short"), ("verifier", nil), ("scopes", "openid"), ("scopes", [1]),
    ("expiration", "soon"), ("expiration", 1e300), ("expiration", nil), ("maximumAge", -1), ("maximumAge", 0.5),
    ("maximumAge", "1"), ("proofKey", "{}"), ("proofKey", [:]),
    ("proofKey", #"{"kty":"oct","k":"AAAA","alg":"HS256"}"#),
    ("proofKey", .string(publicKey)),
  ]

  @Test(arguments: wrongMembers.indices) func `a stored login that is wrong is refused`(_ index: Int) throws {
    let (name, value) = Self.wrongMembers[index]
    var object = try JSONObject(parsing: pending.serialized())
    object[name] = value
    let error = #expect(throws: OpenIDError.self) {
      try OpenIDClient.PendingLogin(parsing: object.serialized())
    }
    #expect(error?.code == .recordMalformed, "\(name)")
  }

  @Test func `what is no JSON is no login`() {
    for text in ["", "[]", "{", "null", "{}"] {
      #expect(throws: OpenIDError(.recordMalformed, "")) { try OpenIDClient.PendingLogin(parsing: text.utf8) }
    }
  }
}
