import IdentityTesting
import JOSE
import NativeSSOKit
import OpenIDKit
import StrictJSON
import Synchronization
import Testing

/// What becomes of the device secret that a code has made, where the code comes again or its answer can't go out.
@Suite struct CodeSecretTests {
  fileprivate struct Down: Error {}

  /// A provider whose sessions and records can fail, and are one store or two.
  private struct Place {
    let inner = MemoryRecordStore()
    let world: World
    let provider: OpenIDProvider
    let codes: AuthorizationCodeService
    let service: RefreshTokenService
    let revoked: RevokedTokens
    let isDown: Down.Switch
    init(sharesStore: Bool = false, whatFails: @escaping @Sendable ([RecordChange]) -> Bool = { _ in false })
      async throws
    {
      let inner = inner
      let isDown = Down.Switch()
      let records = HookedRecords(
        inner: inner, willRead: { if isDown.isOn { throw Down() } }, willList: { if isDown.isOn { throw Down() } },
        willCommit: { changes in
          if isDown.isOn { throw Down() }
          if whatFails(changes) { isDown.next = true }
        }, didCommit: { if isDown.next { isDown.isOn = true } })
      let world = try await World(records: inner, seedsPair: false)
      let sessions = sharesStore ? SessionRecords(records: records) : SessionRecords(records: MemoryRecordStore())
      try await sessions.addUser(World.user)
      try await sessions.add(
        AuthenticationSession(id: World.session, userID: World.user, authenticatedAt: NumericDate(1_759_999_990)))
      for client in World.clients {
        try await sessions.grant(client.allowedScopes, userID: World.user, clientID: client.id)
      }
      let clock = world.clock.wall
      service = try RefreshTokenService(
        format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), records: records, clock: clock)
      revoked = RevokedTokens(records: inner, clock: clock)
      codes = try AuthorizationCodeService(refreshTokens: service, revokedTokens: revoked, clock: clock)
      let gated = GatedSessions(sessions: sessions, isDown: isDown, isStore: sharesStore)
      var provider = world.provider
      (provider.sessions, provider.records) = (gated, records)
      provider.tokens = service.tokenIssuer { _, _ in "at" }
      (self.world, self.provider, self.isDown) = (world, provider, isDown)
    }

    func redeem(_ code: String, presenting secret: String? = nil) async throws -> TokenAnswer {
      let request = try AuthorizationCodeRedemption(
        form: [
          "grant_type": "authorization_code", "code": code, "redirect_uri": CodeSecretTests.grant.redirectURI,
          "client_id": "app-a",
        ], clientID: "app-a")
      return try await codes.redeem(request) { [provider] in
        try await provider.tokens(for: AcceptedGrant($0, form: presenting(secret)))
      }
    }

    func secrets() async throws -> [DeviceSecretRecord] {
      try await DeviceSecretRecords(inner).records(userID: World.user)
    }

    func live() async throws -> Int { try await secrets().count { $0.state(at: world.clock.wall.now) == .active } }

    /// How many logins there are, and live secrets.
    func counts() async throws -> [Int] { [try await logins(), try await live()] }

