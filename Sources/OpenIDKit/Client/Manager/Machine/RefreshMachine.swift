import JOSE
import StrictJSON

/// What a ``TokenManager`` decides: an event goes in, effects come out. It has no clock, waits for nothing and draws no
/// random numbers, so that tests can walk through every order of events and every fault.
///
/// Operations on the store run one at a time, in the order in which they come up, beside requests to the server.
struct RefreshMachine: Sendable {
  /// Names a caller, or an effect whose result is awaited.
  typealias Ticket = UInt64

  /// When an event happened, by both clocks, with a random number from 0 up to 1.
  struct Moment: Sendable {
    var date: NumericDate
    var elapsed: Double
    var fraction = 0.0
  }

  /// A call that waits for an access token.
  struct Call: Sendable {
    /// For how many seconds the token must be good.
    var minimumRemaining = 0.0
    /// The login that the call belongs to: it gets no token of another one.
    var loginID: WireName?
    /// The generation of the token that a resource server refused.
    var refusedGeneration: UInt64?
  }

  enum Event: Sendable {
    // What the app wants.
    case call(Ticket, Call)
    case cancel(Ticket)
    case prepare(Ticket)
    case logIn(Ticket, TokenRecord)
    case logOut(Ticket, revoking: Bool)
    case invalidate(Ticket, LogoutReason)
    case reload(Ticket)
    case refreshIfDue
    case configurationChanged
    // What became of effects.
    case locked(Ticket, Bool)
    case stored(Ticket, StoreOperation.Answer)
    case answered(Ticket, RefreshOutcome)
    case checked(Ticket, IDTokenVerdict)
    case woke(Ticket, didSleep: Bool)
  }

  enum Effect: Sendable {
    case answer(Ticket, Result<AccessToken, OpenIDError>)
    /// Whether all that was wanted has been done.
    case finish(Ticket, Result<Bool, OpenIDError>)
    case lock(Ticket, lease: Duration)
    case unlock
    case ask(Ticket, StoreOperation.Request)
    case send(Ticket, RefreshAttempt)
    case check(Ticket, TokenAnswer, original: String?)
    case sleep(Ticket, Double)
    case wake(Ticket)
    /// Tells the server that tokens are not needed any more, then finishes a command.
    case revoke(String, finishing: (Ticket, isDone: Bool)?)
  }

  let settings: TokenSettings
  let usesLock: Bool
  let checksIDTokens: Bool

  var standing = Standing.unread(.loggedOut)
  var requests: [Ticket: Request] = [:]
  /// Whether tokens that come for a login that is over are given back to the server.
  var revokesLateTokens = true
  /// Storing a login failed, and its record may be there all the same: who logs out then means that one too.
  var isStoreInDoubt = false
  var removal: Removal?
  /// The lock is kept beyond its refresh until the store has what that brought: another process would find a token
  /// there that has been used, and present it again when its grace may be over.
  var keepsLock = false

  var waiters: [Ticket: Call] = [:]
  /// What came before the store had been read, and when.
  var deferred: [(event: Event, moment: Moment)] = []
  /// What came while a new login was being stored, and concerns it.
  var afterLogIn: [Event] = []
  var operations = StoreQueue()

  private var lastTicket: Ticket = 1 << 63
  var now = Moment(date: NumericDate(0), elapsed: 0)
  var effects: [Effect] = []

  init(settings: TokenSettings, usesLock: Bool, checksIDTokens: Bool) {
    self.settings = settings
    self.usesLock = usesLock
    self.checksIDTokens = checksIDTokens
  }

  /// The login, if there is one. Without a reason for its end, nil takes its place.
  var login: Login? {
    get {
      guard case .held(let login) = standing else { return nil }
      return login
    }
    set {
      if let newValue {
        standing = .held(newValue)
      } else if case .held = standing {
        standing = .absent(.loggedOut)
      }
    }
  }

  /// Whether the store has been read.
  var isLoaded: Bool { if case .unread = standing { false } else { true } }

  /// Takes one event and returns what is to be done, in order.
  mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
    now = moment
    process(event, from: moment)
    if keepsLock, login?.isDirty != true {
      keepsLock = false
      effects.append(.unlock)
    }
    defer { effects = [] }
    return effects
  }

  /// - Parameter moment: when the event came; earlier than now if it had to wait.
  mutating func process(_ event: Event, from moment: Moment) {
    if case .logOut = event, isLoggingIn { return afterLogIn.append(event) }
    // Of the login before nothing is known: it is over if the new one takes its place.
    if case .invalidate = event, isLoggingIn, !isLoaded { return afterLogIn.append(event) }
    switch event {
    case .call, .prepare, .logIn, .logOut, .invalidate, .refreshIfDue:
      // Everything waits for the store in its order: whose a call is must be known before a login or a logout.
      guard isLoaded else {
        if isLoggingIn, case .call = event { return refuse(event, from: moment) }
        deferred.append((event, moment))
        if deferred.count == 1 { run(.read, for: .load) }
        return
      }
    default: break
    }
    switch event {
    case .call(let id, let call): admit(id, call)
    case .cancel(let id): cancel(id)
    case .prepare(let id): effects.append(.finish(id, .success(true)))
    case .logIn(let id, let record): run(.overwrite(record), for: .logIn(id, moment))
    case .logOut(let id, let revoking): logOut(id, revoking)
    case .invalidate(let id, let reason): invalidate(id, reason)
    case .reload(let id): run(.read, for: .reload(id))
    case .refreshIfDue: refreshIfDue()
    case .configurationChanged: login?.backoff.misconfiguration = nil
    case .locked(let id, let isLocked): takeLock(id, isLocked)
    case .stored(let id, let answer): advance(id, answer)
    case .answered(let id, let outcome): receive(id, outcome)
    case .checked(let id, let verdict): takeCheck(id, verdict)
    case .woke(let id, let didSleep): wake(id, didSleep)
    }
  }

  mutating func ticket() -> Ticket {
    lastTicket += 1
    return lastTicket
  }

  private mutating func wake(_ id: Ticket, _ didSleep: Bool) {
    if case .pausing(id)? = login?.refresh?.phase {
      guard didSleep else { return finishRefresh(.failure(.unavailable(after: nil))) }
      beginStep()
    } else if case .sending(let request)? = login?.refresh?.phase, requests[request]?.timeout == id {
      guard didSleep, let attempt = requests[request]?.attempt else { return }
      if isCurrent(attempt) { fail(RefreshFailure(.noAnswer)) } else { beginStep() }
    } else if case .lacking(timer: let timer?, pause: let pause)? = login?.storage, timer == id {
      login?.storage = .lacking(timer: nil, pause: pause)
      if didSleep { persist() }
    } else if removal?.timer == id {
      removal?.timer = nil
      if didSleep { run(.remove(loginID: removal?.loginID, upTo: nil), for: .removeAgain) }
    }
  }
}
