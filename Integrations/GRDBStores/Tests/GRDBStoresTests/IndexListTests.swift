import Foundation
import GRDB
import JOSE
import Synchronization
import Testing

@testable import GRDBStores

/// What it saves that the indexes of a record are one value, and what becomes of it when that is damaged.
@Suite struct IndexListTests {
  @Test func `a record whose list is damaged is not one without indexes`() async throws {
    let folder = Folder()
    let database = try ProviderDatabase(path: folder.path + "/state.sqlite")
    let kind = try #require(StoredRecord.Kind(application: "test"))
    let record = StoredRecord(
      kind: kind, key: [1], indexes: [StoredRecord.Index("a", [1])], createdAt: NumericDate(0), document: [],
      attempt: [1])
    #expect(try await database.records.commit([.insert(record)]) == .done)
    try await database.write { try $0.execute(sql: "UPDATE records SET indexes = x'01'") }
    await #expect(throws: DatabaseError.self) { _ = try await database.records.record(kind, key: [1]) }
    var next = record
    next.version = 1
    next.document = [2]
    await #expect(throws: DatabaseError.self) { try await database.records.commit([.replace(next)]) }
    #expect(try await database.read { try Int.fetchOne($0, sql: "SELECT version FROM records") } == 1)
  }

  @Test func `a replacement that keeps its indexes is one statement in its transaction`() async throws {
    let folder = Folder()
    let database = try ProviderDatabase(path: folder.path + "/state.sqlite")
    let statements = Mutex<[String]>([])
    let kind = try #require(StoredRecord.Kind(application: "test"))
    var record = StoredRecord(
      kind: kind, key: [1], indexes: [StoredRecord.Index("a", [1]), StoredRecord.Index("b", [2])],
      createdAt: NumericDate(0), document: [], attempt: [1])
    #expect(try await database.records.commit([.insert(record)]) == .done)
    try await database.write { database in
      database.trace { event in statements.withLock { $0.append(event.description) } }
    }
    statements.withLock { $0 = [] }
    record.version = 1
    record.document = [2]
    #expect(try await database.records.commit([.replace(record)]) == .done)
    let made = statements.withLock { $0 }
    #expect(made.count == 3 && made[1].hasPrefix("UPDATE records"), "\(made)")
    // One that is refused leaves nothing, without a savepoint.
    #expect(try await database.records.commit([.replace(record)]) == .refused(change: 0, .versionChanged))
    #expect(try await database.records.record(kind, key: [1])?.version == 2)
  }
}
