import Foundation
import GRDB
import OpenIDKit

extension ProviderDatabase {
  /// The pushed authorization requests that wait for their browser.
  public var pushedRequests: SQLitePushedAuthorizationStore { SQLitePushedAuthorizationStore(database: self) }
}

/// Pushed authorization requests in SQLite.
public struct SQLitePushedAuthorizationStore: PushedAuthorizationStore {
  let database: ProviderDatabase

  /// Keeps a request. Returns false if the reference is taken.
  ///
  /// - Throws: `DatabaseError`.
  public func insert(_ record: PushedAuthorizationRecord, reference: String) async throws -> Bool {
    try await database.write { database in
      try database.execute(
        sql: "INSERT OR IGNORE INTO pushedRequests (reference, expiresAt, document) VALUES (?, ?, ?)",
        arguments: [reference.octets, record.expiration.secondsSince1970, Data(record.serialized())])
      return database.changesCount == 1
    }
  }

  /// Removes and returns the request of a reference.
  ///
  /// - Throws: `DatabaseError`, `TokenRefreshError` with the code `recordMalformed`; the request is removed then too.
  public func take(reference: String) async throws -> PushedAuthorizationRecord? {
    let document = try await database.write { database in
      try Data.fetchOne(
        database, sql: "DELETE FROM pushedRequests WHERE reference = ? RETURNING document",
        arguments: [reference.octets])
    }
    return try document.map { try PushedAuthorizationRecord(parsing: $0) }
  }
}
