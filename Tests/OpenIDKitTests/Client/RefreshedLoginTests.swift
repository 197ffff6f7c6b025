import JOSE
import StrictJSON
import Testing

@testable import OpenIDKit

/// What a client keeps of a login when it is refreshed and when it ends: the binding, the scope, the refresh token.
@Suite struct RefreshedLoginTests {
  // MARK: Bound tokens

  @Test(arguments: ["Bearer", "bearer", "N_A"]) func `a login bound by DPoP takes no other tokens`(
    _ type: String
  ) async throws {
    let provider = try StandInProvider()
    let client = try await OpenIDClientTests.client(provider, binding: .freshKey)
    let (pending, url) = try await client.begin()
    let store = MemorySecretStore()
    let login = try await client.finish(pending, redirect: try provider.authorize(url), store: store)
    provider.clock.advance(3595)
    provider.fail { $0.answer = ["token_type": .string(type)] }
    for _ in 0..<2 {
      #expect(await failure { _ = try await login.manager.validToken() }?.code == .temporarilyUnavailable)
      let stored = try #require(try await TokenRecords(store).load())
      #expect(stored.accessToken == nil && stored.refreshToken == "rt-2" && stored.tokenType == "DPoP")
      provider.clock.advance(61)
    }
    provider.fail { $0.answer = [:] }
    #expect(try await login.manager.validToken().type == "DPoP")
  }

  @Test func `a login without a key takes no tokens that are bound to one`() async throws {
    let provider = try StandInProvider()
    let client = try await OpenIDClientTests.client(provider)
    let (pending, url) = try await client.begin()
    let store = MemorySecretStore()
    let login = try await client.finish(pending, redirect: try provider.authorize(url), store: store)
    provider.clock.advance(3595)
    provider.fail { $0.answer = ["token_type": "DPoP"] }
    #expect(await failure { _ = try await login.manager.validToken() }?.code == .temporarilyUnavailable)
    let stored = try #require(try await TokenRecords(store).load())
    #expect(stored.accessToken == nil && stored.refreshToken == "rt-2" && stored.tokenType == "Bearer")
    provider.clock.advance(61)
    provider.fail { $0.answer = [:] }
    #expect(try await login.manager.validToken().type == "Bearer")
  }

  @Test func `a custom refresher's bearer tokens are refused for a bound login`() async throws {
    var (bound, bearer) = (tokens(1), tokens(2))
    (bound.tokenType, bearer.tokenType) = ("dpop", "Bearer")
    let client = try await Client(ScriptedRefresher(.tokens(bearer)))
    try await client.manager.logIn(bound)
    client.clock.advance(4000)
    #expect(await failure { _ = try await client.manager.validToken() }?.code == .temporarilyUnavailable)
    #expect(await client.store.stored?.accessToken == nil)
    #expect(await client.store.stored?.refreshToken == "rt-secret-2")
  }

  // MARK: The store

  @Test(arguments: [false, true]) func `a refresh loads the record once`(_ bringsIDToken: Bool) async throws {
    var renewed = tokens(2)
    if bringsIDToken { renewed.idToken = "a.b.c" }
    let check = IDTokenCheck { (_: String) in [:] }
    let client = try await Client(ScriptedRefresher(.tokens(renewed)), idTokenCheck: check)
    let before = await (loads: client.store.loads, writes: client.store.writes)
    client.clock.advance(4000)
    #expect(try await client.manager.validToken().value == "at-secret-2")
    #expect(await client.store.loads - before.loads == 1)
    // The announcement, the refresh token before its ID token is judged, and what is good then.
    #expect(await client.store.writes - before.writes == (bringsIDToken ? 3 : 2))
  }

  // MARK: Scope

  @Test func `an access token has its own scope, which may be narrower than the login's`() async throws {
    var narrow = tokens(2)
    narrow.scope = "read"
    let client = try await Client(ScriptedRefresher(.tokens(narrow), .tokens(tokens(3))))
    try await client.manager.logIn(tokens(1), scope: "read write")
    #expect(try await client.manager.validToken().scope == "read write")
    client.clock.advance(4000)
    #expect(try await client.manager.validToken().scope == "read")
    #expect(try await client.restarted().validToken().scope == "read")
    #expect(await client.store.stored?.scope == "read write")
    let stored = try #require(await client.store.stored)
    #expect(try TokenRecord(parsing: stored.serialized()).accessTokenScope == "read")
    client.clock.advance(4000)
    #expect(try await client.manager.validToken().scope == "read write")
  }

  // MARK: Short lives

