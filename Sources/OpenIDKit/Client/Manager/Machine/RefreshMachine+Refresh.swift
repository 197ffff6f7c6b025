import JOSE
import PureCrypto
import StrictJSON

/// One refresh: look whether it is still needed, announce it, send it, store what it brings.
extension RefreshMachine {
  // MARK: Beginning and end

  /// Begins a refresh. Only when none is under way.
  mutating func beginRefresh() {
    let id = ticket()
    let refresh = Refresh(
      id: id, startedAt: now.elapsed, phase: usesLock ? .locking : .storing, scope: settings.requestedScope)
    login?.refresh = refresh
    if usesLock { effects.append(.lock(id, lease: settings.lockLease)) } else { beginStep() }
  }

  mutating func takeLock(_ id: Ticket, _ isLocked: Bool) {
    guard login?.refresh?.id == id else {
      if isLocked { effects.append(.unlock) }
      return
    }
    login?.refresh?.isLocked = isLocked
    beginStep()
  }

  /// Ends the refresh with an error for everybody who waits.
  mutating func finishRefresh(_ result: Result<Void, OpenIDError>) {
    endRefresh()
    switch result {
    case .success: resumeWaiters()
    case .failure(let error): resumeWaiters(error)
    }
  }

  private mutating func endRefresh() {
    if login?.refresh?.isLocked == true {
      if login?.isDirty == true { keepsLock = true } else { effects.append(.unlock) }
    }
    login?.refresh = nil
  }

  /// Ends the login with its refresh, and with an error for everybody who waits.
  mutating func finishLogin(_ reason: LogoutReason, _ error: OpenIDError) {
    endRefresh()
    standing = .absent(.ended(reason))
    resumeWaiters(error)
  }

  /// A refresh has brought an expired token: a waiting call begins another.
  mutating func askAgain() {
    login?.backoff = Backoff()
    endRefresh()
    readmitWaiters()
  }

  /// A refresh has brought a good token.
  mutating func succeed() {
    login?.backoff = Backoff()
    finishRefresh(login?.record.accessToken == nil ? .failure(.unavailable(after: nil)) : .success(()))
  }

  /// Ends the refresh because its login is over. What it brings is given back to the server, if that is wanted.
  /// Returns whether anything is to come.
  @discardableResult
  mutating func abandonRefresh(revoking: Bool = true) -> Bool {
    guard let refresh = login?.refresh else { return false }
    endRefresh()
    var isAwaited = false
    if case .sending(let id) = refresh.phase {
      requests[id]?.isOrphan = revoking
      isAwaited = true
    }
    // Operations of this refresh that have not begun are not run; one that runs is concluded without it.
    for (_, purpose) in operations.waiting {
      if case .refresh(refresh.id, let step) = purpose { isAwaited = drop(step, revoking) || isAwaited }
    }
    operations.waiting.removeAll { if case .refresh(refresh.id, _) = $0.purpose { true } else { false } }
    if let answer = login?.unjudged {
      login?.waiting = nil
      isAwaited = drop(.keepUnjudged(answer), revoking) || isAwaited
    }
    if case .refresh(refresh.id, .commit)? = operations.running?.purpose { isAwaited = true }
    if case .refresh(refresh.id, .keepUnjudged)? = operations.running?.purpose { isAwaited = true }
    return isAwaited
  }

  /// Gives back tokens that won't be used. Returns whether the step had any.
  @discardableResult
  mutating func drop(_ step: RefreshStep, _ revoking: Bool) -> Bool {
    switch step {
    case .commit(_, let answer), .keepUnjudged(let answer):
      if revoking {
        effects.append(.revoke(answer.tokens.refreshToken ?? answer.attempt.refreshToken, finishing: nil))
      }
      return true
    case .keep(let failure):
      guard let refreshToken = failure.newRefreshToken else { return false }
      if revoking { effects.append(.revoke(refreshToken, finishing: nil)) }
      return true
    default: return false
    }
  }

  // MARK: One request

  mutating func beginStep() {
    guard let refresh = login?.refresh else { return }
    if let late = takeLateAnswer() { return commit(late) }
    login?.refresh?.phase = .storing
    run(.read, for: .refresh(refresh.id, .read))
  }

  mutating func conclude(_ step: RefreshStep, of id: Ticket, _ outcome: StoreOperation.Outcome) {
    guard let login, let refresh = login.refresh, refresh.id == id else {
      drop(step, revokesLateTokens)
      return
    }
    switch (step, outcome) {
    case (.read, .found(let stored)): concludeRead(stored)
    case (.announce(let announced), .swapped(let version?)):
      self.login?.storedVersion = version
      self.login?.record = announced
      send()
    case (.announce, .swapped(nil)):
      self.login?.refresh?.collisions += 1
      if refresh.collisions < 8 { beginStep() } else { retry(error: Self.storeFailed) }
    case (.read, _), (.announce, _): retry(error: Self.storeFailed)
    case (.keepUnjudged(let answer), _):
      guard keep(answer.tokens.refreshToken ?? login.record.refreshToken, outcome, answer) else { return }
      check(answer)
    case (.keep(let failure), _):
      guard keep(failure.newRefreshToken, outcome, nil) else { return }
      handle(failure)
    case (.commit(let new, let answer), _): concludeCommit(new, answer, outcome)
    case (.adopt(let failure), _): concludeAdoption(failure, outcome)
    case (.withdraw(let withdrawn, let failure), _):
      if case .swapped(let version?) = outcome {
        self.login?.storedVersion = version
        self.login?.record = withdrawn
      } else {
        self.login?.keepsAnnouncement = true
      }
      goOn(failure)
    case (.refuse(let reason), _): concludeRefusal(reason, outcome)
    }
  }

