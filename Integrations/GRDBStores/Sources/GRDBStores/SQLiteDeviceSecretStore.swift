import Foundation
import GRDB
import JOSE
import NativeSSOKit

extension ProviderDatabase {
  /// The device secrets' records.
  public var deviceSecrets: SQLiteDeviceSecretStore { SQLiteDeviceSecretStore(database: self) }
}

/// Records of device secrets in SQLite: their hashes, never a secret.
///
/// What the operations throw is `DatabaseError`, or `NativeSSOError` with the code `recordMalformed`.
public struct SQLiteDeviceSecretStore: DeviceSecretStore {
  let database: ProviderDatabase

  /// Adds a record, keeping the user at `limit` live ones at most.
  ///
  /// - Throws: see ``SQLiteDeviceSecretStore``.
  public func insert(
    _ record: DeviceSecretRecord, limit: Int, overflow: NativeSSOSettings.OverflowBehavior, now: NumericDate
  ) async throws -> DeviceSecretInsertion {
    try await database.write { database in
      let live = try DeviceSecretRow.fetch(
        database, "user = ? AND revokedAt IS NULL AND expiresAt > ?", [record.userID.octets, now.secondsSince1970])
      var revoked: [String] = []
      if live.count >= limit {
        guard overflow == .revokeOldest else { return .rejected }
        for row in live.prefix(live.count - limit + 1) {
          try row.revoke(.maxSecretsExceeded, now, in: database)
          revoked.append(row.id)
        }
      }
      try StoredDeviceSecret.insert(record, into: database)
      return .inserted(revoked: revoked)
    }
  }

  /// The record with this hash.
  ///
  /// - Throws: see ``SQLiteDeviceSecretStore``.
  public func record(fingerprint: DeviceSecretFingerprint, now: NumericDate) async throws -> DeviceSecretRecord? {
    try await database.read { try Self.record(fingerprint, now, in: $0) }
  }

  /// The record whose secret had this hash before a rotation, if its grace has ended.
  ///
  /// - Throws: see ``SQLiteDeviceSecretStore``.
  public func rotatedRecord(
    fingerprint: DeviceSecretFingerprint, now: NumericDate
  ) async throws -> DeviceSecretRecord? {
    try await database.read { database in
      guard try Self.record(fingerprint, now, in: database) == nil else { return nil }
      return try Self.rotated(fingerprint, in: database)
    }
  }

  private static func record(
    _ fingerprint: DeviceSecretFingerprint, _ now: NumericDate, in database: Database
  ) throws -> DeviceSecretRecord? {
    if let current = try StoredDeviceSecret.fetch(database, "fingerprint = ?", [fingerprint.octets]).first {
      return current.record
    }
    guard let rotated = try rotated(fingerprint, in: database), let previous = rotated.previous,
      previous.fingerprint == fingerprint, now < previous.validUntil
    else { return nil }
    return rotated
  }

  private static func rotated(
    _ fingerprint: DeviceSecretFingerprint, in database: Database
  ) throws -> DeviceSecretRecord? {
    try StoredDeviceSecret.fetch(
      database, "number IN (SELECT deviceSecret FROM rotatedDeviceSecrets WHERE fingerprint = ?)", [fingerprint.octets]
    ).first?.record
  }

  /// The record of this name.
  ///
  /// - Throws: see ``SQLiteDeviceSecretStore``.
  public func record(id: String) async throws -> DeviceSecretRecord? {
    try await database.read { try StoredDeviceSecret.named(id, in: $0)?.record }
  }

  /// Every record of a user, the newest first.
  ///
  /// - Throws: see ``SQLiteDeviceSecretStore``.
  public func records(userID: String) async throws -> [DeviceSecretRecord] {
    try await database.read { database in
      try StoredDeviceSecret.fetch(database, "user = ?", [userID.octets]).reversed().map(\.record)
    }
  }

