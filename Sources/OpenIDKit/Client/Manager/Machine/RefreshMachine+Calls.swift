import JOSE
import StrictJSON

/// Who asks for a token, and what is answered.
extension RefreshMachine {
  // MARK: The token in hand

  func remaining(at now: Moment) -> Double { (login?.expiresAt ?? 0) - now.elapsed }

  /// Below this many seconds it is time to refresh.
  var threshold: Double {
    guard let login else { return 0 }
    let wanted = settings.refreshThreshold.inSeconds
    guard settings.adaptsThreshold else { return wanted + login.jitter }
    return min(wanted, login.record.lifetime / 2) + min(login.jitter, login.record.lifetime / 4)
  }

  /// With less than this left a token is not sent. Of one that a refresh has brought it is a quarter at most: where
  /// tokens live so shortly, each call would refresh.
  func expirySafety(of lifetime: Double, isRenewed: Bool) -> Double {
    let safety = settings.expirySafety.inSeconds
    return settings.adaptsThreshold && isRenewed ? min(safety, lifetime / 4) : safety
  }

  private func expirySafety(of record: TokenRecord) -> Double {
    expirySafety(of: record.lifetime, isRenewed: record.generation > 1)
  }

  /// Whether the access token may be sent, and will be good for this many seconds.
  func isUsable(for seconds: Double = 0, at now: Moment) -> Bool {
    guard let login, login.record.accessToken != nil, !login.isAccessTokenRejected else { return false }
    return remaining(at: now) >= max(expirySafety(of: login.record), seconds)
  }

  var accessToken: AccessToken? {
    guard let record = login?.record, let value = record.accessToken else { return nil }
    return AccessToken(
      value: value, type: record.tokenType, scope: record.accessTokenScope ?? record.scope,
      expiration: record.expiration, loginID: record.loginID, generation: record.generation)
  }

  /// The current token, if nothing need be done before it is used.
  func freshToken(for seconds: Double, at now: Moment) -> AccessToken? {
    guard let login, login.record.isRefreshable, isUsable(for: seconds, at: now) else { return nil }
    return login.isDirty || (!login.isUncertain && remaining(at: now) >= threshold) ? accessToken : nil
  }

  func state(at now: Moment) -> TokenState {
    let login: Login
    switch standing {
    case .unread(.ended(let reason)), .absent(.ended(let reason)): return .reauthenticationRequired(reason)
    case .unread, .absent: return .loggedOut
    case .held(let held): login = held
    }
    if !login.record.isRefreshable { return .nonRefreshable }
    let isUsable = isUsable(at: now)
    if let refresh = login.refresh {
      if case .pausing = refresh.phase { return .backingOff(accessTokenIsUsable: isUsable) }
      return .refreshing(accessTokenIsUsable: isUsable)
    }
    if let misconfiguration = login.backoff.misconfiguration, now.elapsed < misconfiguration.until {
      return .misconfigured
    }
    if now.elapsed < login.backoff.notBefore { return .backingOff(accessTokenIsUsable: isUsable) }
    if login.isUncertain { return .uncertain }
    if !isUsable { return .expired }
    return remaining(at: now) < threshold ? .due : .fresh
  }

  func secondsUntilRefresh(at now: Moment) -> Double? {
    guard let login, login.record.isRefreshable else { return nil }
    return max(0, remaining(at: now) - threshold, login.backoff.notBefore - now.elapsed)
  }

  // MARK: Calls

  /// Answers a call at once, or lets it wait.
  mutating func admit(_ id: Ticket, _ call: Call) {
    let record: TokenRecord
    switch standing {
    case .unread(let absence), .absent(let absence): return answer(id, .failure(Self.error(of: absence)))
    case .held(let login): record = login.record
    }
    var call = call
    if let loginID = call.loginID {
      guard loginID == record.loginID else { return answer(id, .failure(Self.otherLogin)) }
    }
    call.loginID = record.loginID
    if let refused = call.refusedGeneration {
      if refused == record.generation {
        login?.isAccessTokenRejected = true
      } else if isUsable(for: call.minimumRemaining, at: now) {
        return answerCurrent(id, call)
      }
      call.refusedGeneration = nil
    }
    guard record.isRefreshable else { return serveWithoutRefresh(id, call) }
    if freshToken(for: call.minimumRemaining, at: now) != nil { return answerCurrent(id, call) }
    if login?.isDirty == true {
      // A second rotation now would leave the store two generations behind.
      waiters[id] = call
      return persist()
    }
    let isUsable = isUsable(for: call.minimumRemaining, at: now)
    let safety = expirySafety(of: record)
    if record.accessToken != nil, login?.isAccessTokenRejected == false, !isUsable,
      remaining(at: now) >= safety, record.lifetime < call.minimumRemaining + safety
    {
      // Rotating would bring another token that is too short-lived, and another, and another.
      return answer(id, .failure(Self.lifetimeTooShort))
    }
    if login?.refresh == nil {
      if isHeldBack(id, call) { return }
      if login?.isUncertain == true, !settings.replaysLostRotation {
        if isUsable { return answerCurrent(id, call) }
        waiters[id] = call
        return end(nil, .lostRotation)
      }
      beginRefresh()
    }
    if settings.servesStaleWhileRefreshing, isUsable { return answerCurrent(id, call) }
    waiters[id] = call
  }

