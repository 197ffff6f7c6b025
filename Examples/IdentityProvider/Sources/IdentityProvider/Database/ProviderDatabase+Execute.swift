import GRDB
import GRDBStores

extension ProviderDatabase {
  /// Runs one statement in a transaction. Returns how many rows it has changed.
  @discardableResult
  func execute(_ sql: String, _ arguments: StatementArguments) async throws -> Int {
    try await write { database in
      try database.execute(sql: sql, arguments: arguments)
      return database.changesCount
    }
  }
}