  /// Uses a secret once.
  ///
  /// - Throws: see ``SQLiteDeviceSecretStore``.
  public func consume(id: String, useLimit: Int?, now: NumericDate) async throws -> DeviceSecretConsumption {
    try await database.write { database in
      guard var stored = try StoredDeviceSecret.active(id, now, in: database) else { return .notActive }
      if let useLimit, stored.record.useCount >= useLimit {
        try stored.revoke(.useCountExceeded, now, in: database)
        return .exhausted
      }
      stored.record.useCount += 1
      stored.record.lastUsedAt = now
      stored.record.updatedAt = now
      try stored.write(to: database)
      return .consumed(useCount: stored.record.useCount)
    }
  }

  /// Attaches a session to an active record.
  ///
  /// - Throws: see ``SQLiteDeviceSecretStore``.
  public func attach(sessionID: String, to id: String, now: NumericDate) async throws -> Bool {
    try await database.write { database in
      guard var stored = try StoredDeviceSecret.active(id, now, in: database) else { return false }
      if !stored.record.sessionIDs.contains(where: { $0.octets == sessionID.octets }) {
        stored.record.sessionIDs.append(sessionID)
        try stored.attach(sessionID, in: database)
      }
      stored.record.updatedAt = now
      try stored.write(to: database)
      return true
    }
  }

  /// Puts a new secret in place of the current one.
  ///
  /// - Throws: see ``SQLiteDeviceSecretStore``.
  public func rotate(
    id: String, from current: DeviceSecretFingerprint, to next: DeviceSecretFingerprint, graceUntil: NumericDate,
    now: NumericDate
  ) async throws -> Bool {
    try await database.write { database in
      guard var stored = try StoredDeviceSecret.active(id, now, in: database), stored.record.fingerprint == current
      else { return false }
      stored.record.previous = (current, graceUntil)
      stored.record.fingerprint = next
      stored.record.updatedAt = now
      try database.execute(
        sql: "INSERT OR REPLACE INTO rotatedDeviceSecrets (fingerprint, deviceSecret) VALUES (?, ?)",
        arguments: [current.octets, stored.number])
      try stored.write(to: database)
      return true
    }
  }

  /// Revokes a record.
  ///
  /// - Throws: see ``SQLiteDeviceSecretStore``.
  public func revoke(id: String, reason: RevocationReason, now: NumericDate) async throws -> DeviceSecretRevocation {
    try await database.write { database in
      guard let row = try DeviceSecretRow.fetch(database, "id = ?", [id.octets]).first else { return .unknown }
      guard !row.isRevoked else { return .alreadyRevoked }
      try row.revoke(reason, now, in: database)
      return .revoked
    }
  }

  /// Revokes every unrevoked record of a user.
  ///
  /// - Throws: see ``SQLiteDeviceSecretStore``.
  public func revokeAll(
    userID: String, reason: RevocationReason, now: NumericDate
  ) async throws -> DeviceSecretRevocations {
    try await revokeAll("user = ?", [userID.octets], reason, now)
  }

  /// Revokes every unrevoked record that a session is attached to.
  ///
  /// - Throws: see ``SQLiteDeviceSecretStore``.
  public func revokeAll(
    sessionID: String, reason: RevocationReason, now: NumericDate
  ) async throws -> DeviceSecretRevocations {
    try await revokeAll(
      "number IN (SELECT deviceSecret FROM deviceSecretSessions WHERE session = ?)", [sessionID.octets], reason, now)
  }

  private func revokeAll(
    _ condition: String, _ arguments: StatementArguments, _ reason: RevocationReason, _ now: NumericDate
  ) async throws -> DeviceSecretRevocations {
    try await database.write { database in
      var outcome = DeviceSecretRevocations()
      for row in try DeviceSecretRow.fetch(database, condition, arguments) {
        guard !row.isRevoked else {
          outcome.alreadyRevoked.append(row.id)
          continue
        }
        try row.revoke(reason, now, in: database)
        outcome.revoked.append(row.id)
      }
      return outcome
    }
  }