  private mutating func answer(_ id: Ticket, _ result: Result<AccessToken, OpenIDError>) {
    effects.append(.answer(id, result))
  }

  private static func error(of absence: Absence) -> OpenIDError {
    switch absence {
    case .loggedOut: OpenIDError(.loggedOut, "no user is logged in")
    case .ended(let reason): .reauthenticate(reason)
    case .damaged:
      OpenIDError(.recordMalformed, "the stored login can't be read; a new login takes its place")
    }
  }

  static var otherLogin: OpenIDError {
    OpenIDError(.loggedOut, "the login of this call has ended")
  }

  private static var lifetimeTooShort: OpenIDError {
    OpenIDError(
      .settingInvalid, "the server's access tokens expire sooner than requested", name: "minimumRemaining")
  }

  /// Gives the current token to a call, if it is of the call's login and good for as long as that needs.
  mutating func answerCurrent(_ id: Ticket, _ call: Call) {
    guard let accessToken else { return answer(id, .failure(.unavailable(after: nil))) }
    if let loginID = call.loginID, loginID != accessToken.loginID {
      return answer(id, .failure(Self.otherLogin))
    }
    guard call.minimumRemaining <= 0 || isUsable(for: call.minimumRemaining, at: now) else {
      return answer(id, .failure(Self.lifetimeTooShort))
    }
    answer(id, .success(accessToken))
  }

  /// A login without a refresh token is good to the last second.
  private mutating func serveWithoutRefresh(_ id: Ticket, _ call: Call) {
    guard remaining(at: now) > 0, login?.isAccessTokenRejected == false, let accessToken else {
      waiters[id] = call
      return end(nil, .notRefreshable)
    }
    guard remaining(at: now) >= call.minimumRemaining else {
      return answer(id, .failure(.reauthenticate(.notRefreshable)))
    }
    answer(id, .success(accessToken))
  }

  /// Answers with the old token, or the error, while no refresh may begin.
  private mutating func isHeldBack(_ id: Ticket, _ call: Call) -> Bool {
    guard let error = login?.backoff.error(at: now.elapsed) else { return false }
    if isUsable(for: call.minimumRemaining, at: now) { answerCurrent(id, call) } else { answer(id, .failure(error)) }
    return true
  }

  mutating func cancel(_ id: Ticket) {
    let wasDeferred = deferred.contains { if case .call(id, _) = $0.event { true } else { false } }
    guard waiters.removeValue(forKey: id) != nil || wasDeferred else { return }
    deferred.removeAll { if case .call(id, _) = $0.event { true } else { false } }
    answer(id, .failure(OpenIDError(.cancelled, "the caller's task was cancelled")))
  }

  // MARK: Waiters

  mutating func resumeWaiters(_ error: OpenIDError) {
    for id in waiters.keys.sorted() { answer(id, .failure(error)) }
    waiters = [:]
  }

  /// A refresh has brought a good token: everybody gets it.
  mutating func resumeWaiters() {
    let waiting = waiters
    waiters = [:]
    for (id, call) in waiting.sorted(by: { $0.key < $1.key }) { answerCurrent(id, call) }
  }

  /// Gives the old token to those for whom it is good enough.
  mutating func resumeSatisfiedWaiters() {
    for (id, call) in waiters.sorted(by: { $0.key < $1.key }) where isUsable(for: call.minimumRemaining, at: now) {
      waiters[id] = nil
      answerCurrent(id, call)
    }
  }

  /// Lets everybody who waits ask again.
  mutating func readmitWaiters() {
    let waiting = waiters
    waiters = [:]
    for (id, call) in waiting.sorted(by: { $0.key < $1.key }) { admit(id, call) }
  }

  mutating func refreshIfDue() {
    guard let login, login.record.isRefreshable, login.refresh == nil, !login.isDirty else { return }
    let isDue = login.isUncertain || remaining(at: now) < threshold || !isUsable(at: now)
    if isDue, login.backoff.error(at: now.elapsed) == nil, !login.isUncertain || settings.replaysLostRotation {
      beginRefresh()
    }
  }
}
