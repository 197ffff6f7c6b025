import JOSE
@testable import PlatformSSOKit
import Synchronization
import Testing

@Suite("Passwords that another provider judges")
struct ResourceOwnerPasswordUpstreamTests {
  /// A provider that takes jane's password at its token endpoint.
  private final class Upstream: Sendable {
    static let issuer = "https://login.example.net"

    struct State {
      var requests: [HTTPRequestValue] = []
      /// In place of what the token endpoint would answer.
      var answer: HTTPResponseValue?
      var claims: JSONObject = ["sub": "up-1", "email": "jane@example.net", "secret_note": "x"]
      var issuer = Upstream.issuer
      var audience = "macs"
      var hasIDToken = true
      var isGone = false
    }

    let state = Mutex(State())
    let key: SigningKey
    let clock: WallClock

    init(clock: WallClock) throws {
      (key, self.clock) = (try .generate(.rs256, keyID: "up"), clock)
    }

    func change(_ body: (inout sending State) -> Void) { state.withLock { body(&$0) } }
    var tokenRequests: [HTTPRequestValue] { state.withLock { $0.requests } }

    func send(_ request: HTTPRequestValue) throws -> HTTPResponseValue {
      let json = try HTTPHeaderFields([("Content-Type", "application/json")])
      func answer(_ status: Int, _ body: JSONObject) -> HTTPResponseValue {
        HTTPResponseValue(status: status, headers: json, body: body.serialized())
      }
      switch request.url {
      case Self.issuer + "/.well-known/openid-configuration":
        return answer(200, ["issuer": .string(Self.issuer), "jwks_uri": .string(Self.issuer + "/keys")])
      case Self.issuer + "/keys":
        let keys = JWKSet([key.verificationKey.publicJWK].compactMap { $0 })
        return HTTPResponseValue(status: 200, headers: json, body: keys.serialized())
      default: break
      }
      let known = state.withLock { state -> State in
        state.requests.append(request)
        return state
      }
      if known.isGone { throw RequestNotSent() }
      if let answer = known.answer { return answer }
      let form = try request.form()
      guard form.values("username") == [Fixture.user], form.values("password") == ["correct horse"] else {
        return answer(400, ["error": "invalid_grant"])
      }
      guard known.hasIDToken else { return answer(200, ["access_token": "at", "token_type": "Bearer"]) }
      var claims = known.claims
      (claims["iss"], claims["aud"]) = (.string(known.issuer), .string(known.audience))
      claims["iat"] = .number(JSONNumber(Int(clock.now.secondsSince1970)))
      claims["exp"] = .number(JSONNumber(Int(clock.now.secondsSince1970) + 300))
      let token = try JWS.sign(claims.serialized(), with: key, header: HeaderParameters(keyID: "up"))
      return answer(200, ["access_token": "at", "token_type": "Bearer", "id_token": .string(token)])
    }
  }

  private func parts(
    _ world: ProviderWorld
  ) throws -> (upstream: Upstream, users: ResourceOwnerPasswordUpstream) {
    let upstream = try Upstream(clock: world.clock.wallClock)
    let users = try ResourceOwnerPasswordUpstream(
      issuer: Upstream.issuer, tokenEndpointURL: Upstream.issuer + "/token", clientID: "macs",
      clientSecret: "s:é", records: world.records, clock: world.clock.wallClock, transport: upstream.send)
    return (upstream, users)
  }

  @Test("A Mac's login asks the other provider, and its ID token tells of the user")
  func logsIn() async throws {
    let world = try ProviderWorld()
    let (upstream, users) = try parts(world)
    let mac = try await world.mac(at: world.provider(users: users))
    let login = try await mac.logIn(password: "correct horse")
    #expect(login.uniqueIdentifier == "up-1")
    #expect(login.idToken.claims["email"] == "jane@example.net" && login.idToken.claims["secret_note"] == nil)
    #expect(login.idToken.claims["iss"] == .string(ProviderWorld.address))
    let asked = try #require(upstream.tokenRequests.first)
    let form = try asked.form()
    #expect(form.values("grant_type") == ["password"] && form.values("scope") == ["openid profile email"])
    #expect(form.values("client_secret").isEmpty)
    // "macs" and "s:é", form-encoded.
    #expect(asked.headers.values("Authorization") == ["Basic bWFjczpzJTNBJUMzJUE5"])
    // Nobody is asked at a refresh.
    let session = PlatformSSOSession(of: login.response, at: Fixture.now)
    #expect(try await mac.refresh(login, in: session)?.uniqueIdentifier == "up-1")
    #expect(upstream.tokenRequests.count == 1)
  }

  @Test("A password that the upstream rejects is rejected at the Mac")
  func wrong() async throws {
    let world = try ProviderWorld()
    let mac = try await world.mac(at: world.provider(users: parts(world).users))
    await #expect(throws: JOSEError(.credentialRejected, "")) { try await mac.logIn(password: "a guess") }
    #expect(world.refusals.map(\.code) == [.passwordRejected])
  }

