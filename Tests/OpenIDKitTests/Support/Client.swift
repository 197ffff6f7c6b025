import JOSE

@testable import OpenIDKit

/// A manager with everything around it.
struct Client {
  let manager: TokenManager
  let store: FaultyStore
  let refresher: ScriptedRefresher
  let clock: VirtualClock

  static var settings: TokenSettings {
    var settings = TokenSettings()
    settings.thresholdJitter = 0
    settings.requestTimeout = VirtualClock.requestTimeout
    settings.lockLease = 120
    return settings
  }

  /// A manager whose user has just logged in.
  init(
    _ refresher: ScriptedRefresher, expiresIn: Double? = 3600, refreshToken: Bool = true,
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
