import Foundation
import GRDB
import JOSE
import Synchronization
import Testing

@testable import GRDBStores

/// The indexes of a record as one value, and what they save.
@Suite struct IndexListTests {
  private static let lists: [[StoredRecord.Index]] = [
    [], [StoredRecord.Index("", [])],
    [
      StoredRecord.Index("user", [0, 1, 0]), StoredRecord.Index("é", [255], isUnique: true),
      StoredRecord.Index("e\u{301}", []),
    ],
  ]

  @Test func `a list is read as it was written, octet by octet`() throws {
    for list in Self.lists {
      let read = try IndexList.indexes(in: IndexList.data(of: list))
      #expect(read == list && read.map { Array($0.name.utf8) } == list.map { Array($0.name.utf8) })
    }
  }

  @Test func `a list that is damaged is an error and no trap`() throws {
    let whole = Array(IndexList.data(of: Self.lists[2]))
    for count in 1..<whole.count {
      let cut = Data(whole.prefix(count))
      guard let read = try? IndexList.indexes(in: cut) else { continue }
      // What remains of whole entries.
      #expect(read.count < 3 && IndexList.data(of: read) == cut)
    }
    for position in whole.indices {
      var changed = whole
      changed[position] = 0xFF
      guard let read = try? IndexList.indexes(in: Data(changed)) else { continue }
      #expect(Array(IndexList.data(of: read)) == changed)
    }
    for damage: [UInt8] in [
      [1, 0xFF, 0xFF, 0xFF, 0xFF], [2, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0xC3, 0, 0, 0, 0],
    ] {
      #expect(throws: DatabaseError.self) { try IndexList.indexes(in: Data(damage)) }
    }
  }

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
