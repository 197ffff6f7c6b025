import Foundation
import GRDB
import GRDBStores
import JOSE
import NativeSSOKit
import OpenIDKit
import SQLStores
import Testing

/// What a program keeps in the file beside the stores.
@Suite struct OwnTablesTests {
  private let folder = Folder()
  private var path: String { folder.path + "/state.sqlite" }

  private static func notes(_ migrator: inout DatabaseMigrator) {
    migrator.registerMigration("program-1") { database in
      try database.execute(sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT")
    }
  }

  private static func notesWithAuthors(_ migrator: inout DatabaseMigrator) {
    notes(&migrator)
    migrator.registerMigration("program-2") { database in
      try database.execute(sql: "ALTER TABLE notes ADD COLUMN author TEXT")
    }
  }

  private func open(_ migrations: (inout DatabaseMigrator) -> Void) throws -> ProviderDatabase {
    try ProviderDatabase(path: path, durability: .processEnd, migrations: migrations)
  }

  private func add(_ text: String, to database: ProviderDatabase) async throws {
    try await database.write { try $0.execute(sql: "INSERT INTO notes (text) VALUES (?)", arguments: [text]) }
  }

  private func texts(_ database: ProviderDatabase) async throws -> [String] {
    try await database.read { try String.fetchAll($0, sql: "SELECT text FROM notes ORDER BY id") }
  }

  @Test func `a program's tables are made once, and grow with the program`() async throws {
    let first = try open(Self.notes)
    try await add("one", to: first)
    try await SessionRecords(records: first.records).addUser("alice")
    let again = try open(Self.notes)
    #expect(try await texts(again) == ["one"])
    let next = try open(Self.notesWithAuthors)
    try await next.write { try $0.execute(sql: "UPDATE notes SET author = 'alice'") }
    #expect(try await texts(next) == ["one"])
    #expect(try await SessionRecords(records: next.records).isActive(userID: "alice"))
  }

  @Test func `a program reads and writes its tables by the driver of the stores`() async throws {
    let notes = SQLMigration(
      name: "program1",
      statements: ["CREATE TABLE notes (id INTEGER PRIMARY KEY, \"user\" TEXT, at REAL, content BLOB) STRICT"])
    let database = try ProviderDatabase(path: path, durability: .processEnd, adding: [notes])
    let (driver, date) = (database.driver, NumericDate(1_760_000_000))
    let insert = "INSERT INTO notes (id, \"user\", at, content) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
    let values: [SQLValue] = [.integer(1), .optional(nil), .date(date), .name("é")]
    #expect(try await driver.run(insert, values).count == 1)
    #expect(try await driver.run(insert, values).count == 0)
    let query = "SELECT id, \"user\", at, content FROM notes WHERE id = ?"
    let row = try #require(try await driver.row(query, [.flag(true)]))
    #expect(try row[0].int == 1 && row[0].isSet && row[1].orNil == nil && row[2].date == date)
    #expect(try row[3].name == "é" && row[3].bytes == Array("é".utf8))
    #expect(throws: MalformedRecord.self) { try row[0].string }
    #expect(try await driver.rows("SELECT id FROM notes").count == 1)
    try await driver.write { session in
      try session.lock(["notes"], .sqlite)
      _ = try session.run("UPDATE notes SET \"user\" = ?", [.text("alice")])
    }
    #expect(try database.look { try $0.run("SELECT \"user\" FROM notes", []).rows[0][0].string } == "alice")
    #expect(throws: ProviderDatabase.NewerSchema.self) { try ProviderDatabase(path: path) }
  }

  @Test func `a file gives back pages once it is made to`() async throws {
    let database = try open(Self.notes)
    try database.makeShrinkable()
    #expect(try await database.driver.row("PRAGMA auto_vacuum")?[0].int == 2)
    for _ in 0..<50 { try await add(String(repeating: "x", count: 10_000), to: database) }
    try await database.driver.run("DELETE FROM notes")
    #expect(try #require(try await database.driver.row("PRAGMA freelist_count"))[0].int > 50)
    try await database.driver.run("PRAGMA incremental_vacuum(1000)")
    #expect(try await database.driver.row("PRAGMA freelist_count")?[0].int == 0)
  }

  @Test func `a file is left alone that a newer version of the program has made`() async throws {
    try await add("one", to: open(Self.notesWithAuthors))
    #expect(throws: ProviderDatabase.NewerSchema.self) { try open(Self.notes) }
    #expect(throws: ProviderDatabase.NewerSchema.self) { try open { _ in } }
    #expect(try await texts(open(Self.notesWithAuthors)) == ["one"])
  }

  @Test func `a migration that fails leaves the file as it was`() async throws {
    try await add("one", to: open(Self.notes))
    #expect(throws: DatabaseError.self) {
      try open { migrator in
        Self.notes(&migrator)
        migrator.registerMigration("program-2") { database in
          try database.execute(sql: "DELETE FROM notes")
          try database.execute(sql: "CREATE TABLE notes (id INTEGER)")
        }
      }
    }
    #expect(try await texts(open(Self.notes)) == ["one"])
  }

  @Test func `a program's file is opened and made by many at once`() async throws {
    let path = path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let database = try ProviderDatabase(path: path, durability: .processEnd, migrations: Self.notesWithAuthors)
          try await add("\(number)", to: database)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await Set(texts(open(Self.notesWithAuthors))) == Set((0..<8).map { "\($0)" }))
  }

  @Test func `a change is there whole or not at all, and a look can't change anything`() async throws {
    struct Refused: Error {}
    let database = try open(Self.notes)
    await #expect(throws: Refused.self) {
      try await database.write { database in
        try database.execute(sql: "INSERT INTO notes (text) VALUES ('half')")
        throw Refused()
      }
    }
    #expect(try await texts(database).isEmpty)
    await #expect(throws: DatabaseError.self) {
      try await database.read { try $0.execute(sql: "INSERT INTO notes (text) VALUES ('by a look')") }
    }
    let count = try await database.write { database in
      try database.execute(sql: "INSERT INTO notes (text) VALUES ('whole')")
      return database.changesCount
    }
    #expect(count == 1)
    #expect(try await texts(database) == ["whole"])
  }

  @Test func `a backup is one moment of a file that is written to`() async throws {
    let database = try open(Self.notes)
    let copy = folder.path + "/copy.sqlite"
    try await SessionRecords(records: database.records).addUser("alice")
    let writer = Task {
      // Two rows in each change: a copy from between them would have an odd number.
      var number = 0
      while !Task.isCancelled {
        let text = "\(number)"
        try await database.write { database in
          for _ in 0..<2 { try database.execute(sql: "INSERT INTO notes (text) VALUES (?)", arguments: [text]) }
        }
        number += 1
      }
    }
    for _ in 0..<5 {
      // Over the copy before, as a whole.
      try database.backUp(to: copy)
      let kept = try ProviderDatabase(path: copy, durability: .processEnd, migrations: Self.notes)
      let rows = try await texts(kept)
      #expect(rows == (0..<rows.count / 2).flatMap { ["\($0)", "\($0)"] })
      #expect(try await kept.integrityCheck() == ["ok"])
      #expect(try await SessionRecords(records: kept.records).isActive(userID: "alice"))
    }
    writer.cancel()
    try? await writer.value
    #expect(throws: DatabaseError.self) { try database.backUp(to: folder.path + "/nowhere/copy.sqlite") }
  }
}
