import GRDB
import SQLStores

/// The tables: those of the stores in SQL, and what is kept in SQLite alone. A migration that has been released never
/// changes; what is to be otherwise comes in another one.
enum Schema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for migration in SQLMigration.all(.sqlite) {
      migrator.registerMigration(migration.name) { database in
        for statement in migration.statements + own[migration.name, default: []] {
          try database.execute(sql: statement)
        }
      }
    }
    return migrator
  }

  /// What a migration does besides.
  private static let own = [
    "1": [
      // Sign in with Apple: whose account is whose.
      """
      CREATE TABLE appleAccounts (
        subject BLOB NOT NULL PRIMARY KEY, user BLOB NOT NULL, email BLOB, isPrivateEmail INTEGER NOT NULL,
        isEmailEnabled INTEGER NOT NULL, linkedAt REAL NOT NULL) STRICT, WITHOUT ROWID
      """,
      "CREATE INDEX appleAccountsByUser ON appleAccounts (user)",
    ]
  ]
}
