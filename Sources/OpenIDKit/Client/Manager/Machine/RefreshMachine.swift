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

  /// Somebody who wants an access token.
  struct Call: Sendable {
    /// For how many seconds the token must be good.
    var minimumRemaining = 0.0
    /// The login that the call belongs to: it gets no token of another one.
    var loginID: String?
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
    case lock(Ticket, lease: Double)
    case unlock
    case ask(Ticket, StoreOperation.Request)
    case send(Ticket, RefreshAttempt)
    case check(Ticket, RefreshedTokens, original: String?)
    case sleep(Ticket, Double)
    case wake(Ticket)
    /// Tells the server that tokens are not needed any more, then finishes a command.
    case revoke(String, finishing: (Ticket, isDone: Bool)?)
  }

  /// A login, as it is held in memory.
  struct Login: Sendable {
    var record: TokenRecord
    /// Which version the store has, as far as is known.
    var storedVersion: [UInt8]
    /// When the access token expires, in elapsed seconds.
    var expiresAt: Double
    var jitter: Double
    /// The server refused the access token before its time.
    var isAccessTokenRejected = false
    /// The store lacks the record, because it failed.
    var isDirty = false
    /// A request may have rotated the refresh token without its answer having been stored.
    var isUncertain = false
  }

  /// Why there is no login.
  enum Absence: Sendable {
    case loggedOut
    case ended(LogoutReason)
    /// The store holds what can't be read.
    case damaged
  }

  /// How long a server that fails is left alone.
  struct Backoff: Sendable {
    var failures = 0
    /// No episode begins before this, in elapsed seconds.
    var notBefore = -Double.infinity
    var misconfiguration: (error: OpenIDError, until: Double)?
  }

  /// The refresh under way.
  struct Refresh: Sendable {
    enum Phase: Sendable, Equatable {
      case locking, storing
      case sending(Ticket), checking(Ticket), pausing(Ticket)
    }

    let id: Ticket
    let startedAt: Double
    var phase: Phase
    var isLocked = false
    var scope: String?
    var dpopNonce: String?
    var attempts = 0
    /// Rounds in which another process wrote first.
    var collisions = 0
    var isChecked = false
  }

  /// Tokens that came for an attempt.
  struct Answer: Sendable {
    var tokens: RefreshedTokens
    var attempt: RefreshAttempt
    var startedAt: Moment
  }

  /// A request whose answer has not come.
  struct Request: Sendable {
    var attempt: RefreshAttempt
    var startedAt: Moment
    var timeout: Ticket
    /// The login is over, and the server has not been told.
    var isOrphan = false
  }

  /// A login that is over and still stored.
  struct Removal: Sendable {
    var loginID: String?
    var timer: Ticket?
    var pause: Double
  }

  /// Which refresh token is revoked at a logout.
  enum Revocation: Sendable {
    /// None, or the one that a request under way is going to bring.
    case none
    /// The stored one, which another process may have renewed, or else this one.
    case stored(orElse: String?)
  }

  /// What an operation on the store is for.
  enum Purpose: Sendable {
    case load
    case refresh(Ticket, RefreshStep)
    case persist
    case logIn(Ticket, Moment)
    case logOut(Ticket, revoking: Revocation)
    case end(Ticket?, LogoutReason)
    case removeAgain
    case reload(Ticket)
  }

  /// Where a refresh goes on after an operation.
  enum RefreshStep: Sendable {
    case read
    case announce(TokenRecord)
    case keepUnjudged(Answer)
    case keep(RefreshFailure)
    case commit(TokenRecord, Answer)
    case adopt(RefreshFailure)
    case withdraw(TokenRecord, RefreshFailure)
    case refuse(LogoutReason)
  }

  let settings: TokenSettings
  let usesLock: Bool
  let checksIDTokens: Bool

  var isLoaded = false
  var login: Login?
  var absence = Absence.loggedOut
  var backoff = Backoff()
  var refresh: Refresh?
  var requests: [Ticket: Request] = [:]
  /// An answer that came after its request had been given up.
  var lateAnswer: Answer?
  /// Tokens whose refresh token is kept, and whose ID token has not been judged yet.
  var unchecked: Answer?
  /// Whether tokens that come for a login that is over are given back to the server.
  var revokesLateTokens = true
  /// Storing a login failed, and its record may be there all the same: who logs out then means that one too.
  var isStoreInDoubt = false
  var removal: Removal?
  var persistTimer: Ticket?
  var persistPause = 0.0

  var waiters: [Ticket: Call] = [:]
  /// What came before the store had been read, and when.
  var deferred: [(event: Event, moment: Moment)] = []
  /// What came while a new login was being stored, and concerns it.
  var afterLogIn: [Event] = []
  var operation: (operation: StoreOperation, purpose: Purpose, ticket: Ticket)?
  var operations: [(StoreOperation, Purpose)] = []

  private var lastTicket: Ticket = 1 << 63
  var now = Moment(date: NumericDate(0), elapsed: 0)
  var effects: [Effect] = []

  init(settings: TokenSettings, usesLock: Bool, checksIDTokens: Bool) {
    self.settings = settings
    self.usesLock = usesLock
    self.checksIDTokens = checksIDTokens
  }

  /// Takes one event and returns what is to be done, in order.
  mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
    now = moment
    process(event, from: moment)
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
    case .configurationChanged: backoff.misconfiguration = nil
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

  // MARK: Operations on the store

  mutating func run(_ kind: StoreOperation.Kind, for purpose: Purpose) {
    operations.append((StoreOperation(kind), purpose))
    startOperation()
  }

  private mutating func startOperation() {
    guard operation == nil, !operations.isEmpty else { return }
    let (next, purpose) = operations.removeFirst()
    let id = ticket()
    operation = (next, purpose, id)
    effects.append(.ask(id, next.first))
  }

  private mutating func advance(_ id: Ticket, _ answer: StoreOperation.Answer) {
    guard var current = operation, current.ticket == id else { return }
    switch current.operation.next(answer) {
    case .ask(let request):
      current.ticket = ticket()
      operation = current
      effects.append(.ask(current.ticket, request))
    case .done(let outcome):
      operation = nil
      conclude(current.purpose, outcome)
      startOperation()
    }
  }

  private mutating func conclude(_ purpose: Purpose, _ outcome: StoreOperation.Outcome) {
    switch purpose {
    case .load: concludeLoad(outcome)
    case .refresh(let id, let step): conclude(step, of: id, outcome)
    case .persist: concludePersist(outcome)
    case .logIn(let id, let moment): concludeLogIn(id, moment, outcome)
    case .logOut(let id, let revocation): concludeLogOut(id, revocation, outcome)
    case .end(let id, let reason): concludeEnd(id, reason, outcome)
    case .removeAgain: concludeRemoval(outcome)
    case .reload(let id): concludeReload(id, outcome)
    }
  }

  private mutating func wake(_ id: Ticket, _ didSleep: Bool) {
    if case .pausing(id)? = refresh?.phase {
      guard didSleep else { return finishRefresh(.failure(.unavailable(after: nil))) }
      beginStep()
    } else if case .sending(let request)? = refresh?.phase, requests[request]?.timeout == id {
      guard didSleep, let attempt = requests[request]?.attempt else { return }
      if isCurrent(attempt) { fail(RefreshFailure(.noAnswer)) } else { beginStep() }
    } else if persistTimer == id {
      persistTimer = nil
      if didSleep { persist() }
    } else if removal?.timer == id {
      removal?.timer = nil
      if didSleep { run(.remove(loginID: removal?.loginID, upTo: nil), for: .removeAgain) }
    }
  }
}
