import JOSE

/// Why the database did not do what it was asked. It holds no value of a statement.
public struct PostgresError: Error, Sendable {
  /// What went wrong.
  public enum Reason: Sendable, Hashable {
    /// The settings can't be used.
    case settings
    /// No connection could be opened.
    case noConnection
    /// All connections were in use for as long as a caller waits.
    case poolExhausted
    /// The connection ended.
    case connectionLost
    /// The server did not answer in time.
    case timedOut
    /// The server refused a statement.
    case statementFailed
    /// The clocks of this machine and of the database's differ by more than 5 seconds.
    case clocksDiffer
  }

  /// What went wrong.
  public let reason: Reason
  /// The server's five characters for it, if it said something.
  public let sqlState: String?
  /// What libpq said of a connection that could not be opened: names of hosts and users, and no password.
  private let detail: String?

  init(_ reason: Reason, sqlState: String? = nil, detail: String? = nil) {
    (self.reason, self.sqlState, self.detail) = (reason, sqlState, detail)
  }

  /// Who is at fault: a request may come again later unless the settings are wrong.
  public var fault: ErrorCode.Fault { reason == .settings ? .callerMisuse : .unavailable }
}

extension PostgresError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    let text =
      switch reason {
      case .settings: "the schema must be a plain name, and there must be room for a connection"
      case .noConnection: "no connection to PostgreSQL could be opened"
      case .poolExhausted: "all connections to PostgreSQL are in use; try again later"
      case .connectionLost: "the connection to PostgreSQL ended"
      case .timedOut: "PostgreSQL did not answer in time"
      case .statementFailed: "PostgreSQL refused a statement"
      case .clocksDiffer: "the clocks of this machine and of PostgreSQL's differ by more than 5 seconds"
      }
    return text + (sqlState.map { " (\($0))" } ?? "") + (detail.map { ": \($0)" } ?? "")
  }
}

/// What a program does about it. Codes are those of appendix A of PostgreSQL's manual.
extension PostgresError {
  /// Another transaction was in the way, and the server has undone this one: serialization_failure, deadlock_detected,
  /// lock_not_available. The last stands for a deadlock as well, since waits for locks end before those are looked for.
  var isConflict: Bool { ["40001", "40P01", "55P03"].contains(sqlState) }

  /// Another connection may do better: this one ended, or the server takes none now.
  var isLackOfConnection: Bool {
    reason == .connectionLost || reason == .noConnection
      || ["57P01", "57P02", "57P03", "53300"].contains(sqlState) || sqlState?.utf8.starts(with: "08".utf8) == true
  }

  /// What was asked may have been done, if it was the end of a transaction.
  var leavesOutcomeUnknown: Bool { isLackOfConnection || reason == .timedOut || sqlState == "57014" }
}
