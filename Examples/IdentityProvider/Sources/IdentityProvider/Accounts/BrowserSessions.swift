import JOSE
import OpenIDKit
import PureCrypto
import SQLStores

/// The browsers in which a user is logged in. Only the hash of a cookie is stored.
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

    fileprivate static let query = """
      SELECT session, "user", startedAt, lastSeenAt, address, agent FROM browserSessions WHERE
      """

    fileprivate init(row: [SQLValue]) throws {
      (id, userID, startedAt) = (try row[0].string, try row[1].string, try row[2].date)
      (lastSeenAt, address, agent) = (try row[3].date, try row[4].string, try row[5].string)
    }
  }

  let database: any SQLDriver
  let clock: WallClock
  let idleTimeout: Double
  let lifetime: Double

  /// The login of a cookie; nil if it has ended or was idle for too long.
  func session(cookie: String) async throws -> Entry? {
    let (now, hash) = (clock.now.secondsSince1970, Self.hash(cookie))
    let entry = try await database.row(Entry.query + " cookie = ?", [hash]).map { try Entry(row: $0) }
    guard let entry, now - entry.lastSeenAt.secondsSince1970 <= idleTimeout,
      now - entry.startedAt.secondsSince1970 <= lifetime
    else { return nil }
    // A visit is noted once a minute at most: reading must stay cheap.
    if now - entry.lastSeenAt.secondsSince1970 > 60 {
      try await database.run("UPDATE browserSessions SET lastSeenAt = ? WHERE cookie = ?", [.real(now), hash])
    }
    return entry
  }

  /// Begins a login, or gives an existing one a new cookie. Returns the cookie.
  func begin(_ session: AuthenticationSession, address: String, agent: String) async throws -> String {
    let cookie = RandomText.make()
    try await database.run(
      """
      INSERT INTO browserSessions (cookie, session, "user", startedAt, lastSeenAt, address, agent)
      VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session) DO UPDATE SET cookie = excluded.cookie,
      startedAt = excluded.startedAt, lastSeenAt = excluded.lastSeenAt, address = excluded.address,
      agent = excluded.agent
      """,
      [
        Self.hash(cookie), .text(session.id), .text(session.userID), .date(session.authenticatedAt),
        .date(clock.now), .text(address), .text(String(agent.prefix(200))),
      ])
    return cookie
  }

  /// The logins of a user, the newest first.
  package func sessions(userID: String) async throws -> [Entry] {
    try await entries(
      " lastSeenAt >= ? AND startedAt >= ? AND \"user\" = ? ORDER BY lastSeenAt DESC", [.text(userID)])
  }

  func remove(sessionID: String) async throws {
    try await database.run("DELETE FROM browserSessions WHERE session = ?", [.text(sessionID)])
  }

  /// The logins that were idle for too long, with their users, up to a limit.
  func expired(limit: Int) async throws -> [Entry] {
    try await entries(" lastSeenAt < ? OR startedAt < ? LIMIT ?", [.integer(Int64(limit))])
  }

  /// - Parameter condition: its first two values are the earliest last use and the earliest start of a login.
  private func entries(_ condition: String, _ more: [SQLValue] = []) async throws -> [Entry] {
    let now = clock.now.secondsSince1970
    let limits: [SQLValue] = [.real(now - idleTimeout), .real(now - lifetime)]
    return try await database.rows(Entry.query + condition, limits + more).map { try Entry(row: $0) }
  }

  private static func hash(_ cookie: String) -> SQLValue { .octets(Array(SHA2.SHA256.hash(cookie.utf8))) }
}
