import GRDB
import SQLStores

/// The tables of the stores in SQL.
enum Schema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    register(SQLMigration.all(.sqlite), in: &migrator)
    return migrator
  }

  static func register(_ migrations: [SQLMigration], in migrator: inout DatabaseMigrator) {
    for migration in migrations {
      migrator.registerMigration(migration.name) { database in
        for statement in migration.statements { try database.execute(sql: statement) }
      }
    }
  }
}
