import JOSE
import SQLStores

/// Copies the database file of a provider's folder into an empty PostgreSQL database, in one transaction.
package enum DatabaseCopy {
  /// The number of rows that are read and written at a time.
  private static let batch = 200

  /// - Parameters:
  ///   - settings: name the folder.
  ///   - connection: how libpq reaches PostgreSQL.
  /// - Returns: the number of rows of each table.
  /// - Throws: ``StartRefusal``, also if the target isn't empty; what the databases throw.
  package static func run(
    _ settings: ProviderSettings, to connection: String, clock: WallClock = .system
  ) async throws -> [(table: String, count: Int64)] {
    var settings = settings
    settings.database = nil
    try ProviderFolder.open(settings.folder, makes: false, hasFile: true)
    guard let file = try await Storage.open(settings, clock: clock).file else { return [] }
    let target = try await Storage.connect(connection, settings, clock, isPatient: true)
    let counts: [(table: String, count: Int64)] = try await target.write { session in
      // One transaction of SQLite's too: all tables are read as they are at one moment.
      try file.look { source in
        let tables = try source.run(
          """
          SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'grdb_migrations'
          ORDER BY rowid
          """, []
        ).rows.map { try $0[0].string }
        for table in tables {
          guard try Self.count(table, session) == 0 else {
            throw StartRefusal(
              "The table \(table) of the target database has rows already: copy into an empty database.")
          }
        }
        return try tables.map { table in
          try Self.copy(table, from: source, to: session)
          let copied = try Self.count(table, session)
          guard try Self.count(table, source) == copied else {
            throw StartRefusal(
              "Not all rows of \(table) arrived, so the copy was undone: stop the server and try again.")
          }
          return (table: table, count: copied)
        }
      }
    }
    try ProviderFolder.noteMove(settings.folder)
    return counts
  }

  private static func count(_ table: String, _ session: any SQLSession) throws -> Int64 {
    try session.run("SELECT count(*) FROM \(table)", []).rows[0][0].int
  }

  /// Copies by the primary key, from one batch's last row to the next.
  private static func copy(_ table: String, from source: any SQLSession, to target: any SQLSession) throws {
    let columns = try source.run(
      "SELECT lower(name), pk FROM pragma_table_info(?) ORDER BY pk = 0, pk, cid", [.text(table)]
    ).rows.map { row in
      let name = try row[0].string
      return (name: "\"\(name)\"", isKey: try row[1].int > 0)
    }
    let names = columns.map { $0.name }.joined(separator: ", ")
    let keys = columns.filter { $0.isKey }.map { $0.name }
    let key = keys.joined(separator: ", ")
    var last: [SQLValue] = []
    while true {
      let rest = last.isEmpty ? "" : "WHERE (\(key)) > \(places(keys.count))"
      let rows = try source.run(
        "SELECT \(names) FROM \(table) \(rest) ORDER BY \(key) LIMIT \(batch)", last
      ).rows
      guard let final = rows.last else { break }
      let rowPlaces = [String](repeating: places(columns.count), count: rows.count).joined(separator: ", ")
      let values = rows.flatMap { row in row.map { Self.withoutNUL($0) } }
      _ = try target.run(
        "INSERT INTO \(table) (\(names)) OVERRIDING SYSTEM VALUE VALUES \(rowPlaces)", values)
      last = Array(final.prefix(keys.count))
    }
    // PostgreSQL must continue its own numbering after the last copied number.
    if keys == ["\"number\""] {
      _ = try target.run(
        "SELECT setval(pg_get_serial_sequence('\(table)', 'number'), max(number)) FROM \(table) HAVING count(*) > 0", []
      )
    }
  }

  private static func places(_ count: Int) -> String {
    "(" + [String](repeating: "?", count: count).joined(separator: ", ") + ")"
  }

  /// PostgreSQL refuses NUL in a text.
  private static func withoutNUL(_ value: SQLValue) -> SQLValue {
    guard case .text(let text) = value, text.utf8.contains(0) else { return value }
    return .text(text.filter { $0 != "\0" })
  }
}
