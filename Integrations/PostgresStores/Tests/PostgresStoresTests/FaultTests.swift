import JOSE
import OpenIDKit
import PostgresTesting
import SQLStores
import Testing

@testable import PostgresStores

extension PostgresTests {
  /// What becomes of a commit in whose way something is. Triggers are the fault: they end the connection, or raise an
  /// error, and a sequence counts them, since it counts what is undone too.
  @Suite struct FaultTests {
    private let kind = StoredRecord.Kind(application: "test")

    private func record(_ key: UInt8, _ indexes: [StoredRecord.Index] = []) throws -> StoredRecord {
      StoredRecord(
        kind: try #require(kind), key: [key], version: 1, indexes: indexes, createdAt: PostgresTests.date,
        document: [], attempt: [1])
    }

    /// A database with a record, in which writes of records run a statement first, or at the end of their transaction.
    ///
    /// - Parameter fault: in PL/pgSQL; `times` is how often it was reached before.
    private func database(
      _ fault: String, atEnd: Bool = false, _ change: (inout PostgresSettings) -> Void = { _ in }
    ) async throws -> PostgresDatabase {
      var settings = try await LocalServer.settings()
      change(&settings)
      let database = try await PostgresDatabase.connect(settings)
      #expect(try await database.records.commit([.insert(try record(1))]) == .done)
      try await database.run(
        "CREATE SEQUENCE reached",
        """
        CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE times bigint := nextval('reached') - 1;
        BEGIN \(fault) RETURN NEW; END $$
        """,
        """
        CREATE CONSTRAINT TRIGGER fault AFTER INSERT OR UPDATE ON records
        DEFERRABLE INITIALLY \(atEnd ? "DEFERRED" : "IMMEDIATE") FOR EACH ROW EXECUTE FUNCTION fault()
        """)
      return database
    }

    private func reached(_ database: PostgresDatabase) async throws -> Int64? {
      try await database.number("SELECT last_value FROM reached")
    }

    private static let cut = "PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(0.1);"

    @Test(arguments: ["40001", "40P01", "55P03"])
    func `what the server undid for another's sake is done again`(state: String) async throws {
      let database = try await database("IF times < 2 THEN RAISE EXCEPTION USING ERRCODE = '\(state)'; END IF;")
      #expect(try await database.records.commit([.replace(try record(1))]) == .done)
      #expect(try await reached(database) == 3)
    }

    @Test func `what it undoes each time fails after three more`() async throws {
      let database = try await database("RAISE EXCEPTION USING ERRCODE = '40001';")
      let error = await #expect(throws: PostgresError.self) {
        try await database.records.commit([.replace(try record(1))])
      }
      #expect(error?.sqlState == "40001" && error?.fault == .unavailable)
      // First it was tried together with what others might have written.
      #expect(try await reached(database) == 5)
    }

    @Test func `what the server refuses is not asked again, and leaves nothing`() async throws {
      let database = try await database("RAISE EXCEPTION USING ERRCODE = '22000';")
      for changes in [[RecordChange.replace(try record(1))], [.insert(try record(2)), .insert(try record(3))]] {
        await #expect(throws: PostgresError.self) { try await database.records.commit(changes) }
      }
      // The replacement alone, too: one of others might have been the cause.
      #expect(try await reached(database) == 3)
      #expect(try await database.number("SELECT count(*) FROM records") == 1)
    }

    @Test func `a connection that ends within a transaction is followed by another`() async throws {
      let database = try await database("IF times < 2 THEN \(Self.cut) END IF;")
      let changes = [RecordChange.insert(try record(2, [.init("a", [1])])), .insert(try record(3))]
      #expect(try await database.records.commit(changes) == .done)
      #expect(try await database.number("SELECT count(*) FROM records") == 3)
    }

    @Test(arguments: [true, false])
    func `whether a commit was made is unknown if the connection ends at its end`(isAlone: Bool) async throws {
      let database = try await database("IF times < 1 THEN \(Self.cut) END IF;", atEnd: !isAlone)
      let changes =
        isAlone
        ? [RecordChange.replace(try record(1))] : [.insert(try record(2)), .insert(try record(3))]
      await #expect(throws: RecordOutcomeUnknown.self) { try await database.records.commit(changes) }
      // It was sent once, and here it was not made.
      #expect(try await reached(database) == 1)
      let kind = try #require(kind)
      #expect(try await database.records.record(kind, key: [1])?.version == 1)
      #expect(try await database.records.commit(changes) == .done)
    }

