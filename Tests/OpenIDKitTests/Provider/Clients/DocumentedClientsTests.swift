import JOSE
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// Clients that nobody registered: their documents, how they are fetched, and what becomes of their logins.
@Suite struct DocumentedClientsTests {
  private static let id = "https://agent.example/client.json"

  private static func members(_ changes: [String: JSONValue?] = [:]) -> JSONObject {
    var members: JSONObject = [
      "client_id": .string(id), "client_name": "Agent", "redirect_uris": ["https://agent.example/cb"],
    ]
    for (name, value) in changes { members[name] = value }
    return members
  }

  /// A web server with documents, which counts what it is asked for.
  private final class Web: Sendable {
    let answers = Mutex<[String: HTTPResponseValue]>([:])
    let asked = Mutex<[String]>([])
    let delay = Mutex<Duration?>(nil)

    func answer(
      at url: String = DocumentedClientsTests.id, _ members: JSONObject?, status: Int = 200,
      _ fields: [(String, String)] = [("Content-Type", "application/json")]
    ) throws {
      let response = HTTPResponseValue(
        status: status, headers: try HTTPHeaderFields(fields), body: members?.serialized() ?? [])
      answers.withLock { $0[url] = response }
    }

    @Sendable func send(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
      asked.withLock { $0.append(request.url) }
      if let delay = delay.withLock({ $0 }) { try await Task.sleep(for: delay) }
      guard let answer = answers.withLock({ $0[request.url] }) else { throw RequestNotSent() }
      return answer
    }

    var count: Int { asked.withLock { $0.count } }
  }

  private func clients(
    _ web: Web, _ clock: VirtualClock = VirtualClock(), registered: [RegisteredClient] = [],
    allowsLocalhost: Bool = false, allows: @escaping @Sendable (String) async -> Bool = { _ in true }
  ) -> DocumentedClients {
    DocumentedClients(
      issuer: ProviderWorld.issuer, registered: StaticClientDirectory(registered), scopes: ["openid", "orders"],
      resources: ["https://api.example.com"], records: MemoryRecordStore(), allowsLocalhost: allowsLocalhost,
      clock: clock.wall, allows: allows, transport: web.send)
  }

  // MARK: Identifiers

  @Test(arguments: [
    ("https://agent.example/client.json", true), ("https://agent.example:8443/a/b?c=d", true),
    ("https://agent.example/.well-known/c", true), ("https://agent.example/a..b", true),
    ("https://agent.example", false), ("https://agent.example/", false), ("http://agent.example/c", false),
    ("https://agent.example/c#x", false), ("https://u@agent.example/c", false), ("https://u:p@agent.example/c", false),
    ("https://agent.example/a/../c", false), ("https://agent.example/./c", false),
    ("https://agent.example/a/..", false),
    ("https://agent.example/%2e%2e/c", false), ("https://agent.example/%2E/c", false),
    ("https://agent.example/.%2e/c", false), ("https://127.0.0.1/c", false), ("https://127.1/c", false),
    ("https://2130706433/c", false), ("https://0x7f000001/c", false), ("https://1.2.3.0x4/c", false),
    ("https://[::1]/c", false), ("https://[2001:db8::1]/c", false), ("https://10.0.0.1/c", false),
    ("https://203.0.113.7/c", false), ("https://[::ffff:10.0.0.1]/c", false),
    ("https://[64:ff9b::169.254.169.254]/c", false), ("https://10.0.0.%31/c", false), ("https://localhost/c", false),
    ("https://a.localhost/c", false),
    ("https://LOCALHOST/c", false), ("https://intranet/c", false), ("ftp://agent.example/c", false), ("agent", false),
    ("https:///c", false), ("https://agent.example/é", false),
    ("https://agent.example/" + String(repeating: "a", count: 600), false),
  ]) func `an identifier is an https address with a path, on a host with a name`(_ id: String, _ isTaken: Bool)
    async throws
  {
    let web = Web()
    try web.answer(at: id, Self.members(["client_id": .string(id)]))
    #expect((try await clients(web).client(id: id) != nil) == isTaken)
    // Of what can't be one, nothing is fetched.
    #expect(isTaken || web.count == 0)
  }

  @Test func `registered clients go first, and other hosts are not asked`() async throws {
    let web = Web()
    try web.answer(Self.members())
    var own = RegisteredClient(id: Self.id)
    own.isResourceServer = true
    #expect(try await clients(web, registered: [own]).client(id: Self.id)?.isResourceServer == true)
    #expect(try await clients(web, registered: [own]).document(id: Self.id) == nil)
    #expect(try await clients(web) { $0 == "other.example" }.client(id: Self.id) == nil && web.count == 0)
    #expect(try await clients(web).client(id: "app") == nil && web.count == 0)
  }

  // MARK: Documents

