/// The tables in PostgreSQL: those of SQLite, in its types.
///
/// Pages of rows that change often keep free space: a new version on the same page needs no new index entry. Kinds are
/// compared octet by octet, whatever the database's collation.
enum PostgreSQLSchema {
  static let version1 = [
    """
    CREATE TABLE records (
      number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind TEXT COLLATE "C" NOT NULL, key BYTEA NOT NULL,
      version BIGINT NOT NULL, createdAt DOUBLE PRECISION NOT NULL, expiresAt DOUBLE PRECISION,
      document BYTEA NOT NULL, attempt BYTEA NOT NULL, indexes BYTEA NOT NULL,
      UNIQUE (kind, key)) WITH (fillfactor = 70)
    """,
    "CREATE INDEX recordsByEnd ON records (expiresAt) WHERE expiresAt IS NOT NULL",
    """
    CREATE TABLE recordIndexes (
      kind TEXT COLLATE "C" NOT NULL, name BYTEA NOT NULL, value BYTEA NOT NULL, createdAt DOUBLE PRECISION NOT NULL,
      record BIGINT NOT NULL REFERENCES records ON DELETE CASCADE, isUnique BIGINT NOT NULL,
      PRIMARY KEY (kind, name, value, createdAt, record))
    """,
    "CREATE UNIQUE INDEX uniqueRecordIndexes ON recordIndexes (kind, name, value) WHERE isUnique = 1",
    "CREATE INDEX indexesOfRecords ON recordIndexes (record)",
    """
    CREATE TABLE rateLimits (
      key BYTEA PRIMARY KEY, startedAt DOUBLE PRECISION NOT NULL, count BIGINT NOT NULL, blockedUntil DOUBLE PRECISION)
      WITH (fillfactor = 70)
    """,
    """
    CREATE TABLE appleAccounts (
      subject BYTEA PRIMARY KEY, "user" BYTEA NOT NULL, email BYTEA, isPrivateEmail BIGINT NOT NULL,
      isEmailEnabled BIGINT NOT NULL, linkedAt DOUBLE PRECISION NOT NULL)
    """,
    "CREATE INDEX appleAccountsByUser ON appleAccounts (\"user\")",
  ]
}