  @Test(arguments: [1, 5, 10, 11, 20, 30]) func `tokens that live shortly are not rotated at each call`(
    _ lifetime: Double
  ) async throws {
    let client = try await Client(
      ScriptedRefresher { number, _ in .tokens(tokens(number + 2, expiresIn: .seconds(lifetime))) },
      expiresIn: .seconds(lifetime)
    ) { $0.thresholdJitter = .seconds(60) }
    // The login's token may be one that had lain about. What a refresh brings is as good as it gets.
    client.clock.advance(lifetime)
    for round in 2...4 {
      for _ in 0..<3 { #expect(try await client.manager.validToken().value == "at-secret-\(round)") }
      client.clock.advance(lifetime * 0.8)
    }
    #expect(client.refresher.attempts.count == 3)
  }

  // MARK: Logging out

  @Test func `a logout revokes the refresh token of a login that a wrong ID token has ended`() async throws {
    var bad = tokens(2)
    bad.idToken = "id"
    let client = try await Client(
      ScriptedRefresher(.tokens(bad)), idTokenCheck: IDTokenCheck { _ in throw JOSEError(.signatureInvalid, "") })
    client.clock.advance(4000)
    #expect(await failure { _ = try await client.manager.validToken() }?.code == .identityTokenInvalid)
    #expect(await client.manager.logOut())
    #expect(client.refresher.revoked == ["rt-secret-2"])
    #expect(await client.store.stored == nil)
  }

  @Test func `a logout revokes the refresh token that another process has renewed`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    let stored = try #require(await client.store.stored)
    await client.store.overwrite(stored.renewed(by: tokens(9), at: client.clock.date))
    #expect(await client.manager.logOut())
    #expect(client.refresher.revoked == ["rt-secret-9"])
  }

  @Test func `a logout revokes the refresh token of a login that could not be read before`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    let store = Unreadable(client.store, failsFirstReads: 1)
    let manager = try TokenManager(
      store: store, refresher: client.refresher, settings: Client.settings, clock: client.clock.tokenClock)
    #expect(await manager.logOut())
    #expect(client.refresher.revoked == ["rt-secret-1"])
  }

  @Test func `a logout without revocation revokes nothing`() async throws {
    let client = try await Client(ScriptedRefresher(.tokens(tokens(2))))
    #expect(await client.manager.logOut(revoking: false))
    #expect(client.refresher.revoked.isEmpty)
  }

  // MARK: Names of nobody

  @Test(arguments: [["sub": "", "sid": "s"], ["sub": ""], ["sid": ""], ["sub": "a", "sid": ""]] as [JSONObject])
  func `a logout token with an empty sub or sid is refused`(_ names: JSONObject) throws {
    let key = try SigningKey.generate(.es256)
    var claims: JSONObject = [
      "iss": "i", "aud": "c", "iat": 1_760_000_000, "exp": 1_760_000_060, "jti": "j",
      "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
    ]
    for (name, value) in names.members { claims[name] = value }
    let policy = JWTPolicy.logoutToken(issuer: "i", clientID: "c", clock: .fixed(at: NumericDate(1_760_000_000)))
    let wrong = names["sid"] == "" ? "sid" : "sub"
    #expect(throws: JOSEError(.claimInvalid, "", name: wrong)) {
      try JWTVerifier(key: key.verificationKey, policy: policy).verify(JWT.sign(claims, with: key))
    }
  }

  @Test func `an introspection response with an empty sub is malformed`() throws {
    #expect(throws: OpenIDError(.answerMalformed, "", name: "sub")) {
      try IntrospectionResponse(parsing: Array(#"{"active":true,"sub":""}"#.utf8))
    }
  }

  // MARK: Separators

  @Test func `an address whose query ends with a separator gets no second one`() throws {
    for (address, expected) in [
      ("https://a.example/x?p=1&", "https://a.example/x?p=1&c=d"),
      ("https://a.example/x?p=1", "https://a.example/x?p=1&c=d"),
      ("https://a.example/x?", "https://a.example/x?c=d"), ("https://a.example/x&", "https://a.example/x&?c=d"),
      ("https://a.example/x?p=1&#f", "https://a.example/x?p=1&c=d#f"),
    ] {
      #expect(try URIComponents(parsing: address).appendingQuery(["c": "d"]) == expected)
    }
    for (text, address, query) in [
      ("https://a.example/x?p=1&c=d", "https://a.example/x?p=1&", "c=d"),
      ("https://a.example/x?p=1&&c=d", "https://a.example/x?p=1&", "c=d"),
      ("https://a.example/x&?c=d", "https://a.example/x&", "c=d"),
    ] {
      #expect(URIComponents.appendedQuery(of: text, to: address) == query)
    }
  }

  @Test(arguments: ["", "&"]) func `a provider whose addresses and answers end with a separator logs in`(
    _ end: String
  ) async throws {
    let provider = try StandInProvider()
    var metadata = try OpenIDProviderMetadata(
      issuer: provider.issuer, authorizationEndpoint: provider.issuer + "/authorize?tenant=1&",
      tokenEndpoint: provider.issuer + "/token", keySetURL: provider.issuer + "/jwks")
    metadata.announcesIssuerInResponse = true
    let client = try OpenIDClient(
      clientID: "site", redirectURI: OpenIDClientTests.redirectURI, provider: metadata, algorithms: [.es256],
      clock: provider.clock.tokenClock, transport: provider.transport)
    let (pending, url) = try await client.begin()
    #expect(!url.contains("&&"))
    #expect(try await client.finish(pending, redirect: try provider.authorize(url) + end).subject == "alice")
  }

  // MARK: Echoes

  @Test func `a failure shows nothing that a server sent`() {
    var log = "\(RefreshFailure.Kind.dpopNonceRequired("rt-secret-1"))"
    dump(RefreshFailure(.dpopNonceRequired("rt-secret-1")), to: &log)
    dump(RefreshFailure.Kind.dpopNonceRequired("rt-secret-1"), to: &log)
    dump(RefreshOutcome.failed(RefreshFailure(.dpopNonceRequired("rt-secret-1"))), to: &log)
    #expect(!log.contains("secret"))
  }
}
