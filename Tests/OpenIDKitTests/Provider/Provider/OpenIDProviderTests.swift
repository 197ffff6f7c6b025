import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// What becomes of a login: tokens, what they say, and what ends them.
@Suite struct OpenIDProviderTests {
  @Test func `a code becomes an ID token, an access token and a refresh token, each of its own algorithm`() async throws
  {
    let events = Mutex<[ProviderEvent]>([])
    let world = try await ProviderWorld(onEvent: { event in events.withLock { $0.append(event) } })
    let answer = try await world.redeem(try await world.code([("nonce", "n"), ("scope", "openid email")]))
    #expect(answer.status == 200 && answer.member("token_type") == "Bearer" && answer.member("scope") == "openid email")
    let keys = world.provider.keys.verification
    let id = try JWTVerifier(
      keys: keys, algorithms: [.ps256],
      policy: .idToken(
        issuer: .anyOf([ProviderWorld.issuer]), clientIDs: ["site"], answering: .init(nonce: "n"),
        clock: world.clock.wall)
    ).verify(#require(answer.member("id_token"))).claims
    #expect(id["sid"] == .string(ProviderWorld.session) && id["email"] == nil)
    let access = try JWTVerifier(
      keys: keys, algorithms: [.es256],
      policy: .accessToken(issuer: ProviderWorld.issuer, audience: ProviderWorld.issuer, clock: world.clock.wall)
    ).verify(#require(answer.member("access_token"))).claims
    #expect(access["client_id"] == "site" && access["scope"] == "openid email" && access["sub"] == "jane")
    let info = try await world.userInfo(answer.member("access_token"))
    #expect(info.body == Array(#"{"sub":"jane","email":"jane@example.com"}"#.utf8))
    let next = try await world.refresh(answer.member("refresh_token"))
    #expect(next.status == 200 && next.member("id_token") == nil)
    #expect(next.member("refresh_token") != answer.member("refresh_token"))
    let seen = events.withLock { $0 }
    #expect(seen.contains(.codeIssued(clientID: "site", userID: "jane")))
    #expect(seen.contains(.tokensIssued(clientID: "site", scopes: ["openid", "email"])))
    // An answer waits for what it has to tell.
    let kinds = seen.compactMap { if case .refreshToken(let event) = $0 { event.kind } else { nil } }
    #expect(kinds == [.rotated])
  }

  @Test func `a client's ID tokens are of the algorithm that it is registered with, and never of another`() async throws
  {
    for (name, status) in [("ES256", 200), ("RS256", 503)] {
      var site = ProviderWorld.clients[0]
      site.idTokenAlgorithm = SignatureAlgorithm(name: name)
      let world = try await ProviderWorld(clients: [site])
      let code = try await world.code()
      let answer = try await world.redeem(code)
      #expect(answer.status == status)
      guard status == 200 else { continue }
      let header = try #require(answer.member("id_token")).split(separator: ".")[0]
      #expect(try JSONObject(parsing: Base64URL.decode(String(header)))["kid"] == "e-1")
    }
  }

  @Test func `subjects that are pairwise stand in every token, and the provider knows its users by them`() async throws
  {
    let world = try await ProviderWorld(pairwise: true)
    let answer = try await world.redeem(try await world.code())
    let (id, access) = (try world.claims(answer.member("id_token")), try world.claims(answer.member("access_token")))
    #expect(id["sub"] == access["sub"] && id["sub"] != "jane")
    #expect(
      try JSONObject(parsing: await world.userInfo(answer.member("access_token")).body) == ["sub": id["sub"] ?? ""])
    #expect(try await world.introspect(answer.member("access_token"))["active"] == true)
    // An ID token of this user is a hint at this user.
    let hint = try #require(answer.member("id_token"))
    #expect(try await !world.code([("id_token_hint", hint)]).isEmpty)
    let decision = try await world.provider.decide(
      LogoutRequest(idTokenHint: hint, postLogoutRedirectURI: "https://site.example/bye"),
      session: world.sessions.session(id: ProviderWorld.session))
    #expect(decision == .logOut(redirect: "https://site.example/bye"))
    // No subject is made for a client that isn't there.
    let session = try await world.sessions.session(id: ProviderWorld.session)
    await #expect(throws: OpenIDError(.invalidRequest, "", name: "post_logout_redirect_uri")) {
      try await world.provider.decide(
        LogoutRequest(clientID: "nobody", postLogoutRedirectURI: "https://site.example/bye"), session: session)
    }
    #expect(try await world.sessions.userID(subject: "jane", clientID: "nobody") == nil)
    #expect(world.records.count(of: "pairwise-subject") == 1)
  }

  enum Ending: CaseIterable {
    case session, user, consent, client, revocation, reuse, generation

