import StrictJSON

/// What a machine can be in: what can't be at once can't be written.
extension RefreshMachine {
  /// Whether a user is logged in.
  enum Standing: Sendable {
    /// The store has not been read yet, or is to be read again.
    case unread(Absence)
    case absent(Absence)
    case held(Login)
  }

  /// Why there is no login.
  enum Absence: Sendable {
    case loggedOut
    case ended(LogoutReason)
    /// The store holds what can't be read.
    case damaged
  }

  /// A login, as it is held in memory, with the refresh under way.
  struct Login: Sendable {
    /// Whether the store has the record.
    enum Storage: Sendable {
      case stored
      /// It failed, and is tried again when the timer wakes; without one, the next call tries.
      case lacking(timer: Ticket?, pause: Double)
    }

    /// Tokens that wait for their turn.
    enum Waiting: Sendable {
      /// They came after their request had been given up.
      case late(Answer)
      /// Their refresh token is kept, and their ID token has not been judged yet.
      case unjudged(Answer)
    }

    var record: TokenRecord
    /// Which version the store has, as far as is known.
    var storedVersion: [UInt8]
    /// When the access token expires, in elapsed seconds.
    var expiresAt: Double
    var jitter: Double
    /// The server refused the access token before its time.
    var isAccessTokenRejected = false
    /// A request may have rotated the refresh token without its answer having been stored.
    var isUncertain = false
    /// The store failed when the announcement was to be taken back. Another process that has read it there may have
    /// sent the token, so it stays.
    var keepsAnnouncement = false
    var storage = Storage.stored
    var waiting: Waiting?
    var backoff = Backoff()
    var refresh: Refresh?

    /// The store lacks the record, because it failed.
    var isDirty: Bool { if case .lacking = storage { true } else { false } }

    var unjudged: Answer? {
      guard case .unjudged(let answer)? = waiting else { return nil }
      return answer
    }
  }

  /// How long a server that fails is left alone.
  struct Backoff: Sendable {
    var failures = 0
    /// No refresh begins before this, in elapsed seconds.
    var notBefore = -Double.infinity
    var misconfiguration: (error: OpenIDError, until: Double)?

    /// Why no refresh may begin; nil if one may.
    func error(at elapsed: Double) -> OpenIDError? {
      if let misconfiguration, elapsed < misconfiguration.until { return misconfiguration.error }
      guard elapsed < notBefore else { return nil }
      return .unavailable(after: Duration(saturating: notBefore - elapsed))
    }
  }

  /// The refresh under way.
  struct Refresh: Sendable {
    enum Phase: Sendable {
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
  }

  /// Tokens that came for an attempt.
  struct Answer: Sendable {
    var tokens: TokenAnswer
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
    var loginID: WireName?
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
}
