import IdentityTesting
import JOSE
import NativeSSOKit
import StrictJSON
import Synchronization
import Testing
import OpenIDKit

/// What becomes of logins when faults meet: a second refresh, a clock that is set back, a service that fails half-way.
@Suite struct ProductionVariantTests {
  struct Down: Error {}

  // MARK: Client

  @Test func `a clock that is set back ends a pause`() async throws {
    let device = Device(try await World())
    try await device.storePair()
    let app = device.app("app-b")
    device.network.answer { _ in try Device.error("slow_down", status: 429, retryAfter: "900") }
    _ = await app.signInSilently()
    #expect(await app.signInSilently().reason == .paused(.seconds(900)))
    device.world.clock.advance(-86_400)
    #expect(await app.signInSilently().reason != .paused(.seconds(87_300)))
    #expect(device.network.requests.all.count == 2)
  }

  @Test func `a pause until a date is counted by the clock that was given`() async throws {
    let device = Device(try await World())
    try await device.storePair()
    let app = device.app("app-b")
    device.network.answer { _ in
      // 1760001060: a minute after the clock's time.
      try Device.error("slow_down", status: 429, retryAfter: "Thu, 09 Oct 2025 09:11:00 GMT")
    }
    _ = await app.signInSilently()
    #expect(await app.signInSilently().reason == .paused(.seconds(60)))
  }

  @Test(arguments: ["https://app.example.com/cb?", "https://app.example.com/cb?a=1", "https://app.example.com/cb"])
  func `provider and client agree on where an answer is appended`(redirectURI: String) async throws {
    let world = try await World()
    var provider = world.provider
    var client = RegisteredClient(
      id: "app-b", nativeSSOEnabled: true, group: "vendor", redirectURIs: [redirectURI],
      allowedScopes: ["openid", "profile"])
    client.needsConsent = false
    provider.clients = StaticClientDirectory([client])
    var server = world.server
    server.provider = provider
    let device = Device(world)
    device.network.answer { [server] in await server.respond(to: $0) }
    var configuration = device.configuration("app-b")
    configuration.redirectURI = redirectURI
    let app = NativeSSOClient(configuration, pairs: device.store, appTokens: KeptTokens())
    let (login, url) = try await app.beginLogin()
    let redirect = try await server.authorize(url: url, sessionID: World.session)
    #expect(try await app.completeLogin(login, redirect: redirect).origin == .interactive)
    let logout = LogoutRequest(postLogoutRedirectURI: redirectURI, state: "s")
    let policy = LogoutPolicy(issuer: World.issuer, keys: JWKSet([]), algorithms: []) { _ in [redirectURI] }
    let named = LogoutRequest(clientID: "app-b", postLogoutRedirectURI: redirectURI, state: "s")
    guard case .nothingToEnd(let answer?) = try await policy.decide(named, session: nil) else {
      Issue.record("no redirect")
      return
    }
    #expect(logout.isAnswered(by: answer) && !logout.isAnswered(by: redirectURI))
  }

  // MARK: Provider

  /// Issues tokens after something has happened, or not at all.
  private final class DisturbedIssuer: TokenIssuer {
    private let tokens: IssuedTokens
    private let disturb: @Sendable () async throws -> Void
    private let last = Mutex<TokenAnswer?>(nil)
    var issued: TokenAnswer? { last.withLock { $0 } }

    init(_ tokens: IssuedTokens, _ disturb: @escaping @Sendable () async throws -> Void) {
      self.tokens = tokens
      self.disturb = disturb
    }

    func issue(_ grant: TokenGrant) async throws -> TokenAnswer {
      try await disturb()
      let issued = try await tokens.issue(grant)
      last.withLock { $0 = issued }
      return issued
    }

    func revokeTokens(sessionID: String) async throws { try await tokens.revokeTokens(sessionID: sessionID) }
    func revokeTokens(deviceSecretID id: String) async throws { try await tokens.revokeTokens(deviceSecretID: id) }
    func revoke(_ token: String, clientID: String) async throws { try await tokens.revoke(token, clientID: clientID) }
  }

  @Test func `a device secret is rotated only when its answer is whole`() async throws {
    let world = try await World(settings: ["enabled": true, "rotateOnExchange": true])
    let isDown = Mutex(true)
    var provider = world.provider
    provider.tokens = DisturbedIssuer(world.tokens) { if isDown.withLock({ $0 }) { throw Down() } }
    let failed = await provider.tokenExchange(World.exchangeRequest(), sourceAddress: "1")
    #expect(failed.status == 500)
    isDown.withLock { $0 = false }
    // Longer than the grace of a rotated secret.
    world.clock.advance(61)
    let response = await provider.tokenExchange(World.exchangeRequest(), sourceAddress: "1")
    #expect(response.status == 200 && response["device_secret"] != nil)
    let next = await provider.tokenExchange(
      World.exchangeRequest([
        ("actor_token", response["device_secret"]), ("subject_token", response["id_token"]),
      ]), sourceAddress: "1")
    #expect(next.status == 200)
  }

  @Test(arguments: [LogoutReason.tooManyDeviceSecrets, .revokedByClient, .administrator, .reuse])
  func `a device secret that ends during an exchange costs that app its tokens, and no other app`(
    _ reason: LogoutReason
  ) async throws {
    let world = try await World()
    let grant = TokenGrant(
      RefreshGrant(subject: World.user, clientID: "app-a", sessionID: World.session, scope: ["openid"]),
      issuedAt: NumericDate(1_760_000_500))
    let others = try #require(try await world.tokens.issue(grant).refreshToken)
    let issuer = DisturbedIssuer(world.tokens) {
      _ = try await world.store.revoke(id: "record-1", reason: reason, now: NumericDate(1_760_001_000))
    }
    var provider = world.provider
    provider.tokens = issuer
    let response = await provider.tokenExchange(World.exchangeRequest(), sourceAddress: "1")
    #expect(response.error == "invalid_grant")
    let issued = try #require(issuer.issued)
    #expect(try await world.tokens.grant(refreshToken: issued.refreshToken ?? "") == nil)
    #expect(try await world.tokens.grant(accessToken: issued.accessToken) == nil)
    #expect(try await world.tokens.grant(refreshToken: others) != nil)
  }

  @Test func `a client whose keys are unavailable is answered with 503`() async throws {
    let world = try await World()
    var provider = world.provider
    provider.clients = StaticClientDirectory([
      RegisteredClient(id: "app-b", authentication: .custom { _, _ in throw Down() }, nativeSSOEnabled: true)
    ])
    let response = await provider.tokenExchange(World.exchangeRequest(), sourceAddress: "1")
    #expect(response.status == 503 && response.error == "temporarily_unavailable")
    let service = try RefreshTokenService(format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions())
    let endpoint = TokenEndpoint(
      grants: [.refreshToken(service) { _, _ in TokenAnswer(accessToken: "at") }],
      authenticate: provider.clients.authenticate)
    let refusal = await endpoint.respond(
      to: .post(["grant_type": "refresh_token", "client_id": "app-b", "refresh_token": "r"], to: "/token"))
    #expect(refusal.status == 503 && refusal.error == "temporarily_unavailable")
  }
}
