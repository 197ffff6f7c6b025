import GRDB
import JOSE
import OpenIDKit

extension ProviderDatabase {
  /// The access tokens that ended before their time.
  public var revokedTokens: SQLiteRevokedTokenStore { SQLiteRevokedTokenStore(database: self) }
}

/// Revoked access tokens in SQLite.
public struct SQLiteRevokedTokenStore: RevokedTokenStore {
  let database: ProviderDatabase

  /// Notes that tokens have ended.
  ///
  /// - Throws: `DatabaseError`.
  public func revoke(_ selection: AccessTokenSelection, until end: NumericDate) async throws {
    try await database.write { database in
      try database.execute(
        sql: """
          INSERT INTO revokedAccessTokens (name, expiresAt) VALUES (?, ?)
          ON CONFLICT (name) DO UPDATE SET expiresAt = max(expiresAt, excluded.expiresAt)
          """,
        arguments: [selection.storageKey.octets, end.secondsSince1970])
    }
  }

  /// Whether one of these was noted.
  ///
  /// - Throws: `DatabaseError`.
  public func isRevoked(anyOf selections: [AccessTokenSelection]) async throws -> Bool {
    guard !selections.isEmpty else { return false }
    return try database.lookUp { database in
      let statement = try database.cachedStatement(sql: "SELECT 1 FROM revokedAccessTokens WHERE name = ?")
      return try selections.contains { selection in
        try Bool.fetchOne(statement, arguments: [selection.storageKey.octets]) != nil
      }
    }
  }
}
