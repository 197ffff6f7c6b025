/// The tables in SQLite.
///
/// Names are BLOBs: SQLite compares them octet by octet, and NUL doesn't end them. 64-bit counters are stored by their
/// bits.
enum SQLiteSchema {
  static let version1 = [
    // The provider's records and their indexes. A record also has its indexes as one value, so that one statement reads
    // it, and replaces it if they don't change. The last index but one refuses a second record with a value that is
    // unique.
    """
    CREATE TABLE records (
      number INTEGER PRIMARY KEY, kind TEXT NOT NULL, key BLOB NOT NULL, version INTEGER NOT NULL,
      createdAt REAL NOT NULL, expiresAt REAL, document BLOB NOT NULL, attempt BLOB NOT NULL, indexes BLOB NOT NULL,
      UNIQUE (kind, key)) STRICT
    """,
    "CREATE INDEX recordsByEnd ON records (expiresAt) WHERE expiresAt IS NOT NULL",
    """
    CREATE TABLE recordIndexes (
      kind TEXT NOT NULL, name BLOB NOT NULL, value BLOB NOT NULL, createdAt REAL NOT NULL,
      record INTEGER NOT NULL REFERENCES records ON DELETE CASCADE, isUnique INTEGER NOT NULL,
      PRIMARY KEY (kind, name, value, createdAt, record)) STRICT, WITHOUT ROWID
    """,
    "CREATE UNIQUE INDEX uniqueRecordIndexes ON recordIndexes (kind, name, value) WHERE isUnique = 1",
    "CREATE INDEX indexesOfRecords ON recordIndexes (record)",
    // Counters.
    """
    CREATE TABLE rateLimits (
      key BLOB NOT NULL PRIMARY KEY, startedAt REAL NOT NULL, count INTEGER NOT NULL, blockedUntil REAL) STRICT,
      WITHOUT ROWID
    """,
    // Sign in with Apple: the user of each Apple Account.
    """
    CREATE TABLE appleAccounts (
      subject BLOB NOT NULL PRIMARY KEY, user BLOB NOT NULL, email BLOB, isPrivateEmail INTEGER NOT NULL,
      isEmailEnabled INTEGER NOT NULL, linkedAt REAL NOT NULL) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX appleAccountsByUser ON appleAccounts (user)",
  ]
}
