import JOSE
import StrictJSON
import Testing

@testable import OpenIDKit

/// What an authorization request does in a browser, from page to page.
@Suite struct AuthorizationStepTests {
  private func begin(
    _ world: ProviderWorld, _ changes: [(String, String?)] = [], client: String = "app", visit: String = "v",
    login: BrowserLogin? = nil
  ) async throws -> AuthorizationStep {
    try await world.provider.authorize(
      try ProviderWorld.request(changes, client: client), visit: visit, login: login, from: "a")
  }

  @Test func `a request leads through login and consent to a code, and then is over`() async throws {
    let world = try await ProviderWorld()
    let login = try #require(try await begin(world, client: "site").pending)
    #expect(login.decision == .logIn(.noLogin) && login.sessionID == nil && login.client.id == "site")
    let consent = try await world.provider.resume(
      login.id, visit: "v", login: try await world.login(), after: .login)
    let pending = try #require(consent.pending)
    #expect(pending.id == login.id && pending.decision == .consent && pending.sessionID == ProviderWorld.session)
    try await world.sessions.grant(pending.agreement, userID: "jane", clientID: "site")
    let answer = try await world.provider.resume(
      login.id, visit: "v", login: try await world.login(), after: .consent(sessionID: ProviderWorld.session))
    #expect(answer.answer?.values("state") == ["st"] && answer.answer?.values("iss") == [ProviderWorld.issuer])
    let over = try await world.provider.resume(login.id, visit: "v", login: try await world.login(), after: .none)
    #expect(over.refusal == "request_expired")
    // The next time nothing is asked.
    #expect(try await begin(world, client: "site", login: world.login()).answer?.values("code").count == 1)
  }

  @Test func `a request waits for the browser that brought it, for half an hour`() async throws {
    let world = try await ProviderWorld()
    let id = try #require(try await begin(world).pending?.id)
    for (visit, name) in [("other", id), ("v", "made-up"), ("", id)] {
      #expect(try await world.provider.pending(name, visit: visit, login: nil) == nil)
      let step = try await world.provider.resume(name, visit: visit, login: try await world.login(), after: .login)
      #expect(step.refusal == "request_expired")
    }
    world.clock.advance(1799)
    #expect(try await world.provider.pending(id, visit: "v", login: nil) != nil)
    world.clock.advance(1)
    #expect(try await world.provider.pending(id, visit: "v", login: nil) == nil)
  }

