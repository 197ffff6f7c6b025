import Foundation
import GRDB
import GRDBStores
import JOSE
import NativeSSOKit
import OpenIDKit

/// The users, in the database.
package struct UserRepository: Sendable {
  let database: ProviderDatabase
  /// Keeps who may log in.
  let sessions: SessionRecords
  let clock: WallClock

  /// The name is another user's.
  package struct NameTaken: Error, CustomStringConvertible {
    package let description = "There is a user of this name already."
  }

  /// Upper and lower case don't make two names of one.
  static func key(_ username: String) -> Data {
    Data(username.precomposedStringWithCompatibilityMapping.lowercased().utf8)
  }

  package func user(id: String) async throws -> User? {
    try await look("SELECT * FROM accounts WHERE id = ?", [id])
  }

  package func user(named username: String) async throws -> User? {
    try await look("SELECT * FROM accounts WHERE usernameKey = ?", [Self.key(username)])
  }

  /// Users by name, from after one, at most so many.
  package func users(after username: String = "", limit: Int = 100) async throws -> [User] {
    try await list(
      "SELECT * FROM accounts WHERE usernameKey > ? ORDER BY usernameKey LIMIT ?", [Self.key(username), limit])
  }

  /// Adds a user who may log in.
  ///
  /// - Throws: ``NameTaken``, `DatabaseError`.
  package func add(_ user: User) async throws {
    let count = try await database.execute(
      """
      INSERT INTO accounts (id, usernameKey, username, email, isEmailVerified, isAdmin, password,
      claims, createdAt, updatedAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (usernameKey) DO NOTHING
      """,
      [
        user.id, Self.key(user.username), user.username, user.email, user.isEmailVerified, user.isAdmin,
        user.storedPassword, Data(user.claims.serialized()), user.createdAt.secondsSince1970,
        user.updatedAt.secondsSince1970,
      ])
    guard count == 1 else { throw NameTaken() }
    // Who is cut off here leaves a user that is disabled.
    try await sessions.addUser(user.id)
  }

  /// Changes how a user logs in, at once, unless another password has come since the user was read.
  func write<Value: Sendable>(
    for user: User, _ change: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await database.write { database in
      let query = "SELECT password FROM accounts WHERE id = ?"
      guard try String.fetchOne(database, sql: query, arguments: [user.id]) == user.storedPassword else {
        throw Provider.interactionOver
      }
      return try change(database)
    }
  }

  func setPassword(_ password: String, of id: String, in database: Database) throws {
    try database.execute(
      sql: "UPDATE accounts SET password = ?, updatedAt = ? WHERE id = ?",
      arguments: [password, clock.now.secondsSince1970, id])
  }

  /// Changes what is given.
  func set(email: String? = nil, claims: JSONObject? = nil, of id: String) async throws {
    try await database.execute(
      "UPDATE accounts SET email = ifnull(?, email), claims = ifnull(?, claims), updatedAt = ? WHERE id = ?",
      [email, claims.map { Data($0.serialized()) }, clock.now.secondsSince1970, id])
  }

  /// Gives or takes the administrator's right. False if nobody else who may log in has it.
  func setAdministrator(_ isAdmin: Bool, of id: String) async throws -> Bool {
    let others = try await administrators().filter { $0.isEnabled && $0.id != id }
    guard isAdmin || !others.isEmpty else { return false }
    return try await database.execute(
      """
      UPDATE accounts SET isAdmin = ?1 WHERE id = ?2
      AND (?1 OR EXISTS (SELECT 1 FROM accounts WHERE isAdmin = 1 AND id <> ?2))
      """, [isAdmin, id]) == 1
  }

  package func setEnabled(_ isEnabled: Bool, of id: String) async throws {
    if isEnabled { try await sessions.addUser(id) } else { try await sessions.disableUser(id) }
  }

  package func administrators() async throws -> [User] {
    try await list("SELECT * FROM accounts WHERE isAdmin = 1")
  }

  // MARK: Second factors

  /// The sealed seed of a user's second factor.
  func secondFactor(of id: String) async throws -> String? {
    try await database.read {
      try String.fetchOne($0, sql: "SELECT secondFactor FROM accounts WHERE id = ?", arguments: [id])
    }
  }

  /// Sets the second factor with its recovery codes, or takes both away. The code of the step that was used to set it
  /// up is no login any more.
  func setSecondFactor(
    _ sealed: String?, usedStep: Int64 = 0, recoveryCodes: [[UInt8]] = [], of id: String, in database: Database
  ) throws {
    try database.execute(
      sql: "UPDATE accounts SET secondFactor = ?, lastSecondFactorStep = ? WHERE id = ?",
      arguments: [sealed, usedStep, id])
    try database.execute(sql: "DELETE FROM recoveryCodes WHERE user = ?", arguments: [id])
    for code in recoveryCodes {
      try database.execute(sql: "INSERT INTO recoveryCodes (user, hash) VALUES (?, ?)", arguments: [id, Data(code)])
    }
  }

  /// Uses up a step of a second factor's clock. False if it, or a later one, was used already.
  func useSecondFactorStep(_ step: Int64, of id: String) async throws -> Bool {
    try await database.execute(
      "UPDATE accounts SET lastSecondFactorStep = ?1 WHERE id = ?2 AND lastSecondFactorStep < ?1", [step, id]) == 1
  }

  /// Uses up a recovery code, given by its hash. False if there is none.
  func useRecoveryCode(_ hash: [UInt8], of id: String) async throws -> Bool {
    try await database.execute("DELETE FROM recoveryCodes WHERE user = ? AND hash = ?", [id, Data(hash)]) == 1
  }

  // MARK: Reading

  private func look(_ sql: String, _ arguments: StatementArguments) async throws -> User? {
    let user = try database.lookUp { try User.fetchOne($0.cachedStatement(sql: sql), arguments: arguments) }
    guard var user else { return nil }
    user.isEnabled = try await sessions.isActive(userID: user.id)
    return user
  }

  private func list(_ sql: String, _ arguments: StatementArguments = []) async throws -> [User] {
    var users = try await database.read { try User.fetchAll($0, sql: sql, arguments: arguments) }
    for index in users.indices { users[index].isEnabled = try await sessions.isActive(userID: users[index].id) }
    return users
  }
}

extension User: FetchableRecord {
  /// A user as the table has it, which doesn't know who may log in.
  package init(row: Row) throws {
    self.init(
      id: row["id"], username: row["username"], email: row["email"], isEmailVerified: row["isEmailVerified"],
      isAdmin: row["isAdmin"], isEnabled: false,
      hasSecondFactor: (row["secondFactor"] as String?) != nil, claims: try JSONObject(parsing: row["claims"] as Data),
      storedPassword: row["password"], createdAt: NumericDate(saturating: row["createdAt"]),
      updatedAt: NumericDate(saturating: row["updatedAt"]))
  }
}