  static var storeFailed: OpenIDError {
    OpenIDError(.storeUnavailable, "the store failed; nothing was sent")
  }

  /// Another process may have refreshed, or logged out.
  private mutating func concludeRead(_ found: VersionedRecord?) {
    guard let login else { return }
    guard let found else { return leave(OpenIDError(.loggedOut, "another process logged out")) }
    if found.version == login.storedVersion { return checkAgainOrAnnounce() }
    let stored = found.record
    let isSameLogin = stored.loginID == login.record.loginID
    guard isSameLogin, stored.generation <= login.record.generation else {
      take(found)
      guard stored.isRefreshable,
        self.login?.isUncertain == true || !isUsable(at: now) || remaining(at: now) < threshold
      else { return succeed() }
      return announce()
    }
    // Another process has announced a rotation: it may be under way.
    self.login?.storedVersion = found.version
    self.login?.record.revision = stored.revision
    self.login?.record.pendingRotation = stored.pendingRotation
    self.login?.keepsAnnouncement = false
    if stored.pendingRotation != nil { self.login?.isUncertain = true }
    checkAgainOrAnnounce()
  }

  /// Asks again about an ID token that could not be judged, as long as its access token is good. Otherwise sends a
  /// request.
  private mutating func checkAgainOrAnnounce() {
    guard let answer = login?.unjudged else { return announce() }
    let lifetime = TokenRecord.lifetime(answer.tokens.expiresIn)
    guard let record = login?.record, record.loginID == answer.attempt.loginID,
      record.generation == answer.attempt.generation + 1, record.pendingRotation == nil,
      now.elapsed - answer.startedAt.elapsed + expirySafety(of: lifetime, isRenewed: true) < lifetime
    else {
      login?.waiting = nil
      return announce()
    }
    check(answer)
  }

  /// Writes ahead that this refresh token is about to be sent.
  private mutating func announce() {
    guard let login, let refresh = login.refresh, let refreshToken = login.record.refreshToken else { return succeed() }
    let fingerprint = Self.fingerprint(of: refreshToken)
    if let pending = login.record.pendingRotation, WireName(pending.refreshTokenFingerprint) == fingerprint {
      return send()
    }
    var announced = login.record
    announced.pendingRotation = TokenRecord.PendingRotation(
      startedAt: now.date, refreshTokenFingerprint: fingerprint)
    announced.revision += 1
    run(.swap(login.storedVersion, announced), for: .refresh(refresh.id, .announce(announced)))
  }

  private mutating func send() {
    if let late = takeLateAnswer() { return commit(late) }
    guard let login, let refresh = login.refresh, let refreshToken = login.record.refreshToken else {
      return succeed()
    }
    let attempt = RefreshAttempt(
      refreshToken: refreshToken, scope: refresh.scope, dpopNonce: refresh.dpopNonce,
      attemptNumber: refresh.attempts, loginID: login.record.loginID,
      generation: login.record.generation)
    let (id, timeout) = (ticket(), ticket())
    requests[id] = Request(attempt: attempt, startedAt: now, timeout: timeout)
    self.login?.refresh?.attempts += 1
    self.login?.refresh?.phase = .sending(id)
    effects += [.send(id, attempt), .sleep(timeout, settings.requestTimeout.inSeconds)]
  }

  mutating func receive(_ id: Ticket, _ outcome: RefreshOutcome) {
    guard let request = requests.removeValue(forKey: id) else { return }
    effects.append(.wake(request.timeout))
    // A login whose tokens are bound to a key takes no others from any refresher.
    let isBound = login.map { OAuthAnswer.isType($0.record.tokenType, among: "dpop") } ?? false
    let outcome = isBound && isCurrent(request.attempt) ? outcome.requiring(isBound: true) : outcome
    if case .sending(id)? = login?.refresh?.phase {
      // Another process's tokens may have been taken in the meantime.
      guard isCurrent(request.attempt) else { return beginStep() }
      switch outcome {
      case .tokens(let tokens):
        return commit(Answer(tokens: tokens, attempt: request.attempt, startedAt: request.startedAt))
      case .failed(let failure): return fail(failure)
      }
    }
    receiveLate(request, outcome)
  }

  /// The request had been given up. Its tokens are as good as any, as long as nothing newer is stored.
  private mutating func receiveLate(_ request: Request, _ outcome: RefreshOutcome) {
    let attempt = request.attempt
    if let record = login?.record, record.loginID == attempt.loginID {
      guard case .tokens(let tokens) = outcome, attempt.generation == record.generation else { return }
      login?.waiting = .late(Answer(tokens: tokens, attempt: attempt, startedAt: request.startedAt))
      // A refresh under way takes it before it sends another request, or if that brings nothing.
      if login?.refresh == nil, login?.isDirty == false { beginRefresh() }
      return
    }
    switch outcome {
    case .tokens(let tokens) where request.isOrphan || revokesLateTokens:
      effects.append(.revoke(tokens.refreshToken ?? attempt.refreshToken, finishing: nil))
    case .failed where request.isOrphan: effects.append(.revoke(attempt.refreshToken, finishing: nil))
    default: break
    }
  }

  /// Whether a request was for the login and the generation that are current.
  func isCurrent(_ attempt: RefreshAttempt) -> Bool {
    guard let record = login?.record else { return false }
    return attempt.loginID == record.loginID && attempt.generation == record.generation
  }

  /// A late answer that still fits.
  mutating func takeLateAnswer() -> Answer? {
    guard case .late(let late)? = login?.waiting else { return nil }
    login?.waiting = nil
    return isCurrent(late.attempt) ? late : nil
  }

  private static func fingerprint(of token: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let hex = SHA2.SHA256.hash(token.utf8).prefix(8).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: hex, as: UTF8.self)
  }
}
