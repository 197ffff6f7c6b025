import GRDB

/// The provider's own tables, beside those of GRDBStores. A migration that has been released never changes.
enum ProviderSchema {
  static func register(in migrator: inout DatabaseMigrator) {
    migrator.registerMigration("idp1") { try $0.execute(sql: version1) }
    migrator.registerMigration("idp2") { database in
      try database.execute(sql: "ALTER TABLE auditLog ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0")
    }
    migrator.registerMigration("idp3") { database in
      try database.execute(
        sql:
          "ALTER TABLE auditLog ADD network TEXT; CREATE INDEX auditLogByNetwork ON auditLog (event, network, number)"
      )
    }
  }

  private static let version1 = """
    CREATE TABLE accounts (
      id TEXT NOT NULL PRIMARY KEY, usernameKey BLOB NOT NULL UNIQUE, username TEXT NOT NULL, email TEXT NOT NULL,
      isEmailVerified INTEGER NOT NULL, isAdmin INTEGER NOT NULL, password TEXT NOT NULL,
      secondFactor TEXT, lastSecondFactorStep INTEGER NOT NULL DEFAULT 0, claims BLOB NOT NULL, createdAt REAL NOT NULL,
      updatedAt REAL NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE recoveryCodes (
      user TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, hash BLOB NOT NULL, PRIMARY KEY (user, hash))
      STRICT, WITHOUT ROWID;
    CREATE TABLE clients (
      id BLOB NOT NULL PRIMARY KEY, isEnabled INTEGER NOT NULL, createdAt REAL NOT NULL, document BLOB NOT NULL)
      STRICT, WITHOUT ROWID;
    CREATE TABLE browserSessions (
      cookie BLOB NOT NULL PRIMARY KEY, session TEXT NOT NULL UNIQUE, user TEXT NOT NULL, startedAt REAL NOT NULL,
      lastSeenAt REAL NOT NULL, address TEXT NOT NULL, agent TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX browserSessionsByUser ON browserSessions (user);
    CREATE TABLE sessionClients (
      session TEXT NOT NULL, client BLOB NOT NULL, firstUsedAt REAL NOT NULL, PRIMARY KEY (session, client))
      STRICT, WITHOUT ROWID;
    CREATE TABLE interactions (
      id BLOB NOT NULL PRIMARY KEY, expiresAt REAL NOT NULL, document BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX interactionsByEnd ON interactions (expiresAt);
    CREATE TABLE signingKeys (
      id TEXT NOT NULL PRIMARY KEY, algorithm TEXT NOT NULL, state TEXT NOT NULL, publishedAt REAL NOT NULL,
      activatedAt REAL, retiredAt REAL, publicKey BLOB NOT NULL, sealedKey TEXT) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX oneKeyOfAState ON signingKeys (algorithm, state) WHERE state <> 'retired';
    CREATE TABLE auditLog (
      number INTEGER PRIMARY KEY, at REAL NOT NULL, event TEXT NOT NULL, user TEXT, client TEXT, address TEXT,
      detail TEXT) STRICT;
    CREATE INDEX auditLogByEvent ON auditLog (event, number);
    CREATE INDEX auditLogByUser ON auditLog (user, number);
    CREATE TABLE loginAttempts (
      key BLOB NOT NULL PRIMARY KEY, startedAt REAL NOT NULL, count INTEGER NOT NULL, blockedUntil REAL) STRICT,
      WITHOUT ROWID;
    CREATE TABLE passkeys (
      id BLOB NOT NULL PRIMARY KEY, user TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, name TEXT NOT NULL,
      publicKey BLOB NOT NULL, authenticatorModel BLOB NOT NULL, signCount INTEGER NOT NULL,
      isBackupEligible INTEGER NOT NULL, isBackedUp INTEGER NOT NULL, createdAt REAL NOT NULL, lastUsedAt REAL) STRICT,
      WITHOUT ROWID;
    CREATE INDEX passkeysByUser ON passkeys (user);
    """
}