    /// - Returns: the world afterwards.
    func happen(in world: ProviderWorld, code: String, _ answer: HTTPResponseValue) async throws -> ProviderWorld {
      let token = answer.member("access_token")
      var changed = world
      switch self {
      case .session:
        try await world.sessions.end(sessionID: ProviderWorld.session)
        try await world.provider.endSession(ProviderWorld.session)
      case .user: try await world.sessions.disableUser("jane")
      case .consent: try await world.sessions.grant(["openid"], userID: "jane", clientID: "site")
      case .client: changed.provider.clients = StaticClientDirectory([ProviderWorld.clients[2]])
      case .revocation:
        // Another client's is refused, and stays good.
        let foreign = try await world.post("/revoke", ["token": token ?? "", "client_id": "app"])
        #expect(foreign.status == 400 && foreign.member("error") == "invalid_grant")
        #expect(try await world.introspect(token)["active"] == true)
        let own: FormFields = ["token": token ?? "", "client_id": "site", "client_secret": "secret"]
        #expect(try await world.post("/revoke", own).status == 200)
      case .reuse: #expect(try await world.redeem(code).member("error") == "invalid_grant")
      case .generation: #expect(try await world.refresh(answer.member("refresh_token")).status == 200)
      }
      return changed
    }
  }

  @Test(arguments: Ending.allCases)
  func `an access token ends with what it rests on, at introspection and userinfo alike`(_ ending: Ending) async throws
  {
    let world = try await ProviderWorld(policy: { $0.rotation.revokesPreviousAccessToken = ending == .generation })
    let code = try await world.code()
    let answer = try await world.redeem(code)
    let token = answer.member("access_token")
    #expect(try await world.introspect(token)["active"] == true)
    #expect(try await world.userInfo(token).status == 200)
    let changed = try await ending.happen(in: world, code: code, answer)
    #expect(try await changed.introspect(token, by: "api") == ["active": false])
    #expect(try await changed.userInfo(token).status == 401)
  }

  @Test func `a resource server may ask about any token, another client about its own, and a public one about none`()
    async throws
  {
    let world = try await ProviderWorld()
    let own = try await world.redeem(try await world.code([("scope", "openid orders")])).member("access_token")
    let apps = try await world.redeem(try await world.code(client: "app"), client: "app").member("access_token")
    #expect(try await world.introspect(own, by: "api")["scope"] == "openid orders")
    #expect(try await world.introspect(own)["client_id"] == "site")
    #expect(try await world.introspect(apps) == ["active": false])
    #expect(try await world.introspect(apps, by: "api")["client_id"] == "app")
    #expect(try await world.post("/introspect", ["token": own ?? "", "client_id": "app"]).status == 401)
  }

  @Test func `an access token for a resource is refused at userinfo`() async throws {
    let world = try await ProviderWorld()
    let code = try await world.code([("resource", "https://api.example.com")])
    let token = try await world.redeem(code).member("access_token")
    #expect(try world.claims(token)["aud"] == "https://api.example.com")
    #expect(try await world.introspect(token, by: "api")["aud"] == "https://api.example.com")
    #expect(try await world.userInfo(token).status == 403)
  }

  @Test func `which logins have refresh tokens is the policy's to say`() async throws {
    let world = try await ProviderWorld(policy: { $0.refreshTokenScopes = ["offline_access"] })
    let plain = try await world.redeem(try await world.code())
    #expect(plain.status == 200 && plain.member("refresh_token") == nil)
    let offline = try await world.redeem(try await world.code([("scope", "openid offline_access")]))
    #expect(offline.member("refresh_token") != nil)
  }

  @Test func `a request without openid is plain OAuth where the provider answers such`() async throws {
    let world = try await ProviderWorld(policy: { $0.acceptsPlainOAuth = true })
    let answer = try await world.redeem(try await world.code([("scope", "orders")]))
    #expect(answer.status == 200 && answer.member("id_token") == nil && answer.member("refresh_token") != nil)
    #expect(try await world.userInfo(answer.member("access_token")).status == 403)
    let strict = try await ProviderWorld()
    let refused = try await strict.provider.authorize(
      try ProviderWorld.request([("scope", "orders")]), visit: "v", login: nil, from: "a")
    #expect(refused.answer?.values("error") == ["invalid_scope"])
  }

  @Test func `a claim that is asked for by name is released if the user agreed to it, and a token's own never`()
    async throws
  {
    let world = try await ProviderWorld()
    let claims = #"{"userinfo":{"height":null,"iss":null},"id_token":{"email":null,"iss":null,"wings":null}}"#
    let step = try await world.provider.authorize(
      try ProviderWorld.request([("claims", claims)]), visit: "v", login: try await world.login(), from: "a")
    let pending = try #require(step.pending)
    // What the user doesn't have is not asked about.
    #expect(pending.claims == ["height", "email"] && pending.decision == .consent)
    let answer = try await world.redeem(try await world.code([("claims", claims)]))
    let id = try world.claims(answer.member("id_token"))
    #expect(id["email"] == "jane@example.com" && id["iss"] == .string(ProviderWorld.issuer) && id["wings"] == nil)
    for token in [
      answer.member("access_token"), try await world.refresh(answer.member("refresh_token")).member("access_token"),
    ] {
      let info = try JSONObject(parsing: await world.userInfo(token).body)
      #expect(info["height"] == 170 && info["iss"] == nil)
    }
  }

