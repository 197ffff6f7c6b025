import JOSE

@testable import OpenIDKit

/// A manager's machine with a disk, a server and callers, all of it values: a copy goes another way.
struct ExploredWorld {
  /// What is built in to see that exploring finds it.
  enum PlantedFault: CaseIterable {
    /// The server forgives no retry, so that a lost answer costs the login.
    case serverWithoutGrace
    /// Each request is sent twice.
    case sendsTwice
    /// A removal is reported and not done.
    case keepsWhatIsRemoved
    /// A call whose login is over asks again and takes what it gets.
    case asksForTheNextLogin
    /// A check of an ID token that could not look says that the token is bad.
    case takesCouldNotLookForBad
    /// A check of an ID token that could not look says that the token is good.
    case takesCouldNotLookForGood
    /// A browser that is closed counts as a login.
    case logsInWhoCancels
    /// A check of an ID token with a new key says within the cooldown that it is forged.
    case takesNewKeyForForged
    /// A check of an ID token takes `null` for a value.
    case takesNullForValue
    /// A check of an ID token takes `null` for any authorized party.
    case takesNullForParty
    /// Tokens whose ID token could not be judged are forgotten.
    case forgetsHeldTokens

    /// Where exploring finds it.
    var alphabet: Alphabet {
      switch self {
      case .takesCouldNotLookForBad, .takesCouldNotLookForGood, .logsInWhoCancels, .takesNewKeyForForged,
        .takesNullForValue, .takesNullForParty, .forgetsHeldTokens:
        .judgement
      default: .storage
      }
    }
  }

  /// Which kinds of events are explored together. All of them at once would be too many ways.
  enum Alphabet: CaseIterable {
    /// Every fault of store and server; nothing is checked, and logins come at once.
    case storage
    /// ID tokens whose keys can't be fetched or are too new, ID tokens with `null`, a wall clock that steps, and logins
    /// that go through the browser.
    case judgement
  }

  /// What can happen next.
  enum Choice {
    /// Of the effects under way, this one ends in this way.
    case effect(Int, Ending)
    case call
    case logInOther
    case logOut
    case crash
    case timePasses
    /// The wall clock is set wrong.
    case clockSteps(back: Bool)
    /// The user is sent to the provider.
    case browserLeaves
    /// The user comes back with a code. The tokens for it may be ones that can't be judged, and are held then.
    case browserReturns(Ending)
    /// The user closes the browser.
    case browserCloses
  }

  enum Ending: CaseIterable {
    case good
    /// A store: nothing was done. A request: nothing reached the server.
    case failed
    /// A store: written, but nobody was told. A request: done, but the answer was lost.
    case doneUnheard
    /// A request only: the server is busy.
    case busy
    /// A check only: the ID token is another login's.
    case forged
    /// A check only: the client has just asked for the keys, and the issuer signs with a newer one from now on.
    case newKey
    /// A check only: the ID token has `null` in place of what need not be there.
    case withNull
    /// A check only: the ID token has `null` in place of the party, which must be the login's.
    case withoutParty

    static let ofRequests: [Ending] = [.good, .failed, .doneUnheard, .busy]
  }

  /// The server's side of one login.
  struct Family {
    var generation = 1
    var isRevoked = false
  }

  /// What the client knows of a refresh token that it has sent.
  enum Sent { case open, unknown, unused, answered }

