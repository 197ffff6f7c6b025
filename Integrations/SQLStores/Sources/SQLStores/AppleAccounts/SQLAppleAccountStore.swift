import AppleSignInKit
import JOSE

/// The Apple Accounts that a provider's users have linked, in SQL. One Apple Account belongs to one user; its name is
/// `sub`, which is the same for all apps of a team.
///
/// The operations throw the driver's error, or ``MalformedRecord``.
public struct SQLAppleAccountStore: Sendable {
  private let driver: any SQLDriver

  /// The links in a database.
  public init(driver: any SQLDriver) { self.driver = driver }

  /// A link.
  public struct Account: Sendable, Hashable {
    /// `sub`: the Apple Account.
    public let subject: String
    /// The user of this provider.
    public let userID: String
    /// The address of the last sign-in or notification; use it for mail, never to look up an account.
    public let email: String?
    /// Whether the address is a relay of Apple's.
    public let isPrivateEmail: Bool
    /// Whether Apple forwards mail to it.
    public let isEmailEnabled: Bool
    /// When Apple last vouched for the user: `iat` of the last sign-in. An older event is about an earlier link.
    public let linkedAt: NumericDate
  }

  /// Links a verified Apple Account to a user, or notes its present address. Changes nothing and returns false if it is
  /// another user's.
  ///
  /// - Throws: see ``SQLAppleAccountStore``.
  public func link(_ identity: AppleIdentity, to userID: String) async throws -> Bool {
    try await link(
      subject: identity.subject, email: identity.email, isPrivateEmail: identity.isPrivateEmail,
      at: identity.issuedAt, to: userID)
  }

  /// As ``link(_:to:)``, with the stored values of an identity that was verified before.
  ///
  /// - Parameters:
  ///   - subject: `AppleIdentity.subject`.
  ///   - email: `AppleIdentity.email`.
  ///   - isPrivateEmail: `AppleIdentity.isPrivateEmail`.
  ///   - issuedAt: `AppleIdentity.issuedAt`. Once linked, the latest counts.
  ///   - userID: the user.
  /// - Throws: see ``SQLAppleAccountStore``.
  public func link(
    subject: String, email: String?, isPrivateEmail: Bool, at issuedAt: NumericDate, to userID: String
  ) async throws -> Bool {
    // An answer without an address doesn't change it.
    try await driver.run(
      """
      INSERT INTO appleAccounts (subject, "user", email, isPrivateEmail, isEmailEnabled, linkedAt)
      VALUES (?, ?, ?, ?, 1, ?)
      ON CONFLICT (subject) DO UPDATE SET email = coalesce(excluded.email, appleAccounts.email),
        isPrivateEmail = CASE WHEN excluded.email IS NULL THEN appleAccounts.isPrivateEmail
          ELSE excluded.isPrivateEmail END,
        linkedAt = CASE WHEN excluded.linkedAt > appleAccounts.linkedAt THEN excluded.linkedAt
          ELSE appleAccounts.linkedAt END
      WHERE appleAccounts."user" = excluded."user"
      """,
      [.name(subject), .name(userID), Self.name(email), .flag(isPrivateEmail), .date(issuedAt)]
    ).count == 1
  }

  /// The link of an Apple Account.
  ///
  /// - Throws: see ``SQLAppleAccountStore``.
  public func account(subject: String) async throws -> Account? {
    try await accounts("subject = ?", subject).first
  }

  /// A user's Apple Accounts, those used longest ago first.
  ///
  /// - Throws: see ``SQLAppleAccountStore``.
  public func accounts(userID: String) async throws -> [Account] {
    try await accounts("\"user\" = ? ORDER BY linkedAt, subject", userID)
  }

  /// Removes a link, and returns its user.
  ///
  /// - Throws: see ``SQLAppleAccountStore``.
  public func unlink(subject: String) async throws -> String? {
    try await driver.run("DELETE FROM appleAccounts WHERE subject = ? RETURNING \"user\"", [.name(subject)])
      .rows.first.map { try $0[0].name }
  }

  /// Stores Apple's notification about mail to an account. False if it is not linked.
  ///
  /// - Throws: see ``SQLAppleAccountStore``.
  public func setEmail(subject: String, email: String?, isEnabled: Bool) async throws -> Bool {
    try await driver.run(
      "UPDATE appleAccounts SET email = coalesce(?, email), isEmailEnabled = ? WHERE subject = ?",
      [Self.name(email), .flag(isEnabled), .name(subject)]
    ).count == 1
  }

  private static func name(_ text: String?) -> SQLValue { text.map { .name($0) } ?? .null }

  private func accounts(_ condition: String, _ value: String) async throws -> [Account] {
    try await driver.rows(
      """
      SELECT subject, "user", email, isPrivateEmail, isEmailEnabled, linkedAt FROM appleAccounts WHERE \(condition)
      """, [.name(value)]
    ).map { row in
      Account(
        subject: try row[0].name, userID: try row[1].name, email: try row[2].orNil?.name,
        isPrivateEmail: try row[3].isSet, isEmailEnabled: try row[4].isSet, linkedAt: try row[5].date)
    }
  }
}
