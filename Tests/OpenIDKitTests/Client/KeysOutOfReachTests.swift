import JOSE
import StrictJSON
import Testing

@testable import OpenIDKit

/// ID tokens that can't be judged, because the keys can't be had or a clock is wrong: no login ends by them, nothing is
/// handed out, and the check is made again.
@Suite struct KeysOutOfReachTests {
  enum Outage: CaseIterable {
    case offline, unavailable, portal, emptySet, rotatedMeanwhile

    func strike(_ faults: inout StandInProvider.Faults) {
      switch self {
      case .offline: faults.isKeySetOffline = true
      case .unavailable, .rotatedMeanwhile: faults.keySetStatus = 503
      case .portal: faults.keySetPage = "<html>Welcome</html>"
      case .emptySet: faults.keySetPage = #"{"keys":[]}"#
      }
    }

    func end(_ faults: inout StandInProvider.Faults) {
      (faults.isKeySetOffline, faults.keySetStatus, faults.keySetPage) = (false, 200, nil)
    }
  }

  private struct World {
    let provider: StandInProvider
    let client: OpenIDClient
    let store = MemorySecretStore()
    let login: OpenIDClient.Login

    init(_ outage: Outage? = nil) async throws {
      provider = try StandInProvider()
      client = try await OpenIDClientTests.client(provider)
      let (pending, url) = try await client.begin()
      var settings = TokenSettings()
      settings.requestTimeout = VirtualClock.requestTimeout
      settings.lockLease = .seconds(120)
      login = try await client.finish(
        pending, redirect: try provider.authorize(url), store: store, settings: settings)
      // With a rotation the keys are still good, but not for the new token.
      if outage == .rotatedMeanwhile {
        let key = try SigningKey.generate(.es256, keyID: "k2")
        provider.fail { $0.signingKey = key }
      }
      provider.clock.advance(outage == .rotatedMeanwhile ? 3500 : 90_000)
    }

    var refreshes: Int {
      provider.sent(to: "/token").count { (try? $0.form().values("grant_type").first) == "refresh_token" }
    }
  }

  @Test(arguments: Outage.allCases) func `keys that can't be had end no login`(_ outage: Outage) async throws {
    let world = try await World(outage)
    world.provider.fail(outage.strike)
    for _ in 0..<2 {
      let error = await failure { _ = try await world.login.manager.validToken() }
      #expect(error?.code == .temporarilyUnavailable)
      let stored = try #require(try await TokenRecords(world.store).load())
      #expect(stored.refreshToken == "rt-2" && stored.accessToken == nil)
      guard case .backingOff = await world.login.manager.state else { Issue.record("the login has ended"); return }
    }
    #expect(world.refreshes == 1)
    world.provider.fail(outage.end)
    if outage == .rotatedMeanwhile { world.provider.fail { $0.signingKey = nil } }
    world.provider.clock.advance(61)
    guard outage != .rotatedMeanwhile else { return }
    // Nothing was rotated once more for it.
    #expect(try await world.login.manager.validToken().value == "at-2")
    #expect(world.refreshes == 1)
    #expect(try await TokenRecords(world.store).load()?.accessToken == "at-2")
  }

  @Test func `an ID token by a key that the issuer doesn't publish is refused as invalid`() async throws {
    let world = try await World()
    let key = try SigningKey.generate(.es256, keyID: "k2")
    world.provider.fail { $0.signingKey = key }
    #expect(await failure { _ = try await world.login.manager.validToken() }?.code == .identityTokenInvalid)
  }

  @Test func `after a restart the refresh token that was kept brings other tokens`() async throws {
    let world = try await World()
    world.provider.fail(Outage.portal.strike)
    _ = await failure { _ = try await world.login.manager.validToken() }
    world.provider.fail(Outage.portal.end)
    world.provider.clock.advance(61)
    let restarted = try world.client.manager(store: world.store)
    #expect(try await restarted.validToken().value == "at-2")
    #expect(try world.provider.sent(to: "/token").last?.form().values("refresh_token") == ["rt-2"])
  }

  @Test(arguments: [-86_400, 86_400]) func `a clock that is wrong ends no login`(_ error: Double) async throws {
    let world = try await World()
    let now = world.provider.clock.date.secondsSince1970 + error
    world.provider.fail {
      $0.claims = ["iat": .number(JSONNumber(Int(now))), "exp": .number(JSONNumber(Int(now) + 300))]
    }
    #expect(await failure { _ = try await world.login.manager.validToken() }?.code == .temporarilyUnavailable)
    #expect(try await TokenRecords(world.store).load()?.refreshToken == "rt-2")
    world.provider.fail { $0.claims = [:] }
    world.provider.clock.advance(120)
    #expect(try await world.login.manager.validToken().value == "at-2")
  }

