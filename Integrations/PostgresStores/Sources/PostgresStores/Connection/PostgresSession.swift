import JOSE
import SQLStores

/// A connection while a closure of the driver runs. A transaction begins with the first statement, unless that is the
/// whole transaction.
final class PostgresSession: SQLSession {
  private let connection: Connection
  private let isWriting: Bool
  private var hasBegun = false

  init(_ connection: Connection, isWriting: Bool) { (self.connection, self.isWriting) = (connection, isWriting) }

  func run(_ statement: String, _ values: [SQLValue]) throws -> SQLResult {
    guard isWriting, !hasBegun else { return try connection.run(statement, values) }
    // Both take one round trip.
    let both = [Statement(text: "BEGIN", values: []), Statement(text: statement, values: values)]
    hasBegun = true
    guard let outcome = try connection.run(both)[1] else { throw PostgresError(.statementFailed) }
    return try outcome.get()
  }

  func runWhole(_ statement: String, _ values: [SQLValue]) throws -> SQLResult {
    if hasBegun { return try run(statement, values) }
    return try ending { () throws(PostgresError) in try connection.run(statement, values) }
  }

  /// Ends the transaction, if there is one.
  func commit() throws {
    guard hasBegun else { return }
    try ending { () throws(PostgresError) in try connection.run("COMMIT") }
  }

  /// Rolls the transaction back. A connection on which that fails is not reused.
  func rollBack() {
    guard hasBegun else { return }
    try? connection.run("ROLLBACK")
  }

  /// Runs the statement that ends a transaction.
  ///
  /// - Throws: `RecordOutcomeUnknown` if it may have been done. The record shows whether it was, because each attempt
  ///   has its own octets there.
  private func ending<Value>(_ body: () throws(PostgresError) -> Value) throws -> Value {
    do throws(PostgresError) {
      return try body()
    } catch {
      if error.leavesOutcomeUnknown { throw RecordOutcomeUnknown() }
      throw error
    }
  }
}
