import Foundation
import GRDB
import JOSE
import OpenIDKit
import Testing

@testable import GRDBStores

/// What a next version of the tables would do to a file of this one. There is one version so far, so that the second is
/// made up here.
@Suite struct MigrationTests {
  private let folder = Folder()
  private var path: String { folder.path + "/state.sqlite" }

  private func open(migrating next: String? = nil) throws -> ProviderDatabase {
    try ProviderDatabase(path: path, durability: .processEnd) { migrator in
      guard let next else { return }
      migrator.registerMigration("2") { database in
        try database.execute(sql: next)
        try database.execute(sql: "UPDATE records SET version = version + 1")
      }
    }
  }

  @Test func `what was kept goes on in a second version, which the first leaves alone`() async throws {
    let first = try open()
    let sessions = SessionRecords(records: first.records)
    try await sessions.addUser("a\u{0}e\u{301}. ")
    let next = try open(migrating: "ALTER TABLE rateLimits ADD COLUMN reason BLOB")
    #expect(try await SessionRecords(records: next.records).isActive(userID: "a\u{0}e\u{301}. "))
    let kept = try await next.read { try Int.fetchAll($0, sql: "SELECT version FROM records") }
    #expect(kept == [2])
    #expect(try await next.integrityCheck() == ["ok"])
    #expect(throws: ProviderDatabase.NewerSchema.self) { try open() }
  }

  @Test func `a second version that fails leaves the first`() async throws {
    try await SessionRecords(records: open().records).addUser("alice")
    #expect(throws: DatabaseError.self) {
      try open(migrating: "DELETE FROM records; ALTER TABLE rateLimits ADD COLUMN count INTEGER")
    }
    #expect(try await SessionRecords(records: open().records).isActive(userID: "alice"))
  }

  @Test func `a file of one table of a former kind is not taken for one of this version`() async throws {
    let queue = try DatabaseQueue(path: path)
    try await queue.write { try $0.execute(sql: "CREATE TABLE records (number INTEGER)") }
    try queue.close()
    #expect(throws: DatabaseError.self) { try open() }
  }
}