  /// Of none of these it follows that the password is wrong: after a 401 the Mac would ask its user again.
  @Test(
    "An upstream outage or a refused client is answered with 503 and not as a wrong password",
    arguments: [
      (500, #"{"error":"invalid_grant"}"#), (503, ""), (502, "<html>"), (429, #"{"error":"slow_down"}"#),
      (400, #"{"error":"temporarily_unavailable"}"#), (401, #"{"error":"invalid_client"}"#),
      (400, #"{"error":"unauthorized_client"}"#), (400, #"{"error":"unsupported_grant_type"}"#),
      (400, #"{"error":"invalid_scope"}"#), (403, "<html>Forbidden"), (302, ""), (200, ""), (200, "[]"),
      (200, #"{"id_token":1}"#), (200, #"{"id_token":"a.b.c"}"#), (404, ""),
    ])
  func outages(_ status: Int, _ body: String) async throws {
    let world = try ProviderWorld()
    let (upstream, users) = try parts(world)
    let mac = try await world.mac(at: world.provider(users: users))
    upstream.change { $0.answer = HTTPResponseValue(status: status, body: Array(body.utf8)) }
    let request = try mac.device.loginRequest(
      of: mac.user, by: .password("correct horse"), nonces: await mac.nonces())
    #expect(try await mac.send(request.httpRequest).status == 503)
    #expect(world.refusals.map(\.code) == [.storeUnavailable])
    #expect(!"\(world.refusals)".contains("correct horse"))
    // The Mac comes again, and everything is well.
    upstream.change { $0.answer = nil }
    #expect(try await mac.logIn(password: "correct horse").uniqueIdentifier == "up-1")
  }

  @Test("Tokens of another issuer, for another client, or without the user are worth nothing")
  func foreignTokens() async throws {
    let world = try ProviderWorld()
    let (upstream, users) = try parts(world)
    let mac = try await world.mac(at: world.provider(users: users))
    let device = try #require(try await world.provider().identityProvider.devices.device(id: "mac-1", tenant: nil))
    for fault in 0..<5 {
      upstream.change { state in
        state = Upstream.State()
        switch fault {
        case 0: state.issuer = "https://other.example.net"
        case 1: state.audience = "other"
        case 2: state.claims["sub"] = nil
        case 3: state.hasIDToken = false
        default: state.isGone = true
        }
      }
      await #expect(throws: (any Error).self, "\(fault)") {
        try await users.passwordVerdict("correct horse", of: Fixture.user, on: device)
      }
      #expect(try await users.user(Fixture.user) == nil)
    }
    upstream.change { $0 = Upstream.State() }
    #expect(try await mac.logIn(password: "correct horse").uniqueIdentifier == "up-1")
  }

  @Test("Ten wrong passwords of a user stop upstream requests for five minutes")
  func guesses() async throws {
    let world = try ProviderWorld()
    let (upstream, users) = try parts(world)
    let mac = try await world.mac(at: world.provider(users: users))
    for _ in 0..<10 {
      await #expect(throws: JOSEError(.credentialRejected, "")) { try await mac.logIn(password: "guess") }
    }
    // Not 401, after which the Mac would ask at once; and the right password is of no use either.
    await #expect(throws: JOSEError.self) { try await mac.logIn(password: "correct horse") }
    #expect(world.refusals.last?.code == .accountLocked)
    #expect(upstream.tokenRequests.count == 10)
    world.clock.advance(by: 301)
    #expect(try await mac.logIn(password: "correct horse").uniqueIdentifier == "up-1")
    #expect(upstream.tokenRequests.count == 11)
  }

  @Test("No description has the client's secret or the provider's")
  func descriptions() throws {
    let world = try ProviderWorld()
    let (_, users) = try parts(world)
    var text = ""
    dump(users, to: &text)
    dump(try world.provider(users: users), to: &text)
    text += "\(users) \(String(reflecting: users))"
    #expect(!text.contains("s:é") && text.contains("ResourceOwnerPasswordUpstream"))
  }

  @Test("Passwords go to https alone, and an ID token must be asked for")
  func settings() throws {
    let records = MemoryRecordStore()
    func make(_ issuer: String, _ endpoint: String, scope: String = "openid") throws -> ResourceOwnerPasswordUpstream {
      try ResourceOwnerPasswordUpstream(
        issuer: issuer, tokenEndpointURL: endpoint, clientID: "macs", clientSecret: "s", scope: scope,
        records: records, transport: { _ in throw RequestNotSent() })
    }
    let good = Upstream.issuer
    _ = try make(good, good + "/token")
    for bad in ["http://login.example.net", "http://127.0.0.1:8080", "", "login.example.net"] {
      #expect(throws: JOSEError(.callerMisuse, "", name: "issuer")) { try make(bad, good) }
      #expect(throws: JOSEError(.callerMisuse, "", name: "tokenEndpointURL")) { try make(good, bad) }
    }
    for scope in ["", "profile", "openidx", "OPENID"] {
      #expect(throws: JOSEError(.callerMisuse, "", name: "scope")) { try make(good, good, scope: scope) }
    }
  }
}
