import JOSE
import SQLStores

/// The database as the stores see it.
struct PostgresDriver: SQLDriver {
  private let pool: ConnectionPool
  private let lookups: StatementGroup
  private let changes: StatementGroup

  init(_ settings: PostgresSettings) {
    pool = ConnectionPool(settings)
    lookups = StatementGroup(.lookups, pool: pool, waitLimit: settings.waitLimit)
    changes = StatementGroup(.changes, pool: pool, waitLimit: settings.waitLimit)
  }

  /// The number of retries of a transaction that changed nothing.
  private static let retries = 3

  var dialect: SQLDialect { .postgreSQL }

  func lookUp<Value: Sendable>(
    _ statement: String, _ values: [SQLValue], _ make: @escaping @Sendable ([[SQLValue]]) throws -> Value
  ) async throws -> Value {
    let lookup = Statement(text: statement, values: values)
    return try make(try await retrying { try await lookups.run(lookup) }.rows)
  }

  func tryChange(_ statement: String, _ values: [SQLValue]) async throws -> Bool {
    do {
      return try await changes.run(Statement(text: statement, values: values)).count == 1
    } catch let error as PostgresError {
      // A connection that couldn't be had has sent nothing.
      guard error.reason != .noConnection, error.reason != .poolExhausted else { return false }
      throw error.leavesOutcomeUnknown ? RecordOutcomeUnknown() : error
    }
  }

  func read<Value: Sendable>(_ look: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
    try await retrying { try await pool.use { try look(PostgresSession($0, isWriting: false)) } }
  }

  func write<Value: Sendable>(_ change: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
    try await retrying {
      try await pool.use { connection in
        let session = PostgresSession(connection, isWriting: true)
        do {
          let value = try change(session)
          try session.commit()
          return value
        } catch {
          session.rollBack()
          throw error
        }
      }
    }
  }

  /// Runs a closure, and runs it again if the server rolled it back because of another transaction, or if the
  /// connection ended before the transaction's end was sent. A transaction that may have been committed is not run
  /// again.
  private func retrying<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    var failures = 0
    while true {
      do {
        return try await body()
      } catch let error as PostgresError where failures < Self.retries {
        guard error.isConflict || error.isLackOfConnection else { throw error }
        failures += 1
        if error.isLackOfConnection { pool.closeIdle() }
        // A random pause, so that conflicting transactions don't come back at once.
        let longest = error.isConflict ? 10 * failures : 100 * failures
        try await Task.sleep(for: .milliseconds(Int.random(in: longest / 2...longest)))
      }
    }
  }
}
