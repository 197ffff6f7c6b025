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

  private static let query = "SELECT * FROM accounts"

  /// Upper and lower case don't make two names of one.
  static func key(_ username: String) -> Data {
    Data(username.precomposedStringWithCompatibilityMapping.lowercased().utf8)
  }

  package func user(id: String) async throws -> User? {
    let user = try database.lookUp { database in
      try Row.fetchOne(database.cachedStatement(sql: Self.query + " WHERE id = ?"), arguments: [id]).map(Self.user)
    }
    return try await enabled(user)
  }

  package func user(named username: String) async throws -> User? {
    let key = Self.key(username)
    let user = try database.lookUp { database in
      try Row.fetchOne(database.cachedStatement(sql: Self.query + " WHERE usernameKey = ?"), arguments: [key])
        .map(Self.user)
    }
    return try await enabled(user)
  }

  /// The user whose verified address this is, if there is only one.
  package func user(email: String) async throws -> User? {
    let user = try await database.read { database in
      let rows = try Row.fetchAll(
        database, sql: Self.query + " WHERE lower(email) = lower(?) AND isEmailVerified = 1 LIMIT 2", arguments: [email]
      )
      return rows.count == 1 ? try Self.user(rows[0]) : nil
    }
    return try await enabled(user)
  }

  /// Users by name, from after one, at most so many.
  package func users(after username: String = "", limit: Int = 100) async throws -> [User] {
    let key = Self.key(username)
    let found = try await database.read { database in
      try Row.fetchAll(
        database, sql: Self.query + " WHERE usernameKey > ? ORDER BY usernameKey LIMIT ?", arguments: [key, limit]
      ).map(Self.user)
    }
    return try await enabled(found)
  }

  /// Adds a user who may log in.
  ///
  /// - Throws: ``NameTaken``, `DatabaseError`.
  package func add(_ user: User) async throws {
    let key = Self.key(user.username)
    try await database.write { database in
      try database.execute(
        sql: """
          INSERT INTO accounts (id, usernameKey, username, email, isEmailVerified, isAdmin, password,
          claims, createdAt, updatedAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (usernameKey) DO NOTHING
          """,
        arguments: [
          user.id, key, user.username, user.email, user.isEmailVerified, user.isAdmin, user.storedPassword,
          Data(user.claims.serialized()), user.createdAt.secondsSince1970, user.updatedAt.secondsSince1970,
        ])
      guard database.changesCount == 1 else { throw NameTaken() }
    }
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

  func setEmail(_ email: String, of id: String) async throws {
    let (sql, now) = ("UPDATE accounts SET email = ?, updatedAt = ? WHERE id = ?", clock.now.secondsSince1970)
    try await database.write { try $0.execute(sql: sql, arguments: [email, now, id]) }
  }

  /// Gives or takes the administrator's right. False if nobody else who may log in has it.
  func setAdministrator(_ isAdmin: Bool, of id: String) async throws -> Bool {
    let others = try await administrators().filter { $0.isEnabled && $0.id != id }
    guard isAdmin || !others.isEmpty else { return false }
    return try await database.write { database in
      try database.execute(
        sql: """
          UPDATE accounts SET isAdmin = ?1 WHERE id = ?2
          AND (?1 OR EXISTS (SELECT 1 FROM accounts WHERE isAdmin = 1 AND id <> ?2))
          """,
        arguments: [isAdmin, id])
      return database.changesCount == 1
    }
  }

  package func setEnabled(_ isEnabled: Bool, of id: String) async throws {
    if isEnabled { try await sessions.addUser(id) } else { try await sessions.disableUser(id) }
  }

  package func administrators() async throws -> [User] {
    let found = try await database.read { database in
      try Row.fetchAll(database, sql: Self.query + " WHERE isAdmin = 1").map(Self.user)
    }
    return try await enabled(found)
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
    try await database.write { database in
      try database.execute(
        sql: "UPDATE accounts SET lastSecondFactorStep = ? WHERE id = ? AND lastSecondFactorStep < ?",
        arguments: [step, id, step])
      return database.changesCount == 1
    }
  }

  /// Uses up a recovery code, given by its hash. False if there is none.
  func useRecoveryCode(_ hash: [UInt8], of id: String) async throws -> Bool {
    try await database.write { database in
      try database.execute(
        sql: "DELETE FROM recoveryCodes WHERE user = ? AND hash = ?", arguments: [id, Data(hash)])
      return database.changesCount == 1
    }
  }

  /// A user that was read, with whether it may log in.
  private func enabled(_ user: User?) async throws -> User? {
    try await enabled(user.map { [$0] } ?? []).first
  }

  private func enabled(_ found: [User]) async throws -> [User] {
    var users = found
    for index in users.indices { users[index].isEnabled = try await sessions.isActive(userID: users[index].id) }
    return users
  }

  private static func user(_ row: Row) throws -> User {
    var user = User(
      id: row["id"], username: row["username"], email: row["email"], isEmailVerified: row["isEmailVerified"],
      isAdmin: row["isAdmin"], isEnabled: false,
      hasSecondFactor: (row["secondFactor"] as String?) != nil, claims: try JSONObject(parsing: row["claims"] as Data),
      createdAt: NumericDate(saturating: row["createdAt"]), updatedAt: NumericDate(saturating: row["updatedAt"]))
    user.storedPassword = row["password"]
    return user
  }
}
