import Foundation
import JOSE
import PostgresTesting
import SQLStores
import Testing

@testable import PostgresStores

extension PostgresTests {
  @Suite struct ConnectionTests {
    @Test func `values come back as they went`() async throws {
      let connection = try await Connection.opened(LocalServer.settings())
      let sent: [SQLValue] = [
        .integer(.min), .integer(.max), .real(0.1), .octets(Array(0...255)), .octets([]), .text("é$1"), .null,
      ]
      let rows = try await connection.perform { connection in
        try connection.run(
          """
          SELECT CAST(? AS bigint), CAST(? AS bigint), CAST(? AS double precision), CAST(? AS bytea), CAST(? AS bytea),
            CAST(? AS text), CAST(? AS bytea), -2, CAST(-3 AS smallint)
          """, sent
        ).rows
      }
      let expected = (sent + [.integer(-2), .integer(-3)]).map { "\($0)" }
      #expect(rows.count == 1 && rows.first?.map { "\($0)" } == expected)
    }

    @Test func `the server is told the limits`() async throws {
      var settings = try await LocalServer.settings()
      settings.statementLimit = .seconds(3)
      settings.lockLimit = .milliseconds(700)
      settings.idleLimit = .seconds(4)
      let connection = try await Connection.opened(settings)
      let limits = try await connection.perform { connection in
        try connection.run(
          """
          SELECT current_setting('statement_timeout'), current_setting('lock_timeout'),
            current_setting('idle_in_transaction_session_timeout')
          """, []
        ).rows.first
      }
      #expect(limits?.map { "\($0)" } == [SQLValue.text("3s"), .text("700ms"), .text("4s")].map { "\($0)" })
    }

    @Test func `who finds no free connection is told so after a while, and one that is given back is used`()
      async throws
    {
      var settings = try await LocalServer.settings()
      (settings.maximumConnections, settings.waitLimit) = (1, .milliseconds(50))
      let pool = ConnectionPool(settings)
      let only = try await pool.use { $0 }
      let (taken, end) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
      let user = Task {
        try await pool.use { _ in
          taken.continuation.finish()
          end.wait()
        }
      }
      for await _ in taken.stream {}
      let late = (0..<3).map { _ in Task { try await pool.use { _ in } } }
      for one in late {
        let error = await #expect(throws: PostgresError.self) { try await one.value }
        #expect(error?.reason == .poolExhausted && error?.fault == .unavailable)
      }
      end.signal()
      try await user.value
      let again = try await pool.use { $0 }
      #expect(again === only)
    }

    @Test func `those who wait are all served, by no more connections than allowed`() async throws {
      var settings = try await LocalServer.settings()
      (settings.maximumConnections, settings.waitLimit) = (3, .seconds(60))
      let pool = ConnectionPool(settings)
      let connections = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
        for _ in 0..<200 {
          group.addTask {
            try await pool.use { connection in
              _ = try connection.run("SELECT 1 FROM pg_sleep(0.002)", [])
              return ObjectIdentifier(connection)
            }
          }
        }
        return try await group.reduce(into: [ObjectIdentifier: Int]()) { $0[$1, default: 0] += 1 }
      }
      #expect((1...3).contains(connections.count) && connections.values.reduce(0, +) == 200)
    }

    @Test func `the place of a connection that has ended is free again`() async throws {
      var settings = try await LocalServer.settings()
      (settings.maximumConnections, settings.waitLimit) = (1, .seconds(60))
      let pool = ConnectionPool(settings)
      let only = try await pool.use { connection in
        _ = try? connection.run("SELECT pg_terminate_backend(pg_backend_pid())", [])
        return connection
      }
      let other = try await pool.use { $0 }
      #expect(other !== only && other.isIdle)
      // One that ends while nobody has it isn't handed out.
      let killer = try await Connection.opened(settings)
      let number = try await other.perform { try $0.run("SELECT CAST(pg_backend_pid() AS text)", []).rows[0][0] }
      _ = try await killer.perform {
        try $0.run("SELECT pg_terminate_backend(CAST(CAST(? AS text) AS integer), 5000)", [number])
      }
      let last = try await pool.use { $0 }
      #expect(last !== other && last.isOpen)
    }