  let planted: PlantedFault?
  let alphabet: Alphabet
  private let verdicts: ExploredVerdicts
  var machine: RefreshMachine
  var disk: TokenRecord?
  var families: [String: Family] = ["A": Family()]
  var effects: [RefreshMachine.Effect] = []
  var sent: [String: Sent] = [:]
  /// Who is logged in, as the user sees it.
  var user: String? = "A"
  /// Whose login failed though the store has it. Until somebody reads the store, either user is logged in.
  var doubtful: String?
  /// Which login each waiting call began in, or might have.
  var callers: [RefreshMachine.Ticket: [String?]] = [:]
  var loginTickets: [RefreshMachine.Ticket: String] = [:]
  var clock = 1_000_000.0
  var tickets: RefreshMachine.Ticket = 0
  var violations: [String] = []
  private var hasMisbehaved = false
  private var lastRefusal: OpenIDError?
  /// By how much the wall clock is wrong, and whether it ever was.
  private var clockError = 0.0
  private var hasStepped = false
  /// Whether the user is at the provider.
  private var isAway = false
  /// Whether the tokens of a login are held that can't be judged.
  private var isHeld = false
  /// Access tokens whose ID token has been found good.
  private var judged: Set<String> = ["A.access.1"]
  /// ID tokens that are not as the login's, and whether this process has been given one that it must refuse.
  private var marked: [String: ExploredVerdicts.Token] = [:]
  private var isForged = false
  /// When the client asked for the keys, by its wall clock, since when the issuer has another; nil if it knows all.
  private var keysAskedAt: Double?
  /// When each refresh token was first sent, and which came with an ID token that waits for its keys.
  private var sentAt: [String: Double] = [:]
  private var held: (refreshToken: String, sentAt: Double)?
  /// Whether the last ID token had `null` somewhere. What follows is what follows a good or a forged one: the machine
  /// sees the verdict alone, so the way is played to its end at once.
  private var isDecided = false
  // How often each may still happen.
  var calls = 2, logins = 1, logouts = 1, crashes = 1, advances = 1, steps = 1, forgeries = 1, newKeys = 1

  static let settings: TokenSettings = {
    var settings = TokenSettings()
    settings.thresholdJitter = .zero
    settings.maximumAttempts = 10
    return settings
  }()

  /// The user A has logged in long ago, and the access token has expired.
  init(planted: PlantedFault?, alphabet: Alphabet, verdicts: ExploredVerdicts) {
    (self.planted, self.alphabet, self.verdicts) = (planted, alphabet, verdicts)
    machine = RefreshMachine(settings: Self.settings, usesLock: false, checksIDTokens: alphabet == .judgement)
    disk = Self.record("A", at: clock - 4000)
    if alphabet == .judgement { calls = 1 }
  }

  private static func record(_ user: String, at seconds: Double) -> TokenRecord {
    TokenRecord(
      loginID: WireName(user), revision: 1, generation: 1, kind: .refreshable, accessToken: "\(user).access.1",
      tokenType: "Bearer", issuedAt: NumericDate(saturating: seconds), lifetime: 3600, refreshToken: "\(user).1",
      lastFullLogin: NumericDate(saturating: seconds))
  }

  var moment: RefreshMachine.Moment {
    RefreshMachine.Moment(date: NumericDate(saturating: clock + clockError), elapsed: clock, fraction: 0.5)
  }

  /// Everything that can happen now. Nothing if the way needs no exploring any more.
  var choices: [Choice] {
    if isDecided { return [] }
    var choices: [Choice] = []
    for (index, effect) in effects.enumerated() {
      switch effect {
      case .send where alphabet == .judgement: choices += [.effect(index, .good), .effect(index, .doneUnheard)]
      case .send: choices += Ending.ofRequests.map { .effect(index, $0) }
      case .check:
        choices.append(.effect(index, .good))
        if forgeries > 0 { choices.append(.effect(index, .forged)) }
        if newKeys > 0 { choices.append(.effect(index, .newKey)) }
        // While the key is lacking, a good end says what a failure does.
        guard !lacksKey else { continue }
        choices += [.effect(index, .failed), .effect(index, .withoutParty)]
        if clockError == 0 { choices.append(.effect(index, .withNull)) }
      case .ask where alphabet == .judgement: choices += [.effect(index, .good), .effect(index, .failed)]
      case .ask(_, .load): choices += [.effect(index, .good), .effect(index, .failed)]
      case .ask: choices += [.effect(index, .good), .effect(index, .failed), .effect(index, .doneUnheard)]
      default: choices.append(.effect(index, .good))
      }
    }
    if calls > 0 { choices.append(.call) }
    switch alphabet {
    case .storage:
      if logins > 0 { choices.append(.logInOther) }
    case .judgement:
      if isAway {
        choices += [.browserReturns(.good), .browserCloses]
        if !isHeld { choices.append(.browserReturns(.failed)) }
      } else if logins > 0 {
        choices.append(.browserLeaves)
      }
      if steps > 0 { choices += [.clockSteps(back: true), .clockSteps(back: false)] }
    }
    if logouts > 0 { choices.append(.logOut) }
    if crashes > 0 { choices.append(.crash) }
    if advances > 0 { choices.append(.timePasses) }
    return choices
  }

