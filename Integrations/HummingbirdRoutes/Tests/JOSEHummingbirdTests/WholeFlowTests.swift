import ExampleProvider
import Hummingbird
import HummingbirdTesting
import JOSE
import NativeSSOKit
import Synchronization
import Testing
import OpenIDKit

/// A vendor's apps and a whole provider, each request over HTTP.
@Suite(.timeLimit(.minutes(60))) struct WholeFlowTests {
  @Test func `an app logs in, another is in without asking, and a logout ends both`() async throws {
    let world = try await World()
    try await world.application().test(.live) { client in
      let browser = Visitor(client)
      let mail = try await world.session("mail", Visitor(client))
      let chat = try await world.session("chat", Visitor(client))
      let signIn = try await mail.signIn { url in try await browser.logIn(url, user: "jane", password: "secret") }
      #expect(signIn.origin == .interactive && signIn.sharing == .stored)
      let first = try await chat.validToken()
      #expect(first.value != signIn.tokens.accessToken)

      // Access tokens are what their verifiers take.
      let keys = try JWKSet(parsing: try await browser.get("/jwks").body)
      let verifier = JWTVerifier(
        keys: keys, algorithms: [.es256],
        policy: .accessToken(issuer: Visitor.issuer, audience: Visitor.issuer).at(world.clock.wall))
      let verified: VerifiedJWT<JSONObject> = try verifier.verify(first.value)
      #expect(verified.claims["client_id"]?.stringValue == "chat")

      world.clock.advance(.seconds(3500))
      #expect(try await mail.validToken().value != signIn.tokens.accessToken)
      #expect(try await chat.validToken().value != first.value)

      // A logout that an app begins, in the browser.
      let logout = LogoutRequest(
        idTokenHint: signIn.tokens.idToken, clientID: "mail", postLogoutRedirectURI: "com.example.mail:/cb", state: "s")
      let answer = try await browser.get(try logout.url(of: Visitor.issuer + "/logout"))
      #expect(answer.status == 303 && logout.isAnswered(by: answer.location ?? ""))
      world.clock.advance(.seconds(3600))
      for session in [mail, chat] {
        await #expect(throws: OpenIDError.self) { try await session.validToken() }
        #expect(await session.manager.state == .reauthenticationRequired(.invalidGrant))
      }
      // And the browser asks for the password again.
      #expect(try await browser.get(mail.client.beginLogin().url).status == 200)
      let refused = await #expect(throws: Visitor.NotRedirected.self) {
        try await browser.logIn(mail.client.beginLogin().url, user: "jane", password: "wrong")
      }
      #expect(refused?.response.status == 403)
    }
  }

  @Test func `who signs out everywhere signs all apps of the device out`() async throws {
    let world = try await World()
    try await world.application().test(.live) { client in
      let browser = Visitor(client)
      let (mail, chat) = (
        try await world.session("mail", Visitor(client)), try await world.session("chat", Visitor(client))
      )
      _ = try await mail.signIn { url in try await browser.logIn(url, user: "jane", password: "secret") }
      let pair = try JSONObject(parsing: try #require(await world.pairs.load()).document)
      _ = try await chat.validToken()
      #expect(try await mail.signOut(.everywhere))
      // Who has kept the pair gets nothing for it.
      let exchange: FormFields = [
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "chat",
        "audience": Visitor.issuer, "subject_token": try #require(pair["id_token"]?.stringValue),
        "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
        "actor_token": try #require(pair["device_secret"]?.stringValue),
        "actor_token_type": "urn:openid:params:token-type:device-secret", "scope": "openid",
      ]
      #expect(try await Visitor(client).post("/token", exchange)["error"] == "invalid_grant")
      world.clock.advance(.seconds(3600))
      await #expect(throws: OpenIDError.self) { try await chat.validToken() }
      #expect(await chat.manager.state == .reauthenticationRequired(.invalidGrant))
    }
  }

  @Test func `a pushed request serves one browser once, and one that would be refused is not taken`() async throws {
    let world = try await World()
    try await world.application().test(.live) { client in
      let app = Visitor(client)
      let pkce = PKCE()
      let request: FormFields = [
        "client_id": "mail", "response_type": "code", "redirect_uri": "com.example.mail:/cb", "state": "s",
        "scope": "openid", "code_challenge": pkce.challenge, "code_challenge_method": "S256",
      ]
      let pushed = try await app.post("/par", request)
      #expect(pushed.status == 201)
      let reference = FormFields([("client_id", "mail"), ("request_uri", try #require(pushed["request_uri"]))])
      let url = "/authorize?" + String(decoding: reference.encoded(), as: UTF8.self)
      #expect(try await app.get(url).status == 200)
      #expect(try await app.get(url).status == 400)
      let evil = FormFields(
        request.fields.map { ($0.name, $0.name == "redirect_uri" ? "https://evil.example/cb" : $0.value) })
      let refused = try await app.post("/par", evil)
      #expect(refused.status == 400 && refused["error"] == "invalid_request")
      let unknown = FormFields(request.fields.map { ($0.name, $0.name == "client_id" ? "nobody" : $0.value) })
      #expect(try await app.post("/par", unknown).status == 401)
      #expect(try await app.get("/authorize?" + String(decoding: evil.encoded(), as: UTF8.self)).status == 400)
    }
  }

  @Test func `what can be told at the client is told there`() async throws {
    let world = try await World()
    try await world.application().test(.live) { client in
      let app = Visitor(client)
      for (name, value, error) in [
        ("response_type", "token", "unsupported_response_type"), ("scope", "unheard-of", "invalid_scope"),
        ("code_challenge_method", "plain", "invalid_request"), ("prompt", "none", "login_required"),
      ] {
        var query: FormFields = [
          "client_id": "mail", "response_type": "code", "redirect_uri": "com.example.mail:/cb", "state": "s",
          "scope": "openid", "code_challenge": PKCE().challenge, "code_challenge_method": "S256",
        ]
        query = FormFields(query.fields.filter { $0.name != name }.map { ($0.name, $0.value) } + [(name, value)])
        let answer = try await app.get("/authorize?" + String(decoding: query.encoded(), as: UTF8.self))
        let fields = try FormFields(decoding: Array((answer.location ?? "").drop { $0 != "?" }.dropFirst().utf8))
        #expect(answer.status == 303 && answer.location?.hasPrefix("com.example.mail:/cb?") == true)
        #expect(fields.values("error") == [error] && fields.values("state") == ["s"], "\(name)")
      }
    }
  }

  @Test func `a request that wants a login gets one, once, and the user that it means`() async throws {
    let world = try await World()
    try await world.application().test(.live) { client in
      let browser = Visitor(client)
      func url(_ name: String, _ value: String) -> String {
        let query: FormFields = [
          "client_id": "mail", "response_type": "code", "redirect_uri": "com.example.mail:/cb", "scope": "openid",
          "code_challenge": PKCE().challenge, "code_challenge_method": "S256", name: value,
        ]
        return "/authorize?" + query.encodedAsQuery()
      }
      _ = try await browser.logIn(url("state", "s"), user: "jane", password: "secret")
      #expect(try await browser.get(url("state", "s")).status == 303)
      world.clock.advance(.seconds(100))
      for (name, value) in [("prompt", "login"), ("prompt", "select_account"), ("max_age", "50"), ("max_age", "0")] {
        #expect(try await browser.get(url(name, value)).status == 200, "\(name)=\(value)")
        let answer = try await browser.logIn(url(name, value), user: "jane", password: "secret")
        #expect(answer.contains("code="), "\(name)=\(value)")
        world.clock.advance(.seconds(100))
      }
      // Another browser can't go on with what waits for this one, and a made-up name is no request.
      let waiting = try await browser.get(url("prompt", "login")).field("request")
      for (visitor, id) in [(Visitor(client), waiting), (browser, "made-up")] {
        #expect(try await visitor.get("/continue?request=" + id).status == 400)
      }
      #expect(try await browser.get(url("max_age", "3600")).status == 303)
      // A hint that can't be read may mean any user.
      #expect(try await browser.get(url("id_token_hint", "x")).status == 200)
    }
  }

  @Test func `an app that isn't the provider's own gets what its user agrees to`() async throws {
    let world = try await World()
    try await world.application().test(.live) { client in
      let browser = Visitor(client)
      let query: FormFields = [
        "client_id": "stranger", "response_type": "code", "redirect_uri": "com.example.stranger:/cb",
        "scope": "openid profile", "code_challenge": PKCE().challenge, "code_challenge_method": "S256",
      ]
      for (decision, answer) in [("allow", "code="), ("deny", "error=access_denied")] {
        var page = try await browser.get("/authorize?" + query.encodedAsQuery())
        if decision == "allow" {
          page = try await browser.post(
            "/login", ["user": "jane", "password": "secret", "request": page.field("request")])
        }
        #expect(page.status == 200 && String(decoding: page.body, as: UTF8.self).contains("openid, profile"))
        let form: FormFields = [
          "request": page.field("request"), "session": page.field("session"), "decision": decision,
        ]
        let told = try await browser.post("/consent", form)
        #expect(told.location?.contains(answer) == true)
        // The request is answered.
        #expect(try await browser.post("/consent", form).status == 400)
      }
    }
  }

  @Test func `codes and refresh tokens are good once, and only for their own client`() async throws {
    let world = try await World()
    try await world.application().test(.live) { client in
      let browser = Visitor(client)
      let pkce = PKCE()
      func code() async throws -> String {
        let query: FormFields = [
          "client_id": "mail", "response_type": "code", "redirect_uri": "com.example.mail:/cb", "state": "s",
          "scope": "openid", "code_challenge": pkce.challenge, "code_challenge_method": "S256",
        ]
        let url = "/authorize?" + String(decoding: query.encoded(), as: UTF8.self)
        let redirect = try await browser.logIn(url, user: "jane", password: "secret")
        let answer = try FormFields(decoding: Array(redirect.drop { $0 != "?" }.dropFirst().utf8))
        #expect(answer.values("iss") == [Visitor.issuer] && answer.values("state") == ["s"])
        return try #require(answer.values("code").first)
      }
      func form(_ code: String, client: String = "mail", verifier: String? = nil) -> FormFields {
        [
          "grant_type": "authorization_code", "client_id": client, "code": code, "redirect_uri": "com.example.mail:/cb",
          "code_verifier": verifier ?? pkce.verifier,
        ]
      }
      let app = Visitor(client)
      let good = try await code()
      let answer = try await app.post("/token", form(good))
      #expect(answer.status == 200 && answer.headers.values("Cache-Control") == ["no-store"])
      #expect(try await app.post("/token", form(good))["error"] == "invalid_grant")
      func refresh(_ token: String, client: String = "mail") -> FormFields {
        ["grant_type": "refresh_token", "client_id": client, "refresh_token": token]
      }
      // A code that comes again ends what it gave.
      let ended = try #require(answer["refresh_token"])
      #expect(try await app.post("/token", refresh(ended))["error"] == "invalid_grant")
      #expect(try await app.post("/token", form(try await code(), client: "chat"))["error"] == "invalid_grant")
      #expect(
        try await app.post("/token", form(try await code(), verifier: PKCE().verifier))["error"] == "invalid_grant")
      #expect(try await app.post("/token", form(try await code(), client: "nobody")).status == 401)
      let late = try await code()
      world.clock.advance(.seconds(61))
      #expect(try await app.post("/token", form(late))["error"] == "invalid_grant")

      let token = try #require(try await app.post("/token", form(try await code()))["refresh_token"])
      #expect(try await app.post("/token", refresh(token, client: "chat"))["error"] == "invalid_grant")
      let second = try #require(try await app.post("/token", refresh(token))["refresh_token"])
      #expect(try await app.post("/revoke", ["client_id": "mail", "token": second]).status == 200)
      #expect(try await app.post("/token", refresh(second))["error"] == "invalid_grant")

      // What is no request of a token at all.
      let get = try await app.get("/token")
      #expect(get.status == 405 && get.headers.values("Allow") == ["POST, OPTIONS"])
      var other = HTTPRequestValue.post([:], to: "/token")
      // No parameter at all, so no client, and a parameter that can't be decoded.
      for (body, status) in [("{}", 401), ("grant_type=%zz", 400)] {
        other.body = Array(body.utf8)
        #expect(try await app.send(other).status == status)
      }
      try other.headers.set("Content-Type", "application/json")
      #expect(try await app.send(other).status == 400)
      for path in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] {
        #expect(try await app.get(path)["token_endpoint"] == Visitor.issuer + "/token")
      }
      let keys = String(decoding: try await app.get("/jwks").body, as: UTF8.self)
      #expect(keys.contains("\"x\"") && !keys.contains("\"d\""))
      let long = HTTPRequestValue.post(["grant_type": String(repeating: "a", count: 70_000)], to: "/token")
      #expect(try await app.send(long).status == 413)
    }
  }
}

extension JWTPolicy {
  fileprivate func at(_ clock: WallClock) -> JWTPolicy {
    var policy = self
    policy.clock = clock
    return policy
  }
}

/// A provider, its users, and what one device keeps.
private struct World {
  let clock = TestClock()
  let provider: ExampleProvider
  let pairs = MemorySecretStore()

  init() async throws {
    let sessions = SessionRecords()
    try await sessions.addUser("jane")
    let clients = ["mail", "chat", "stranger"].map { name in
      var client = RegisteredClient(
        id: name, nativeSSOEnabled: true, group: "vendor", redirectURIs: ["com.example.\(name):/cb"],
        allowedScopes: ["openid", "profile"])
      client.postLogoutRedirectURIs = client.redirectURIs
      client.needsConsent = name == "stranger"
      return client
    }
    for client in clients where !client.needsConsent {
      try await sessions.grant(client.allowedScopes, userID: "jane", clientID: client.id)
    }
    provider = try ExampleProvider(
      issuer: Visitor.issuer, key: .generate(.es256, keyID: "op-1"), refreshKey: Array(0...31), clients: clients,
      sessions: sessions, records: MemoryRecordStore(),
      clock: clock.wall
    ) { user, password in
      user == "jane" && password == "secret"
    }
  }

  func application() async throws -> some ApplicationProtocol {
    let router = Router()
    provider.addRoutes(to: router) { _, _ in "192.0.2.1" }
    return Application(router: router)
  }

  func session(_ name: String, _ visitor: Visitor) async throws -> NativeSSOSession {
    let document = try await visitor.get("/.well-known/openid-configuration").body
    let configuration = NativeSSOClientConfiguration(
      clientID: name, redirectURI: "com.example.\(name):/cb",
      metadata: try OpenIDProviderMetadata(parsing: document, issuer: Visitor.issuer), scopes: ["openid", "profile"],
      keys: { _ in try JWKSet(parsing: try await visitor.get("/jwks").body) },
      transport: { try await visitor.send($0) },
      clock: clock.wall)
    let isSignedOut = Flag()
    return try NativeSSOSession(
      configuration, pairs: pairs, tokens: MemorySecretStore(),
      signOut: SignOutMemory(load: { isSignedOut.get() }, save: { isSignedOut.set($0) }),
      clock: TokenClock(
        wall: clock.wall, elapsed: { [clock] in .seconds(Int(clock.now)) },
        // Requests are answered in no time, so that no limit is ever reached.
        sleep: { _ in try await Task.sleep(for: .seconds(86_400)) }))
  }
}

private final class Flag: Sendable {
  private let value = Mutex(false)
  func get() -> Bool { value.withLock { $0 } }
  func set(_ new: Bool) { value.withLock { $0 = new } }
}
