import Foundation
import GRDB
import GRDBStores
import JOSE
import OpenIDKit
import PureCrypto

/// The browsers in which somebody is logged in. Of a cookie only the hash is kept.
package struct BrowserSessions: Sendable {
  /// A login in a browser.
  package struct Entry: FetchableRecord, Decodable, Sendable {
    /// `sid`.
    package let id: String
    package let userID: String
    package let startedAt: NumericDate
    package let lastSeenAt: NumericDate
    package let address: String
    package let agent: String

    private enum CodingKeys: String, CodingKey {
      case id = "session", userID = "user", startedAt, lastSeenAt, address, agent
    }
  }

  let database: ProviderDatabase
  let clock: WallClock
  let idleTimeout: Double
  let lifetime: Double

  /// The login of a cookie, unless it has ended or has been left for too long.
  func session(cookie: String) async throws -> Entry? {
    let (now, hash) = (clock.now.secondsSince1970, Self.hash(cookie))
    let entry = try database.lookUp { database in
      try Entry.fetchOne(
        database.cachedStatement(sql: "SELECT * FROM browserSessions WHERE cookie = ?"), arguments: [hash])
    }
    guard let entry, now - entry.lastSeenAt.secondsSince1970 <= idleTimeout,
      now - entry.startedAt.secondsSince1970 <= lifetime
    else { return nil }
    // A visit is noted once a minute at most: reading must stay cheap.
    if now - entry.lastSeenAt.secondsSince1970 > 60 {
      try await database.execute("UPDATE browserSessions SET lastSeenAt = ? WHERE cookie = ?", [now, hash])
    }
    return entry
  }

  /// Begins a login, or gives one that is there a new cookie. Returns the cookie.
  func begin(_ session: AuthenticationSession, address: String, agent: String) async throws -> String {
    let cookie = RandomText.make()
    try await database.execute(
      """
      INSERT INTO browserSessions (cookie, session, user, startedAt, lastSeenAt, address, agent)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (session) DO UPDATE SET cookie = ?1, startedAt = ?4,
      lastSeenAt = ?5, address = ?6, agent = ?7
      """,
      [
        Self.hash(cookie), session.id, session.userID, session.authenticatedAt.secondsSince1970,
        clock.now.secondsSince1970, address, String(agent.prefix(200)),
      ])
    return cookie
  }

  /// The logins of a user, the newest first.
  package func sessions(userID: String) async throws -> [Entry] {
    try await entries("lastSeenAt >= ?1 AND startedAt >= ?2 AND user = ?3 ORDER BY lastSeenAt DESC", [userID])
  }

  func remove(sessionID: String) async throws {
    try await database.execute("DELETE FROM browserSessions WHERE session = ?", [sessionID])
  }

  /// Those that have been left for too long, with their users.
  func expired() async throws -> [Entry] { try await entries("lastSeenAt < ?1 OR startedAt < ?2") }

  /// - Parameter condition: the first two arguments say since when a login must have been used, and have begun.
  private func entries(_ condition: String, _ more: StatementArguments = []) async throws -> [Entry] {
    let now = clock.now.secondsSince1970
    let limits: StatementArguments = [now - idleTimeout, now - lifetime]
    return try await database.read { database in
      try Entry.fetchAll(database, sql: "SELECT * FROM browserSessions WHERE " + condition, arguments: limits + more)
    }
  }

  // MARK: Which clients a login has been used with

  func note(client: String, sessionID: String) async throws {
    try await database.execute(
      "INSERT OR IGNORE INTO sessionClients (session, client, firstUsedAt) VALUES (?, ?, ?)",
      [sessionID, Data(client.utf8), clock.now.secondsSince1970])
  }

  func clients(sessionID: String) async throws -> [String] {
    try await database.read { database in
      try Data.fetchAll(
        database, sql: "SELECT client FROM sessionClients WHERE session = ?", arguments: [sessionID]
      ).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  private static func hash(_ cookie: String) -> Data { Data(SHA2.SHA256.hash(cookie.utf8)) }
}