  @Test(
    arguments: [
      ([:], true), (["client_id": nil], false), (["client_id": "https://agent.example:443/client.json"], false),
      (["client_id": "https://AGENT.example/client.json"], false), (["client_id": 1], false),
      (["client_secret": "s"], false), (["client_secret": nil, "client_secret_expires_at": 0], false),
      (["client_name": nil], false), (["client_name": ""], false), (["redirect_uris": nil], false),
      (["redirect_uris": []], false), (["redirect_uris": ["http://agent.example/cb"]], false),
      (["redirect_uris": ["javascript:alert(1)"]], false), (["redirect_uris": ["https://agent.example/cb#x"]], false),
      (["redirect_uris": ["https://*.agent.example/cb"]], false), (["redirect_uris": ["myapp:/cb"]], false),
      (["redirect_uris": ["com.example.app:/cb"]], true), (["redirect_uris": ["http://localhost/cb"]], true),
      // What was written for other servers is left out.
      (["redirect_uris": ["http://x.example/cb", "https://agent.example/cb"]], true),
      (["token_endpoint_auth_method": "client_secret_basic"], false),
      (["token_endpoint_auth_method": "client_secret_jwt"], false), (["token_endpoint_auth_method": 1], false),
      (["token_endpoint_auth_method": "private_key_jwt"], false),
      (["token_endpoint_auth_methods_supported": ["client_secret_post", "none"]], true),
      (["token_endpoint_auth_methods_supported": ["client_secret_post"], "token_endpoint_auth_method": "none"], false),
      (["grant_types": ["client_credentials"]], false),
      (["grant_types": ["authorization_code", "client_credentials"]], true), (["response_types": ["token"]], false),
      (["scope": "openid admin"], true), (["client_name": .string(String(repeating: "n", count: 5200))], false),
    ] as [([String: JSONValue?], Bool)]) func `a document says who it is of, holds no secret, and has an address`(
      _ changes: [String: JSONValue?], _ isTaken: Bool
    ) async throws
  {
    let web = Web()
    try web.answer(Self.members(changes))
    let client = try await clients(web).client(id: Self.id)
    #expect((client != nil) == isTaken)
    guard let client else { return }
    #expect(client.isPublic && client.requiresPKCE && client.needsConsent && client.machineScopes == nil)
    #expect(client.allowedScopes == (changes["scope"] == nil ? ["openid", "orders"] : ["openid"]))
  }

  @Test(arguments: [200, 201, 204, 301, 302, 307, 401, 404, 500])
  func `only 200 is an answer, and no redirect is followed`(
    _ status: Int
  ) async throws {
    let web = Web()
    let fields = [("Content-Type", "application/json"), ("Location", "https://agent.example/other")]
    try web.answer(Self.members(), status: status, fields)
    #expect((try await clients(web).client(id: Self.id) != nil) == (status == 200))
    #expect(web.count == 1)
  }

  @Test(arguments: [
    ("application/json", true), ("application/json; charset=utf-8", true), ("application/cimd+json", true),
    ("APPLICATION/JSON", true), ("text/html", false), ("text/json", false), ("application/jsonp", false), (nil, false),
  ]) func `a document is declared as JSON`(_ type: String?, _ isTaken: Bool) async throws {
    let web = Web()
    try web.answer(Self.members(), type.map { [("Content-Type", $0)] } ?? [])
    #expect((try await clients(web).client(id: Self.id) != nil) == isTaken)
  }

