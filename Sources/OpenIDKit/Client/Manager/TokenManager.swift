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
///   store has it. After a crash at any point the stored refresh token is either good, or its loss is noticed and
///   reported as ``LogoutReason/lostRotation``.
/// - The login ends only by a definite refusal of the token endpoint, or by an ID token that is not the login's, once,
///   with a reason, for every waiter. Faults of the network, the server, proxies, the store and the clock don't end it,
///   nor do keys that can't be fetched.
/// - A call belongs to the login in which it began: it never gets a token of the next one.
/// - Each login has a manager and a store of its own.
public actor TokenManager {
  // Decisions are made by the machine, which waits for nothing. The actor does what the machine says and tells it what
  // came of it.
  private(set) var machine: RefreshMachine
  private let records: TokenRecords
  private let refresher: any TokenRefresher
  private let clock: TokenClock
  private let lock: (any RefreshLock)?
  private let idTokenCheck: IDTokenCheck?
  private let random: RandomSource

  private typealias Ticket = RefreshMachine.Ticket
  private var calls: [Ticket: CheckedContinuation<Result<AccessToken, OpenIDError>, Never>] = [:]
  private var commands: [Ticket: CheckedContinuation<Result<Bool, OpenIDError>, Never>] = [:]
  private var sleepers: [Ticket: Task<Void, Never>] = [:]
  /// The lock is being given back. It is taken again after that, or the one would undo the other.
  private var unlocking: Task<Void, Never>?
  private var subscribers: [Ticket: AsyncStream<TokenState>.Continuation] = [:]
  private var publishedState: TokenState?
  private var lastTicket: Ticket = 0

  /// A manager for the login in `store`, if there is one.
  ///
  /// - Parameters:
  ///   - store: this login's alone. It is not read before the first call.
  ///   - refresher: sends the requests, one at a time.
  ///   - settings: thresholds, pauses and time limits.
  ///   - idTokenCheck: checks ID tokens that come with a refresh; without it they are stored and not looked at.
  ///   - lock: keeps other processes from refreshing the same login.
  ///   - clock: tells the time and waits. Tests pass one that they move.
  /// - Throws: `ErrorCode.settingInvalid`.
  public init(
    store: any SecretStore, refresher: any TokenRefresher, settings: TokenSettings = TokenSettings(),
    idTokenCheck: IDTokenCheck? = nil, lock: (any RefreshLock)? = nil, clock: TokenClock = .system
  ) throws(OpenIDError) {
    try self.init(
      store: store, refresher: refresher, settings: settings, idTokenCheck: idTokenCheck, lock: lock, clock: clock,
      random: .system)
  }

  package init(
    store: any SecretStore, refresher: any TokenRefresher, settings: TokenSettings, idTokenCheck: IDTokenCheck?,
    lock: (any RefreshLock)?, clock: TokenClock, random: RandomSource
  ) throws(OpenIDError) {
    try settings.requireValid()
    machine = RefreshMachine(settings: settings, usesLock: lock != nil, checksIDTokens: idTokenCheck != nil)
    (records, self.refresher, self.idTokenCheck, self.lock) = (TokenRecords(store), refresher, idTokenCheck, lock)
    (self.clock, self.random) = (clock, random)
  }

  deinit {
    for subscriber in subscribers.values { subscriber.finish() }
  }

  // MARK: Tokens

  /// An access token that is good for a while: the current one, or after a refresh the next one.
  ///
  /// Cancelling the caller's task ends this wait only; the refresh and other callers go on.
  /// - Parameter duration: how long the token must be good at least. If the server's tokens don't live as long,
  ///   `ErrorCode.settingInvalid` is thrown, and nothing is refreshed for it.
  /// - Throws: `ErrorCode.reauthenticationRequired`, `ErrorCode.loggedOut`,
  ///   `ErrorCode.temporarilyUnavailable`, `ErrorCode.configuration`,
  ///   `ErrorCode.identityTokenInvalid`, `ErrorCode.storeUnavailable`,
  ///   `ErrorCode.recordMalformed`, `ErrorCode.settingInvalid`,
  ///   `ErrorCode.cancelled`.
  public func validToken(minimumRemaining duration: Duration = .zero) async throws(OpenIDError) -> AccessToken {
    let seconds = duration.inSeconds
    if let token = machine.freshToken(for: seconds, at: moment(fraction: 0)) { return token }
    return try await token(for: RefreshMachine.Call(minimumRemaining: seconds))
  }

  /// What to do after a resource server answered 401 with `invalid_token`, or without an error code: the token to try
  /// once more with.
  ///
  /// If the refused token has been replaced in the meantime, the current one is returned without a refresh, as long as
  /// that is good. If the login has been replaced, nothing is returned: the call is another user's.
  /// - Throws: as ``validToken(minimumRemaining:)``; `ErrorCode.loggedOut` if the token is of another
  ///   login.
  public func handleUnauthorized(_ refused: AccessToken) async throws(OpenIDError) -> AccessToken {
    try await token(
      for: RefreshMachine.Call(loginID: refused.loginID, refusedGeneration: refused.generation))
  }

  /// Calls a server with a valid token, and once more after a refresh if the server refuses the token.
  ///
  /// - Parameter call: makes the call and says whether it was refused with 401. It must be safe to repeat.
  /// - Returns: what the last call returned: ``CallOutcome/unauthorized(_:)`` if both were refused.
  /// - Throws: as ``validToken(minimumRemaining:)`` and ``handleUnauthorized(_:)``, and what `call` throws.
  public nonisolated func withValidToken<Value: Sendable>(
    _ call: @Sendable (AccessToken) async throws -> CallOutcome<Value>
  ) async throws -> CallOutcome<Value> {
    let token = try await validToken()
    let outcome = try await call(token)
    guard case .unauthorized = outcome else { return outcome }
    return try await call(try await handleUnauthorized(token))
  }

  // MARK: Logins

  /// Takes the tokens of a new login in the place of whatever was there, a record that can't be read included.
  ///
  /// Calls that wait for a token of the login before end with `ErrorCode.loggedOut`.
  /// - Parameters:
  ///   - tokens: what the server just gave: their lifetimes count from now.
  ///   - kind: whether refreshing is possible. A login without a refresh token ends with its access token.
  ///   - scope: the granted scope.
  ///   - subject: who logged in, as a hint for the next time.
  /// - Throws: `ErrorCode.storeUnavailable`; the login before is then still there, unless the store wrote the new
  ///   one and could not say so. Try again.
  public func logIn(
    _ tokens: TokenAnswer, kind: LoginKind = .refreshable, scope: String? = nil, subject: String? = nil
  ) async throws(OpenIDError) {
    let date = clock.wall.now
    let new = TokenRecord(
      loginID: WireName(Base64URL.encode(random.bytes(16))), revision: 1, generation: 1, kind: kind, subject: subject,
      accessToken: tokens.accessToken, tokenType: tokens.tokenType, scope: tokens.scope ?? scope,
      issuedAt: date, lifetime: TokenRecord.lifetime(tokens.expiresIn), refreshToken: tokens.refreshToken,
      refreshTokenExpiration: tokens.refreshTokenExpiresIn.map { date.advanced(by: TokenRecord.lifetime($0)) },
      idToken: tokens.idToken, lastFullLogin: date)
    _ = try await command { .logIn($0, new) }.get()
  }

  /// Ends the login: callers who wait learn it, the store is emptied, and the server is told if it can be.
  ///
  /// From this call on no user is logged in. A request that is under way is let finish, and what it brings is revoked.
  /// - Parameter revoking: whether the server is told that the tokens are not needed any more.
  /// - Returns: false if the store failed. Its record is then removed as soon as the store lets this manager; until
  ///   then a restart would find it.
  @discardableResult
  public func logOut(revoking: Bool = true) async -> Bool {
    (try? await command { .logOut($0, revoking: revoking) }.get()) ?? false
  }

  /// Ends the login because the app has learned that it is over: a push message, a password change, a disabled user.
  /// Without a login nothing happens; a login that is just being stored in its place goes on.
  ///
  /// From this call on no user is logged in, also if the store can't be read: then whatever it holds is removed.
  /// - Returns: false if the store failed. Its record is then removed as soon as the store lets this manager; until
  ///   then a restart would find it.
  @discardableResult
  public func invalidate(_ reason: LogoutReason) async -> Bool {
    (try? await command { .invalidate($0, reason) }.get()) ?? false
  }

  /// Looks into the store, after another process has said that it wrote.
  ///
  /// - Throws: `ErrorCode.storeUnavailable`.
  public func reload() async throws(OpenIDError) {
    _ = try await command { .reload($0) }.get()
  }

  /// Resumes refreshing after a configuration error was fixed.
  public func configurationChanged() {
    process(.configurationChanged)
  }

  // MARK: States

  /// The state now.
  public var state: TokenState { machine.state(at: moment(fraction: 0)) }

  /// The state now and every change from now on. Each call gives a sequence of its own; it ends with the manager.
  public func states() -> AsyncStream<TokenState> {
    let (stream, continuation) = AsyncStream.makeStream(of: TokenState.self, bufferingPolicy: .bufferingNewest(256))
    let id = ticket()
    subscribers[id] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { [weak self] in await self?.unsubscribe(id) }
    }
    let state = state
    continuation.yield(state)
    if publishedState == nil { publishedState = state }
    return stream
  }

  /// Looks at the clock: tells subscribers if time has changed the state, and begins a refresh if one is due, without
  /// waiting for it. Call it from a timer, after ``timeUntilRefresh``, while the app is active.
  public func refreshIfDue() async {
    try? await load()
    process(.refreshIfDue)
  }

  /// How long until a refresh is due; nil if there is nothing to refresh.
  public var timeUntilRefresh: Duration? {
    machine.secondsUntilRefresh(at: moment(fraction: 0)).map(Duration.init(saturating:))
  }

  /// Reads the store, once.
  func load() async throws(OpenIDError) {
    _ = try await command { .prepare($0) }.get()
  }

  // MARK: Events in

  private func ticket() -> Ticket {
    lastTicket += 1
    return lastTicket
  }

  private func moment(fraction: Double) -> RefreshMachine.Moment {
    RefreshMachine.Moment(date: clock.wall.now, elapsed: clock.elapsed().inSeconds, fraction: fraction)
  }

  private func process(_ event: RefreshMachine.Event) {
    for effect in machine.handle(event, at: moment(fraction: random.fraction())) { perform(effect) }
    let state = state
    guard state != publishedState else { return }
    publishedState = state
    for subscriber in subscribers.values { subscriber.yield(state) }
  }

  private func token(for call: RefreshMachine.Call) async throws(OpenIDError) -> AccessToken {
    let id = ticket()
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        calls[id] = continuation
        process(.call(id, call))
        if Task.isCancelled { process(.cancel(id)) }
      }
    } onCancel: {
      Task { await self.process(.cancel(id)) }
    }.get()
  }

  private func command(
    _ event: (Ticket) -> RefreshMachine.Event
  ) async -> Result<Bool, OpenIDError> {
    let id = ticket()
    return await withCheckedContinuation { continuation in
      commands[id] = continuation
      process(event(id))
    }
  }

  private func unsubscribe(_ id: Ticket) { subscribers[id] = nil }

  // MARK: Effects out

  /// Begins one effect. Tasks are unstructured on purpose: no caller's cancellation may reach a request whose answer
  /// carries the only good token.
  private func perform(_ effect: RefreshMachine.Effect) {
    switch effect {
    case .answer(let id, let result): calls.removeValue(forKey: id)?.resume(returning: result)
    case .finish(let id, let result): commands.removeValue(forKey: id)?.resume(returning: result)
    case .lock(let id, let lease):
      Task { [unlocking] in
        await unlocking?.value
        process(.locked(id, await lock?.acquire(lease: lease) ?? false))
      }
    case .unlock:
      unlocking = Task { [unlocking] in
        await unlocking?.value
        await lock?.release()
      }
    case .ask(let id, let request): Task { process(.stored(id, await records.answer(request))) }
    case .send(let id, let attempt): Task { process(.answered(id, await refresher.refresh(attempt))) }
    case .check(let id, let tokens, let original):
      Task { process(.checked(id, await idTokenCheck?.verdict(on: tokens, continuing: original) ?? .good)) }
    case .sleep(let id, let seconds):
      sleepers[id] = Task {
        let didSleep = (try? await clock.sleep(Duration(saturating: seconds))) != nil
        sleepers[id] = nil
        process(.woke(id, didSleep: didSleep))
      }
    case .wake(let id): sleepers.removeValue(forKey: id)?.cancel()
    case .revoke(let refreshToken, let command):
      Task {
        await refresher.revoke(refreshToken: refreshToken)
        if let (id, isDone) = command { perform(.finish(id, .success(isDone))) }
      }
    }
  }
}

extension TokenManager: Redacted {
  /// The type's name. Nothing about the login.
  public nonisolated var description: String { "TokenManager" }
}

/// How a call to a resource server ended.
public enum CallOutcome<Value: Sendable>: Sendable {
  /// In any other way than with 401.
  case finished(Value)
  /// With 401 and `invalid_token`, or without an error code.
  case unauthorized(Value)
}
