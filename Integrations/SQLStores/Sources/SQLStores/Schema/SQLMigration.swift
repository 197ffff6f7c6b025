/// One step of the tables from one version to the next. One that has been released never changes; what is to be
/// otherwise comes in another one.
public struct SQLMigration: Sendable {
  /// The version, a number.
  public let name: String
  /// What is run in one transaction, in this order.
  public let statements: [String]

  /// A step of a program's own tables. Give it a name that begins with the program's: this package's are numbers.
  public init(name: String, statements: [String]) { (self.name, self.statements) = (name, statements) }

  /// All steps, the first one first.
  public static func all(_ dialect: SQLDialect) -> [SQLMigration] {
    let version1 =
      switch dialect {
      case .sqlite: SQLiteSchema.version1
      case .postgreSQL: PostgreSQLSchema.version1
      }
    return [SQLMigration(name: "1", statements: version1)]
  }

  /// Brings the tables of PostgreSQL up to date, in a transaction of the session's. Of several processes that do so at
  /// once the others wait, and find it done. Where all is there, no right to make anything is needed.
  ///
  /// - Parameters:
  ///   - session: looks for tables in the schema first.
  ///   - schema: the tables' own, made if it isn't there: lowercase letters, digits and `_`.
  ///   - program: steps of the program's own tables, which come after this package's.
  /// - Throws: ``NewerSchema`` if a newer version of this package, or of the program, has changed the tables; the
  ///   driver's error.
  public static func run(_ session: any SQLSession, schema: String, adding program: [SQLMigration] = []) throws {
    var lock = AdvisoryLocks()
    lock.insert(Array("migrations".utf8))
    try lock.take(session)
    if try session.run("SELECT 1 FROM pg_namespace WHERE nspname = ?", [.text(schema)]).rows.isEmpty {
      _ = try session.run("CREATE SCHEMA \(schema)", [])
    }
    let table = "SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = 'migrations'"
    if try session.run(table, [.text(schema)]).rows.isEmpty {
      _ = try session.run("CREATE TABLE migrations (name TEXT PRIMARY KEY)", [])
    }
    let names = try session.run("SELECT name FROM migrations", []).rows.map { row in
      if case .text(let name)? = row.first { name } else { "" }
    }
    let known = all(.postgreSQL) + program
    guard names.allSatisfy({ name in known.contains { $0.name == name } }) else { throw NewerSchema() }
    for migration in known where !names.contains(migration.name) {
      for statement in migration.statements { _ = try session.run(statement, []) }
      _ = try session.run("INSERT INTO migrations (name) VALUES (?)", [.text(migration.name)])
    }
  }
}

/// A newer version of the package, or of the program, has changed the tables.
public struct NewerSchema: Error {}
