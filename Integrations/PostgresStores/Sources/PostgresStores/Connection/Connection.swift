import Foundation
import PostgresStoresLibPQ
import SQLStores
import Synchronization

/// A connection to the server. Its own queue waits for answers. One caller uses it at a time.
final class Connection: Sendable {
  private let wire: Mutex<Wire>
  private let queue = DispatchQueue(label: "PostgresStores.Connection")
  private let answerLimit: Duration

  private init(_ wire: sending Wire, answerLimit: Duration) {
    self.wire = Mutex(wire)
    self.answerLimit = answerLimit
  }

  deinit { wire.withLock { PQfinish($0.pointer) } }

  /// Opens a connection, and sets the server's time limits.
  ///
  /// - Throws: ``PostgresError``.
  static func opened(_ settings: PostgresSettings) async throws -> Connection {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "PostgresStores.Opening").async {
        continuation.resume(with: Result { try Self.open(settings) })
      }
    }
  }

  /// Opens a connection on this thread, which waits for it.
  static func open(_ settings: PostgresSettings) throws -> Connection {
    let deadline = ContinuousClock.now + settings.openingLimit
    guard let pointer = PQconnectStart(settings.connection) else { throw PostgresError(.noConnection) }
    let connection = Connection(Wire(pointer: pointer), answerLimit: settings.answerLimit)
    try connection.wire.withLock { wire in
      try wire.open(until: deadline)
      // libpq would print messages below an error.
      let values = [
        ("client_min_messages", "error"), ("client_encoding", "UTF8"), ("search_path", settings.schema),
        ("default_transaction_isolation", "read committed"),
        ("statement_timeout", milliseconds(settings.statementLimit)),
        ("lock_timeout", milliseconds(settings.lockLimit)),
        ("idle_in_transaction_session_timeout", milliseconds(settings.idleLimit)),
      ]
      let calls = values.map { "set_config('\($0.0)', ?, false)" }.joined(separator: ", ")
      let answer = try wire.run(
        "SELECT \(calls), current_setting('transaction_read_only')", values.map { SQLValue.text($0.1) }, until: deadline
      )
      // Reads by it would hide that nothing can be kept.
      if case .text("on")? = answer.rows.first?.last {
        throw PostgresError(.noConnection, detail: "the server takes no writes")
      }
    }
    return connection
  }

  /// A limit for the server, at least 1, since 0 would mean no limit.
  private static func milliseconds(_ limit: Duration) -> String {
    "\(max(1, Int(min(2_000_000_000, limit / .milliseconds(1)))))"
  }

  /// Whether a statement can be sent.
  var isOpen: Bool { wire.withLock { $0.isOpen } }

  /// Whether the connection is in its initial state, so that it can be reused.
  var isIdle: Bool { wire.withLock { $0.isIdle } }

  /// Runs a closure on the queue, where it may block.
  func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  /// Runs a closure on the queue, and waits for what it returns.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      async { continuation.resume(with: Result { try body(self) }) }
    }
  }

  /// Runs a statement with a `?` for each value.
  func run(_ text: String, _ values: [SQLValue]) throws(PostgresError) -> SQLResult {
    let deadline = ContinuousClock.now + answerLimit
    return try wire.withLock { wire throws(PostgresError) in try wire.run(text, values, until: deadline) }
  }

  /// Runs statements as one pipeline and transaction. Nil stands for one that was not run, since one before it failed.
  func run(_ statements: [Statement]) throws(PostgresError) -> [Result<SQLResult, PostgresError>?] {
    let deadline = ContinuousClock.now + answerLimit
    return try wire.withLock { wire throws(PostgresError) in try wire.run(statements, until: deadline) }
  }

  /// Runs a statement without values.
  func run(_ text: String) throws(PostgresError) {
    let deadline = ContinuousClock.now + answerLimit
    try wire.withLock { wire throws(PostgresError) in try wire.run(text, until: deadline) }
  }
}
