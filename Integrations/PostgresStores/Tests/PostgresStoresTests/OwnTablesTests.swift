import JOSE
import PostgresTesting
import SQLStores
import Testing

@testable import PostgresStores

extension PostgresTests {
  /// What a program keeps in the database beside the stores.
  @Suite struct OwnTablesTests {
    private static let notes = SQLMigration(
      name: "program1",
      statements: ["CREATE TABLE notes (id BIGINT PRIMARY KEY, \"user\" TEXT, at DOUBLE PRECISION, content BYTEA)"])

    @Test func `a program's tables are made once, and a newer version's are left alone`() async throws {
      let settings = try await LocalServer.settings()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { _ = try await PostgresDatabase.connect(settings, adding: [Self.notes]) } }
        try await group.waitForAll()
      }
      let driver = try await PostgresDatabase.connect(settings, adding: [Self.notes]).driver
      let insert = "INSERT INTO notes (id, \"user\", at, content) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
      let values: [SQLValue] = [.integer(1), .optional(nil), .date(PostgresTests.date), .name("é")]
      #expect(try await driver.run(insert, values).count == 1)
      #expect(try await driver.run(insert, values).count == 0)
      let query = "SELECT id, \"user\", at, content FROM notes WHERE id = ?"
      let row = try #require(try await driver.row(query, [.flag(true)]))
      #expect(try row[0].int == 1 && row[0].isSet && row[1].orNil == nil && row[2].date == PostgresTests.date)
      #expect(try row[3].name == "é" && row[3].bytes == Array("é".utf8))
      #expect(throws: MalformedRecord.self) { try row[0].string }
      #expect(try await driver.rows("SELECT id FROM notes").count == 1)
      await #expect(throws: NewerSchema.self) { try await PostgresDatabase.connect(settings) }
    }

    @Test func `a text with NUL is refused, and not cut there`() async throws {
      let driver = try await PostgresDatabase.connect(LocalServer.settings()).driver
      let error = await #expect(throws: PostgresError.self) {
        try await driver.rows("SELECT CAST(? AS text)", [.text("a\u{0}b")])
      }
      #expect(error?.sqlState == "22021")
      #expect(try await driver.rows("SELECT CAST(? AS text)", [.text("ab")]).count == 1)
    }

    @Test func `who reads and then writes under a lock overwrites nobody`() async throws {
      let driver = try await PostgresDatabase.connect(LocalServer.settings(), adding: [Self.notes]).driver
      try await driver.run("INSERT INTO notes (id, at) VALUES (1, 0)")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          group.addTask {
            try await driver.write { session in
              try session.lock(["notes"], driver.dialect)
              guard let row = try session.run("SELECT at FROM notes WHERE id = 1", []).rows.first else { return }
              _ = try session.run("UPDATE notes SET at = ? WHERE id = 1", [.real(try row[0].double + 1)])
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await driver.row("SELECT at FROM notes WHERE id = 1")?[0].double == 20)
    }

    @Test func `an Apple Account is one user's until it is unlinked`() async throws {
      let accounts = try await PostgresDatabase.connect(LocalServer.settings()).appleAccounts
      func link(_ email: String?, at seconds: Int, to user: String) async throws -> Bool {
        try await accounts.link(
          subject: "000.a", email: email, isPrivateEmail: email != nil, at: NumericDate(seconds), to: user)
      }
      #expect(try await link("a@example.com", at: 100, to: "jane"))
      #expect(try await !link("b@example.com", at: 200, to: "joe"))
      #expect(try await link(nil, at: 50, to: "jane"))
      let account = try #require(try await accounts.account(subject: "000.a"))
      #expect(account.userID == "jane" && account.email == "a@example.com" && account.isPrivateEmail)
      #expect(account.isEmailEnabled && account.linkedAt == NumericDate(100))
      #expect(try await accounts.setEmail(subject: "000.a", email: nil, isEnabled: false))
      #expect(try await !accounts.setEmail(subject: "000.b", email: nil, isEnabled: true))
      #expect(try await accounts.accounts(userID: "jane").map(\.isEmailEnabled) == [false])
      #expect(try await accounts.unlink(subject: "000.a") == "jane")
      #expect(try await accounts.unlink(subject: "000.a") == nil)
      #expect(try await link(nil, at: 300, to: "joe"))
    }
  }
}
