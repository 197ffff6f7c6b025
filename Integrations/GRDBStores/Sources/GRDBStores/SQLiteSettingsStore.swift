import Foundation
import GRDB
import NativeSSOKit
import StrictJSON

extension ProviderDatabase {
  /// What an administrator has changed of the settings.
  public var settings: SQLiteSettingsStore { SQLiteSettingsStore(database: self) }
}

/// Settings in SQLite.
public struct SQLiteSettingsStore: SettingsStore {
  let database: ProviderDatabase

  /// What was saved.
  ///
  /// - Throws: `DatabaseError`; `JSONError` if it can't be read.
  public func load() async throws -> JSONObject? {
    try await database.read { try Self.document(in: $0).map { try JSONObject(parsing: $0) } }
  }

  /// Replaces what was saved, if it is still what the caller saw. What can't be read counts as nothing.
  ///
  /// - Throws: `DatabaseError`.
  public func replace(expecting expected: JSONObject?, with override: JSONObject?) async throws -> Bool {
    try await database.write { database in
      let document = try Self.document(in: database)
      guard document.flatMap({ try? JSONObject(parsing: $0) }) == expected else { return false }
      if let override {
        try database.execute(
          sql: "INSERT OR REPLACE INTO settings (number, document) VALUES (1, ?)",
          arguments: [Data(override.serialized())])
      } else {
        try database.execute(sql: "DELETE FROM settings")
      }
      return true
    }
  }

  private static func document(in database: Database) throws -> Data? {
    try Data.fetchOne(database, sql: "SELECT document FROM settings")
  }
}
