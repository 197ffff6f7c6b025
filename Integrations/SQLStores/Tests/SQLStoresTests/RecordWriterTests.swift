import JOSE
import Testing

@testable import SQLStores

/// Which statements a commit costs, and what is locked before the first.
@Suite struct RecordWriterTests {
  private static let kind = StoredRecord.Kind(application: "test")

  private func record(_ key: UInt8, _ indexes: [StoredRecord.Index] = []) throws -> StoredRecord {
    StoredRecord(
      kind: try #require(Self.kind), key: [key], version: 1, indexes: indexes, createdAt: NumericDate(0),
      document: [], attempt: [1])
  }

  /// What is run for changes of which each statement changes one row.
  private func statements(_ changes: [RecordChange], _ dialect: SQLDialect) throws -> [ScriptedSession.Statement] {
    let session = ScriptedSession()
    var writer = RecordWriter(session: session, dialect: dialect, changes: changes)
    for change in changes {
      let refusal = try writer.make(change)
      #expect(refusal == nil)
    }
    return session.statements
  }

  @Test(arguments: [SQLDialect.sqlite, .postgreSQL])
  func `one change that touches one row is one statement, and the whole transaction`(dialect: SQLDialect) throws {
    let kind = try #require(Self.kind)
    for change: RecordChange in [
      .insert(try record(1)), .replace(try record(1, [.init("a", [1], isUnique: true)])),
      .remove(kind, key: [1], version: 1),
    ] {
      let made = try statements([change], dialect)
      #expect(made.count == 1 && made.first?.isWhole == true)
    }
  }

  @Test func `a change with others is a part of the transaction`() throws {
    let kind = try #require(Self.kind)
    let made = try statements([.insert(try record(1)), .remove(kind, key: [2], version: 1)], .sqlite)
    #expect(made.map(\.isWhole) == [false, false])
    #expect(made.map { String($0.text.prefix(6)) } == ["INSERT", "DELETE"])
  }

  @Test func `several things are locked first, by one statement and in one order`() throws {
    let changes = [RecordChange.insert(try record(1, [.init("a", [7], isUnique: true)])), .replace(try record(2))]
    let made = try statements(changes, .postgreSQL)
    #expect(made.count == 4 && made.filter { $0.text.contains("pg_advisory_xact_lock") }.count == 1)
    #expect(made.first?.text.contains("pg_advisory_xact_lock") == true)
    guard case .text(let locked)? = made.first?.values.first else {
      Issue.record("no list of locks")
      return
    }
    let numbers = locked.dropFirst().dropLast().split(separator: ",").compactMap { Int64($0) }
    #expect(numbers.count == 3 && numbers == numbers.sorted())
    let reversed = try statements(changes.reversed(), .postgreSQL)
    guard case .text(let again)? = reversed.first?.values.first else {
      Issue.record("no list of locks")
      return
    }
    #expect(again == locked)
  }

  @Test func `who inserts under a quota locks it`() throws {
    let index = StoredRecord.Index("maker", [1])
    let session = ScriptedSession()
    let change = RecordChange.insert(
      try record(1, [index]), atMost: RecordQuota(index, limit: 0, now: NumericDate(0)))
    var writer = RecordWriter(session: session, dialect: .postgreSQL, changes: [change])
    let refusal = try writer.make(change)
    #expect(refusal == .quotaReached)
    #expect(session.statements.first?.text.contains("pg_advisory_xact_lock") == true)
  }

  @Test func `names of locks tell where their parts end`() {
    func numbers(_ parts: [UInt8]...) -> Set<Int64> {
      var locks = AdvisoryLocks()
      for part in parts { locks.insert(part, [1]) }
      return locks.numbers
    }
    var joined = AdvisoryLocks()
    joined.insert([2, 1])
    joined.insert([], [2, 1])
    #expect(numbers([2], [2]).count == 1 && numbers([2], [3]).count == 2)
    #expect(joined.numbers.count == 2 && joined.numbers.isDisjoint(with: numbers([2])))
  }
}
