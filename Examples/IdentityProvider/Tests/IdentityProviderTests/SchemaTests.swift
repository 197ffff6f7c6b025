import Foundation
import GRDB
import GRDBStores
import Testing
import OpenIDKit

@testable import IdentityProvider

@Suite struct SchemaTests {
  @Test func `a token that had ended stays so when its table becomes another`() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/idp-schema-\(UUID().uuidString).sqlite"
    defer { for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) } }
    let old = try ProviderDatabase(path: path) { migrator in
      migrator.registerMigration("idp1") { database in
        try database.execute(
          sql: "CREATE TABLE revokedTokens (name BLOB NOT NULL PRIMARY KEY, expiresAt REAL NOT NULL)")
        try database.execute(sql: "CREATE TABLE authorizationCodes (code BLOB NOT NULL PRIMARY KEY)")
        try database.execute(
          sql: "INSERT INTO revokedTokens (name, expiresAt) VALUES (?, 4e9), (?, 4e9)",
          arguments: [Data("token t".utf8), Data("grant g".utf8)])
      }
      migrator.registerMigration("idp2") { _ in }
    }
    #expect(try await !RevokedTokens(records: old.records).isRevoked(anyOf: [.token("t")]))
    let new = try ProviderDatabase(path: path, migrations: ProviderSchema.register)
    for name in [AccessTokenSelection.token("t"), .grant("g")] {
      #expect(try await RevokedTokens(records: new.records).isRevoked(anyOf: [name]))
    }
    #expect(try await !RevokedTokens(records: new.records).isRevoked(anyOf: [.grant("t"), .token("g")]))
    let left = try await new.read { database in
      try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_master WHERE name IN ('revokedTokens', 'authorizationCodes')")
    }
    #expect(left.isEmpty)
  }
}
