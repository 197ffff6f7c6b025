/// A database as the stores see it: what a package for one kind of database implements.
///
/// What its methods throw is the driver's own error, what the closure throws, or JOSE's `RecordOutcomeUnknown` where
/// the answer to the end of a transaction got lost. A closure may be run again, in a new transaction, after one that
/// changed nothing.
public protocol SQLDriver: Sendable {
  /// Whose SQL the database takes.
  var dialect: SQLDialect { get }

  /// Runs one statement that reads a few rows by an index.
  func lookUp<Value: Sendable>(_ look: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value

  /// Runs statements that only read.
  func read<Value: Sendable>(_ look: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value

  /// Runs statements in one transaction: all of what they change is there once this returns, or nothing if it throws.
  func write<Value: Sendable>(_ change: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value
}

/// A connection to a database while a closure of a driver runs.
public protocol SQLSession {
  /// Runs a statement.
  ///
  /// - Parameters:
  ///   - statement: SQL with a `?` for each value, and with no other one.
  ///   - values: in the order of their places.
  /// - Throws: the driver's error.
  func run(_ statement: String, _ values: [SQLValue]) throws -> SQLResult

  /// Runs the first statement of a transaction, which is all of it if it changes a row: the closure runs no other one
  /// then. A driver may do without a transaction that is begun and committed by statements of their own.
  ///
  /// - Throws: the driver's error, or JOSE's `RecordOutcomeUnknown`.
  func runWhole(_ statement: String, _ values: [SQLValue]) throws -> SQLResult
}

extension SQLSession {
  /// Runs the statement as any other one.
  public func runWhole(_ statement: String, _ values: [SQLValue]) throws -> SQLResult { try run(statement, values) }
}
