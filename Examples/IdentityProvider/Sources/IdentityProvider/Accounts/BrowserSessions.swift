import Foundation
import GRDB
import GRDBStores
import JOSE
import OpenIDKit
import PureCrypto

/// The browsers in which somebody is logged in. Of a cookie only the hash is kept.
package struct BrowserSessions: Sendable {
  /// A login in a browser.
  package struct Entry: Sendable {
    /// `sid`.
    package let id: String
    package let userID: String
    package let startedAt: NumericDate
    package let lastSeenAt: NumericDate
    package let address: String
    package let agent: String
  }

  let database: ProviderDatabase
  let clock: WallClock
  let idleTimeout: Double
  let lifetime: Double

  /// The login of a cookie, unless it has ended or has been left for too long.
  func session(cookie: String) async throws -> Entry? {
    let now = clock.now.secondsSince1970
    let hash = Self.hash(cookie)
    let entry = try database.lookUp { database in
      try Row.fetchOne(
        database.cachedStatement(sql: "SELECT * FROM browserSessions WHERE cookie = ?"), arguments: [hash]
      ).map(Self.entry)
    }
    guard let entry, now - entry.lastSeenAt.secondsSince1970 <= idleTimeout,
      now - entry.startedAt.secondsSince1970 <= lifetime
    else { return nil }
    // A visit is noted once a minute at most: reading must stay cheap.
    if now - entry.lastSeenAt.secondsSince1970 > 60 {
      try await database.write { database in
        try database.execute(
          sql: "UPDATE browserSessions SET lastSeenAt = ? WHERE cookie = ?", arguments: [now, hash])
      }
    }
    return entry
  }

  /// Begins a login, or gives one that is there a new cookie. Returns the cookie.
  func begin(_ session: AuthenticationSession, address: String, agent: String) async throws -> String {
    let cookie = RandomText.make()
    let (start, now) = (session.authenticatedAt.secondsSince1970, clock.now.secondsSince1970)
    let hash = Self.hash(cookie)
    try await database.write { database in
      try database.execute(
        sql: """
          INSERT INTO browserSessions (cookie, session, user, startedAt, lastSeenAt, address, agent)
          VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (session) DO UPDATE SET cookie = ?1, startedAt = ?4,
          lastSeenAt = ?5, address = ?6, agent = ?7
          """,
        arguments: [hash, session.id, session.userID, start, now, address, String(agent.prefix(200))])
    }
    return cookie
  }

  /// The logins of a user, the newest first.
  package func sessions(userID: String) async throws -> [Entry] {
    let now = clock.now.secondsSince1970
    return try await database.read { [idleTimeout, lifetime] database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM browserSessions WHERE user = ? AND lastSeenAt >= ? AND startedAt >= ? ORDER BY lastSeenAt DESC
          """,
        arguments: [userID, now - idleTimeout, now - lifetime]
      ).map(Self.entry)
    }
  }

  func remove(sessionID: String) async throws {
    try await database.write { database in
      try database.execute(sql: "DELETE FROM browserSessions WHERE session = ?", arguments: [sessionID])
    }
  }

  /// Those that have been left for too long, with their users.
  func expired() async throws -> [Entry] {
    let now = clock.now.secondsSince1970
    return try await database.read { [idleTimeout, lifetime] database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM browserSessions WHERE lastSeenAt < ? OR startedAt < ?",
        arguments: [now - idleTimeout, now - lifetime]
      ).map(Self.entry)
    }
  }

  // MARK: Which clients a login has been used with

  func note(client: String, sessionID: String) async throws {
    let now = clock.now.secondsSince1970
    try await database.write { database in
      try database.execute(
        sql: "INSERT OR IGNORE INTO sessionClients (session, client, firstUsedAt) VALUES (?, ?, ?)",
        arguments: [sessionID, Data(client.utf8), now])
    }
  }

  func clients(sessionID: String) async throws -> [String] {
    try await database.read { database in
      try Data.fetchAll(
        database, sql: "SELECT client FROM sessionClients WHERE session = ?", arguments: [sessionID]
      ).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  private static func hash(_ cookie: String) -> Data { Data(SHA2.SHA256.hash(cookie.utf8)) }

  private static func entry(_ row: Row) -> Entry {
    Entry(
      id: row["session"], userID: row["user"], startedAt: NumericDate(saturating: row["startedAt"]),
      lastSeenAt: NumericDate(saturating: row["lastSeenAt"]), address: row["address"], agent: row["agent"])
  }
}
