import Foundation
import GRDB
import OpenIDKit

extension ProviderDatabase {
  /// The authorization codes, by their hashes. Those that were used stay as long as their service says.
  public var authorizationCodes: SQLiteAuthorizationCodeStore { SQLiteAuthorizationCodeStore(database: self) }
}

/// Authorization codes in SQLite.
public struct SQLiteAuthorizationCodeStore: AuthorizationCodeStore {
  let database: ProviderDatabase

  /// The code of that hash.
  ///
  /// - Throws: `DatabaseError`, `TokenRefreshError` with the code `recordMalformed`.
  public func code(_ hash: [UInt8]) async throws -> AuthorizationCodeRecord? {
    let document = try database.lookUp { database in
      try Data.fetchOne(
        database.cachedStatement(sql: "SELECT document FROM grantCodes WHERE hash = ?"), arguments: [Data(hash)])
    }
    return try document.map { try AuthorizationCodeRecord(parsing: $0) }
  }

  /// Adds a code. Returns false if the hash is taken.
  ///
  /// - Throws: `DatabaseError`.
  public func insert(_ record: AuthorizationCodeRecord) async throws -> Bool {
    try await database.write { database in
      let statement = try database.cachedStatement(
        sql: """
          INSERT INTO grantCodes (hash, version, removableAt, document) VALUES (?, ?, ?, ?)
          ON CONFLICT (hash) DO NOTHING
          """)
      try statement.execute(arguments: [
        Data(record.codeHash), Int64(bitPattern: record.version), record.removableAt.secondsSince1970,
        Data(record.serialized()),
      ])
      return database.changesCount == 1
    }
  }

  /// Replaces a code if it has the expected version.
  ///
  /// - Throws: `DatabaseError`.
  public func replace(expecting expected: UInt64, with record: AuthorizationCodeRecord) async throws -> Bool {
    try await database.write { database in
      let statement = try database.cachedStatement(
        sql: "UPDATE grantCodes SET version = ?, removableAt = ?, document = ? WHERE hash = ? AND version = ?")
      try statement.execute(arguments: [
        Int64(bitPattern: record.version), record.removableAt.secondsSince1970, Data(record.serialized()),
        Data(record.codeHash), Int64(bitPattern: expected),
      ])
      return database.changesCount == 1
    }
  }
}
