import IdentityTesting
import JOSE
import PureJOSETestSupport
import StrictJSON
import Synchronization
import Testing

@testable import OpenIDKit

/// What becomes of logins when faults meet: a second refresh, a lock that is slow, a store that fails half-way.
@Suite struct ProductionVariantTests {
  // MARK: Client

  /// An ID token that nobody verifies here.
  private static func idToken(_ claims: JSONObject) -> String {
    let header: JSONObject = ["alg": "ES256"]
    return "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(claims.serialized())).AA"
  }

  private static let check = IDTokenCheck { token in
    try JSONObject(parsing: try UnverifiedJWS(parsing: token).unverifiedPayload)
  }

  @Test func `ID tokens of later refreshes are compared with the login's, also after a restart`() async throws {
    let login: JSONObject = ["iss": "i", "sub": "s", "aud": ["c", "d"], "auth_time": 5, "nonce": "n", "azp": "c"]
    func renewed(_ change: (inout JSONObject) -> Void) -> RefreshOutcome {
      var claims = login
      change(&claims)
      var new = tokens(2)
      new.idToken = Self.idToken(claims)
      return .tokens(new)
    }
    let bare = renewed { ($0["nonce"], $0["auth_time"], $0["aud"]) = (nil, nil, ["d", "c"]) }
    for (second, isGood) in [
      (renewed { _ in }, true), (renewed { $0["nonce"] = "other" }, false), (renewed { $0["auth_time"] = 6 }, false),
    ] {
      let client = try await Client(
        ScriptedRefresher(bare, second), idToken: Self.idToken(login), idTokenCheck: Self.check)
      client.clock.advance(4000)
      #expect(try await client.manager.validToken().value == "at-secret-2")
      client.clock.advance(4000)
      let manager = try TokenManager(
        store: client.store, refresher: client.refresher, settings: Client.settings, idTokenCheck: Self.check,
        clock: client.clock.tokenClock)
      let error = await failure { _ = try await manager.validToken() }
      #expect(error?.code == (isGood ? nil : .identityTokenInvalid))
    }
  }

  /// A lock that takes its time to be given back, and can't stand being taken meanwhile.
  private final class SlowLock: RefreshLock {
    let gate = Gate()
    private let state = Mutex((isReleasing: false, overlaps: 0, acquisitions: 0))
    var overlaps: Int { state.withLock { $0.overlaps } }
    var acquisitions: Int { state.withLock { $0.acquisitions } }
    var isReleasing: Bool { state.withLock { $0.isReleasing } }

    func acquire(lease: Duration) async -> Bool {
      state.withLock { state in
        state.acquisitions += 1
        if state.isReleasing { state.overlaps += 1 }
      }
      return true
    }

    func release() async {
      state.withLock { $0.isReleasing = true }
      await gate.pass()
      state.withLock { $0.isReleasing = false }
    }
  }

  @Test func `a lock is taken again when it has been given back`() async throws {
    let lock = SlowLock()
    let clock = VirtualClock()
    let refresher = ScriptedRefresher { number, _ in .tokens(tokens(number + 2)) }
    let manager = try TokenManager(
      store: MemorySecretStore(), refresher: refresher, settings: Client.settings, lock: lock, clock: clock.tokenClock)
    try await manager.logIn(tokens(1))
    clock.advance(4000)
    #expect(try await manager.validToken().value == "at-secret-2")
    #expect(await until { lock.isReleasing })
    clock.advance(4000)
    let next = Task { try await manager.validToken().value }
    for _ in 0..<200 { await Task.yield() }
    #expect(lock.overlaps == 0 && lock.acquisitions == 1)
    lock.gate.open()
    #expect(try await next.value == "at-secret-3")
    #expect(lock.acquisitions == 2)
  }

  private actor CountingLock: RefreshLock {
    var (taken, given) = (0, 0)
    func acquire(lease: Duration) -> Bool {
      taken += 1
      return true
    }
    func release() { given += 1 }
  }

  @Test func `a lock is kept until the store has what its refresh has brought`() async throws {
    let (gate, lock, clock, store) = (Gate(), CountingLock(), VirtualClock(), FaultyStore())
    var settings = Client.settings
    settings.refreshThreshold = .seconds(300)
    let manager = try TokenManager(
      store: store, refresher: ScriptedRefresher(.tokens(tokens(2)), behind: gate), settings: settings,
      idTokenCheck: nil, lock: lock, clock: clock.tokenClock, random: .system)
    try await manager.logIn(tokens(1))
    clock.advance(4000)
    let call = Task { try await manager.validToken().value }
    #expect(await until { gate.count == 1 })
    await store.failAlways(true)
    gate.open()
    // The caller has the token, which the store lacks.
    #expect(try await call.value == "at-secret-2")
    for _ in 0..<50 { await Task.yield() }
    #expect(await lock.taken == 1)
    #expect(await lock.given == 0)
    await store.failAlways(false)
    #expect(await until { await lock.given == 1 })
    #expect(try await TokenRecords(store).load()?.refreshToken == "rt-secret-2")
  }

  @Test func `a write-ahead mark that could not be removed at once stays until a refresh succeeds`() async throws {
    let (clock, store) = (VirtualClock(), FaultyStore())
    var settings = Client.settings
    settings.maximumAttempts = 1
    let notSent = RefreshOutcome.failed(RefreshFailure(.notSent))
    let manager = try TokenManager(
      store: store, refresher: ScriptedRefresher(notSent, notSent, .tokens(tokens(2))), settings: settings,
      idTokenCheck: nil, lock: nil, clock: clock.tokenClock, random: .system)
    try await manager.logIn(tokens(1))
    clock.advance(4000)
    // The announcement is written, and taking it back fails.
    await store.fail([1])
    _ = await failure { _ = try await manager.validToken() }
    #expect(await store.stored?.pendingRotation != nil)
    // By now another process may have read it, sent the token and lost the answer.
    clock.advance(4000)
    _ = await failure { _ = try await manager.validToken() }
    #expect(await store.stored?.pendingRotation != nil)
    clock.advance(4000)
    #expect(try await manager.validToken().value == "at-secret-2")
    #expect(await store.stored?.pendingRotation == nil)
  }

