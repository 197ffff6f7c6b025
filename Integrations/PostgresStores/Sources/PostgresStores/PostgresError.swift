import JOSE

/// Why the database failed. It holds no value of a statement.
public struct PostgresError: Error, Sendable {
  /// What went wrong.
  public enum Reason: Sendable, Hashable {
    /// The settings are invalid.
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
  /// The server's five-character code, if it sent one.
  public let sqlState: String?
  /// Why a connection could not be opened, as libpq said it among others: names of hosts and users, and no password.
  private let detail: String?

  /// - Parameters:
  ///   - sqlState: as the server sent it; what has another form than a code is left out.
  ///   - detail: what can't be seen in it is escaped: a false server could move the terminal, or write lines of its own
  ///     into a log.
  init(_ reason: Reason, sqlState: String? = nil, detail: String? = nil) {
    let isCode = sqlState.map { state in
      state.utf8.count == 5 && state.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }
    self.reason = reason
    self.sqlState = isCode == true ? sqlState : nil
    self.detail = detail.map { detail in
      detail.unicodeScalars.prefix(500).map { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
          "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        default: String(scalar)
        }
      }.joined()
    }
  }

  /// The side at fault. A request may be retried later unless the settings are wrong.
  public var fault: ErrorCode.Fault { reason == .settings ? .callerMisuse : .unavailable }
}

extension PostgresError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    let text =
      switch reason {
      case .settings:
        "the schema must be 1 to 63 lowercase letters, digits and _, no digit first; maximumConnections must be 1 or more"
      case .noConnection: "no connection to PostgreSQL could be opened; check its address and that it runs"
      case .poolExhausted: "all connections to PostgreSQL are in use; try again later"
      case .connectionLost: "the connection to PostgreSQL ended"
      case .timedOut: "PostgreSQL did not answer in time"
      case .statementFailed: "PostgreSQL refused a statement"
      case .clocksDiffer:
        "the clocks of this machine and of PostgreSQL's differ by more than 5 seconds; run NTP on both"
      }
    return text + (sqlState.map { " (\($0))" } ?? "") + (detail.map { ": \($0)" } ?? "")
  }
}

/// How a program reacts. The codes are those of appendix A of PostgreSQL's manual.
extension PostgresError {
  /// The server rolled this transaction back because of another one: serialization_failure, deadlock_detected,
  /// lock_not_available. The last one may be a deadlock as well, since waits for locks end before the server looks for
  /// deadlocks.
  var isConflict: Bool { ["40001", "40P01", "55P03"].contains(sqlState) }

  /// The server takes no writes, as a standby doesn't: nothing was changed.
  private var isReadOnly: Bool { sqlState == "25006" }

  /// Another connection may do better: this one ended, or the server takes none now, or takes no writes by this one.
  var isLackOfConnection: Bool {
    reason == .connectionLost || reason == .noConnection || isReadOnly
      || ["57P01", "57P02", "57P03", "53300"].contains(sqlState) || isConnectionException
  }

  private var isConnectionException: Bool { sqlState?.utf8.starts(with: "08".utf8) == true }

  /// The server, or a proxy before it, says itself that a transaction may have been committed:
  /// statement_completion_unknown, and the class of transaction_resolution_unknown, 08007.
  var saysOutcomeUnknown: Bool { sqlState == "40003" || isConnectionException }

  /// What was asked may have been done, if it was the end of a transaction.
  var leavesOutcomeUnknown: Bool {
    (isLackOfConnection && !isReadOnly) || saysOutcomeUnknown || reason == .timedOut || sqlState == "57014"
  }
}