  mutating func take(_ choice: Choice) {
    tickets += 1
    switch choice {
    case .effect(let index, let ending): finish(effects.remove(at: index), ending)
    case .call:
      calls -= 1
      callers[tickets] = [user, doubtful ?? user]
      handle(.call(tickets, RefreshMachine.Call()))
    case .logInOther:
      logins -= 1
      logInOther()
    case .browserLeaves: (logins, isAway) = (logins - 1, true)
    case .browserReturns(.good):
      isAway = false
      logInOther()
    case .browserReturns: isHeld = true
    case .browserCloses:
      isAway = false
      if planted == .logsInWhoCancels { logInOther(asExpected: false) }
    case .clockSteps(let back):
      steps -= 1
      (clockError, hasStepped) = (back ? -10_000 : 10_000, true)
    case .logOut:
      logouts -= 1
      // A login that is being stored goes first.
      if loginTickets.isEmpty { (user, doubtful) = (nil, nil) }
      loginTickets = loginTickets.mapValues { _ in "" }
      held = nil
      handle(.logOut(tickets, revoking: true))
    case .crash:
      crashes -= 1
      effects = []
      // What was on its way, or was answered and not stored, the next process knows nothing of.
      for (token, state) in sent where state == .open || disk?.refreshToken == token { sent[token] = .unknown }
      machine = RefreshMachine(settings: Self.settings, usesLock: false, checksIDTokens: alphabet == .judgement)
      // The next process asks for the keys at its first check.
      (isForged, keysAskedAt, held) = (false, nil, nil)
      callers = [:]
      loginTickets = [:]
      // Whoever is found on the disk is logged in: a logout or a login was cut short.
      (user, doubtful) = (disk?.loginID.text, nil)
      clock += 1
    case .timePasses:
      advances -= 1
      clock += 4000
    }
  }

  private mutating func logInOther(asExpected: Bool = true) {
    families["B"] = Family()
    held = nil
    judged.insert("B.access.1")
    if asExpected { loginTickets[tickets] = "B" }
    handle(.logIn(tickets, Self.record("B", at: clock + clockError)))
  }

  mutating func handle(_ event: RefreshMachine.Event) {
    for effect in machine.handle(event, at: moment) { perform(effect) }
  }

  private mutating func perform(_ effect: RefreshMachine.Effect) {
    switch effect {
    case .answer(let id, let result): answer(id, result)
    case .finish(let id, let result):
      guard let login = loginTickets.removeValue(forKey: id) else { break }
      if case .success = result {
        (user, doubtful, isForged) = (login, nil, false)
      } else if disk?.loginID.text == login {
        doubtful = login
      }
      if login.isEmpty { (user, doubtful) = (nil, nil) }
    case .wake(let id): effects.removeAll { if case .sleep(id, _) = $0 { true } else { false } }
    case .send(_, let attempt):
      switch sent[attempt.refreshToken] {
      case .open, .answered: violations.append("a refresh token was used twice")
      default: break
      }
      sent[attempt.refreshToken] = .open
      noteSending(attempt.refreshToken)
      effects.append(effect)
      if planted == .sendsTwice, !hasMisbehaved {
        hasMisbehaved = true
        perform(effect)
      }
    case .revoke(let token, let command):
      if let family = token.split(separator: ".").first { families[String(family)]?.isRevoked = true }
      if let (id, isDone) = command { perform(.finish(id, .success(isDone))) }
    default: effects.append(effect)
    }
  }

