import JOSE
import PureCrypto
import StrictJSON

/// Keeps one login's tokens fresh, and never loses one.
///
/// ```swift
/// let manager = try TokenManager(store: keychainItem, refresher: OAuthTokenRefresher(…))
/// try await manager.logIn(tokens)
/// let token = try await manager.validToken()
/// ```
///
/// - However many callers wait, one request is under way.
/// - Before a request is sent, the store is told that a rotation may happen; before a new token is handed out, the
///   store has it. After a
///   crash at any point the stored refresh token is either good, or its loss is noticed and reported as
///   ``LogoutReason/lostRotation``.
/// - The login ends only by a definite refusal, once, with a reason, for every waiter. Faults of the network, the
///   server and the store don't end it.
/// - Each login has a manager and a store of its own.
public actor TokenManager {
  let store: any TokenStore
  let refresher: any TokenRefresher
  let settings: TokenSettings
  let clock: TokenClock
  let lock: (any RefreshLock)?
  let idTokenCheck: IDTokenCheck?
  let random: RandomSource

  /// What is known of the login. Nil if nobody is logged in, or if the login has ended.
  var record: TokenRecord?
  /// Which version the store has, as far as is known.
  var storedVersion: TokenRecord.Version?
  var isLoaded = false
  /// When the access token expires, in elapsed seconds.
  var expiresAt = 0.0
  var jitter = 0.0
  /// The server refused the access token before its time.
  var isAccessTokenRejected = false
  /// Why the login has ended, until the next one.
  var end: LogoutReason?
  /// The store lacks the record in memory, because it failed.
  var isDirty = false
  /// A request may have rotated the refresh token without its answer having been stored.
  var isUncertain = false

  /// The refresh under way. Whoever finds another identifier after a suspension has been overtaken.
  var flight: UInt64?
  var isPausing = false
  var lastFlight: UInt64 = 0
  var failures = 0
  var unusableAnswers = 0
  /// No episode begins before this, in elapsed seconds.
  var notBefore = -Double.infinity
  var misconfiguration: (error: TokenRefreshError, until: Double)?

  var requests: [UInt64: PendingRequest] = [:]
  var lastRequest: UInt64 = 0
  /// An answer that came after its request had been given up.
  var lateAnswer: LateAnswer?
  /// Whether tokens that come for a login that is over are given back to the server.
  var revokesLateTokens = true

  var waiters: [UInt64: Waiter] = [:]
  var lastWaiter: UInt64 = 0
  var subscribers: [UInt64: AsyncStream<TokenState>.Continuation] = [:]
  var lastSubscriber: UInt64 = 0
  var publishedState: TokenState?

  struct PendingRequest {
    var continuation: CheckedContinuation<RefreshOutcome, Never>
    var timeout: Task<Void, Never>
  }

  struct LateAnswer {
    var tokens: RefreshedTokens
    var attempt: RefreshAttempt
    var startedAt: Moment
  }

  /// When something happened, by both clocks.
  struct Moment: Sendable {
    var date: NumericDate
    var elapsed: Double
  }

  struct Waiter {
    var continuation: CheckedContinuation<Result<AccessToken, TokenRefreshError>, Never>
    var minimumRemaining: Double
  }

  /// A manager for the login in `store`, if there is one.
  ///
  /// - Parameters:
  ///   - store: this login's alone. It is not read before the first call.
  ///   - refresher: sends the requests, one at a time.
  ///   - settings: thresholds, pauses and time limits, in seconds.
  ///   - idTokenCheck: checks ID tokens that come with a refresh; without it they are stored and not looked at.
  ///   - lock: keeps other processes from refreshing the same login.
  ///   - clock: tells the time and waits. Tests pass one that they move.
  /// - Throws: ``TokenRefreshError/Code/settingInvalid``.
  public init(
    store: any TokenStore, refresher: any TokenRefresher, settings: TokenSettings = TokenSettings(),
    idTokenCheck: IDTokenCheck? = nil, lock: (any RefreshLock)? = nil, clock: TokenClock = .system
  ) throws(TokenRefreshError) {
    try self.init(
      store: store, refresher: refresher, settings: settings, idTokenCheck: idTokenCheck, lock: lock, clock: clock,
      random: .system)
  }

  package init(
    store: any TokenStore, refresher: any TokenRefresher, settings: TokenSettings, idTokenCheck: IDTokenCheck?,
    lock: (any RefreshLock)?, clock: TokenClock, random: RandomSource
  ) throws(TokenRefreshError) {
    try settings.requireValid()
    self.store = store
    self.refresher = refresher
    self.settings = settings
    self.idTokenCheck = idTokenCheck
    self.lock = lock
    self.clock = clock
    self.random = random
  }

  deinit {
    for subscriber in subscribers.values { subscriber.finish() }
  }

  var now: Moment { Moment(date: clock.wall.now, elapsed: clock.elapsed()) }

  /// Seconds that the access token is still good for.
  var remaining: Double { expiresAt - clock.elapsed() }

  /// Below this many seconds it is time to refresh.
  var threshold: Double {
    let lifetime = record?.lifetime ?? 0
    let threshold = settings.adaptsThreshold ? min(settings.refreshThreshold, lifetime / 2) : settings.refreshThreshold
    return threshold + jitter
  }

  /// Whether the access token may be sent.
  func isUsable(for seconds: Double = 0) -> Bool {
    guard let record, record.accessToken != nil, !isAccessTokenRejected else { return false }
    return remaining >= max(settings.expirySafety, seconds)
  }

  var accessToken: AccessToken? {
    guard let record, let value = record.accessToken else { return nil }
    return AccessToken(
      value: value, type: record.tokenType, expiration: record.expiration, loginID: record.loginID,
      generation: record.generation)
  }

  func isFlying(_ id: UInt64) -> Bool { flight == id }
}

extension TokenManager: CustomStringConvertible, CustomReflectable {
  /// The type's name. Nothing about the login.
  public nonisolated var description: String { "TokenManager" }

  /// Shows no token to `dump` and to test failures.
  public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
