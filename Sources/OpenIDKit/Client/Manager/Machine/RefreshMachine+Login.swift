import JOSE
import StrictJSON

/// How logins begin and end, and what the store is told of it.
extension RefreshMachine {
  // MARK: Reading the store

  mutating func concludeLoad(_ outcome: StoreOperation.Outcome) {
    let waiting = deferred
    deferred = []
    switch outcome {
    case .found(let stored):
      if !isLoaded, let stored { adoptIfNewer(stored) }
      noteLoaded()
    case .damaged:
      if !isLoaded { standing = .absent(.damaged) }
    default:
      guard isLoaded else { return waiting.forEach { refuse($0.event, from: $0.moment) } }
    }
    for (event, moment) in waiting { process(event, from: moment) }
  }

  private mutating func noteLoaded() {
    if case .unread(let absence) = standing { standing = .absent(absence) }
  }

  /// What becomes of an event when the store can't be read. A login takes the place of whatever is there. A logout and
  /// the news of a login's end count all the same: no user is logged in until the store could be emptied.
  mutating func refuse(_ event: Event, from moment: Moment) {
    let error = OpenIDError(.storeUnavailable, "the store failed")
    switch event {
    case .call(let id, _): effects.append(.answer(id, .failure(error)))
    case .prepare(let id): effects.append(.finish(id, .failure(error)))
    case .invalidate where isLoggingIn:
      // It concerns the login before, and only if that is still there afterwards.
      afterLogIn.append(event)
    case .invalidate(let id, let reason): end(id, reason)
    case .logIn(let id, let record): run(.overwrite(record), for: .logIn(id, moment))
    case .logOut:
      noteLoaded()
      process(event, from: moment)
    default: break
    }
  }

  /// Makes a stored record the current one.
  mutating func take(_ found: VersionedRecord) {
    let stored = found.record
    var new = Login(record: stored, storedVersion: found.version, expiresAt: 0, jitter: drawnJitter)
    new.isUncertain = stored.pendingRotation != nil
    if let login {
      (new.backoff, new.refresh) = (login.backoff, login.refresh)
      if login.record.loginID != stored.loginID {
        resumeWaiters(Self.otherLogin)
      } else if case .late? = login.waiting {
        new.waiting = login.waiting
      }
    }
    login = new
    let rest = stored.expiration.secondsSince1970 - now.date.secondsSince1970
    let skew = settings.clockSkewTolerance.inSeconds
    // A token from the future, or one that would outlive itself, shows that the wall clock was set back: refresh soon.
    let isDoubtful =
      now.date.secondsSince1970 < stored.issuedAt.secondsSince1970 - skew
      || rest > stored.lifetime + skew
    let expiresAt = now.elapsed + (isDoubtful ? max(0, threshold - 1) : rest)
    login?.expiresAt = expiresAt
  }

  var drawnJitter: Double { now.fraction * settings.thresholdJitter.inSeconds }

  mutating func concludeReload(_ id: Ticket, _ outcome: StoreOperation.Outcome) {
    switch outcome {
    case .found(let stored):
      noteLoaded()
      adoptIfNewer(stored)
      effects.append(.finish(id, .success(true)))
    case .damaged where login == nil:
      standing = .absent(.damaged)
      effects.append(.finish(id, .success(true)))
    default: effects.append(.finish(id, .failure(OpenIDError(.storeUnavailable, "the store failed"))))
    }
  }

  private mutating func adoptIfNewer(_ found: VersionedRecord?) {
    guard let found else { return leave(OpenIDError(.loggedOut, "another process logged out")) }
    let stored = found.record
    // What has been logged out here and could not be removed yet is not logged in.
    if let removal, removal.loginID ?? stored.loginID == stored.loginID { return }
    guard let record = login?.record else { return take(found) }
    let isOther = stored.loginID != record.loginID
    guard isOther || stored.generation > record.generation else { return }
    if isOther { abandonRefresh() }
    take(found)
  }

  // MARK: Beginning

  mutating func concludeLogIn(_ id: Ticket, _ moment: Moment, _ outcome: StoreOperation.Outcome) {
    defer { goOnAfterLogIn() }
    guard case .stored(let stored) = outcome else {
      isStoreInDoubt = true
      // The next call learns from the store whether it was stored after all.
      if case .absent(let absence) = standing { standing = .unread(absence) }
      let error = OpenIDError(.storeUnavailable, "the store failed; the login before is still there")
      return effects.append(.finish(id, .failure(error)))
    }
    operations.waiting.removeAll { if case .removeAgain = $0.purpose { true } else { false } }
    abandonRefresh()
    resumeWaiters(Self.otherLogin)
    // Those came for the login before, whose place has been taken.
    for case .invalidate(let id, _) in afterLogIn { effects.append(.finish(id, .success(true))) }
    afterLogIn.removeAll { if case .invalidate = $0 { true } else { false } }
    isStoreInDoubt = false
    removal = nil
    revokesLateTokens = true
    login = Login(
      record: stored.record, storedVersion: stored.version, expiresAt: moment.elapsed + stored.record.lifetime,
      jitter: drawnJitter)
    effects.append(.finish(id, .success(true)))
  }

  /// Whether a new login is about to take the place of whatever is there.
  var isLoggingIn: Bool {
    operations.contains { if case .logIn = $0 { true } else { false } }
  }