    @Test(arguments: ["40003", "08007"], [true, false])
    func `what the server itself doesn't know is unknown`(state: String, isAlone: Bool) async throws {
      let database = try await database(
        "IF times < 1 THEN RAISE EXCEPTION USING ERRCODE = '\(state)'; END IF;", atEnd: !isAlone)
      let changes =
        isAlone
        ? [RecordChange.replace(try record(1))] : [.insert(try record(2)), .insert(try record(3))]
      await #expect(throws: RecordOutcomeUnknown.self) { try await database.records.commit(changes) }
      #expect(try await reached(database) == 1)
      #expect(try await database.records.commit(changes) == .done)
    }

    @Test func `a statement that takes too long is ended by the server`() async throws {
      let database = try await database("PERFORM pg_sleep(60);") { $0.statementLimit = .milliseconds(500) }
      // Alone it is the end of its transaction.
      await #expect(throws: RecordOutcomeUnknown.self) {
        try await database.records.commit([.replace(try record(1))])
      }
      let error = await #expect(throws: PostgresError.self) {
        try await database.records.commit([.insert(try record(2)), .insert(try record(3))])
      }
      #expect(error?.sqlState == "57014")
      #expect(try await database.number("SELECT count(*) FROM records") == 1)
    }

    /// Reads only.
    private struct Reader: SQLDriver {
      struct Writes: Error {}

      let driver: any SQLDriver

      var dialect: SQLDialect { driver.dialect }

      func lookUp<Value: Sendable>(
        _ statement: String, _ values: [SQLValue], _ make: @escaping @Sendable ([[SQLValue]]) throws -> Value
      ) async throws -> Value { try await driver.lookUp(statement, values, make) }

      func read<Value: Sendable>(
        _ look: @escaping @Sendable (any SQLSession) throws -> Value
      ) async throws -> Value { try await driver.read(look) }

      func write<Value: Sendable>(
        _ change: @escaping @Sendable (any SQLSession) throws -> Value
      ) async throws -> Value { throw Writes() }
    }

    @Test func `a machine whose clock is ahead removes nothing that others need`() async throws {
      let settings = try await LocalServer.settings()
      let now = WallClock.system.now
      let database = try await PostgresDatabase.connect(settings)
      for (key, seconds) in [(UInt8(1), 60), (2, -120)] {
        var record = try record(key)
        record.expiresAt = now.advanced(by: .seconds(seconds))
        #expect(try await database.records.commit([.insert(record)]) == .done)
      }
      #expect(try await database.records.removeExpired(before: now.advanced(by: .seconds(86_400)), limit: 10) == 1)
      #expect(try await database.number("SELECT count(*) FROM records WHERE key = '\\x01'") == 1)
    }

    @Test func `who is blocked already takes no lock`() async throws {
      let database = try await PostgresDatabase.connect(try await LocalServer.settings())
      let (key, now) = (RateLimitKey("test"), PostgresTests.date)
      func attempt(_ limiter: SQLRateLimiter, at date: NumericDate) async throws -> RateLimitDecision {
        try await limiter.attempt([key], limit: 0, blockDuration: .seconds(60), now: date)
      }
      #expect(try await attempt(database.rateLimits, at: now) == .blocked(retryAfter: .seconds(60)))
      let reader = SQLRateLimiter(driver: Reader(driver: database.driver))
      #expect(try await attempt(reader, at: now.advanced(by: .seconds(20))) == .blocked(retryAfter: .seconds(40)))
      // What may be allowed is counted.
      await #expect(throws: Reader.Writes.self) { try await attempt(reader, at: now.advanced(by: .seconds(60))) }
    }

    @Test func `a server that says nothing is not waited for`() async throws {
      var settings = try await LocalServer.settings()
      settings.statementLimit = .milliseconds(500)
      let connection = try await Connection.opened(settings)
      let error = await #expect(throws: PostgresError.self) {
        try await connection.perform { connection in
          // The server waits with its own limit switched off.
          try connection.run("SET statement_timeout = 0")
          try connection.run("SELECT pg_sleep(60)")
        }
      }
      #expect(error?.reason == .timedOut)
      #expect(!connection.isIdle)
    }
  }
}
