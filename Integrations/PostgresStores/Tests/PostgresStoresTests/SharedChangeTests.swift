import JOSE
import PostgresTesting
import SQLStores
import Testing

@testable import PostgresStores

extension PostgresTests {
  /// Replacements of many callers in one transaction.
  @Suite struct SharedChangeTests {
    private let kind = StoredRecord.Kind(application: "test")

    private func record(_ key: UInt8) throws -> StoredRecord {
      StoredRecord(
        kind: try #require(kind), key: [key], version: 1, createdAt: PostgresTests.date, document: [key], attempt: [1])
    }

    /// A database with records of these keys.
    private func database(_ keys: ClosedRange<UInt8>, _ settings: PostgresSettings) async throws -> PostgresDatabase {
      let database = try await PostgresDatabase.connect(settings)
      #expect(try await database.records.commit(try keys.map { .insert(try record($0)) }) == .done)
      return database
    }

    @Test func `they share transactions, and of several for one record one is made`() async throws {
      let database = try await database(0...99, try await LocalServer.settings())
      let outcomes = try await withThrowingTaskGroup(of: RecordCommit.self) { group in
        for number in 0..<200 {
          let change = RecordChange.replace(try record(UInt8(number % 100)))
          group.addTask { try await database.records.commit([change]) }
        }
        return try await group.reduce(into: [RecordCommit]()) { $0.append($1) }
      }
      #expect(outcomes.count { $0 == .done } == 100)
      #expect(outcomes.count { $0 == .refused(change: 0, .versionChanged) } == 100)
      #expect(try await database.number("SELECT count(*) FROM records WHERE version = 2") == 100)
      #expect(try #require(try await database.number("SELECT count(DISTINCT xmin::text) FROM records")) < 100)
    }

    /// What becomes of the replacements of records, all at once.
    private func replace(
      _ keys: ClosedRange<UInt8>, in database: PostgresDatabase
    ) async throws -> [UInt8: Result<RecordCommit, PostgresError>] {
      try await withThrowingTaskGroup(of: (UInt8, Result<RecordCommit, PostgresError>).self) { group in
        for key in keys {
          let change = RecordChange.replace(try record(key))
          group.addTask {
            do {
              return (key, .success(try await database.records.commit([change])))
            } catch let error as PostgresError {
              return (key, .failure(error))
            }
          }
        }
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
    }

    @Test func `who has to wait for a record keeps nobody else waiting`() async throws {
      let limit = Duration.seconds(60)
      var settings = try await LocalServer.settings()
      (settings.lockLimit, settings.statementLimit, settings.idleLimit) = (limit, limit, limit)
      let database = try await database(1...20, settings)
      let holder = try await Connection.opened(settings)
      try await holder.perform { connection in
        try connection.run("BEGIN")
        _ = try connection.run("SELECT 1 FROM records WHERE key = ? FOR UPDATE", [.octets([1])])
      }
      let waiting = Task { try await replace(1...1, in: database) }
      let others = try await replace(2...20, in: database)
      #expect(others.values.allSatisfy { (try? $0.get()) == .done })
      try await holder.perform { try $0.run("COMMIT") }
      #expect(try await waiting.value[1]?.get() == .done)
    }

    @Test func `one that the server refuses fails alone`() async throws {
      let database = try await database(1...40, try await LocalServer.settings())
      try await database.run(
        """
        CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF NEW.document = '\\x07' THEN RAISE EXCEPTION USING ERRCODE = '22000'; END IF; RETURN NEW; END $$
        """, "CREATE TRIGGER fault BEFORE UPDATE ON records FOR EACH ROW EXECUTE FUNCTION fault()")
      var outcomes = try await replace(1...40, in: database)
      let refused = outcomes.removeValue(forKey: 7)
      let error = #expect(throws: PostgresError.self) { try refused?.get() }
      #expect(error?.sqlState == "22000")
      #expect(outcomes.count == 39 && outcomes.values.allSatisfy { (try? $0.get()) == .done })
    }
  }
}
