import Foundation
import GRDB
import JOSE
import PlatformSSOKit
import PureCrypto

/// Makes records of what users hold on their devices: one for each user and device, and one for each code.
enum DeviceLoginMigration {
  /// The library's form of a login.
  private struct Login: Codable {
    struct Token: Codable {
      var hash: String
      var givenAt: Double
      var replacedAt: Double?
    }

    var userName: String
    var registration: String
    var tenant: String?
    var userKey: RegisteredKey?
    var unlockKey: String?
    var expiration: Double?
    var tokens: [Token]
  }

  /// The library's form of a code.
  private struct Code: Codable {
    var userName: String
    var tenant: String?
    var registration: String
    var state: String
    var scope = "login"
  }

  /// The record of a device.
  private struct Device: Codable {
    var tenant: String?
  }

  static func run(_ database: Database) throws {
    let holders = try Row.fetchAll(
      database,
      sql: """
        SELECT device, user FROM deviceUserKeys UNION SELECT device, user FROM deviceUnlockKeys
        UNION SELECT device, user FROM deviceRefreshTokens
        """)
    for row in holders { try keepLogin(of: row[1], on: row[0], database) }
    for row in try Row.fetchAll(database, sql: "SELECT hash, device, user, state, expiresAt FROM deviceCodes") {
      try keepCode(row, database)
    }
    for table in ["deviceUserKeys", "deviceUnlockKeys", "deviceRefreshTokens", "deviceCodes"] {
      try database.execute(sql: "DROP TABLE \(table)")
    }
  }

  private static func keepLogin(of user: Data, on number: Int64, _ database: Database) throws {
    let (registration, tenant, createdAt) = try device(number, database)
    let owner: StatementArguments = [number, user]
    let point = try Data.fetchOne(
      database, sql: "SELECT point FROM deviceUserKeys WHERE device = ? AND user = ?", arguments: owner)
    let sealed = try Data.fetchOne(
      database, sql: "SELECT sealed FROM deviceUnlockKeys WHERE device = ? AND user = ?", arguments: owner)
    let tokens = try Row.fetchAll(
      database,
      sql: """
        SELECT hash, issuedAt, expiresAt, replacedAt FROM deviceRefreshTokens WHERE device = ? AND user = ?
        ORDER BY replacedAt IS NOT NULL, replacedAt DESC, issuedAt DESC LIMIT 32
        """, arguments: owner)
    let login = Login(
      userName: text(user), registration: Base64URL.encode(Array(registration)), tenant: tenant,
      userKey: try point.map { try RegisteredKey(x963Representation: $0) }, unlockKey: sealed.map(text),
      expiration: tokens.first.map { $0[2] },
      tokens: tokens.map {
        Login.Token(hash: Base64URL.encode(Array($0[0] as Data)), givenAt: $0[1], replacedAt: $0[3])
      })
    let isLasting = point != nil || sealed != nil
    let record = try insert(
      "device-login", key: digest([registration, user]), createdAt: createdAt,
      expiresAt: isLasting ? nil : login.expiration, login, database)
    var indexes = [("user", digest([user] + tenantFields(tenant)), false), ("registration", registration, false)]
    indexes += tokens.map { ("token", $0[0] as Data, true) }
    try index("device-login", record, createdAt: createdAt, indexes, database)
  }

  private static func keepCode(_ row: Row, _ database: Database) throws {
    let (hash, number, user, state, expiresAt): (Data, Int64, Data, Data, Double) = (
      row[0], row[1], row[2], row[3], row[4]
    )
    let (registration, tenant, createdAt) = try device(number, database)
    let code = Code(
      userName: text(user), tenant: tenant, registration: Base64URL.encode(Array(registration)), state: text(state))
    let record = try insert(
      "device-code", key: hash, createdAt: createdAt, expiresAt: expiresAt, code, database)
    try index(
      "device-code", record, createdAt: createdAt,
      [("user", digest([user] + tenantFields(tenant)), false), ("registration", registration, false)], database)
  }

  /// The key of a device's record, the tenant, and the date of the registration.
  private static func device(_ number: Int64, _ database: Database) throws -> (Data, String?, Double) {
    guard
      let row = try Row.fetchOne(
        database, sql: "SELECT key, document, createdAt FROM records WHERE number = ?", arguments: [number])
    else { throw DatabaseError(message: "a login's device is not there") }
    // What belongs to a device that can't be read is kept, and found again by nothing but its end.
    let device = try? JSONDecoder().decode(Device.self, from: row[1] as Data)
    return (row[0], device?.tenant, row[2])
  }

  private static func insert(
    _ kind: String, key: Data, createdAt: Double, expiresAt: Double?, _ document: some Encodable, _ database: Database
  ) throws -> Int64 {
    try database.execute(
      sql: """
        INSERT INTO records (kind, key, version, createdAt, expiresAt, document, attempt)
        VALUES (?, ?, 1, ?, ?, ?, x'')
        """, arguments: [kind, key, createdAt, expiresAt, try JSONEncoder().encode(document)])
    return database.lastInsertedRowID
  }

  private static func index(
    _ kind: String, _ record: Int64, createdAt: Double, _ indexes: [(String, Data, Bool)], _ database: Database
  ) throws {
    for (name, value, isUnique) in indexes {
      try database.execute(
        sql: """
          INSERT INTO recordIndexes (kind, name, value, createdAt, record, isUnique) VALUES (?, ?, ?, ?, ?, ?)
          """, arguments: [kind, name.octets, value, createdAt, record, isUnique])
    }
  }

  private static func text(_ octets: Data) -> String { String(decoding: octets, as: UTF8.self) }

  private static func tenantFields(_ tenant: String?) -> [Data] { tenant.map { [$0.octets] } ?? [] }

  /// SHA-256 of fields, each behind its length.
  private static func digest(_ fields: [Data]) -> Data {
    let octets = fields.flatMap { field in
      withUnsafeBytes(of: UInt32(field.count).bigEndian) { Array($0) } + Array(field)
    }
    return Data(SHA2.SHA256.hash(octets))
  }
}