  @Test func `keys are public, and a client that has them must prove itself`() async throws {
    let key = try SigningKey.generate(.es256, keyID: "a-1")
    let set = try JSONObject(parsing: JWKSet([#require(key.verificationKey.publicJWK)]).serialized())
    let web = Web()
    let method: [String: JSONValue?] = ["token_endpoint_auth_method": "private_key_jwt"]
    try web.answer(Self.members(method.merging(["jwks": .object(set)]) { $1 }))
    let client = try #require(try await clients(web).client(id: Self.id))
    #expect(!client.isPublic && client.isAnybody)
    // Nobody knows this client: it must not use up what all clients' assertions are remembered in.
    guard case .assertion(let verifier) = client.authentication else { throw CancellationError() }
    #expect(verifier.limitsIssuers)
    let secret = try JSONObject(parsing: JWK.generate(.es256).serializedWithPrivateKey())
    for keys: JSONValue in [
      ["keys": [.object(secret)]], ["keys": []], ["keys": [["kty": "oct", "k": "AAAA"]]], "x", ["keys": 1],
    ] {
      try web.answer(Self.members(method.merging(["jwks": keys]) { $1 }))
      #expect(try await clients(web).client(id: Self.id) == nil)
    }
    for url in ["http://agent.example/jwks", "https://127.0.0.1/jwks", "https://localhost/jwks", "jwks"] {
      try web.answer(Self.members(method.merging(["jwks_uri": .string(url)]) { $1 }))
      #expect(try await clients(web).client(id: Self.id) == nil)
    }
    try web.answer(Self.members(method.merging(["jwks_uri": "https://keys.example/jwks"]) { $1 }))
    #expect(try await clients(web) { $0 == "agent.example" }.client(id: Self.id) == nil)
    #expect(try await clients(web).client(id: Self.id)?.isPublic == false)
  }

  // MARK: Fetching

  @Test func `a document serves as long as it is fresh, and the last good one for a day`() async throws {
    let (web, clock) = (Web(), VirtualClock())
    let directory = clients(web, clock)
    func ask() async throws -> String? { try await directory.document(id: Self.id)?.name }
    let json = ("Content-Type", "application/json")
    try web.answer(Self.members(), [json, ("Cache-Control", "max-age=600")])
    #expect(try await ask() == "Agent")
    clock.advance(599)
    #expect(try await ask() == "Agent" && web.count == 1)
    clock.advance(2)
    try web.answer(Self.members(["client_name": "Two"]), [json, ("Cache-Control", "no-store")])
    #expect(try await ask() == "Two" && web.count == 2)
    // Nobody makes the provider ask each time.
    clock.advance(299)
    #expect(try await ask() == "Two" && web.count == 2)
    clock.advance(2)
    try web.answer(Self.members(["client_secret": "s"]))
    #expect(try await ask() == "Two" && web.count == 3)
    try web.answer(nil, status: 500)
    // A server that is down is asked once a minute, and its clients go on however often they come.
    for _ in 0..<30 { #expect(try await ask() == "Two") }
    #expect(web.count == 3)
    clock.advance(86_000)
    #expect(try await ask() == "Two")
    clock.advance(1000)
    #expect(try await ask() == nil)
    // What is wrong is not kept.
    try web.answer(Self.members())
    #expect(try await ask() == "Agent")
  }

  @Test func `many requests at once ask once, and one host can't be asked for ever`() async throws {
    let (web, clock) = (Web(), VirtualClock())
    let directory = clients(web, clock)
    try web.answer(Self.members())
    web.delay.withLock { $0 = .milliseconds(50) }
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 { group.addTask { (try? await directory.client(id: Self.id)) != nil } }
      for await isFound in group { #expect(isFound) }
    }
    #expect(web.count == 1)
    web.delay.withLock { $0 = nil }
    var refused = 0
    for number in 0..<20 {
      do {
        _ = try await directory.client(id: "https://agent.example/\(number)")
      } catch let error as OpenIDError {
        #expect(error.code == .tooManyRequests)
        refused += 1
      }
    }
    #expect(refused == 11 && web.count == 10)
  }

  // MARK: Redirects

  @Test(arguments: [
    ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb", false, true),
    ("http://localhost/cb", "http://localhost:5000/cb", false, false),
    ("http://localhost/cb", "http://localhost:5000/cb", true, true),
    ("http://localhost/cb", "http://127.0.0.1:5000/cb", true, false),
    ("http://localhost:33418/cb", "http://localhost:5000/cb", true, true),
    ("http://localhost/cb", "http://localhost/cb", false, true),
    ("http://localhost/cb", "http://localhost:5000/c", true, false),
    ("http://localhost/cb", "https://localhost:5000/cb", true, false),
    ("https://agent.example/cb", "https://agent.example:444/cb", true, false),
    ("https://agent.example/cb", "https://agent.example/cb/", true, false),
  ]) func `only the port of a loopback address may be another`(
    _ registered: String, _ asked: String, _ allowsLocalhost: Bool, _ isTaken: Bool
  ) async throws {
    let web = Web()
    try web.answer(Self.members(["redirect_uris": [.string(registered)]]))
    let directory = clients(web, allowsLocalhost: allowsLocalhost)
    let client = try await directory.client(id: Self.id)
    let document = try #require(try await directory.document(id: Self.id))
    #expect(document.isLoopbackOnly == registered.hasPrefix("http:") && document.host == "agent.example")
    let fields: FormFields = [
      "client_id": Self.id, "redirect_uri": asked, "response_type": "code", "scope": "openid",
      "code_challenge": PKCE().challenge, "code_challenge_method": "S256",
    ]
    #expect(((try? OAuthAuthorizationRequest(fields, of: client)) != nil) == isTaken)
  }

  // MARK: Logins

  private struct Login {
    var world: ProviderWorld
    let web = Web()
    static let verifier = String(repeating: "v", count: 43)

    init() async throws {
      world = try await ProviderWorld(clients: [], policy: { $0.refreshTokenScopes = ["offline_access"] })
    }

    func request() throws -> HTTPRequestValue {
      let fields = FormFields([
        ("client_id", DocumentedClientsTests.id), ("redirect_uri", "https://agent.example/cb"),
        ("response_type", "code"), ("scope", "openid"), ("code_challenge_method", "S256"),
        ("code_challenge", try PKCE(verifier: Self.verifier).challenge),
      ])
      return HTTPRequestValue(method: "GET", url: ProviderWorld.issuer + "/authorize?" + fields.encodedAsQuery())
    }

    func begin() async throws -> PendingAuthorization {
      let step = try await world.provider.authorize(
        try request(), visit: "v", login: try await world.login(), from: "a")
      return try #require(step.pending)
    }

    func agree(_ pending: PendingAuthorization) async throws -> AuthorizationStep {
      try await world.sessions.grant(pending.agreement, userID: "jane", clientID: DocumentedClientsTests.id)
      return try await world.provider.resume(
        pending.id, visit: "v", login: try await world.login(), after: .consent(sessionID: ProviderWorld.session))
    }

    func redeem(_ step: AuthorizationStep) async throws -> HTTPResponseValue {
      try await world.post(
        "/token",
        [
          "grant_type": "authorization_code", "client_id": DocumentedClientsTests.id,
          "code": try #require(step.answer?.values("code").first), "redirect_uri": "https://agent.example/cb",
          "code_verifier": Self.verifier,
        ])
    }
  }

  private func login(_ changes: [String: JSONValue?] = [:]) async throws -> Login {
    var login = try await Login()
    try login.web.answer(
      Self.members(changes), [("Content-Type", "application/json"), ("Cache-Control", "max-age=60")])
    login.world.provider.clients = clients(login.web, login.world.clock)
    return login
  }

  @Test(
    arguments: [
      (nil, false), (["authorization_code"], false), (["authorization_code", "refresh_token"], true),
    ] as [([JSONValue]?, Bool)]) func `such a client logs users in, and refreshes if it says so`(
      _ grants: [JSONValue]?, _ refreshes: Bool
    ) async throws
  {
    let login = try await login(["grant_types": grants.map { .array($0) }])
    #expect(try await login.world.provider.metadata()["client_id_metadata_document_supported"] == true)
    let pending = try await login.begin()
    #expect(pending.decision == .consent)
    let answer = try await login.redeem(try await login.agree(pending))
    #expect(answer.status == 200 && (answer.member("refresh_token") != nil) == refreshes)
    // The next time, the user is asked again: anybody can say that he is this client.
    #expect(try await login.begin().decision == .consent)
  }

  @Test func `who has agreed to a document has not agreed to the next one`() async throws {
    let login = try await login()
    let pending = try await login.begin()
    try login.web.answer(Self.members(["client_name": "Bank"]))
    login.world.clock.advance(301)
    let again = try #require(try await login.agree(pending).pending)
    #expect(again.decision == .consent)
    #expect(try await login.redeem(try await login.agree(again)).status == 200)
  }

  @Test func `a code is good for the client that the user was asked about`() async throws {
    let login = try await login(["redirect_uris": ["https://agent.example/cb", "https://agent.example/x"]])
    var provider = login.world.provider
    let step = try await login.agree(try await login.begin())
    // Meanwhile the document has another key, name or address.
    let web = Web()
    try web.answer(Self.members())
    provider.clients = clients(web, login.world.clock)
    var world = login.world
    world.provider = provider
    var changed = login
    changed.world = world
    #expect(try await changed.redeem(step).member("error") == "invalid_grant")
  }

  // MARK: The client's own document

  @Test func `a client writes what servers take, and answers for it`() throws {
    let key = try SigningKey.generate(.es256, keyID: "a-1")
    let document = try ClientDocument(
      id: Self.id, name: "Agent", redirectURIs: ["http://127.0.0.1/cb"],
      keys: JWKSet([try #require(key.verificationKey.publicJWK)]), members: ["client_uri": "https://agent.example"])
    let response = try #require(document.respond(to: HTTPRequestValue(method: "GET", url: "/client.json")))
    let read = try ClientDocument(parsing: response.body, id: Self.id)
    #expect(read.members == document.members && read.isLoopbackOnly && read.refreshes)
    #expect(document.respond(to: HTTPRequestValue(method: "GET", url: "/other")) == nil)
    for (id, name, addresses, wrong) in [
      ("https://agent.example", "Agent", ["https://agent.example/cb"], "client_id"),
      (Self.id, "", ["https://agent.example/cb"], "client_name"), (Self.id, "Agent", [], "redirect_uris"),
      (Self.id, "Agent", ["https://agent.example/cb", "http://agent.example/cb"], "redirect_uris"),
    ] {
      #expect(throws: OpenIDError(.settingInvalid, "", name: wrong)) {
        _ = try ClientDocument(id: id, name: name, redirectURIs: addresses)
      }
    }
  }
}