  @Test func `tokens that waited too long are not handed out, but renewed`() async throws {
    let world = try await World()
    world.provider.fail(Outage.unavailable.strike)
    _ = await failure { _ = try await world.login.manager.validToken() }
    world.provider.fail(Outage.unavailable.end)
    world.provider.clock.advance(5000)
    #expect(try await world.login.manager.validToken().expiration > world.provider.clock.date)
    #expect(world.refreshes == 2)
  }

  @Test func `who logs out meanwhile has the new refresh token revoked`() async throws {
    let world = try await World()
    world.provider.fail(Outage.unavailable.strike)
    _ = await failure { _ = try await world.login.manager.validToken() }
    #expect(await world.login.manager.logOut())
    #expect(try world.provider.sent(to: "/revoke").map { try $0.form().values("token") } == [["rt-2"]])
    #expect(try await TokenRecords(world.store).load() == nil)
  }

  @Test(arguments: Outage.allCases.filter { $0 != .rotatedMeanwhile })
  func `a login whose ID token can't be judged is finished again, with its one code`(_ outage: Outage) async throws {
    let provider = try StandInProvider()
    let client = try await OpenIDClientTests.client(provider)
    let (pending, url) = try await client.begin()
    let redirect = try provider.authorize(url)
    provider.fail(outage.strike)
    for _ in 0..<2 {
      #expect(
        await failure { _ = try await client.finish(pending, redirect: redirect) }?.code == .temporarilyUnavailable)
    }
    provider.fail(outage.end)
    provider.clock.advance(61)
    #expect(try await client.finish(pending, redirect: redirect).subject == "alice")
    #expect(provider.sent(to: "/token").count == 1)
    #expect(await failure { _ = try await client.finish(pending, redirect: redirect) }?.code == .loginOver)
  }

  @Test(arguments: [61.0, 200])
  func `the tokens of a login that was held live from their receipt`(_ wait: Double) async throws {
    let provider = try StandInProvider()
    let client = try await OpenIDClientTests.client(provider)
    let (pending, url) = try await client.begin()
    let redirect = try provider.authorize(url)
    provider.fail(Outage.unavailable.strike)
    provider.fail { $0.answer = ["expires_in": 150] }
    _ = await failure { _ = try await client.finish(pending, redirect: redirect) }
    let end = provider.clock.date.advanced(by: .seconds(150))
    provider.fail(Outage.unavailable.end)
    provider.clock.advance(wait)
    let login = try await client.finish(pending, redirect: redirect)
    #expect(login.tokens.expiresIn == .seconds(max(0, 150 - wait)))
    let token = try await login.manager.validToken()
    if wait < 150 {
      #expect(token.value == "at-1" && token.expiration == end)
    } else {
      // What has expired meanwhile is not handed out.
      #expect(token.value == "at-2")
    }
  }

  // MARK: The caller's own check

  private struct Unreachable: Error {}

  static let errors: [(any Error, isVerdict: Bool)] = [
    (Unreachable(), false), (CancellationError(), false), (JOSEError(.externalKeyFailed, ""), false),
    (JOSEError(.callerMisuse, ""), false), (JOSEError(.claimExpired, "", name: "exp"), false),
    (JOSEError(.claimNotYetValid, "", name: "iat"), false), (JOSEError(.signatureInvalid, ""), true),
    (JOSEError(.claimMismatch, "", name: "iss"), true), (JOSEError(.malformed, ""), true),
    (JOSEError(.claimExpired, "", name: "auth_time"), true), (JOSEError(.keyNotFound, ""), true),
    (OpenIDError(.identityTokenInvalid, ""), true), (OpenIDError(.temporarilyUnavailable, ""), false),
  ]

  @Test(arguments: errors.indices)
  func `only an error about the token makes an ID token invalid, and others are temporary`(_ index: Int) async throws {
    let (error, isVerdict) = Self.errors[index]
    var renewed = tokens(2)
    renewed.idToken = "id"
    let client = try await Client(
      ScriptedRefresher(.tokens(renewed)), idTokenCheck: IDTokenCheck { _ in throw error })
    client.clock.advance(4000)
    let code = await failure { _ = try await client.manager.validToken() }?.code
    #expect(code == (isVerdict ? .identityTokenInvalid : .temporarilyUnavailable))
    #expect(await client.store.stored?.refreshToken == "rt-secret-2")
  }

  @Test func `unavailable keys end no login even if failing refreshes would`() async throws {
    var renewed = tokens(2)
    renewed.idToken = "id"
    let client = try await Client(
      ScriptedRefresher(.tokens(renewed)), idTokenCheck: IDTokenCheck { _ in throw Unreachable() }
    ) { $0.endsLoginWhenRefreshKeepsFailing = true }
    client.clock.advance(4000)
    for _ in 0..<3 {
      #expect(await failure { _ = try await client.manager.validToken() }?.code == .temporarilyUnavailable)
      client.clock.advance(400)
    }
    #expect(client.refresher.attempts.count == 1)
  }
}
