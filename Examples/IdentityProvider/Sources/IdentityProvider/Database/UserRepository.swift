import Foundation
import JOSE
import NativeSSOKit
import OpenIDKit
import SQLStores

/// The users, in the database.
package struct UserRepository: Sendable {
  let database: any SQLDriver
  /// Knows which users may log in.
  let sessions: SessionRecords
  let clock: WallClock

  /// Another user has the name.
  package struct NameTaken: Error, CustomStringConvertible {
    package let description = "There is a user with this name already: choose another name."
  }

  /// The form in which names are compared: upper and lower case are the same.
  ///
  /// Normalization takes time that grows with the square of the number of combining marks. A longer text than a user
  /// name can be, with each letter written as two characters, is left as it is: it is the name of no user.
  static func key(_ username: String) -> [UInt8] {
    let isShort = username.unicodeScalars.count <= 2 * AccountRules.usernameLength
    return Array((isShort ? username.precomposedStringWithCompatibilityMapping : username).lowercased().utf8)
  }

  package func user(id: String) async throws -> User? {
    try await look("id = ?", .text(id))
  }

  package func user(named username: String) async throws -> User? {
    try await look("usernameKey = ?", .octets(Self.key(username)))
  }

  /// Users ordered by name, those after a given name, up to a limit.
  package func users(after username: String = "", limit: Int = 100) async throws -> [User] {
    try await list(
      "usernameKey > ? ORDER BY usernameKey LIMIT ?", [.octets(Self.key(username)), .integer(Int64(limit))])
  }

  /// Adds a user who may log in.
  ///
  /// - Throws: ``NameTaken``, what the database throws.
  package func add(_ user: User) async throws {
    let added = try await database.run(
      """
      INSERT INTO accounts (id, usernameKey, username, email, isEmailVerified, isAdmin, password,
      claims, createdAt, updatedAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (usernameKey) DO NOTHING
      """,
      [
        .text(user.id), .octets(Self.key(user.username)), .text(user.username), .text(user.email),
        .flag(user.isEmailVerified), .flag(user.isAdmin), .text(user.storedPassword),
        .octets(user.claims.serialized()), .date(user.createdAt), .date(user.updatedAt),
      ])
    guard added.count == 1 else { throw NameTaken() }
    // If the process stops here, the user exists and is disabled.
    try await sessions.addUser(user.id)
  }

  /// Changes how a user logs in, in one transaction, unless the password has changed since the user was read.
  func write<Value: Sendable>(
    for user: User, _ change: @escaping @Sendable (any SQLSession) throws -> Value
  ) async throws -> Value {
    try await database.write { session in
      // Writing the row locks it until the transaction ends.
      let found = try session.run(
        "UPDATE accounts SET password = password WHERE id = ? AND password = ?",
        [.text(user.id), .text(user.storedPassword)])
      guard found.count == 1 else { throw Provider.interactionOver }
      return try change(session)
    }
  }

  func setPassword(_ password: String, of id: String, in session: any SQLSession) throws {
    _ = try session.run(
      "UPDATE accounts SET password = ?, updatedAt = ? WHERE id = ?", [.text(password), .date(clock.now), .text(id)])
  }

  /// Writes the stored form of the same password anew, unless the password has changed since the user was read.
  func renewPassword(_ password: String, of user: User) async throws {
    try await database.run(
      "UPDATE accounts SET password = ? WHERE id = ? AND password = ?",
      [.text(password), .text(user.id), .text(user.storedPassword)])
  }

  /// Changes the values that are given.
  func set(email: String? = nil, claims: JSONObject? = nil, of id: String) async throws {
    try await database.run(
      "UPDATE accounts SET email = coalesce(?, email), claims = coalesce(?, claims), updatedAt = ? WHERE id = ?",
      [.optional(email), claims.map { .octets($0.serialized()) } ?? .null, .date(clock.now), .text(id)])
  }

  /// Makes a user an administrator, or no longer one. False for the last enabled administrator.
  func setAdministrator(_ isAdmin: Bool, of id: String) async throws -> Bool {
    let others = try await administrators().filter { $0.isEnabled && $0.id != id }
    guard isAdmin || !others.isEmpty else { return false }
    let dialect = database.dialect
    return try await database.write { session in
      // Without the lock, two administrators could remove each other.
      try session.lock(["administrators"], dialect)
      return try session.run(
        """
        UPDATE accounts SET isAdmin = ? WHERE id = ?
        AND (CAST(? AS BIGINT) = 1 OR EXISTS (SELECT 1 FROM accounts WHERE isAdmin = 1 AND id <> ?))
        """, [.flag(isAdmin), .text(id), .flag(isAdmin), .text(id)]
      ).count == 1
    }
  }

  package func setEnabled(_ isEnabled: Bool, of id: String) async throws {
    if isEnabled { try await sessions.addUser(id) } else { try await sessions.disableUser(id) }
  }

  package func administrators() async throws -> [User] {
    try await list("isAdmin = 1")
  }

  /// Whether a user who may log in administers the provider.
  func hasAdministrator() async throws -> Bool { try await administrators().contains { $0.isEnabled } }

  // MARK: Second factors

  /// The sealed seed of a user's second factor.
  func secondFactor(of id: String) async throws -> String? {
    try await database.row("SELECT secondFactor FROM accounts WHERE id = ?", [.text(id)])?[0].orNil?.string
  }

  /// Sets the second factor with its recovery codes, or takes both away. The code that set it up can't be used again
  /// for a login.
  func setSecondFactor(
    _ sealed: String?, usedStep: Int64 = 0, recoveryCodes: [[UInt8]] = [], of id: String, in session: any SQLSession
  ) throws {
    _ = try session.run(
      "UPDATE accounts SET secondFactor = ?, lastSecondFactorStep = ? WHERE id = ?",
      [.optional(sealed), .integer(usedStep), .text(id)])
    _ = try session.run("DELETE FROM recoveryCodes WHERE \"user\" = ?", [.text(id)])
    for code in recoveryCodes {
      _ = try session.run("INSERT INTO recoveryCodes (\"user\", hash) VALUES (?, ?)", [.text(id), .octets(code)])
    }
  }

  /// Uses up a second factor's time step. False if it, or a later one, was used already.
  func useSecondFactorStep(_ step: Int64, of id: String) async throws -> Bool {
    try await database.run(
      "UPDATE accounts SET lastSecondFactorStep = ? WHERE id = ? AND lastSecondFactorStep < ?",
      [.integer(step), .text(id), .integer(step)]
    ).count == 1
  }

  /// Uses up a recovery code, given by its hash. False if the user has no such code.
  func useRecoveryCode(_ hash: [UInt8], of id: String) async throws -> Bool {
    try await database.run("DELETE FROM recoveryCodes WHERE \"user\" = ? AND hash = ?", [.text(id), .octets(hash)])
      .count == 1
  }

  // MARK: Reading

  private static let query = """
    SELECT id, username, email, isEmailVerified, isAdmin, secondFactor, claims, password, createdAt, updatedAt
    FROM accounts WHERE
    """

  private func look(_ condition: String, _ value: SQLValue) async throws -> User? {
    guard let row = try await database.row(Self.query + " " + condition, [value]) else { return nil }
    return try await user(row)
  }

  private func list(_ condition: String, _ values: [SQLValue] = []) async throws -> [User] {
    var users: [User] = []
    for row in try await database.rows(Self.query + " " + condition, values) { users.append(try await user(row)) }
    return users
  }

  private func user(_ row: [SQLValue]) async throws -> User {
    let id = try row[0].string
    return User(
      id: id, username: try row[1].string, email: try row[2].string, isEmailVerified: try row[3].isSet,
      isAdmin: try row[4].isSet, isEnabled: try await sessions.isActive(userID: id),
      hasSecondFactor: row[5].orNil != nil, claims: try JSONObject(parsing: row[6].bytes),
      storedPassword: try row[7].string, createdAt: try row[8].date, updatedAt: try row[9].date)
  }
}
