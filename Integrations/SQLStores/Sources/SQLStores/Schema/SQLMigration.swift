/// One step of the tables from one version to the next. A released migration never changes; further changes need a new
/// one.
public struct SQLMigration: Sendable {
  /// The version, a number.
  public let name: String
  /// The statements, which run in this order in one transaction.
  public let statements: [String]

  /// A step of a program's own tables. Begin its name with the program's name: this package's names are numbers.
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

  /// Brings the tables of PostgreSQL up to date, in a transaction of the session's. If several processes do so at once,
  /// the others wait, and find it done. If all tables exist, the user needs no right to make any.
  ///
  /// - Parameters:
  ///   - session: its search path must have the schema first.
  ///   - schema: the schema of the tables, made if it is missing: lowercase letters, digits and `_`.
  ///   - program: the steps of the program's own tables, which run after this package's.
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
