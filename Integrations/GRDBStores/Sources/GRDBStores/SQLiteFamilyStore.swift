import Foundation
import GRDB
import JOSE
import OpenIDKit

extension ProviderDatabase {
  /// The families of refresh tokens.
  public var families: SQLiteFamilyStore { SQLiteFamilyStore(database: self) }
}

/// Families of refresh tokens in SQLite.
public struct SQLiteFamilyStore: RefreshTokenFamilyStore {
  let database: ProviderDatabase

  /// The family of that name.
  ///
  /// - Throws: `DatabaseError`, `TokenRefreshError` with the code `recordMalformed`.
  public func family(_ id: RefreshTokenFamily.ID) async throws -> RefreshTokenFamily? {
    let document = try database.lookUp { database in
      try Data.fetchOne(
        database.cachedStatement(sql: "SELECT document FROM families WHERE id = ?"), arguments: [Data(id.octets)])
    }
    return try document.map { try RefreshTokenFamily(parsing: $0) }
  }

  /// Adds a family. Returns false if the name is taken.
  ///
  /// - Throws: `DatabaseError`.
  public func insert(_ family: RefreshTokenFamily) async throws -> Bool {
    let row = FamilyRow(family)
    return try await database.write { database in
      let statement = try database.cachedStatement(
        sql: """
          INSERT INTO families
          (id, version, subject, client, session, deviceSecret, grantName, createdAt, expiresAt, revokedAt, document)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
          """)
      try statement.execute(arguments: row.columns)
      return database.changesCount == 1
    }
  }

  /// Replaces a family if it has the expected version.
  ///
  /// - Throws: `DatabaseError`.
  public func replace(expecting expected: UInt64, with family: RefreshTokenFamily) async throws -> Bool {
    let row = FamilyRow(family)
    return try await database.write { database in
      let statement = try database.cachedStatement(
        sql: """
          UPDATE families SET version = ?, expiresAt = ?, revokedAt = ?, document = ? WHERE id = ? AND version = ?
          """)
      try statement.execute(arguments: [
        row.version, row.expiresAt, row.revokedAt, row.document, row.id, Int64(bitPattern: expected),
      ])
      return database.changesCount == 1
    }
  }

  /// The names of all families that fit, the oldest first.
  ///
  /// - Throws: `DatabaseError`.
  public func families(_ selection: FamilySelection) async throws -> [RefreshTokenFamily.ID] {
    try await names(selection, "")
  }

  /// The names of those that fit and are active, the oldest first.
  ///
  /// - Throws: `DatabaseError`.
  public func activeFamilies(_ selection: FamilySelection) async throws -> [RefreshTokenFamily.ID] {
    try await names(selection, "AND revokedAt IS NULL")
  }

  /// Removes families that ended before a date.
  ///
  /// - Throws: `DatabaseError`.
  public func removeFamilies(endedBefore date: NumericDate) async throws {
    try await database.write { database in
      try database.execute(
        sql: "DELETE FROM families WHERE revokedAt < :date OR expiresAt < :date",
        arguments: ["date": date.secondsSince1970])
    }
  }

  private func names(_ selection: FamilySelection, _ more: String) async throws -> [RefreshTokenFamily.ID] {
    let (condition, arguments): (String, StatementArguments) =
      switch selection {
      case .subject(let subject): ("subject = ?", [subject.octets])
      case .client(let client): ("client = ?", [client.octets])
      case .subjectAndClient(let subject, let client):
        ("subject = ? AND client = ?", [subject.octets, client.octets])
      case .session(let session): ("session = ?", [session.octets])
      case .deviceSecret(let secret): ("deviceSecret = ?", [secret.octets])
      case .grant(let name): ("grantName = ?", [name.octets])
      case .createdBefore(let date): ("createdAt < ?", [date.secondsSince1970])
      }
    let names = try await database.read { database in
      try Data.fetchAll(
        database, sql: "SELECT id FROM families WHERE \(condition) \(more) ORDER BY createdAt, number",
        arguments: arguments)
    }
    return names.compactMap { RefreshTokenFamily.ID(octets: Array($0)) }
  }

  /// A family as the table has it.
  private struct FamilyRow: Sendable {
    let id, subject, client, document: Data
    let session, deviceSecret, grantName: Data?
    let version: Int64
    let createdAt: Double
    let expiresAt, revokedAt: Double?

    init(_ family: RefreshTokenFamily) {
      id = Data(family.id.octets)
      version = Int64(bitPattern: family.version)
      subject = family.grant.subject.octets
      client = family.grant.clientID.octets
      session = family.grant.sessionID?.octets
      deviceSecret = family.grant.deviceSecretID?.octets
      grantName = family.grant.grantID?.octets
      createdAt = family.createdAt.secondsSince1970
      expiresAt = family.absoluteExpiration?.secondsSince1970
      revokedAt = if case .revoked(_, let date) = family.status { date.secondsSince1970 } else { nil }
      document = Data(family.serialized())
    }

    var columns: StatementArguments {
      [id, version, subject, client, session, deviceSecret, grantName, createdAt, expiresAt, revokedAt, document]
    }
  }
}