  @Test func `a pause until a date is counted by the clock that was given`() async throws {
    // No Date beside it: the clock is all there is.
    var response = HTTPResponseValue(status: 429)
    try response.headers.append("Retry-After", "Thu, 09 Oct 2025 08:54:20 GMT")
    let refresher = OAuthTokenRefresher(
      tokenEndpoint: "https://op.example.com/token", clientID: "a", clock: .fixed(at: NumericDate(1_760_000_000))
    ) { [response] _ in response }
    let attempt = RefreshAttempt(
      refreshToken: "r", scope: nil, dpopNonce: nil, attemptNumber: 0, loginID: "l", generation: 1)
    guard case .failed(let failure) = await refresher.refresh(attempt) else { Issue.record("tokens"); return }
    #expect(failure.kind == .serverBusy && failure.retryAfter == .seconds(60))
  }

  @Test func `a pushed request names the client, however that proves itself`() async throws {
    let ways: [ClientAuthentication] = [
      .none, .secretInForm("s"), .basic("s"), .fields { [("client_assertion", "a")] },
    ]
    for way in ways {
      let seen = Mutex<[String]>([])
      let client = OAuthClient(clientID: "app-a", authentication: way) { request in
        let names = try request.form().values("client_id")
        seen.withLock { $0 = names }
        return HTTPResponseValue(
          status: 201, body: Array(#"{"request_uri":"urn:x","expires_in":60}"#.utf8))
      }
      let parameters: FormFields = ["response_type": "code", "client_id": "not this one"]
      _ = try await client.push(parameters, to: "https://op.example.com/par")
      #expect(seen.withLock { $0 } == ["app-a"])
    }
  }

  @Test func `no pushed reference is shown`() throws {
    let pushed = PushedAuthorization(requestURI: "urn:s3cr3t", expiresIn: .seconds(60), clientID: "app-a")
    var text = "\(pushed) \(String(reflecting: pushed))"
    dump(pushed, to: &text)
    #expect(!text.contains("s3cr3t"))
  }

  // MARK: Provider

  @Test func `a closure that makes tokens may refuse, and says with what`() async throws {
    let provider = try Provider()
    let token = try await provider.issue()
    for (code, status, name) in [
      (ErrorCode.invalidGrant, 400, "invalid_grant"), (.invalidTarget, 400, "invalid_target"),
      (.storeUnavailable, 503, "temporarily_unavailable"),
    ] {
      let endpoint = TokenEndpoint(
        grants: [.refreshToken(provider.service) { _, _ in throw OpenIDError(code, "not now") }],
        authenticate: { _, _ in AuthenticatedClient(id: "app-a") })
      let response = await endpoint.respond(
        to: .post(["grant_type": "refresh_token", "refresh_token": token], to: "https://op.example.com/token"))
      #expect(response.status == status)
      #expect(try JSONObject(parsing: response.body)["error"]?.stringValue == name)
    }
    // Nothing was rotated.
    #expect(try await provider.redeem(token).grant.generation == 2)
  }

  @Test func `a client of a disabled user gets invalid_grant even if making tokens fails`() async throws {
    let provider = try Provider()
    let token = try await provider.issue()
    provider.users.disable("alice")
    let endpoint = TokenEndpoint(
      grants: [
        .refreshToken(provider.service) { _, _ in
          throw OAuthErrorResponse(.temporarilyUnavailable, "later", status: 503)
        }
      ],
      authenticate: { _, _ in AuthenticatedClient(id: "app-a") })
    let response = await endpoint.respond(
      to: .post(["grant_type": "refresh_token", "refresh_token": token], to: "https://op.example.com/token"))
    #expect(response.status == 400)
    #expect(try JSONObject(parsing: response.body)["error"]?.stringValue == "invalid_grant")
  }

  @Test func `a user who is disabled while tokens are made gets none`() async throws {
    let provider = try Provider()
    let token = try await provider.issue()
    let request = RefreshRedemption(refreshToken: token, clientID: "app-a")
    let error = await failure {
      _ = try await provider.service.redeem(request) { _ in
        provider.users.disable("alice")
        return "at"
      }
    }
    #expect(error?.code == .invalidGrant)
    #expect(try await provider.isRevoked(token, .userDisabled))
  }

  @Test func `a login that could not be begun ends no older login`() async throws {
    struct Down: Error {}
    let isDown = Mutex(false)
    var policy = RotationPolicy()
    policy.maximumFamiliesPerUserAndClient = 2
    let service = try RefreshTokenService(
      policy: policy, format: RefreshTokenFormat(key: Array(0...31)),
      sessions: EndlessSessions { _ in
        if isDown.withLock({ $0 }) { throw Down() }
        return true
      })
    let phone = try await service.issue(Provider.grant).refreshToken
    isDown.withLock { $0 = true }
    for _ in 0..<3 { #expect(await failure { _ = try await service.issue(Provider.grant) }?.code == .storeUnavailable) }
    isDown.withLock { $0 = false }
    _ = try await service.issue(Provider.grant)
    _ = try await service.redeem(RefreshRedemption(refreshToken: phone, clientID: "app-a")) { _ in }
  }
}
