import Foundation
import GRDB
import SQLStores

/// The database as the stores see it.
struct SQLiteDriver: SQLDriver {
  let database: ProviderDatabase

  var dialect: SQLDialect { .sqlite }

  func lookUp<Value: Sendable>(
    _ statement: String, _ values: [SQLValue], _ make: @escaping @Sendable ([[SQLValue]]) throws -> Value
  ) async throws -> Value {
    try await database.lookupGroup.lookUp { database in
      try SQLiteSession.perform({ try make($0.run(statement, values).rows) }, database)
    }
  }

  func read<Value: Sendable>(_ look: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
    try await database.read { try SQLiteSession.perform(look, $0) }
  }

  func write<Value: Sendable>(_ change: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
    try await database.write { try SQLiteSession.perform(change, $0) }
  }
}

/// A connection to SQLite in a transaction.
struct SQLiteSession: SQLSession {
  private let database: Database

  /// - Throws: what the closure throws; `DatabaseError` for a record that can't be read, as for any damaged file.
  static func perform<Value>(_ body: (any SQLSession) throws -> Value, _ database: Database) throws -> Value {
    do {
      return try body(SQLiteSession(database: database))
    } catch is MalformedRecord {
      throw DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "a stored record is damaged: restore the file from a backup")
    }
  }

  func run(_ text: String, _ values: [SQLValue]) throws -> SQLResult {
    let statement = try database.cachedStatement(sql: text)
    // A key path here would be made anew by the runtime for each statement.
    let arguments = StatementArguments(values.map { $0.databaseValue })
    let columns = statement.columnCount
    guard columns > 0 else {
      try statement.execute(arguments: arguments)
      return SQLResult(count: database.changesCount)
    }
    let cursor = try Row.fetchCursor(statement, arguments: arguments)
    var rows: [[SQLValue]] = []
    while let row = try cursor.next() {
      rows.append((0..<columns).map { SQLValue(row[$0] as DatabaseValue) })
    }
    return SQLResult(rows: rows, count: rows.count)
  }
}

extension SQLValue {
  fileprivate init(_ value: DatabaseValue) {
    self =
      switch value.storage {
      case .null: .null
      case .int64(let number): .integer(number)
      case .double(let number): .real(number)
      case .string(let text): .text(text)
      case .blob(let data): .octets(Array(data))
      }
  }

  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .octets(let octets): Data(octets).databaseValue
    }
  }
}