  private mutating func goOnAfterLogIn() {
    guard !isLoggingIn else { return }
    let waiting = afterLogIn
    afterLogIn = []
    for event in waiting { process(event, from: now) }
  }

  // MARK: Ending

  mutating func logOut(_ id: Ticket, _ revoking: Bool) {
    let loginID = login?.record.loginID
    var revocation = revoking ? Revocation.stored(orElse: login?.record.refreshToken) : .none
    // What a request brings that is under way is revoked when it comes.
    if abandonRefresh(revoking: revoking) { revocation = .none }
    revokesLateTokens = revoking
    standing = .absent(.loggedOut)
    resumeWaiters(OpenIDError(.loggedOut, "the user logged out"))
    removal = Removal(
      loginID: isStoreInDoubt ? nil : loginID ?? removal?.loginID, pause: settings.backoffBase.inSeconds)
    run(.remove(loginID: removal?.loginID, upTo: nil), for: .logOut(id, revoking: revocation))
  }

  mutating func concludeLogOut(_ id: Ticket, _ revocation: Revocation, _ outcome: StoreOperation.Outcome) {
    concludeRemoval(outcome)
    var token: String?
    if case .stored(let known) = revocation {
      token = known
      if case .removed(let record?) = outcome { token = record.refreshToken ?? known }
    }
    guard let token else { return effects.append(.finish(id, .success(removal == nil))) }
    effects.append(.revoke(token, finishing: (id, isDone: removal == nil)))
  }

  /// Goes on removing until the store lets it.
  mutating func concludeRemoval(_ outcome: StoreOperation.Outcome) {
    guard case .failed = outcome else {
      if removal?.loginID == nil { isStoreInDoubt = false }
      removal = nil
      return
    }
    guard var open = removal, open.timer == nil else { return }
    let timer = ticket()
    effects.append(.sleep(timer, open.pause))
    open.timer = timer
    open.pause = min(max(open.pause, 1) * 2, max(settings.backoffCap.inSeconds, 1))
    removal = open
  }

  mutating func invalidate(_ id: Ticket, _ reason: LogoutReason) {
    if login == nil {
      // What can't be read may be a login that a newer version of the app has written.
      guard case .absent(.damaged) = standing else { return effects.append(.finish(id, .success(removal == nil))) }
    }
    end(id, reason)
  }

  /// Ends the login with a reason: waiters learn it when the store has been emptied.
  mutating func end(_ id: Ticket?, _ reason: LogoutReason) {
    let loginID = login?.record.loginID
    abandonRefresh()
    standing = .absent(.ended(reason))
    removal = Removal(loginID: loginID, pause: settings.backoffBase.inSeconds)
    run(.remove(loginID: loginID, upTo: nil), for: .end(id, reason))
  }

  mutating func concludeEnd(_ id: Ticket?, _ reason: LogoutReason, _ outcome: StoreOperation.Outcome) {
    concludeRemoval(outcome)
    // A new login may have begun meanwhile: its callers go on waiting.
    if login == nil { resumeWaiters(.reauthenticate(reason)) }
    if let id { effects.append(.finish(id, .success(removal == nil))) }
  }

  /// Ends the login in memory; the store knows already.
  mutating func leave(_ error: OpenIDError) {
    guard login != nil else { return }
    abandonRefresh()
    standing = .absent(.loggedOut)
    resumeWaiters(error)
  }

  // MARK: Storing what the store lacks

  mutating func markDirty() {
    guard login?.isDirty == false else { return }
    sleepBeforePersisting(settings.backoffBase.inSeconds)
  }

  private mutating func sleepBeforePersisting(_ pause: Double) {
    let timer = ticket()
    effects.append(.sleep(timer, pause))
    let next = min(max(pause, 1) * 2, settings.backoffCap.inSeconds)
    login?.storage = .lacking(timer: timer, pause: next)
  }

  /// Tries to store what is in memory only.
  mutating func persist() {
    guard let login, login.isDirty, !isPersisting else { return }
    run(
      .write(login.record, expecting: login.storedVersion, over: max(login.record.generation, 1) - 1), for: .persist)
  }

  private var isPersisting: Bool {
    operations.contains { if case .persist = $0 { true } else { false } }
  }

  mutating func concludePersist(_ outcome: StoreOperation.Outcome) {
    guard let record = login?.record, login?.isDirty == true else { return }
    switch outcome {
    case .stored(let stored):
      guard stored.record.loginID == record.loginID else { return }
      login?.storedVersion = stored.version
      guard stored.record.generation == record.generation,
        stored.record.accessToken.map({ Array($0.utf8) }) == record.accessToken.map({ Array($0.utf8) })
      else {
        return persist()
      }
      login?.record.revision = stored.record.revision
    case .superseded(let found):
      let stored = found.record
      // The same generation in the store is this one, written by an attempt that seemed to fail.
      if stored.generation >= record.generation || stored.loginID != record.loginID { take(found) }
    case .empty:
      return leave(OpenIDError(.loggedOut, "another process logged out"))
    default:
      resumeWaiters(
        OpenIDError(.storeUnavailable, "the store fails, and a refresh would risk the refresh token"))
      if case .lacking(timer: nil, pause: let pause)? = login?.storage { sleepBeforePersisting(pause) }
      return
    }
    login?.storage = .stored
    readmitWaiters()
  }
}
