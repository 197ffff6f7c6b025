import JOSE
import PureJOSETestSupport
import Testing

@testable import OpenIDKit

/// A manager with everything around it.
struct Client {
  let manager: TokenManager
  let store: FaultyStore
  let refresher: ScriptedRefresher
  let clock: VirtualClock

  static var settings: TokenSettings {
    var settings = TokenSettings()
    settings.thresholdJitter = .zero
    settings.requestTimeout = VirtualClock.requestTimeout
    settings.lockLease = .seconds(120)
    return settings
  }

  /// A manager whose user has just logged in.
  init(
    _ refresher: ScriptedRefresher, expiresIn: Duration? = .seconds(3600), refreshToken: Bool = true,
    kind: LoginKind = .refreshable,
    idToken: String? = nil, idTokenCheck: IDTokenCheck? = nil, _ change: (inout TokenSettings) -> Void = { _ in }
  ) async throws {
    var settings = Self.settings
    change(&settings)
    clock = VirtualClock()
    store = FaultyStore()
    self.refresher = refresher
    manager = try TokenManager(
      store: store, refresher: refresher, settings: settings, idTokenCheck: idTokenCheck, clock: clock.tokenClock)
    var first = tokens(1, expiresIn: expiresIn, rotates: refreshToken)
    first.idToken = idToken
    try await manager.logIn(first, kind: kind)
  }

  /// One whose token has expired, and whose refreshes end once the gate is open.
  static func expired(behind gate: Gate, _ outcome: RefreshOutcome = .tokens(tokens(2))) async throws -> Client {
    let client = try await Client(ScriptedRefresher(outcome, behind: gate))
    client.clock.advance(4000)
    return client
  }

  /// A call under way, which waits for the refresh behind the gate; what it throws.
  func callWaiting(behind gate: Gate) async -> Task<OpenIDError?, Never> {
    let call = Task { [manager] in await failure { _ = try await manager.validToken() } }
    #expect(await until { gate.count == 1 })
    return call
  }

  /// Another process, or this one after a restart: the same store, another memory.
  func restarted(
    _ refresher: ScriptedRefresher? = nil, _ change: (inout TokenSettings) -> Void = { _ in }
  ) throws -> TokenManager {
    var settings = Self.settings
    change(&settings)
    return try TokenManager(
      store: store, refresher: refresher ?? self.refresher, settings: settings, clock: clock.tokenClock)
  }
}