  private mutating func answer(_ id: RefreshMachine.Ticket, _ result: Result<AccessToken, OpenIDError>) {
    guard let began = callers.removeValue(forKey: id) else { return violations.append("a call was answered twice") }
    switch result {
    case .success(let token):
      // Where the wall clock is wrong, nobody can tell how old a stored token is.
      if !hasStepped, token.expiration.secondsSince1970 < clock {
        violations.append("a call got a token whose time is over")
      }
      if alphabet == .judgement, !judged.contains(token.value) {
        violations.append("a call got a token whose ID token had not been judged")
      }
      if !began.contains(token.loginID.text) {
        violations.append("a call of \(began.map { $0 ?? "nobody" }) got a token of \(token.loginID)")
      }
    case .failure(let error):
      lastRefusal = error
      let isOfIDToken = error.code == .identityTokenInvalid || error.logoutReason == .identityTokenInvalid
      if isOfIDToken {
        if !isForged { violations.append("a login was lost by an ID token that nobody forged") }
      } else if error.code == .reauthenticationRequired, began.allSatisfy({ families[$0 ?? ""]?.isRevoked == false }) {
        violations.append("a login was lost: \(error)")
      }
      if planted == .asksForTheNextLogin, error.code == .loggedOut, began != [nil, nil], !hasMisbehaved {
        hasMisbehaved = true
        callers[id] = began
        handle(.call(id, RefreshMachine.Call()))
      }
    }
  }

  private mutating func finish(_ effect: RefreshMachine.Effect, _ ending: Ending) {
    switch effect {
    case .ask(let id, .load):
      let stored = disk.map { VersionedRecord(record: $0, version: $0.version) }
      handle(.stored(id, ending == .good ? .loaded(stored) : .failed))
    case .ask(let id, .replace(let expected, let record)):
      var isDone = false
      if ending != .failed {
        isDone = disk?.version == expected
        if isDone, !(planted == .keepsWhatIsRemoved && record == nil) { disk = record }
      }
      let version = isDone ? record?.version ?? [] : nil
      handle(.stored(id, ending == .good ? .replaced(version) : .failed))
    case .sleep(let id, let seconds):
      clock += seconds
      // A request whose time is over may have been heard.
      for request in machine.requests.values where request.timeout == id {
        sent[request.attempt.refreshToken] = .unknown
      }
      handle(.woke(id, didSleep: true))
    case .check(let id, let tokens, _):
      let idToken = tokens.idToken ?? ""
      let verdict = verdict(on: idToken, ending)
      held = verdict == .couldNotLook(.keys) ? tokensHeld(with: idToken) : nil
      handle(.checked(id, verdict))
      if planted == .forgetsHeldTokens, case .couldNotLook = verdict { machine.login?.waiting = nil }
    case .send(let id, let attempt):
      let outcome = exchange(attempt.refreshToken, ending)
      handle(.answered(id, outcome))
    default: break
    }
  }

  /// Whether the issuer has a key that the client lacks and can't ask for yet. A clock that was set back doesn't
  /// prolong that.
  private var lacksKey: Bool {
    guard let keysAskedAt else { return false }
    let passed = clock + clockError - keysAskedAt
    return passed >= 0 && passed < ExploredVerdicts.cooldown
  }

  /// What the check of an ID token says.
  private mutating func verdict(on idToken: String, _ ending: Ending) -> IDTokenVerdict {
    switch ending {
    case .forged:
      forgeries -= 1
      marked[idToken] = .forged
    case .newKey:
      newKeys -= 1
      keysAskedAt = clock + clockError
    case .withNull: (marked[idToken], isDecided) = (.withNull, true)
    case .withoutParty: (marked[idToken], isDecided) = (.withoutParty, true)
    default: break
    }
    let token = marked[idToken] ?? .renewed
    if ending != .failed, token == .forged || token == .withoutParty {
      isForged = true
      return said(of: token)
    }
    guard ending != .failed, !lacksKey, clockError == 0 else {
      if planted == .takesCouldNotLookForBad { return .bad }
      if planted == .takesCouldNotLookForGood { return .good }
      if ending == .failed { return .couldNotLook(.keys) }
      return lacksKey ? said(of: .newKey, isLate: false) : .couldNotLook(.clocks)
    }
    judged.insert(idToken.replacing(".id.", with: ".access."))
    guard keysAskedAt != nil else { return said(of: token) }
    // The check has asked for the keys again, and knows the new one from now on.
    keysAskedAt = nil
    return said(of: .newKey)
  }

