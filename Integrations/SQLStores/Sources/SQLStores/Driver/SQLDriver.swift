/// A database for the stores. A package for one kind of database implements it.
///
/// Its methods throw the driver's own error, the closure's error, or JOSE's `RecordOutcomeUnknown` if the answer to the
/// end of a transaction got lost. A closure may be run again, in a new transaction, after one that changed nothing.
public protocol SQLDriver: Sendable {
  /// The SQL dialect of the database.
  var dialect: SQLDialect { get }

  /// Runs one statement that reads a few rows by an index, and makes a value of the rows. It needs no transaction, so
  /// that a driver may send the statements of many callers together.
  func lookUp<Value: Sendable>(
    _ statement: String, _ values: [SQLValue], _ make: @escaping @Sendable ([[SQLValue]]) throws -> Value
  ) async throws -> Value

  /// Runs statements that only read.
  func read<Value: Sendable>(_ look: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value

  /// Tries one statement that changes a row or none and waits for no lock, together with those of other callers.
  ///
  /// - Returns: true if it has changed a row, durably. If it is false nothing was changed, and ``write(_:)`` must find
  ///   out why: the statement changes no row, another transaction has locked it, or that of all callers failed.
  func tryChange(_ statement: String, _ values: [SQLValue]) async throws -> Bool

  /// Runs statements in one transaction: all changes are durable once this returns, and none is made if it throws.
  func write<Value: Sendable>(_ change: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value
}

extension SQLDriver {
  /// Leaves it to ``write(_:)``.
  public func tryChange(_ statement: String, _ values: [SQLValue]) async throws -> Bool { false }
}

/// A connection to a database while a closure of a driver runs.
public protocol SQLSession {
  /// Runs a statement.
  ///
  /// - Parameters:
  ///   - statement: SQL with a `?` for each value, and no other `?`.
  ///   - values: in the order of their places.
  /// - Throws: the driver's error.
  func run(_ statement: String, _ values: [SQLValue]) throws -> SQLResult

  /// Runs the first statement of a transaction. If it changes a row it is the whole transaction, and the closure runs
  /// no other statement. A driver may then leave out the statements that begin and commit the transaction.
  ///
  /// - Throws: the driver's error, or JOSE's `RecordOutcomeUnknown`.
  func runWhole(_ statement: String, _ values: [SQLValue]) throws -> SQLResult
}

extension SQLSession {
  /// Runs the statement like any other.
  public func runWhole(_ statement: String, _ values: [SQLValue]) throws -> SQLResult { try run(statement, values) }
}