    @Test func `no server, another clock and a bad name are each said`() async throws {
      let nowhere = PostgresSettings(connection: "host=/nowhere")
      let unreachable = await #expect(throws: PostgresError.self) { try await PostgresDatabase.connect(nowhere) }
      #expect(unreachable?.reason == .noConnection && unreachable?.fault == .unavailable)
      #expect(unreachable?.description.contains("/nowhere") == true)
      // What libpq takes for a port, for octets, and for a host's name, is a part of the password.
      for address in [
        "postgres://provider:secret/rest@localhost/x", "postgres://provider:secret%zz@localhost/x",
        "postgres://provider:a@%2Fsecret@localhost/x",
      ] {
        let error = await #expect(throws: PostgresError.self) {
          try await PostgresDatabase.connect(PostgresSettings(connection: address))
        }
        #expect(error?.reason == .noConnection && error?.description.contains("secret") == false)
      }
      var settings = try await LocalServer.settings()
      settings.schema = "a; DROP TABLE records"
      let named = settings
      let misnamed = await #expect(throws: PostgresError.self) { try await PostgresDatabase.connect(named) }
      #expect(misnamed?.reason == .settings && misnamed?.fault == .callerMisuse)
      let right = try await LocalServer.settings()
      for seconds in [-10, 10] {
        let machine = WallClock { WallClock.system.now.advanced(by: .seconds(seconds)) }
        let error = await #expect(throws: PostgresError.self) {
          try await PostgresDatabase.connect(right, clock: .system, machine: machine)
        }
        #expect(error?.reason == .clocksDiffer)
      }
    }

    @Test func `a server that takes no writes is not connected to, and a connection that takes none is replaced`()
      async throws
    {
      var settings = try await LocalServer.settings()
      settings.maximumConnections = 1
      let database = try await PostgresDatabase.connect(settings)
      let kind = try #require(StoredRecord.Kind(application: "test"))
      for keys in [[UInt8(1)], [2, 3]] {
        try await database.run("SET default_transaction_read_only = on")
        let changes = keys.map { key in
          RecordChange.insert(
            StoredRecord(kind: kind, key: [key], createdAt: NumericDate(0), document: [], attempt: [key]))
        }
        #expect(try await database.records.commit(changes) == .done)
      }
      settings.connection += " options='-c default_transaction_read_only=on'"
      let standby = settings
      let error = await #expect(throws: PostgresError.self) { try await PostgresDatabase.connect(standby) }
      #expect(error?.reason == .noConnection && error?.description.contains("takes no writes") == true)
    }

    @Test func `many bring the tables up to date at once, and a newer version's are left alone`() async throws {
      let settings = try await LocalServer.settings()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { _ = try await PostgresDatabase.connect(settings) } }
        try await group.waitForAll()
      }
      let database = try await PostgresDatabase.connect(settings)
      #expect(try await database.number("SELECT count(*) FROM migrations") == 1)
      try await database.run("INSERT INTO migrations (name) VALUES ('999')")
      await #expect(throws: NewerSchema.self) { try await PostgresDatabase.connect(settings) }
    }

    @Test func `rate limits that count no more are removed in batches, but for what another has locked`() async throws {
      let settings = try await LocalServer.settings()
      let database = try await PostgresDatabase.connect(settings, clock: .fixed(at: PostgresTests.date))
      try await database.run(
        """
        INSERT INTO rateLimits (key, startedAt, count)
        SELECT CAST(CAST(number AS text) AS bytea), number, 1 FROM generate_series(1, 2500) AS number
        """,
        "INSERT INTO rateLimits (key, startedAt, count) VALUES ('new', 1760000000, 1)")
      let other = try await Connection.opened(settings)
      try await other.perform { connection in
        try connection.run("BEGIN")
        _ = try connection.run("SELECT 1 FROM rateLimits WHERE startedAt = 7 FOR UPDATE", [])
      }
      try await database.removeExpired()
      #expect(try await database.number("SELECT count(*) FROM rateLimits") == 2)
      try await other.perform { try $0.run("COMMIT") }
      try await database.removeExpired()
      #expect(try await database.number("SELECT count(*) FROM rateLimits") == 1)
    }

    @Test func `what has expired is removed in batches, but for what another has locked`() async throws {
      let settings = try await LocalServer.settings()
      let database = try await PostgresDatabase.connect(settings, clock: .fixed(at: PostgresTests.date))
      let kind = try #require(StoredRecord.Kind(application: "test"))
      let changes = (0..<2_500).map { number in
        RecordChange.insert(
          StoredRecord(
            kind: kind, key: Array("\(number)".utf8), createdAt: NumericDate(0), expiresAt: NumericDate(number + 1),
            document: [], attempt: []))
      }
      for start in stride(from: 0, to: changes.count, by: 500) {
        #expect(try await database.records.commit(Array(changes[start..<start + 500])) == .done)
      }
      let other = try await Connection.opened(settings)
      try await other.perform { connection in
        try connection.run("BEGIN")
        _ = try connection.run("SELECT 1 FROM records WHERE expiresAt = 7 FOR UPDATE", [])
      }
      try await database.removeExpired()
      #expect(try await database.number("SELECT count(*) FROM records") == 1)
      try await other.perform { try $0.run("COMMIT") }
      try await database.removeExpired()
      #expect(try await database.number("SELECT count(*) FROM records") == 0)
    }
  }
}