  /// What the client's own check has said of such an ID token.
  private mutating func said(of token: ExploredVerdicts.Token, isLate: Bool = true) -> IDTokenVerdict {
    switch (planted, token) {
    case (.takesNewKeyForForged?, .newKey) where !isLate, (.takesNullForValue?, .withNull): return .bad
    case (.takesNullForParty?, .withoutParty): return .good
    default: break
    }
    guard let verdict = verdicts.verdict(on: token, isLate: isLate) else {
      violations.append("nothing has judged an ID token that is \(token)")
      return .bad
    }
    return verdict
  }

  /// Tokens that wait for the keys of their ID token are not thrown away while they are good: an hour, less what the
  /// machine takes off for safety.
  private mutating func noteSending(_ refreshToken: String) {
    guard alphabet == .judgement else { return }
    if let held, held.refreshToken == refreshToken, clock - held.sentAt < 3000 {
      violations.append("tokens that waited for the keys of their ID token were thrown away")
    }
    if sentAt[refreshToken] == nil { sentAt[refreshToken] = clock }
  }

  /// The refresh token that came with an ID token, and when the one before it was first sent.
  private func tokensHeld(with idToken: String) -> (refreshToken: String, sentAt: Double)? {
    let parts = idToken.split(separator: ".")
    guard parts.count == 3, let generation = Int(parts[2]), let sentAt = sentAt["\(parts[0]).\(generation - 1)"]
    else { return nil }
    return ("\(parts[0]).\(generation)", sentAt)
  }

  /// What the server makes of a refresh token, and what comes back.
  private mutating func exchange(_ token: String, _ ending: Ending) -> RefreshOutcome {
    if ending == .failed || ending == .busy {
      sent[token] = .unused
      return .failed(RefreshFailure(ending == .busy ? .serverBusy : .notSent))
    }
    let parts = token.split(separator: ".")
    let name = String(parts[0])
    guard var family = families[name], !family.isRevoked, let generation = Int(parts[1]) else {
      // Whoever is refused because all is revoked does no harm by asking again.
      sent[token] = .unknown
      return .failed(RefreshFailure(.invalidGrant))
    }
    let isReplay = generation == family.generation - 1 && planted != .serverWithoutGrace
    if !isReplay {
      guard generation == family.generation else {
        sent[token] = .answered
        return .failed(RefreshFailure(.invalidGrant))
      }
      family.generation += 1
      families[name] = family
    }
    guard ending == .good else {
      sent[token] = .unknown
      return .failed(RefreshFailure(.noAnswer))
    }
    sent[token] = .answered
    return .tokens(
      TokenAnswer(
        accessToken: "\(name).access.\(family.generation)", expiresIn: .seconds(3600),
        refreshToken: "\(name).\(family.generation)",
        idToken: alphabet == .judgement ? "\(name).id.\(family.generation)" : nil))
  }

  /// Lets everything that is under way end well, in order, then looks whether who should be logged in is.
  mutating func settle() {
    for round in 0..<2 {
      var steps = 0
      while !effects.isEmpty, steps < 200 {
        // Timers come last: nothing takes long any more.
        let next = effects.firstIndex { if case .sleep = $0 { false } else { true } } ?? 0
        take(.effect(next, .good))
        steps += 1
      }
      if steps == 200 { violations.append("it never ends") }
      if !callers.isEmpty { violations.append("a call was never answered") }
      if round == 1 { break }
      // Somebody has set the clock right.
      clock += 100_000
      clockError = 0
      calls = 1
      take(.call)
    }
    if let doubtful, disk?.loginID.text == doubtful { user = doubtful }
    if let user {
      guard families[user]?.isRevoked == false else { return }
      if disk?.loginID.text != user {
        violations.append("\(user) is logged in, and the store has \(disk?.loginID.text ?? "nobody")")
      }
      let state = machine.state(at: moment)
      if isForged, state == .reauthenticationRequired(.identityTokenInvalid) { return }
      if state != .fresh {
        violations.append("a login came to nothing, but \(state); \(lastRefusal?.description ?? "no call was refused")")
      }
    } else if disk != nil {
      violations.append("no user is logged in, and the store has somebody")
    }
  }
}