  /// Removes expired records, and those revoked long ago.
  ///
  /// - Throws: see ``SQLiteDeviceSecretStore``.
  public func removeStale(now: NumericDate, revokedBefore: NumericDate) async throws -> Int {
    try await database.write { database in
      try database.execute(
        sql: """
          DELETE FROM deviceSecrets
          WHERE CASE WHEN revokedAt IS NULL THEN expiresAt <= :now ELSE revokedAt < :date END
          """, arguments: ["now": now.secondsSince1970, "date": revokedBefore.secondsSince1970])
      return database.changesCount
    }
  }
}

/// A row of the table, whose document may be one that can't be read: it is revoked by its columns, and nobody else's
/// device secret waits for it.
private struct DeviceSecretRow {
  let number: Int64
  let id: String
  let isRevoked: Bool
  let document: Data

  /// The rows that fit, the oldest first.
  static func fetch(
    _ database: Database, _ condition: String, _ arguments: StatementArguments
  ) throws -> [DeviceSecretRow] {
    let statement = try database.cachedStatement(
      sql: "SELECT number, id, revokedAt IS NOT NULL, document FROM deviceSecrets WHERE \(condition) ORDER BY number")
    return try Row.fetchAll(statement, arguments: arguments).map { row in
      let id: Data = row[1]
      return DeviceSecretRow(
        number: row[0], id: String(decoding: id, as: UTF8.self), isRevoked: row[2], document: row[3])
    }
  }

  func revoke(_ reason: RevocationReason, _ now: NumericDate, in database: Database) throws {
    if let record = try? DeviceSecretRecord(parsing: document) {
      var stored = StoredDeviceSecret(number: number, record: record)
      try stored.revoke(reason, now, in: database)
    } else {
      try database.execute(
        sql: "UPDATE deviceSecrets SET revokedAt = ? WHERE number = ?", arguments: [now.secondsSince1970, number])
    }
  }
}

/// A row of the table with its record.
private struct StoredDeviceSecret {
  let number: Int64
  var record: DeviceSecretRecord

  /// The rows that fit, the oldest first.
  static func fetch(
    _ database: Database, _ condition: String, _ arguments: StatementArguments
  ) throws -> [StoredDeviceSecret] {
    try DeviceSecretRow.fetch(database, condition, arguments).map { row in
      StoredDeviceSecret(number: row.number, record: try DeviceSecretRecord(parsing: row.document))
    }
  }

  static func named(_ id: String, in database: Database) throws -> StoredDeviceSecret? {
    try fetch(database, "id = ?", [id.octets]).first
  }

  static func active(_ id: String, _ now: NumericDate, in database: Database) throws -> StoredDeviceSecret? {
    guard let stored = try named(id, in: database), stored.record.state(at: now) == .active else { return nil }
    return stored
  }

  static func insert(_ record: DeviceSecretRecord, into database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO deviceSecrets (id, fingerprint, user, expiresAt, revokedAt, document) VALUES (?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        record.id.octets, record.fingerprint.octets, record.userID.octets, record.expiresAt.secondsSince1970,
        record.revocation?.date.secondsSince1970, Data(record.serialized()),
      ])
    let stored = StoredDeviceSecret(number: database.lastInsertedRowID, record: record)
    for session in record.sessionIDs { try stored.attach(session, in: database) }
  }

  func attach(_ sessionID: String, in database: Database) throws {
    try database.execute(
      sql: "INSERT OR IGNORE INTO deviceSecretSessions (session, deviceSecret) VALUES (?, ?)",
      arguments: [sessionID.octets, number])
  }

  mutating func revoke(_ reason: RevocationReason, _ now: NumericDate, in database: Database) throws {
    record.revocation = (now, reason)
    record.updatedAt = now
    try write(to: database)
  }

  func write(to database: Database) throws {
    try database.execute(
      sql: "UPDATE deviceSecrets SET fingerprint = ?, revokedAt = ?, document = ? WHERE number = ?",
      arguments: [
        record.fingerprint.octets, record.revocation?.date.secondsSince1970, Data(record.serialized()), number,
      ])
  }
}

extension DeviceSecretFingerprint {
  fileprivate var octets: Data { hexadecimal.octets }
}
