import JOSE
import StrictJSON

/// What a request means that brought no usable tokens.
///
/// Only two answers end a login: the server's definite refusal of the refresh token, and its demand that the user logs
/// in. Everything else may be a proxy, a portal or a fault, and passes.
extension RefreshMachine {
  mutating func fail(_ failure: RefreshFailure) {
    login?.refresh?.phase = .storing
    if let refreshToken = failure.newRefreshToken { return keepFirst(refreshToken, .keep(failure)) }
    handle(failure)
  }

  mutating func handle(_ failure: RefreshFailure) {
    guard let refresh = login?.refresh else { return }
    if let late = takeLateAnswer() { return commit(late) }
    switch failure.kind {
    case .notSent, .serverBusy, .misconfigured: withdraw(failure)
    case .noAnswer:
      login?.isUncertain = true
      if settings.replaysLostRotation { retry(after: failure.retryAfter) } else { stopReplaying() }
    case .unusableAnswer:
      if failure.newRefreshToken == nil { login?.isUncertain = true }
      retry(after: failure.retryAfter)
    case .invalidGrant: run(.read, for: .refresh(refresh.id, .adopt(failure)))
    case .loginRequired: refuse(failure.logoutReason ?? .loginRequired)
    case .invalidScope:
      guard refresh.scope != nil else { return withdraw(RefreshFailure(.misconfigured("invalid_scope"))) }
      login?.refresh?.scope = nil
      beginStep()
    case .dpopNonceRequired(let nonce):
      // A nonce that has just been used is refused for another reason.
      guard refresh.dpopNonce.map({ WireName($0) }) != WireName(nonce), refresh.attempts < 8 else {
        return withdraw(RefreshFailure(.misconfigured("use_dpop_nonce")))
      }
      login?.refresh?.dpopNonce = nonce
      beginStep()
    }
  }

  /// Takes the announcement back after a definite answer that nothing was rotated. If the store fails, it stays, and
  /// the next start is merely too careful.
  private mutating func withdraw(_ failure: RefreshFailure) {
    guard let login, let refresh = login.refresh, !login.isUncertain, !login.keepsAnnouncement,
      !login.isDirty, login.record.pendingRotation != nil
    else { return goOn(failure) }
    var withdrawn = login.record
    withdrawn.pendingRotation = nil
    withdrawn.revision += 1
    run(.swap(login.storedVersion, withdrawn), for: .refresh(refresh.id, .withdraw(withdrawn, failure)))
  }

  /// What follows when the announcement has been taken back.
  mutating func goOn(_ failure: RefreshFailure) {
    guard case .misconfigured(let name) = failure.kind else { return retry(after: failure.retryAfter) }
    // The server refuses the client, not the token: keep the tokens and ask no more for a while.
    let error = OpenIDError(.configuration, "the server refuses the client or its request", name: name)
    let until = now.elapsed + settings.misconfigurationPause.inSeconds
    login?.backoff.misconfiguration = (error, until)
    resumeSatisfiedWaiters()
    finishRefresh(.failure(error))
  }

  /// Plans the next request, or the next look at an ID token, after a failure that may pass. Callers for whom the old
  /// token is good enough get it.
  ///
  /// - Parameter mayEndLogin: whether this is a failure of the token endpoint, which ends the login where the app wants
  ///   that.
  mutating func retry(after wanted: Duration? = nil, error: OpenIDError? = nil, mayEndLogin: Bool = true) {
    guard let login, let refresh = login.refresh else { return }
    let failures = login.backoff.failures + 1
    let pause = pause(afterFailures: failures, wanted: wanted)
    let isExhausted = failures >= settings.maximumAttempts
    self.login?.backoff.failures = isExhausted ? 0 : failures
    resumeSatisfiedWaiters()
    let passed = now.elapsed - refresh.startedAt
    // While the store lacks the record, another rotation would leave it two generations behind.
    if !waiters.isEmpty, !isExhausted, !login.isDirty, passed + pause <= settings.episodeTimeLimit.inSeconds {
      guard pause > 0 else { return beginStep() }
      let timer = ticket()
      self.login?.refresh?.phase = .pausing(timer)
      effects.append(.sleep(timer, pause))
      return
    }
    let notBefore = now.elapsed + pause
    self.login?.backoff.notBefore = notBefore
    if isExhausted, mayEndLogin, settings.endsLoginWhenRefreshKeepsFailing, !isUsable(at: now) {
      return refuse(.refreshFailed)
    }
    finishRefresh(.failure(error ?? .unavailable(after: Duration(saturating: pause))))
  }