  @Test func `a consent that was given anew revives nothing of before`() async throws {
    let world = try await ProviderWorld()
    let (code, first) = (try await world.code(), try await world.redeem(try await world.code()))
    try await world.sessions.grant([], userID: "jane", clientID: "site")
    _ = try await world.code()
    #expect(try await world.redeem(code).member("error") == "invalid_grant")
    #expect(try await world.introspect(first.member("access_token")) == ["active": false])
  }

  /// Nothing is used up by what could not be asked.
  @Test(arguments: ["session", "user", "consent", "refresh-token-family"])
  func `a store that fails costs no code and no refresh token`(_ kind: String) async throws {
    let world = try await ProviderWorld()
    let code = try await world.code()
    world.records.fail { $0.name == kind }
    let failed = try await world.redeem(code)
    #expect(failed.status == 503 && failed.headers.values("Retry-After") == ["30"])
    world.records.fail { _ in false }
    let answer = try await world.redeem(code)
    #expect(answer.status == 200)
    world.records.fail { $0.name == kind }
    #expect(try await world.refresh(answer.member("refresh_token")).status == 503)
    let asked: FormFields = [
      "token": answer.member("access_token") ?? "", "client_id": "site", "client_secret": "secret",
    ]
    // A token that ends with its family rests on no session of its own.
    #expect(try await world.post("/introspect", asked).status == (kind == "session" ? 200 : 503))
    world.records.fail { _ in false }
    #expect(try await world.refresh(answer.member("refresh_token")).status == 200)
  }

  @Test func `clients are told of the end of a session that they have used, by their own key`() async throws {
    let world = try await ProviderWorld(pairwise: true)
    let subject = try world.claims(try await world.redeem(try await world.code()).member("id_token"))["sub"]
    _ = try await world.code(client: "app")
    let session = try #require(try await world.sessions.session(id: ProviderWorld.session))
    let messages = try await world.provider.logoutMessages(of: session)
    #expect(messages.map(\.clientID) == ["site"] && messages[0].address == "https://site.example/logout")
    #expect(messages[0].logout.subject.map { .string($0) } == subject && messages[0].logout.sessionID == session.id)
    #expect(try await world.provider.signingKey(for: "site").keyID == "p-1")
    try await world.provider.endSession(session.id)
    #expect(try await world.provider.logoutMessages(of: session).isEmpty)
  }

  @Test func `a grant of the provider's own is answered as a login`() async throws {
    var world = try await ProviderWorld()
    world.provider.grants = [
      TokenEndpoint.Grant("urn:example:kiosk") { [provider = world.provider] request in
        try await provider.tokens(
          for: AcceptedGrant(clientID: request.client.id, sessionID: ProviderWorld.session, scopes: ["openid"]))
      }
    ]
    let answer = try await world.post("/token", ["grant_type": "urn:example:kiosk", "client_id": "app"])
    #expect(try world.claims(answer.member("id_token"))["aud"] == "app")
    let metadata = try await world.provider.metadata()
    #expect(metadata["grant_types_supported"]?.arrayValue?.contains("urn:example:kiosk") == true)
    try await world.sessions.end(sessionID: ProviderWorld.session)
    let over = try await world.post("/token", ["grant_type": "urn:example:kiosk", "client_id": "app"])
    #expect(over.status == 400 && over.member("error") == "invalid_grant")
  }

  /// One whose clock is wrong dates a token ahead, or finds that of another dated ahead. Its end is by the clock of who
  /// is asked.
  @Test(arguments: [-10.0, 10]) func `a token of a machine whose clock is wrong is good at the others`(
    seconds: Double
  ) async throws {
    let world = try await ProviderWorld()
    let token = try await world.redeem(try await world.code()).member("access_token")
    let clock = world.clock.wall
    let other = try OpenIDProvider(
      issuer: ProviderWorld.issuer, keys: world.provider.keys, clients: world.provider.clients,
      sessions: world.provider.sessions, refreshTokens: RefreshTokenFormat(key: Array(0...31)), records: world.records,
      clock: WallClock { clock.now.advanced(by: seconds) })
    var request = HTTPRequestValue(method: "GET", url: ProviderWorld.issuer + "/userinfo")
    try request.headers.set("Authorization", "Bearer " + (token ?? ""))
    #expect(await other.respond(to: request, from: "a")?.status == 200)
    let asked: FormFields = ["token": token ?? "", "client_id": "site", "client_secret": "secret"]
    let introspect = HTTPRequestValue.post(asked, to: ProviderWorld.issuer + "/introspect")
    #expect(
      await other.respond(to: introspect, from: "a").map { String(decoding: $0.body, as: UTF8.self) }?
        .contains("\"active\":true") == true)
    world.clock.advance(3606 - seconds)
    #expect(await other.respond(to: request, from: "a")?.status == 401)
  }
}
