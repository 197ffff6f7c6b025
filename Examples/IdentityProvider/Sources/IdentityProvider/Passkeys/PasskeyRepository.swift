import Foundation
import GRDB
import GRDBStores
import JOSE
import PureCrypto

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
  let database: ProviderDatabase
  let clock: WallClock

  /// Adds a passkey. False if it is somebody's already.
  func add(
    _ credential: AuthenticatorData.Credential, _ data: AuthenticatorData, name: String, userID: String,
    in database: Database
  ) throws -> Bool {
    try database.execute(
      sql: """
        INSERT OR IGNORE INTO passkeys (id, user, name, publicKey, authenticatorModel, signCount, isBackupEligible,
        isBackedUp, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        Data(credential.id), userID, name, Data(credential.key.x963Representation),
        Data(credential.authenticatorModel), data.signCount, data.isBackupEligible, data.isBackedUp,
        clock.now.secondsSince1970,
      ])
    return database.changesCount == 1
  }

  func passkey(id: [UInt8]) async throws -> Passkey? {
    try await database.read { database in
      try Passkey.fetchOne(database, sql: "SELECT * FROM passkeys WHERE id = ?", arguments: [Data(id)])
    }
  }

  package func passkeys(of userID: String) async throws -> [Passkey] {
    try await database.read { database in
      try Passkey.fetchAll(
        database, sql: "SELECT * FROM passkeys WHERE user = ? ORDER BY createdAt", arguments: [userID])
    }
  }

  /// Notes a use. False if the counter has not gone up, which it does in every authenticator that counts.
  func use(_ passkey: Passkey, _ data: AuthenticatorData) async throws -> Bool {
    try await database.execute(
      """
      UPDATE passkeys SET signCount = ?1, isBackedUp = ?2, lastUsedAt = ?3
      WHERE id = ?4 AND (signCount < ?1 OR (signCount = 0 AND ?1 = 0))
      """, [data.signCount, data.isBackedUp, clock.now.secondsSince1970, Data(passkey.id)]) == 1
  }

  func remove(id: [UInt8], of userID: String) async throws -> Bool {
    try await database.execute("DELETE FROM passkeys WHERE id = ? AND user = ?", [Data(id), userID]) == 1
  }

  func removeAll(of userID: String, in database: Database) throws {
    try database.execute(sql: "DELETE FROM passkeys WHERE user = ?", arguments: [userID])
  }
}

extension Passkey: FetchableRecord {
  package init(row: Row) throws {
    self.init(
      id: Array(row["id"] as Data), userID: row["user"], name: row["name"],
      key: try P256VerificationKey(x963Representation: row["publicKey"] as Data), signCount: row["signCount"],
      isBackupEligible: row["isBackupEligible"], createdAt: NumericDate(saturating: row["createdAt"]),
      lastUsedAt: (row["lastUsedAt"] as Double?).map { NumericDate(saturating: $0) })
  }
}
