import Foundation
import GRDB
import JOSE
import NativeSSOKit
import StrictJSON

extension ProviderDatabase {
  /// The users' sessions and consents.
  ///
  /// - Parameter usesPairwiseSubjects: whether each client knows a user by another `sub`.
  public func sessions(usesPairwiseSubjects: Bool = false) -> SQLiteSessionStore {
    SQLiteSessionStore(database: self, usesPairwiseSubjects: usesPairwiseSubjects)
  }
}

/// Sessions, users and consents in SQLite.
///
/// What the operations throw is `DatabaseError`, or `JSONError` for what can't be read.
public struct SQLiteSessionStore: SessionStore {
  let database: ProviderDatabase
  let usesPairwiseSubjects: Bool

  // MARK: The provider's questions

  /// The session of this name.
  ///
  /// - Throws: see ``SQLiteSessionStore``.
  public func session(id: String) async throws -> AuthenticationSession? {
    try database.lookUp { database in
      let statement = try database.cachedStatement(
        sql: "SELECT user, isActive, authenticatedAt, context, methods FROM sessions WHERE id = ?")
      guard let row = try Row.fetchOne(statement, arguments: [id.octets]) else { return nil }
      let (user, context, methods): (Data, Data?, Data?) = (row[0], row[3], row[4])
      guard let authenticatedAt = NumericDate(secondsSince1970: row[2]) else { return nil }
      return AuthenticationSession(
        id: id, userID: Self.text(user), isActive: row[1], authenticatedAt: authenticatedAt,
        authenticationContext: context.map(Self.text), authenticationMethods: try methods.map(Self.list))
    }
  }

  /// Whether the user is there and enabled.
  ///
  /// - Throws: see ``SQLiteSessionStore``.
  public func isActive(userID: String) async throws -> Bool {
    try database.lookUp { database in
      try Bool.fetchOne(
        database.cachedStatement(sql: "SELECT isActive FROM users WHERE id = ?"), arguments: [userID.octets]) ?? false
    }
  }

  /// What the user has agreed to.
  ///
  /// - Throws: see ``SQLiteSessionStore``.
  public func grantedScopes(userID: String, clientID: String) async throws -> [String] {
    try database.lookUp { database in
      let scopes = try Data.fetchOne(
        database.cachedStatement(sql: "SELECT scopes FROM consents WHERE user = ? AND client = ?"),
        arguments: [userID.octets, clientID.octets])
      return try scopes.map(Self.list) ?? []
    }
  }

  /// The user's own name, or a random one for each client.
  ///
  /// - Throws: see ``SQLiteSessionStore``.
  public func subject(userID: String, clientID: String) async throws -> String {
    guard usesPairwiseSubjects else { return userID }
    return try await database.write { database in
      let names: StatementArguments = [userID.octets, clientID.octets]
      let query = "SELECT subject FROM subjects WHERE user = ? AND client = ?"
      if let subject = try Data.fetchOne(database, sql: query, arguments: names) { return Self.text(subject) }
      let subject = DeviceSecret.random().reveal()
      try database.execute(
        sql: "INSERT INTO subjects (user, client, subject) VALUES (?, ?, ?)",
        arguments: [userID.octets, clientID.octets, subject.octets])
      return subject
    }
  }

  /// The user whom a client knows by this name.
  ///
  /// - Throws: see ``SQLiteSessionStore``.
  public func userID(subject: String, clientID: String) async throws -> String? {
    guard usesPairwiseSubjects else { return subject }
    return try await database.read { database in
      try Data.fetchOne(
        database, sql: "SELECT user FROM subjects WHERE client = ? AND subject = ?",
        arguments: [clientID.octets, subject.octets]
      ).map(Self.text)
    }
  }

  // MARK: The program's changes

  /// Adds a session, or writes it anew.
  ///
  /// - Throws: see ``SQLiteSessionStore``.
  public func add(_ session: AuthenticationSession) async throws {
    try await database.write { database in
      try database.execute(
        sql: """
          INSERT OR REPLACE INTO sessions (id, user, isActive, authenticatedAt, context, methods)
          VALUES (?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          session.id.octets, session.userID.octets, session.isActive, session.authenticatedAt.secondsSince1970,
          session.authenticationContext?.octets, session.authenticationMethods.map(Self.document),
        ])
    }
  }

  /// Ends a session.
  ///
  /// - Throws: see ``SQLiteSessionStore``.
  public func end(sessionID: String) async throws {
    try await execute("UPDATE sessions SET isActive = 0 WHERE id = ?", [sessionID.octets])
  }

  /// Adds or enables a user.
  ///
  /// - Throws: see ``SQLiteSessionStore``.
  public func addUser(_ userID: String) async throws {
    try await execute("INSERT OR REPLACE INTO users (id, isActive) VALUES (?, 1)", [userID.octets])
  }

  /// Disables a user.
  ///
  /// - Throws: see ``SQLiteSessionStore``.
  public func disableUser(_ userID: String) async throws {
    try await execute("UPDATE users SET isActive = 0 WHERE id = ?", [userID.octets])
  }

  /// Records what a user agrees to.
  ///
  /// - Throws: see ``SQLiteSessionStore``.
  public func grant(_ scopes: [String], userID: String, clientID: String) async throws {
    try await execute(
      "INSERT OR REPLACE INTO consents (user, client, scopes) VALUES (?, ?, ?)",
      [userID.octets, clientID.octets, Self.document(scopes)])
  }

  private func execute(_ statement: String, _ arguments: StatementArguments) async throws {
    try await database.write { try $0.execute(sql: statement, arguments: arguments) }
  }

  private static func text(_ octets: Data) -> String { String(decoding: octets, as: UTF8.self) }

  private static func document(_ list: [String]) -> Data {
    let object: JSONObject = ["list": .array(list.map { .string($0) })]
    return Data(object.serialized())
  }

  private static func list(_ document: Data) throws -> [String] {
    try JSONObject(parsing: document)["list"]?.arrayValue?.compactMap(\.stringValue) ?? []
  }
}
