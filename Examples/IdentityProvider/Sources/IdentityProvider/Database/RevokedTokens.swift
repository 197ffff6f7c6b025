import Foundation
import GRDB
import GRDBStores
import JOSE

/// The access tokens that ended before their time: by their own names, or by the grant that they came from.
package struct RevokedTokens: Sendable {
  let database: ProviderDatabase

  /// Ends tokens until they would have ended by themselves.
  func revoke(_ name: String, until end: NumericDate) async throws {
    try await database.write { database in
      try database.execute(
        sql: "INSERT OR IGNORE INTO revokedTokens (name, expiresAt) VALUES (?, ?)",
        arguments: [Data(name.utf8), end.secondsSince1970])
    }
  }

  /// Whether one of these names is revoked.
  func contains(anyOf names: [String]) async throws -> Bool {
    try database.lookUp { database in
      let statement = try database.cachedStatement(sql: "SELECT 1 FROM revokedTokens WHERE name = ?")
      return try names.contains { try Bool.fetchOne(statement, arguments: [Data($0.utf8)]) != nil }
    }
  }
}
