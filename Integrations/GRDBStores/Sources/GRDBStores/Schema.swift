import Foundation
import GRDB
import StrictJSON

/// The tables. A migration that has been released never changes; what is to be otherwise comes in another one.
///
/// Names are BLOBs: SQLite compares them octet by octet, and NUL doesn't end them. 64-bit counters stand there by their
/// bits.
enum Schema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      for statement in version1 { try database.execute(sql: statement) }
    }
    migrator.registerMigration("2") { database in
      for statement in version2 { try database.execute(sql: statement) }
    }
    migrator.registerMigration("3") { database in try database.execute(sql: version3) }
    migrator.registerMigration("4") { database in
      for statement in version4 { try database.execute(sql: statement) }
    }
    migrator.registerMigration("5") { database in
      for statement in version5 { try database.execute(sql: statement) }
    }
    migrator.registerMigration("6") { database in
      for statement in version6 { try database.execute(sql: statement) }
    }
    migrator.registerMigration("7") { database in
      for table in formerTables7 { try database.execute(sql: "DROP TABLE \(table)") }
    }
    migrator.registerMigration("8") { database in
      for statement in version8 { try database.execute(sql: statement) }
    }
    migrator.registerMigration("9") { database in
      for statement in version9 { try database.execute(sql: statement) }
    }
    migrator.registerMigration("10") { database in
      for statement in version10 { try database.execute(sql: statement) }
    }
    migrator.registerMigration("11") { database in
      try version11(database)
      for table in ["sessions", "users", "consents", "subjects", "settings"] {
        try database.execute(sql: "DROP TABLE \(table)")
      }
    }
    migrator.registerMigration("12") { database in
      try version12(database)
      for table in ["rotatedDeviceSecrets", "deviceSecretSessions", "deviceSecrets"] {
        try database.execute(sql: "DROP TABLE \(table)")
      }
    }
    migrator.registerMigration("13") { database in try DeviceMigration.run(database) }
    migrator.registerMigration("14") { database in try DeviceLoginMigration.run(database) }
    return migrator
  }

  private static let version1 = [
    """
    CREATE TABLE families (
      number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, version INTEGER NOT NULL, subject BLOB NOT NULL,
      client BLOB NOT NULL, session BLOB, deviceSecret BLOB, createdAt REAL NOT NULL, expiresAt REAL, revokedAt REAL,
      document BLOB NOT NULL) STRICT
    """,
    "CREATE INDEX familiesBySubject ON families (subject, client, createdAt)",
    "CREATE INDEX familiesByClient ON families (client, createdAt)",
    "CREATE INDEX familiesBySession ON families (session) WHERE session IS NOT NULL",
    "CREATE INDEX familiesByDeviceSecret ON families (deviceSecret) WHERE deviceSecret IS NOT NULL",
    "CREATE INDEX familiesByDate ON families (createdAt)",
    """
    CREATE TABLE deviceSecrets (
      number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, fingerprint BLOB NOT NULL UNIQUE, user BLOB NOT NULL,
      expiresAt REAL NOT NULL, revokedAt REAL, document BLOB NOT NULL) STRICT
    """,
    "CREATE INDEX deviceSecretsByUser ON deviceSecrets (user)",
    """
    CREATE TABLE deviceSecretSessions (
      session BLOB NOT NULL, deviceSecret INTEGER NOT NULL REFERENCES deviceSecrets ON DELETE CASCADE,
      PRIMARY KEY (session, deviceSecret)) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX sessionsOfDeviceSecrets ON deviceSecretSessions (deviceSecret)",
    """
    CREATE TABLE rotatedDeviceSecrets (
      fingerprint BLOB NOT NULL PRIMARY KEY, deviceSecret INTEGER NOT NULL REFERENCES deviceSecrets ON DELETE CASCADE)
      STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX rotatedOfDeviceSecrets ON rotatedDeviceSecrets (deviceSecret)",
    """
    CREATE TABLE rateLimits (
      key BLOB NOT NULL PRIMARY KEY, startedAt REAL NOT NULL, count INTEGER NOT NULL, blockedUntil REAL) STRICT,
      WITHOUT ROWID
    """,
    """
    CREATE TABLE pushedRequests (
      reference BLOB NOT NULL PRIMARY KEY, expiresAt REAL NOT NULL, document BLOB NOT NULL) STRICT, WITHOUT ROWID
    """,
    "CREATE TABLE settings (number INTEGER PRIMARY KEY CHECK (number = 1), document BLOB NOT NULL) STRICT",
    """
    CREATE TABLE sessions (
      id BLOB NOT NULL PRIMARY KEY, user BLOB NOT NULL, isActive INTEGER NOT NULL, authenticatedAt REAL NOT NULL,
      context BLOB, methods BLOB) STRICT, WITHOUT ROWID
    """,
    "CREATE TABLE users (id BLOB NOT NULL PRIMARY KEY, isActive INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    """
    CREATE TABLE consents (
      user BLOB NOT NULL, client BLOB NOT NULL, scopes BLOB NOT NULL, PRIMARY KEY (user, client)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE subjects (
      user BLOB NOT NULL, client BLOB NOT NULL, subject BLOB NOT NULL, PRIMARY KEY (user, client),
      UNIQUE (client, subject)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE appleSignIns (
      handle BLOB NOT NULL PRIMARY KEY, startedAt REAL NOT NULL, document BLOB NOT NULL) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE appleNotifications (identity BLOB NOT NULL PRIMARY KEY, expiresAt REAL NOT NULL) STRICT, WITHOUT ROWID
    """,
    "CREATE TABLE appleTopics (topic BLOB NOT NULL PRIMARY KEY, eventTime REAL NOT NULL) STRICT, WITHOUT ROWID",
    """
    CREATE TABLE dpopProofs (
      thumbprint BLOB NOT NULL, name BLOB NOT NULL, expiresAt REAL NOT NULL, PRIMARY KEY (thumbprint, name)) STRICT,
      WITHOUT ROWID
    """,
    "CREATE TABLE replayEntries (digest BLOB NOT NULL PRIMARY KEY, expiresAt REAL NOT NULL) STRICT, WITHOUT ROWID",
    """
    CREATE TABLE serverNonces (
      nonce BLOB NOT NULL PRIMARY KEY, binding BLOB NOT NULL, madeAt REAL NOT NULL, isUsed INTEGER NOT NULL) STRICT,
      WITHOUT ROWID
    """,
  ]

  /// Platform SSO: devices, and what goes with each. Sign in with Apple: whose account is whose.
  private static let version2 = [
    """
    CREATE TABLE devices (
      number INTEGER PRIMARY KEY, tenant BLOB NOT NULL, id BLOB NOT NULL, registeredAt REAL NOT NULL,
      document BLOB NOT NULL, UNIQUE (tenant, id)) STRICT
    """,
    """
    CREATE TABLE deviceSigningKeys (
      keyID BLOB NOT NULL PRIMARY KEY, device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE) STRICT,
      WITHOUT ROWID
    """,
    "CREATE INDEX signingKeysOfDevices ON deviceSigningKeys (device)",
    """
    CREATE TABLE deviceUserKeys (
      device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE, user BLOB NOT NULL, keyID BLOB NOT NULL,
      point BLOB NOT NULL, enrolledAt REAL NOT NULL, PRIMARY KEY (device, user)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE deviceUnlockKeys (
      device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE, user BLOB NOT NULL, sealed BLOB NOT NULL,
      PRIMARY KEY (device, user)) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE deviceRefreshTokens (
      hash BLOB NOT NULL PRIMARY KEY, device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE, user BLOB NOT NULL,
      issuedAt REAL NOT NULL, expiresAt REAL NOT NULL, replacedAt REAL) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX refreshTokensOfDevices ON deviceRefreshTokens (device, user)",
    "CREATE INDEX refreshTokensOfUsers ON deviceRefreshTokens (user)",
    """
    CREATE TABLE deviceCodes (
      hash BLOB NOT NULL PRIMARY KEY, device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE, user BLOB NOT NULL,
      state BLOB NOT NULL, expiresAt REAL NOT NULL) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX codesOfDevices ON deviceCodes (device)",
    """
    CREATE TABLE appleAccounts (
      subject BLOB NOT NULL PRIMARY KEY, user BLOB NOT NULL, email BLOB, isPrivateEmail INTEGER NOT NULL,
      isEmailEnabled INTEGER NOT NULL, linkedAt REAL NOT NULL) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX appleAccountsByUser ON appleAccounts (user)",
  ]

  private static let version3 = """
    CREATE TABLE usedTokens (
      issuer BLOB NOT NULL, name BLOB NOT NULL, expiresAt REAL NOT NULL, PRIMARY KEY (issuer, name)) STRICT,
      WITHOUT ROWID
    """

  /// Authorization codes, and access tokens that ended before their time. Not `authorizationCodes` and `revokedTokens`:
  /// programs had tables of their own by these names.
  private static let version4 = [
    """
    CREATE TABLE grantCodes (
      hash BLOB NOT NULL PRIMARY KEY, version INTEGER NOT NULL, removableAt REAL NOT NULL, document BLOB NOT NULL)
      STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX grantCodesByEnd ON grantCodes (removableAt)",
    "CREATE TABLE revokedAccessTokens (name BLOB NOT NULL PRIMARY KEY, expiresAt REAL NOT NULL) STRICT, WITHOUT ROWID",
  ]

  /// Which authorization code a family of refresh tokens came of.
  private static let version5 = [
    "ALTER TABLE families ADD COLUMN grantName BLOB",
    "CREATE INDEX familiesByGrant ON families (grantName) WHERE grantName IS NOT NULL",
  ]

  /// All that a provider remembers, and by what it is found. Of the values that are unique, the index refuses a second
  /// one.
  private static let version6 = [
    """
    CREATE TABLE records (
      number INTEGER PRIMARY KEY, kind TEXT NOT NULL, key BLOB NOT NULL, version INTEGER NOT NULL,
      createdAt REAL NOT NULL, expiresAt REAL, document BLOB NOT NULL, attempt BLOB NOT NULL, UNIQUE (kind, key)) STRICT
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
    // Requests wait for a minute: those of the former version are asked again.
    "DROP TABLE pushedRequests",
  ]

  /// What is good once is noted in the records. What the former tables had is forgotten: it was good for minutes.
  private static let formerTables7 = [
    "appleSignIns", "appleNotifications", "appleTopics", "dpopProofs", "usedTokens", "replayEntries", "serverNonces",
  ]

  /// A token that has ended stays so.
  private static let version8 = [
    """
    INSERT INTO records (kind, key, version, createdAt, expiresAt, document, attempt)
    SELECT 'revoked-access-token', name, 1, 0, expiresAt, x'', x'' FROM revokedAccessTokens
    """,
    "DROP TABLE revokedAccessTokens",
  ]

  /// A code that was used stays known for it.
  private static let version9 = [
    """
    INSERT INTO records (kind, key, version, createdAt, expiresAt, document, attempt)
    SELECT 'authorization-code', hash, version, 0, removableAt, document, x'' FROM grantCodes
    """,
    "DROP TABLE grantCodes",
  ]

  /// Families of refresh tokens go on as records. When one is used again, its service says anew when it expires.
  private static let version10 =
    [
      """
      INSERT INTO records (kind, key, version, createdAt, expiresAt, document, attempt)
      SELECT 'refresh-token-family', id, version, createdAt, ifnull(revokedAt, expiresAt) + 90 * 86400, document, x''
      FROM families ORDER BY number
      """
    ]
    + [
      ("subject", "subject"), ("client", "client"), ("session", "session"), ("device-secret", "deviceSecret"),
      ("grant", "grantName"), ("active", "x''"),
      ("login", "CAST(CAST(length(subject) || '.' AS BLOB) || subject || client AS BLOB)"),
    ].map { name, value in
      """
      INSERT INTO recordIndexes (kind, name, value, createdAt, record, isUnique)
      SELECT kind, CAST('\(name)' AS BLOB), \(value), families.createdAt, records.number, 0
      FROM families JOIN records ON kind = 'refresh-token-family' AND key = id
      WHERE revokedAt IS NULL AND \(value) IS NOT NULL
      """
    } + ["DROP TABLE families"]

  /// Sessions, users, consents, pairwise subjects and settings go on as records.
  private static func version11(_ database: Database) throws {
    func insert(_ kind: String, _ key: Data, _ object: JSONObject, index: Data? = nil) throws {
      try database.execute(
        sql: """
          INSERT INTO records (kind, key, version, createdAt, document, attempt) VALUES (?, ?, 1, 0, ?, x'')
          """, arguments: [kind, key, Data(object.serialized())])
      guard let index else { return }
      try database.execute(
        sql: """
          INSERT INTO recordIndexes (kind, name, value, createdAt, record, isUnique) VALUES (?, ?, ?, 0, ?, 1)
          """, arguments: [kind, "subject".octets, index, database.lastInsertedRowID])
    }
    func text(_ octets: Data) -> JSONValue { .string(String(decoding: octets, as: UTF8.self)) }
    func pair(_ first: Data, _ second: Data) -> Data { "\(first.count).".octets + first + second }
    for row in try Row.fetchAll(database, sql: "SELECT * FROM sessions") {
      let isActive: Bool = row["isActive"]
      var object: JSONObject = [
        "version": 1, "user": text(row["user"]), "active": .bool(isActive),
        "authenticatedAt": .number(try JSONNumber(row["authenticatedAt"] as Double)),
      ]
      object["context"] = (row["context"] as Data?).map(text)
      object["methods"] = try (row["methods"] as Data?).flatMap { try JSONObject(parsing: $0)["list"] }
      try insert("session", row["id"], object)
    }
    for user in try Data.fetchAll(database, sql: "SELECT id FROM users WHERE isActive = 1") {
      try insert("user", user, ["version": 1])
    }
    for row in try Row.fetchAll(database, sql: "SELECT user, client, scopes FROM consents") {
      let scopes: Data = row["scopes"]
      let list = try JSONObject(parsing: scopes)["list"] ?? .array([])
      try insert("consent", pair(row["user"], row["client"]), ["version": 1, "list": list])
    }
    for row in try Row.fetchAll(database, sql: "SELECT user, client, subject FROM subjects") {
      try insert(
        "pairwise-subject", pair(row["user"], row["client"]),
        ["version": 1, "user": text(row["user"]), "subject": text(row["subject"])],
        index: pair(row["client"], row["subject"]))
    }
    // What can't be read is not "nothing saved": it goes on as it is.
    try database.execute(
      sql: """
        INSERT INTO records (kind, key, version, createdAt, document, attempt)
        SELECT 'native-sso-settings', x'', 1, 0, document, x'' FROM settings
        """)
  }

  /// Device secrets go on as records: found by their hashes now and before, their users and sessions, the live ones of
  /// a user by themselves.
  private static func version12(_ database: Database) throws {
    func list(_ query: String, _ number: Int64) throws -> [Data] {
      try Data.fetchAll(database, sql: query, arguments: [number])
    }
    for row in try Row.fetchAll(database, sql: "SELECT * FROM deviceSecrets ORDER BY number") {
      let (number, document): (Int64, Data) = (row["number"], row["document"])
      let revokedAt: Double? = row["revokedAt"]
      let object = try? JSONObject(parsing: document)
      let createdAt = object?["created"]?.numberValue?.double ?? 0
      try database.execute(
        sql: """
          INSERT INTO records (kind, key, version, createdAt, expiresAt, document, attempt)
          VALUES ('device-secret', ?, 1, ?, ?, ?, x'')
          """,
        arguments: [
          row["id"] as Data, createdAt, revokedAt.map { $0 + 90 * 86_400 } ?? row["expiresAt"], document,
        ])
      let record = database.lastInsertedRowID
      var indexes: [(name: String, value: Data, isUnique: Bool)] = [
        ("fingerprint", row["fingerprint"], true), ("user", row["user"], false),
      ]
      if revokedAt == nil { indexes.append(("live", row["user"], false)) }
      if let previous = object?["previous"]?.objectValue?["fingerprint"]?.stringValue {
        indexes.append(("fingerprint", previous.octets, true))
      }
      for rotated in try list("SELECT fingerprint FROM rotatedDeviceSecrets WHERE deviceSecret = ?", number) {
        indexes.append(("rotated", rotated, true))
      }
      for session in try list("SELECT session FROM deviceSecretSessions WHERE deviceSecret = ?", number) {
        indexes.append(("session", session, false))
      }
      for index in indexes {
        try database.execute(
          sql: """
            INSERT INTO recordIndexes (kind, name, value, createdAt, record, isUnique)
            VALUES ('device-secret', ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """, arguments: [index.name.octets, index.value, createdAt, record, index.isUnique])
      }
    }
  }
}
