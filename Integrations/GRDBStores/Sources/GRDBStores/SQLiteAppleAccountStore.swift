import Foundation
import GRDB
import JOSE
import AppleSignInKit

extension ProviderDatabase {
  /// Which users have which Apple Accounts.
  public var appleAccounts: SQLiteAppleAccountStore { SQLiteAppleAccountStore(database: self) }
}

/// The Apple Accounts that a provider's users have linked, in SQLite. One Apple Account belongs to one user; its name
/// is `sub`, which is the same for all apps of a team.
///
/// What the operations throw is `DatabaseError`.
public struct SQLiteAppleAccountStore: Sendable {
  let database: ProviderDatabase

  /// A link.
  public struct Account: Sendable, Hashable {
    /// `sub`: the Apple Account.
    public let subject: String
    /// Whose it is here.
    public let userID: String
    /// The address of the last sign-in or notification; for mail, never to look up an account by.
    public let email: String?
    /// Whether the address is a relay of Apple's.
    public let isPrivateEmail: Bool
    /// Whether Apple forwards mail to it.
    public let isEmailEnabled: Bool
    /// When Apple last vouched for the user: `iat` of the last sign-in. An older event is about an earlier link.
    public let linkedAt: NumericDate
  }

  /// Links a verified Apple Account to a user, or notes its present address. False, and nothing changed, if it is
  /// another user's.
  ///
  /// - Throws: see ``SQLiteAppleAccountStore``.
  public func link(_ identity: AppleIdentity, to userID: String) async throws -> Bool {
    try await link(
      subject: identity.subject, email: identity.email, isPrivateEmail: identity.isPrivateEmail,
      at: identity.issuedAt, to: userID)
  }

  /// As ``link(_:to:)``, with what a program has kept of an identity that was verified before.
  ///
  /// - Parameters:
  ///   - subject: `AppleIdentity.subject`.
  ///   - email: `AppleIdentity.email`.
  ///   - isPrivateEmail: `AppleIdentity.isPrivateEmail`.
  ///   - issuedAt: `AppleIdentity.issuedAt`. Once linked, the latest counts.
  ///   - userID: the user.
  /// - Throws: see ``SQLiteAppleAccountStore``.
  public func link(
    subject: String, email: String?, isPrivateEmail: Bool, at issuedAt: NumericDate, to userID: String
  ) async throws -> Bool {
    try await database.write { database in
      // An answer without an address says nothing about it.
      try database.execute(
        sql: """
          INSERT INTO appleAccounts (subject, user, email, isPrivateEmail, isEmailEnabled, linkedAt)
          VALUES (?, ?, ?, ?, 1, ?)
          ON CONFLICT (subject) DO UPDATE SET email = ifnull(excluded.email, email),
            isPrivateEmail = iif(excluded.email IS NULL, isPrivateEmail, excluded.isPrivateEmail),
            linkedAt = max(linkedAt, excluded.linkedAt)
          WHERE user = excluded.user
          """, arguments: [subject.octets, userID.octets, email?.octets, isPrivateEmail, issuedAt.secondsSince1970])
      return database.changesCount == 1
    }
  }

  /// The link of an Apple Account.
  ///
  /// - Throws: see ``SQLiteAppleAccountStore``.
  public func account(subject: String) async throws -> Account? {
    try await database.read { try Self.fetch($0, "subject = ?", subject).first }
  }

  /// A user's Apple Accounts, the one first that was used longest ago.
  ///
  /// - Throws: see ``SQLiteAppleAccountStore``.
  public func accounts(userID: String) async throws -> [Account] {
    try await database.read { try Self.fetch($0, "user = ? ORDER BY linkedAt, subject", userID) }
  }

  /// Takes a link away, and says whose it was.
  ///
  /// - Throws: see ``SQLiteAppleAccountStore``.
  public func unlink(subject: String) async throws -> String? {
    try await database.write { database in
      try Data.fetchOne(
        database, sql: "DELETE FROM appleAccounts WHERE subject = ? RETURNING user", arguments: [subject.octets]
      ).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Notes what Apple says of mail to an account. False if it is not linked.
  ///
  /// - Throws: see ``SQLiteAppleAccountStore``.
  public func setEmail(subject: String, email: String?, isEnabled: Bool) async throws -> Bool {
    try await database.write { database in
      try database.execute(
        sql: "UPDATE appleAccounts SET email = ifnull(?, email), isEmailEnabled = ? WHERE subject = ?",
        arguments: [email?.octets, isEnabled, subject.octets])
      return database.changesCount == 1
    }
  }

  private static func fetch(_ database: Database, _ condition: String, _ value: String) throws -> [Account] {
    let rows = try Row.fetchAll(
      database,
      sql:
        "SELECT subject, user, email, isPrivateEmail, isEmailEnabled, linkedAt FROM appleAccounts WHERE \(condition)",
      arguments: [value.octets])
    return rows.compactMap { row in
      let (subject, user, email): (Data, Data, Data?) = (row[0], row[1], row[2])
      guard let linkedAt = NumericDate(secondsSince1970: row[5]) else { return nil }
      return Account(
        subject: String(decoding: subject, as: UTF8.self), userID: String(decoding: user, as: UTF8.self),
        email: email.map { String(decoding: $0, as: UTF8.self) }, isPrivateEmail: row[3], isEmailEnabled: row[4],
        linkedAt: linkedAt)
    }
  }
}
