import JOSE
import StrictJSON

/// What an answer brings: it is stored first, then handed out.
extension RefreshMachine {
  /// Stores new tokens; then they are handed out.
  ///
  /// - Parameter isChecked: whether their ID token has been judged. Their refresh token is kept already, and counted.
  mutating func commit(_ answer: Answer, isChecked: Bool = false) {
    guard let login, let refresh = login.refresh else { return }
    self.login?.refresh?.phase = .storing
    // The refresh token counts whatever the ID token says; the access token only if that is sound.
    if answer.tokens.idToken != nil, checksIDTokens, !isChecked {
      return keepFirst(answer.tokens.refreshToken ?? answer.attempt.refreshToken, .keepUnjudged(answer))
    }
    var new = login.record.renewed(by: answer.tokens, at: answer.startedAt.date)
    if isChecked { new.generation = login.record.generation }
    run(
      .write(new, expecting: login.storedVersion, over: login.record.generation),
      for: .refresh(refresh.id, .commit(new, answer)))
  }

  /// Stores a new refresh token that came with an answer which is not usable, or not yet.
  mutating func keepFirst(_ refreshToken: String, _ step: RefreshStep) {
    guard let login, let refresh = login.refresh else { return }
    self.login?.refresh?.phase = .storing
    var new = login.record
    new.refreshToken = refreshToken
    new.generation += 1
    new.revision += 1
    new.pendingRotation = nil
    new.accessToken = nil
    run(.write(new, expecting: login.storedVersion, over: login.record.generation), for: .refresh(refresh.id, step))
  }

  /// Takes what was kept into memory. Returns whether the refresh goes on.
  mutating func keep(_ refreshToken: String?, _ outcome: StoreOperation.Outcome, _ answer: Answer?) -> Bool {
    switch outcome {
    case .stored(let stored):
      login?.record = stored.record
      login?.storedVersion = stored.version
    case .superseded(let stored):
      supersede(stored, answer)
      return false
    case .empty:
      leaveBehind(answer)
      return false
    default:
      login?.record.refreshToken = refreshToken
      login?.record.generation += 1
      login?.record.revision += 1
      login?.record.pendingRotation = nil
      login?.record.accessToken = nil
      markDirty()
    }
    login?.isUncertain = false
    login?.keepsAnnouncement = false
    return true
  }

  mutating func check(_ answer: Answer) {
    guard answer.tokens.idToken != nil else { return commit(answer) }
    let id = ticket()
    login?.refresh?.phase = .checking(id)
    login?.waiting = .unjudged(answer)
    effects.append(.check(id, answer.tokens, original: login?.record.loginIDToken ?? login?.record.idToken))
  }

  mutating func takeCheck(_ id: Ticket, _ verdict: IDTokenVerdict) {
    guard case .checking(id)? = login?.refresh?.phase else { return }
    // What another process has stored meanwhile has been taken in its place.
    guard let answer = login?.unjudged else { return isUsable(at: now) ? succeed() : askAgain() }
    switch verdict {
    case .good:
      login?.waiting = nil
      commit(answer, isChecked: true)
    case .bad where login?.isDirty == true:
      // The store first: it still has the refresh token that has been used.
      retry(mayEndLogin: false)
    case .bad:
      // The record stays in the store with its refresh token. Until the next start or login nothing is done with it.
      finishLogin(
        .identityTokenInvalid,
        OpenIDError(.identityTokenInvalid, "the ID token is not from this login", name: "id_token"))
    case .couldNotLook(let obstacle):
      // A token that time has overtaken while it waited is not asked about again: the refresh token brings another.
      if obstacle == .clocks, hasTarried(answer) { login?.waiting = nil }
      retry(mayEndLogin: false)
    }
  }

  /// Whether an answer has grown old on its way, or while it waited.
  private func hasTarried(_ answer: Answer) -> Bool {
    now.elapsed - answer.startedAt.elapsed > settings.requestTimeout.inSeconds
  }

  mutating func concludeCommit(_ new: TokenRecord, _ answer: Answer, _ outcome: StoreOperation.Outcome) {
    switch outcome {
    case .superseded(let stored): return supersede(stored, answer)
    case .empty: return leaveBehind(answer)
    case .stored(let stored):
      login?.record = stored.record
      login?.storedVersion = stored.version
      login?.storage = .stored
    default:
      login?.record = new
      markDirty()
    }
    let jitter = drawnJitter
    login?.jitter = jitter
    login?.expiresAt = answer.startedAt.elapsed + new.lifetime
    login?.isAccessTokenRejected = false
    login?.isUncertain = false
    login?.keepsAnnouncement = false
    // A token that lives shortly is what the server wanted. One that has grown old on the way here, or in the store, is
    // not.
    if hasTarried(answer), !isUsable(at: now) { askAgain() } else { succeed() }
  }

  /// Another process stored something newer, which is taken.
  private mutating func supersede(_ stored: VersionedRecord, _ answer: Answer?) {
    if let answer, stored.record.loginID != answer.attempt.loginID {
      drop(.keepUnjudged(answer), revokesLateTokens)
    }
    take(stored)
    if isUsable(at: now) { succeed() } else { askAgain() }
  }

  private mutating func leaveBehind(_ answer: Answer?) {
    if let answer { drop(.keepUnjudged(answer), revokesLateTokens) }
    leave(OpenIDError(.loggedOut, "another process logged out"))
  }
}
