import IdentityTesting
import JOSE
import NativeSSOKit
import PureJOSENativeSSOAdministration
import Synchronization
import Testing
import OpenIDKit

/// Whoever ends a device secret ends what came of it, and nothing else.
@Suite(.timeLimit(.minutes(60))) struct DeviceSecretEndTests {
  /// Who ends it.
  enum Ending: CaseIterable {
    case client, clientByFormerSecret, session, user, administrator, administratorOfAll, reuse
  }

  private func end(_ ending: Ending, _ world: World) async throws {
    let admin = NativeSSOAdminAPI(provider: world.provider)
    func delete(_ path: String) async throws -> Int {
      await admin.respond(to: HTTPRequestValue(method: "DELETE", url: "/api/admin/" + path)).status
    }
    switch ending {
    case .client:
      let form: FormFields = [
        "token": WorkedExample.secret, "client_id": "app-c", "token_type_hint": "device_secret",
      ]
      #expect(await world.provider.revocation(.post(form, to: "/revoke")).status == 200)
    case .clientByFormerSecret:
      let (now, next) = (world.provider.clock.now, DeviceSecret.random().fingerprint)
      #expect(
        try await world.store.rotate(
          id: "record-1", from: DeviceSecret(WorkedExample.secret).fingerprint, to: next, graceUntil: now, now: now))
      let form: FormFields = ["token": WorkedExample.secret, "client_id": "app-c"]
      #expect(await world.provider.revocation(.post(form, to: "/revoke")).status == 200)
    case .session: try await world.provider.endSession(World.session)
    case .user:
      #expect(try await world.provider.revokeDeviceSecrets(userID: World.user, reason: .passwordChanged) == 1)
    case .administrator: #expect(try await delete("device-secrets/record-1") == 200)
    case .administratorOfAll: #expect(try await delete("users/\(World.user)/device-secrets") == 200)
    case .reuse:
      let next = DeviceSecret.random().fingerprint
      let now = world.provider.clock.now
      #expect(
        try await world.store.rotate(
          id: "record-1", from: DeviceSecret(WorkedExample.secret).fingerprint, to: next, graceUntil: now, now: now))
      #expect(await world.exchange().error == "invalid_grant")
    }
  }

  /// The refresh token of another login.
  private func login(_ world: World, session: String, secret: String?) async throws -> String {
    try await world.addSession(session)
    let issued = try await world.tokens.issue(
      TokenGrant(
        RefreshGrant(
          subject: World.user, clientID: "app-a", sessionID: session, scope: ["openid"], deviceSecretID: secret),
        issuedAt: world.provider.clock.now))
    return try #require(issued.refreshToken)
  }

  @Test(arguments: Ending.allCases)
  func `ending a device secret ends its tokens in every session, and no others`(_ ending: Ending) async throws {
    let world = try await World { $0.revokesReusedDeviceSecrets = true }
    let sibling = try #require(await world.exchange()["refresh_token"])
    // A later login on the same device, one on another device, and one without a device secret.
    let later = try await login(world, session: "s-later", secret: "record-1")
    let elsewhere = try await login(world, session: "s-elsewhere", secret: "record-2")
    let plain = try await login(world, session: "s-elsewhere", secret: nil)
    try await end(ending, world)
    #expect(try await world.record().revocation != nil)
    for token in [sibling, later] { #expect(try await world.tokens.grant(refreshToken: token) == nil) }
    for token in [elsewhere, plain] { #expect(try await world.tokens.grant(refreshToken: token) != nil) }
  }

  @Test func `a device secret that is revoked for its use count ends no tokens`() async throws {
    let world = try await World(settings: ["enabled": true, "maxUseCountPerSecret": 1])
    let sibling = try #require(await world.exchange()["refresh_token"])
    #expect(await world.exchange([("client_id", "app-c")]).error == "invalid_grant")
    #expect(try await world.record().revocation?.reason == .useCountExceeded)
    #expect(try await world.tokens.grant(refreshToken: sibling) != nil)
  }

  /// Ends tokens at the second attempt.
  private final class FailingIssuer: TokenIssuer {
    struct Down: Error {}
    private let tokens: IssuedTokens
    private let failsSession: Bool
    private let failures = Mutex(0)

    init(_ tokens: IssuedTokens, failsSession: Bool) { (self.tokens, self.failsSession) = (tokens, failsSession) }

    private func fail(_ fails: Bool) throws {
      guard fails,
        failures.withLock({ count in
          count += 1
          return count
        }) == 1
      else { return }
      throw Down()
    }

    func issue(_ grant: TokenGrant) async throws -> TokenAnswer { try await tokens.issue(grant) }
    func revokeTokens(sessionID: String) async throws {
      try fail(failsSession)
      try await tokens.revokeTokens(sessionID: sessionID)
    }
    func revokeTokens(deviceSecretID id: String) async throws {
      try fail(!failsSession)
      try await tokens.revokeTokens(deviceSecretID: id)
    }
    func revoke(_ token: String, clientID: String) async throws { try await tokens.revoke(token, clientID: clientID) }
  }

  @Test(arguments: [false, true])
  func `a failed revocation of tokens is completed when it is repeated`(_ failsSession: Bool) async throws {
    for isOfSession in [true, false] where isOfSession || !failsSession {
      let world = try await World()
      let sibling = try await login(world, session: "s-later", secret: "record-1")
      let plain = try await login(world, session: World.session, secret: nil)
      var provider = world.provider
      provider.tokens = FailingIssuer(world.tokens, failsSession: failsSession)
      func end() async throws {
        guard !isOfSession else { return try await provider.endSession(World.session) }
        try await provider.revokeDeviceSecrets(userID: World.user, reason: .passwordChanged)
      }
      await #expect(throws: FailingIssuer.Down.self) { try await end() }
      // One failure keeps nothing else from ending.
      if isOfSession { #expect(try await (world.tokens.grant(refreshToken: plain) == nil) == !failsSession) }
      #expect(try await (world.tokens.grant(refreshToken: sibling) == nil) == failsSession)
      try await end()
      #expect(try await world.tokens.grant(refreshToken: sibling) == nil)
    }
  }
}