  /// Full jitter: anything up to a bound that doubles with each failure; at least what the server asks for.
  private func pause(afterFailures count: Int, wanted: Duration?) -> Double {
    let cap = settings.backoffCap.inSeconds
    var bound = settings.backoffBase.inSeconds
    for _ in 1..<max(count, 1) { bound = min(bound * 2, cap) }
    return max(now.fraction * min(bound, cap), min(wanted ?? .zero, settings.maximumRetryAfter).inSeconds)
  }

  /// The server refused the refresh token. Another process may have rotated it in the meantime.
  mutating func concludeAdoption(_ failure: RefreshFailure, _ outcome: StoreOperation.Outcome) {
    guard let login else { return }
    guard case .found(let found) = outcome else { return retry(error: Self.storeFailed) }
    guard let stored = found else { return leave(OpenIDError(.loggedOut, "another process logged out")) }
    if stored.record.loginID != login.record.loginID
      || stored.record.generation > login.record.generation
    {
      take(stored)
      return succeed()
    }
    refuse(failure.logoutReason ?? (login.isUncertain ? .lostRotation : .invalidGrant))
  }

  /// Ends the login for good: every waiter learns the same reason, when the store has been emptied.
  private mutating func refuse(_ reason: LogoutReason) {
    guard let login, let refresh = login.refresh else { return }
    self.login?.refresh?.phase = .storing
    run(
      .remove(loginID: login.record.loginID, upTo: login.record.generation), for: .refresh(refresh.id, .refuse(reason)))
  }

  mutating func concludeRefusal(_ reason: LogoutReason, _ outcome: StoreOperation.Outcome) {
    if case .superseded(let stored) = outcome {
      take(stored)
      return succeed()
    }
    removal = Removal(loginID: login?.record.loginID, pause: settings.backoffBase.inSeconds)
    concludeRemoval(outcome)
    finishLogin(reason, .reauthenticate(reason))
  }

  /// An answer was lost and must not be asked for again: who can use the old token does, for the others the login is
  /// over.
  private mutating func stopReplaying() {
    resumeSatisfiedWaiters()
    if waiters.isEmpty, isUsable(at: now) { return finishRefresh(.failure(.unavailable(after: nil))) }
    refuse(.lostRotation)
  }
}

extension TokenRecord {
  /// The record after a refresh that was begun at `date`.
  func renewed(by tokens: TokenAnswer, at date: NumericDate) -> TokenRecord {
    var new = self
    new.revision += 1
    new.generation += 1
    new.pendingRotation = nil
    new.accessToken = tokens.accessToken
    new.tokenType = tokens.tokenType
    new.issuedAt = date
    new.lifetime = Self.lifetime(tokens.expiresIn)
    if let refreshToken = tokens.refreshToken {
      new.refreshToken = refreshToken
      new.refreshTokenExpiration = tokens.refreshTokenExpiresIn.map { date.advanced(by: Self.lifetime($0)) }
    }
    if let idToken = tokens.idToken {
      new.loginIDToken = loginIDToken ?? self.idToken
      new.idToken = idToken
    }
    new.accessTokenScope = tokens.scope
    return new
  }

  /// The lifetime of an access token whose answer names none.
  package static let assumedLifetime = Duration.seconds(300)

  /// A lifetime that can be reckoned with, in seconds: 10 years at most.
  static func lifetime(_ duration: Duration?) -> Double {
    max(0, min((duration ?? assumedLifetime).inSeconds, 315_360_000))
  }
}
