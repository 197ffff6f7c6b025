import JOSE
import PostgresTesting
import SQLStores
import Testing

@testable import PostgresStores

extension PostgresTests {
  /// Statements of many callers on one connection.
  @Suite struct LookupTests {
    private static let quotient = "SELECT 12 / CAST(? AS bigint)"

    private func outcome(_ driver: any SQLDriver, _ statement: String, _ value: SQLValue) async -> String {
      do {
        return try await driver.lookUp(statement, [value]) { rows in "\(rows)" }
      } catch {
        return (error as? PostgresError)?.sqlState ?? "\(error)"
      }
    }

    @Test func `each caller gets its own rows, and a statement that fails fails alone`() async throws {
      let driver = try await PostgresDatabase.connect(try await LocalServer.settings()).driver
      let asked: [(statement: String, value: SQLValue, expected: String)] = (0..<400).map { number in
        switch number % 40 {
        case 7: (Self.quotient, .integer(0), "22012")
        case 8: ("SELECT CAST(? AS text)", .text("a\0b"), "22021")
        case 9: ("SELEC ?", .integer(1), "42601")
        default:
          ("SELECT CAST(? AS bigint)", .integer(Int64(number)), "\([[SQLValue.integer(Int64(number))]])")
        }
      }
      await withTaskGroup(of: (Int, String).self) { group in
        for (place, one) in asked.enumerated() {
          group.addTask { (place, await outcome(driver, one.statement, one.value)) }
        }
        for await (place, outcome) in group { #expect(outcome == asked[place].expected) }
      }
    }

    @Test func `those behind one that failed are not run, and the connection is idle again`() async throws {
      let connection = try await Connection.opened(LocalServer.settings())
      let lookups = [3, 0, 4].map { Statement(text: Self.quotient, values: [.integer($0)]) }
      for _ in 0..<2 {
        let outcomes = try await connection.perform { try $0.run(lookups) }
        #expect(outcomes.count == 3 && outcomes[2] == nil && connection.isIdle)
        #expect("\(try #require(outcomes[0]).get().rows)" == "\([[SQLValue.integer(4)]])")
        #expect(throws: PostgresError.self) { try outcomes[1]?.get() }
      }
      #expect(try await connection.perform { try $0.run(Self.quotient, [.integer(2)]).rows.count } == 1)
    }

    @Test func `who looks up while connections end is answered all the same`() async throws {
      let settings = try await LocalServer.settings()
      let driver = try await PostgresDatabase.connect(settings).driver
      let killer = try await Connection.opened(settings)
      for round in 0..<5 {
        let answers = await withTaskGroup(of: String.self) { group in
          for number in 0..<60 {
            // Some of them are still being run when their connection ends.
            let statement = "SELECT CAST(? AS bigint) FROM pg_sleep(\(number % 8 == 0 ? 0.02 : 0))"
            group.addTask { await outcome(driver, statement, .integer(1)) }
          }
          group.addTask {
            try? await Task.sleep(for: .milliseconds(10))
            let ended = try? await killer.perform {
              try $0.run(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
                """, []
              ).count
            }
            return "\(ended ?? 0) ended"
          }
          return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(answers.count { $0 == "\([[SQLValue.integer(1)]])" } == 60, "round \(round): \(Set(answers))")
        #expect(!answers.contains("0 ended"))
      }
    }

    @Test func `without a server each caller is told`() async throws {
      var settings = PostgresSettings(connection: "host=/nowhere")
      settings.maximumConnections = 1
      let group = StatementGroup(.lookups, pool: ConnectionPool(settings), waitLimit: .seconds(1))
      for _ in 0..<2 {
        await withTaskGroup(of: PostgresError.Reason?.self) { tasks in
          for _ in 0..<20 {
            tasks.addTask {
              do {
                _ = try await group.run(Statement(text: "SELECT 1", values: []))
                return nil
              } catch {
                return (error as? PostgresError)?.reason
              }
            }
          }
          for await reason in tasks { #expect(reason == .noConnection) }
        }
      }
    }

    @Test func `a table that is locked keeps nobody from reading another`() async throws {
      var settings = try await LocalServer.settings()
      settings.lockLimit = .milliseconds(100)
      let driver = try await PostgresDatabase.connect(settings).driver
      settings.idleLimit = .seconds(60)
      let holder = try await Connection.opened(settings)
      try await holder.perform { connection in
        try connection.run("BEGIN")
        try connection.run("LOCK TABLE rateLimits IN ACCESS EXCLUSIVE MODE")
      }
      let outcomes = await withTaskGroup(of: (Bool, String).self) { group in
        for number in 0..<60 {
          let isLocked = number.isMultiple(of: 3)
          let table = isLocked ? "rateLimits" : "records"
          group.addTask {
            (isLocked, await outcome(driver, "SELECT count(*) FROM \(table) WHERE 1 = CAST(? AS bigint)", .integer(1)))
          }
        }
        return await group.reduce(into: [Bool: Set<String>]()) { $0[$1.0, default: []].insert($1.1) }
      }
      #expect(outcomes == [true: ["55P03"], false: ["\([[SQLValue.integer(0)]])"]])
      try await holder.perform { try $0.run("COMMIT") }
    }
  }
}
