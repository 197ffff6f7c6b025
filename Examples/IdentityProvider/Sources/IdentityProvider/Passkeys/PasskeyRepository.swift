import JOSE
import PureCrypto
import SQLStores

/// A user's passkey.
package struct Passkey: Sendable {
  package let id: [UInt8]
  package let userID: String
  package let name: String
  let key: P256VerificationKey
  let signCount: UInt32
  let isBackupEligible: Bool
  package let createdAt: NumericDate
  package let lastUsedAt: NumericDate?
}

/// The passkeys, in the database.
package struct PasskeyRepository: Sendable {
  let database: any SQLDriver
  let clock: WallClock

  /// Adds a passkey. False if a user has it already.
  func add(
    _ credential: AuthenticatorData.Credential, _ data: AuthenticatorData, name: String, userID: String,
    in session: any SQLSession
  ) throws -> Bool {
    try session.run(
      """
      INSERT INTO passkeys (id, "user", name, publicKey, authenticatorModel, signCount, isBackupEligible,
      isBackedUp, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """,
      [
        .octets(credential.id), .text(userID), .text(name), .octets(credential.key.x963Representation),
        .octets(credential.authenticatorModel), .integer(Int64(data.signCount)), .flag(data.isBackupEligible),
        .flag(data.isBackedUp), .date(clock.now),
      ]
    ).count == 1
  }

  func passkey(id: [UInt8]) async throws -> Passkey? {
    try await database.row(Passkey.query + " id = ?", [.octets(id)]).map { try Passkey(row: $0) }
  }

  package func passkeys(of userID: String) async throws -> [Passkey] {
    try await database.rows(Passkey.query + " \"user\" = ? ORDER BY createdAt", [.text(userID)])
      .map { try Passkey(row: $0) }
  }

  /// Records a use. False if the counter didn't increase, as it does in every authenticator that has one.
  func use(_ passkey: Passkey, _ data: AuthenticatorData) async throws -> Bool {
    let count = SQLValue.integer(Int64(data.signCount))
    return try await database.run(
      """
      UPDATE passkeys SET signCount = ?, isBackedUp = ?, lastUsedAt = ?
      WHERE id = ? AND (signCount < ? OR (signCount = 0 AND CAST(? AS BIGINT) = 0))
      """, [count, .flag(data.isBackedUp), .date(clock.now), .octets(passkey.id), count, count]
    ).count == 1
  }

  func remove(id: [UInt8], of userID: String) async throws -> Bool {
    try await database.run("DELETE FROM passkeys WHERE id = ? AND \"user\" = ?", [.octets(id), .text(userID)])
      .count == 1
  }

  func removeAll(of userID: String, in session: any SQLSession) throws {
    _ = try session.run("DELETE FROM passkeys WHERE \"user\" = ?", [.text(userID)])
  }
}

extension Passkey {
  fileprivate static let query = """
    SELECT id, "user", name, publicKey, signCount, isBackupEligible, createdAt, lastUsedAt FROM passkeys WHERE
    """

  fileprivate init(row: [SQLValue]) throws {
    self.init(
      id: try row[0].bytes, userID: try row[1].string, name: try row[2].string,
      key: try P256VerificationKey(x963Representation: row[3].bytes), signCount: UInt32(clamping: try row[4].int),
      isBackupEligible: try row[5].isSet, createdAt: try row[6].date, lastUsedAt: try row[7].orNil?.date)
  }
}