    func logins() async throws -> Int {
      let service = try RefreshTokenService(
        format: RefreshTokenFormat(key: Array(0...31)), sessions: EndlessSessions(), records: inner)
      return try await service.logins(.session(World.session)).count
    }
  }

  /// Sessions that can't be asked once the store is down.
  private struct GatedSessions: SessionDirectory {
    let sessions: SessionRecords
    let isDown: Down.Switch
    let isStore: Bool

    func session(id: String) async throws -> AuthenticationSession? {
      if isDown.isOn { throw Down() }
      return try await sessions.session(id: id)
    }
    func isActive(userID: String) async throws -> Bool { try await sessions.isActive(userID: userID) }
    func grantedScopes(userID: String, clientID: String) async throws -> [String] {
      try await sessions.grantedScopes(userID: userID, clientID: clientID)
    }
  }

  /// One of a name of its own.
  private static var grant: AuthorizationCodeGrant {
    AuthorizationCodeGrant(
      clientID: "app-a", redirectURI: "com.example.app-a:/cb", scopes: ["openid", "device_sso"], subject: World.user,
      sessionID: World.session)
  }

  @Test func `a code that comes again ends the secret that it made, and what was exchanged with it`() async throws {
    let place = try await Place()
    let code = try await place.codes.issue(Self.grant)
    let answer = try await place.redeem(code)
    let secret = try #require(answer.deviceSecret)
    let exchanged = await place.provider.tokenExchange(
      World.exchangeRequest([("subject_token", answer.idToken), ("actor_token", secret.reveal())]),
      sourceAddress: "192.0.2.1")
    #expect(exchanged.status == 200)
    #expect(try await place.counts() == [2, 1])
    await #expect(throws: OpenIDError(.invalidGrant, "")) { try await place.redeem(code) }
    #expect(try await place.counts() == [0, 0])
    #expect(try await place.secrets().first?.revocation?.reason == .reuse)
    let refused = await place.provider.tokenExchange(
      World.exchangeRequest([("subject_token", answer.idToken), ("actor_token", secret.reveal())]),
      sourceAddress: "192.0.2.1")
    #expect(refused.error == "invalid_grant")
  }

  @Test func `a secret that the app had already goes on serving`() async throws {
    let place = try await Place()
    let first = try await place.redeem(place.codes.issue(Self.grant))
    let code = try await place.codes.issue(Self.grant)
    let second = try await place.redeem(code, presenting: first.deviceSecret?.reveal())
    #expect(second.deviceSecret?.fingerprint == first.deviceSecret?.fingerprint)
    #expect(try await place.logins() == 2)
    await #expect(throws: OpenIDError(.invalidGrant, "")) { try await place.redeem(code) }
    #expect(try await place.counts() == [1, 1])
  }

  /// Whether a commit uses a code up.
  private static let usesCode: @Sendable ([RecordChange]) -> Bool = { changes in
    changes.contains { if case .replace(let record) = $0 { record.kind.name == "authorization-code" } else { false } }
  }

  @Test func `an answer whose commit has compared its session goes out, though the store fails right after`()
    async throws
  {
    let place = try await Place(sharesStore: true, whatFails: Self.usesCode)
    let answer = try await place.redeem(place.codes.issue(Self.grant))
    #expect(answer.deviceSecret != nil && answer.refreshToken != nil)
    #expect(try await place.counts() == [1, 1])
  }

  @Test func `an answer whose session can't be asked does not go out, and its secret doesn't serve`() async throws {
    // The sessions fail alone, ten times: the records go on.
    let place = try await Place()
    let own = try await place.redeem(place.codes.issue(Self.grant))
    for isPresenting in [false, true, false] {
      for _ in 0..<5 {
        let code = try await place.codes.issue(Self.grant)
        let secret = isPresenting ? own.deviceSecret?.reveal() : nil
        let request = try AuthorizationCodeRedemption(
          form: [
            "grant_type": "authorization_code", "code": code, "redirect_uri": Self.grant.redirectURI,
            "client_id": "app-a",
          ], clientID: "app-a")
        await #expect(throws: OpenIDError(.storeUnavailable, "")) {
          try await place.codes.redeem(request) { redeemed in
            let answer = try await place.provider.tokens(
              for: AcceptedGrant(redeemed, form: presenting(secret)))
            redeemed.commitAlso([]) { throw OpenIDError(.storeUnavailable, "") }
            return answer
          }
        }
      }
    }
    // The device's own secret is there, and its login.
    #expect(try await place.counts() == [1, 1])
    #expect(
      try await place.secrets().first { $0.fingerprint == own.deviceSecret?.fingerprint }?.revocation == nil)
  }

  @Test func `a refresh that fails once its secret is stored leaves none`() async throws {
    let world = try await World(seedsPair: false)
    var grant = AcceptedGrant(
      .refreshToken, clientID: "app-a", sessionID: World.session, scopes: ["openid", "device_sso"])
    grant.additionalClaims = [:]
    var provider = world.provider
    provider.tokens = Failing()
    await #expect(throws: OAuthErrorResponse.self) { try await provider.tokens(for: grant) }
    let secrets = try await world.store.records(userID: World.user)
    #expect(secrets.count == 1 && secrets[0].revocation?.reason == .notIssued)
  }

  private struct Failing: TokenIssuer {
    func issue(_ grant: TokenGrant) async throws -> TokenAnswer { throw Down() }
    func revokeTokens(sessionID: String) async throws {}
    func revokeTokens(deviceSecretID id: String) async throws {}
    func revoke(_ token: String, clientID: String) async throws {}
  }
}

extension CodeSecretTests.Down {
  /// Whether the store is down, from the end of a commit on.
  fileprivate final class Switch: Sendable {
    private let state = Mutex((isOn: false, next: false))
    var isOn: Bool {
      get { state.withLock { $0.isOn } }
      set { state.withLock { $0.isOn = newValue } }
    }
    var next: Bool {
      get { state.withLock { $0.next } }
      set { state.withLock { $0.next = newValue } }
    }
  }
}
