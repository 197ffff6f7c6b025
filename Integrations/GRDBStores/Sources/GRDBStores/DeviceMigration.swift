import Foundation
import GRDB
import PureCrypto

/// Makes records of the devices' rows. What belongs to the users of a device follows its record.
enum DeviceMigration {
  static func run(_ database: Database) throws {
    try database.execute(sql: "CREATE TEMPORARY TABLE recordsOfDevices (device INTEGER PRIMARY KEY, record INTEGER)")
    for row in try Row.fetchAll(
      database, sql: "SELECT number, tenant, id, registeredAt, document FROM devices ORDER BY number")
    {
      let (number, tenant, id, registeredAt): (Int64, Data, Data, Double) = (row[0], row[1], row[2], row[3])
      try database.execute(
        sql: """
          INSERT INTO records (kind, key, version, createdAt, document, attempt) VALUES ('device', ?, 1, ?, ?, x'')
          """, arguments: [key(id, tenant), registeredAt, row[4] as Data])
      let record = database.lastInsertedRowID
      try database.execute(
        sql: "INSERT INTO recordsOfDevices (device, record) VALUES (?, ?)", arguments: [number, record])
      for (name, value, isUnique) in [("tenant", tenant, false), ("name", key(id, tenant), true)] {
        try database.execute(
          sql: """
            INSERT INTO recordIndexes (kind, name, value, createdAt, record, isUnique) VALUES ('device', ?, ?, ?, ?, ?)
            """, arguments: [name.octets, value, registeredAt, record, isUnique])
      }
      try database.execute(
        sql: """
          INSERT INTO recordIndexes (kind, name, value, createdAt, record, isUnique)
          SELECT 'device', ?, keyID, ?, ?, 1 FROM deviceSigningKeys WHERE device = ?
          """, arguments: ["signing-key".octets, registeredAt, record, number])
    }
    for (table, columns, rest) in tables {
      try database.execute(sql: "CREATE TABLE new\(table) (\(columns)) STRICT, WITHOUT ROWID")
      try database.execute(
        sql: """
          INSERT INTO new\(table) (device, \(rest))
          SELECT record, \(rest) FROM \(table) JOIN recordsOfDevices USING (device)
          """)
      try database.execute(sql: "DROP TABLE \(table)")
      try database.execute(sql: "ALTER TABLE new\(table) RENAME TO \(table)")
    }
    for statement in [
      "CREATE INDEX refreshTokensOfDevices ON deviceRefreshTokens (device, user)",
      "CREATE INDEX refreshTokensOfUsers ON deviceRefreshTokens (user)",
      "CREATE INDEX codesOfDevices ON deviceCodes (device)", "DROP TABLE recordsOfDevices",
      "DROP TABLE deviceSigningKeys", "DROP TABLE devices",
    ] {
      try database.execute(sql: statement)
    }
  }

  private static let device = "device INTEGER NOT NULL REFERENCES records ON DELETE CASCADE, user BLOB NOT NULL, "
  private static let tables = [
    (
      "deviceUserKeys",
      device + "keyID BLOB NOT NULL, point BLOB NOT NULL, enrolledAt REAL NOT NULL, PRIMARY KEY (device, user)",
      "user, keyID, point, enrolledAt"
    ), ("deviceUnlockKeys", device + "sealed BLOB NOT NULL, PRIMARY KEY (device, user)", "user, sealed"),
    (
      "deviceRefreshTokens",
      device + "hash BLOB NOT NULL PRIMARY KEY, issuedAt REAL NOT NULL, expiresAt REAL NOT NULL, replacedAt REAL",
      "user, hash, issuedAt, expiresAt, replacedAt"
    ),
    (
      "deviceCodes", device + "hash BLOB NOT NULL PRIMARY KEY, state BLOB NOT NULL, expiresAt REAL NOT NULL",
      "user, hash, state, expiresAt"
    ),
  ]

  /// What the library calls a device's record: SHA-256 of its name and, if it has one, its tenant, each behind its
  /// length.
  private static func key(_ id: Data, _ tenant: Data) -> Data {
    // A tenant stands behind "=", so that no tenant is another one than the tenant without a name.
    let fields = [id] + (tenant.isEmpty ? [] : [tenant.dropFirst()])
    let octets = fields.flatMap { field in
      withUnsafeBytes(of: UInt32(field.count).bigEndian) { Array($0) } + Array(field)
    }
    return Data(SHA2.SHA256.hash(octets))
  }
}
