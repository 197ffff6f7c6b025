import SQLStores

/// The provider's own tables, beside those of the stores. A migration that has been released never changes.
enum ProviderSchema {
  static func migrations(_ dialect: SQLDialect) -> [SQLMigration] {
    let (octets, integer, real, end, numbered) =
      switch dialect {
      case .sqlite: ("BLOB", "INTEGER", "REAL", "STRICT, WITHOUT ROWID", "INTEGER PRIMARY KEY")
      case .postgreSQL:
        ("BYTEA", "BIGINT", "DOUBLE PRECISION", "", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY")
      }
    let version1: [String] = [
      """
      CREATE TABLE accounts (
        id TEXT NOT NULL PRIMARY KEY, usernameKey \(octets) NOT NULL UNIQUE, username TEXT NOT NULL,
        email TEXT NOT NULL, isEmailVerified \(integer) NOT NULL, isAdmin \(integer) NOT NULL, password TEXT NOT NULL,
        secondFactor TEXT, lastSecondFactorStep \(integer) NOT NULL DEFAULT 0, claims \(octets) NOT NULL,
        createdAt \(real) NOT NULL, updatedAt \(real) NOT NULL) \(end)
      """,
      """
      CREATE TABLE recoveryCodes (
        "user" TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, hash \(octets) NOT NULL,
        PRIMARY KEY ("user", hash)) \(end)
      """,
      """
      CREATE TABLE clients (
        id \(octets) NOT NULL PRIMARY KEY, isEnabled \(integer) NOT NULL, createdAt \(real) NOT NULL,
        document \(octets) NOT NULL) \(end)
      """,
      """
      CREATE TABLE browserSessions (
        cookie \(octets) NOT NULL PRIMARY KEY, session TEXT NOT NULL UNIQUE, "user" TEXT NOT NULL,
        startedAt \(real) NOT NULL, lastSeenAt \(real) NOT NULL, address TEXT NOT NULL, agent TEXT NOT NULL) \(end)
      """,
      "CREATE INDEX browserSessionsByUser ON browserSessions (\"user\")",
      """
      CREATE TABLE sessionClients (
        session TEXT NOT NULL, client \(octets) NOT NULL, firstUsedAt \(real) NOT NULL, PRIMARY KEY (session, client))
        \(end)
      """,
      """
      CREATE TABLE interactions (
        id \(octets) NOT NULL PRIMARY KEY, expiresAt \(real) NOT NULL, document \(octets) NOT NULL) \(end)
      """,
      "CREATE INDEX interactionsByEnd ON interactions (expiresAt)",
      """
      CREATE TABLE signingKeys (
        id TEXT NOT NULL PRIMARY KEY, algorithm TEXT NOT NULL, state TEXT NOT NULL, publishedAt \(real) NOT NULL,
        activatedAt \(real), retiredAt \(real), publicKey \(octets) NOT NULL, sealedKey TEXT) \(end)
      """,
      "CREATE UNIQUE INDEX oneKeyOfAState ON signingKeys (algorithm, state) WHERE state <> 'retired'",
      """
      CREATE TABLE auditLog (
        number \(numbered), at \(real) NOT NULL, event TEXT NOT NULL, "user" TEXT, client TEXT, address TEXT,
        detail TEXT) \(dialect == .sqlite ? "STRICT" : "")
      """,
      "CREATE INDEX auditLogByEvent ON auditLog (event, number)",
      "CREATE INDEX auditLogByUser ON auditLog (\"user\", number)",
      """
      CREATE TABLE loginAttempts (
        key \(octets) NOT NULL PRIMARY KEY, startedAt \(real) NOT NULL, count \(integer) NOT NULL,
        blockedUntil \(real)) \(end)
      """,
      """
      CREATE TABLE passkeys (
        id \(octets) NOT NULL PRIMARY KEY, "user" TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
        name TEXT NOT NULL, publicKey \(octets) NOT NULL, authenticatorModel \(octets) NOT NULL,
        signCount \(integer) NOT NULL, isBackupEligible \(integer) NOT NULL, isBackedUp \(integer) NOT NULL,
        createdAt \(real) NOT NULL, lastUsedAt \(real)) \(end)
      """,
      "CREATE INDEX passkeysByUser ON passkeys (\"user\")",
    ]
    return [
      SQLMigration(name: "idp1", statements: version1),
      SQLMigration(
        name: "idp2", statements: ["ALTER TABLE auditLog ADD COLUMN repeats \(integer) NOT NULL DEFAULT 0"]),
      SQLMigration(
        name: "idp3",
        statements: [
          "ALTER TABLE auditLog ADD COLUMN network TEXT",
          "CREATE INDEX auditLogByNetwork ON auditLog (event, network, number)",
        ]),
      SQLMigration(
        name: "idp4",
        statements: [
          """
          CREATE TABLE guesses (
            key \(octets) NOT NULL PRIMARY KEY, "user" TEXT, count \(integer) NOT NULL, steps \(integer) NOT NULL,
            untold \(integer) NOT NULL, lastAt \(real) NOT NULL, blockedUntil \(real) NOT NULL) \(end)
          """,
          "CREATE INDEX guessesByUser ON guesses (\"user\")",
          "CREATE INDEX guessesByTime ON guesses (lastAt)",
        ]),
    ]
  }
}