  @Test func `a request that another site posts continues in the first browser that opens it`() async throws {
    let world = try await ProviderWorld()
    let query = try ProviderWorld.request(client: "app").url.drop { $0 != "?" }.dropFirst()
    var posted = HTTPRequestValue.post([:], to: "/authorize")
    posted.body = Array(query.utf8)
    // The cookie of the login doesn't come, whoever is logged in.
    guard case .goOn(let id) = try await world.provider.authorize(posted, visit: "new", login: nil, from: "a") else {
      Issue.record("the form is judged without the login's cookie")
      return
    }
    let step = try await world.provider.resume(id, visit: "v", login: try await world.login(), after: .none)
    #expect(step.answer?.values("code").count == 1)
    guard case .goOn(let other) = try await world.provider.authorize(posted, visit: "new", login: nil, from: "a") else {
      return
    }
    #expect(try await world.provider.pending(other, visit: "v", login: nil) != nil)
    #expect(try await world.provider.pending(other, visit: "w", login: nil) == nil)
    // What is wrong is never stored.
    posted.body += Array("&prompt=none%20login".utf8)
    #expect(
      try await world.provider.authorize(posted, visit: "v", login: nil, from: "a").answer?.values("error") == [
        "invalid_request"
      ])
  }

  @Test func `of two pages that continue one request, one has a code`() async throws {
    let world = try await ProviderWorld()
    let id = try #require(try await begin(world).pending?.id)
    let login = try await world.login()
    let steps = try await withThrowingTaskGroup(of: AuthorizationStep.self) { group in
      for _ in 0..<8 {
        group.addTask { try await world.provider.resume(id, visit: "v", login: login, after: .login) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(steps.count { $0.answer?.values("code").count == 1 } == 1)
    #expect(steps.count { $0.refusal == "request_expired" } == 7)
  }

  @Test(arguments: [("prompt", "login"), ("prompt", "select_account"), ("max_age", "0")])
  func `a login that is asked for counts once, for its user and session`(name: String, value: String) async throws {
    let world = try await ProviderWorld()
    world.clock.advance(10)
    let id = try #require(try await begin(world, [(name, value)], login: world.login()).pending?.id)
    // Nothing was done yet; and the login of another session is not this one's.
    #expect(try await world.provider.resume(id, visit: "v", login: world.login(), after: .none).pending != nil)
    try await world.begin("s-2")
    _ = try await world.provider.pending(id, visit: "v", login: try await world.login("s-2"), after: .login)
    #expect(try await world.provider.resume(id, visit: "v", login: world.login(), after: .none).pending != nil)
    let step = try await world.provider.resume(id, visit: "v", login: world.login("s-2"), after: .none)
    #expect(step.answer?.values("code").count == 1)
  }

  @Test func `a consent counts for the session that the page was shown to, and for what it showed`() async throws {
    let world = try await ProviderWorld()
    let id = try #require(
      try await begin(world, [("prompt", "consent")], client: "site", login: world.login()).pending?.id)
    try await world.begin("s-2")
    for (page, login) in [(ProviderWorld.session, "s-2"), ("s-2", ProviderWorld.session)] {
      let step = try await world.provider.resume(
        id, visit: "v", login: try await world.login(login), after: .consent(sessionID: page))
      #expect(step.pending?.decision == .consent)
    }
    // The page's word alone is no consent: it must have been kept.
    let step = try await world.provider.resume(
      id, visit: "v", login: try await world.login(), after: .consent(sessionID: ProviderWorld.session))
    #expect(step.pending?.decision == .consent)
  }

  @Test(arguments: [true, false]) func `a login whose session has ended or whose user is disabled must be repeated`(
    _ isSession: Bool
  ) async throws {
    let world = try await ProviderWorld()
    let login = try await world.login()
    if isSession {
      try await world.sessions.end(sessionID: ProviderWorld.session)
    } else {
      try await world.sessions.disableUser("jane")
    }
    let step = try await begin(world, login: login)
    #expect(step.pending?.decision == .logIn(.noLogin))
    let next = try await world.provider.resume(
      try #require(step.pending?.id), visit: "v", login: login, after: .login)
    #expect(next.pending?.decision == .logIn(.noLogin))
  }

  @Test func `a user's refusal sends access_denied to the client once`() async throws {
    let world = try await ProviderWorld()
    let id = try #require(try await begin(world, client: "site", login: world.login()).pending?.id)
    let step = try await world.provider.resume(id, visit: "v", login: try await world.login(), after: .denial)
    #expect(step.answer?.values("error") == ["access_denied"])
    #expect(
      try await world.provider.resume(id, visit: "v", login: world.login(), after: .denial).refusal == "request_expired"
    )
  }

  @Test func `consent is asked each time for a redirect URI with a private-use scheme`() async throws {
    var clients = ProviderWorld.clients
    clients[1].redirectURIs.append("com.example.app:/cb")
    clients[1].needsConsent = true
    let world = try await ProviderWorld(clients: clients)
    try await world.sessions.grant(["openid"], userID: "jane", clientID: "app")
    #expect(try await begin(world, login: world.login()).answer != nil)
    let step = try await begin(world, [("redirect_uri", "com.example.app:/cb")], login: world.login())
    #expect(step.pending?.decision == .consent)
  }

  @Test func `a pushed request counts alone and once, and a client that must push is told`() async throws {
    var clients = ProviderWorld.clients
    clients[1].requiresPushedRequests = true
    let world = try await ProviderWorld(clients: clients)
    #expect(try await begin(world, login: world.login()).answer?.values("error") == ["invalid_request"])
    let query = try ProviderWorld.request([("state", "pushed")], client: "app").url.drop { $0 != "?" }.dropFirst()
    let pushed = try await world.post("/par", try FormFields(decoding: Array(query.utf8)))
    let reference = try #require(pushed.member("request_uri"))
    let step = try await begin(world, [("request_uri", reference), ("state", "beside")], login: world.login())
    #expect(step.answer?.values("state") == ["pushed"])
    #expect(try await begin(world, [("request_uri", reference)], login: world.login()).refusal == "invalid_request_uri")
  }

  @Test func `an invalid request is refused, and the pending requests of one source are limited`() async throws {
    let world = try await ProviderWorld()
    #expect(try await begin(world, [("client_id", "nobody")]).refusal == "invalid_client")
    #expect(try await begin(world, [("redirect_uri", "https://evil.example")]).refusal == "invalid_request")
    let put = HTTPRequestValue(method: "PUT", url: try ProviderWorld.request().url)
    #expect(try await world.provider.authorize(put, visit: "v", login: nil, from: "a").refusal == "invalid_request")
    for changes in [("state", 2049), ("nonce", 513), ("made_up", 513)].map({ ($0, String(repeating: "s", count: $1)) })
    {
      #expect(
        try await begin(world, [(changes.0, changes.1)]).answer?.values("error") == ["invalid_request"], "\(changes.0)")
    }
    for _ in 0..<600 { #expect(try await begin(world).pending != nil) }
    #expect(try await begin(world).refusal == "temporarily_unavailable")
    // Who is answered at once keeps nothing.
    #expect(try await begin(world, login: world.login()).answer != nil)
    let other = try await world.provider.authorize(
      try ProviderWorld.request(client: "app"), visit: "v", login: nil, from: "b")
    #expect(other.pending != nil)
  }

  @Test func `a store that fails uses nothing up`() async throws {
    let world = try await ProviderWorld()
    let id = try #require(try await begin(world).pending?.id)
    let login = try await world.login()
    for kind in ["authorization-request", "session-client", "authorization-code"] {
      world.records.fail { $0.name == kind }
      await #expect(throws: OpenIDError(.storeUnavailable, "")) {
        try await world.provider.resume(id, visit: "v", login: login, after: .login)
      }
    }
    world.records.fail { _ in false }
    #expect(
      try await world.provider.resume(id, visit: "v", login: login, after: .login).answer?.values("code").count == 1)
  }
}
