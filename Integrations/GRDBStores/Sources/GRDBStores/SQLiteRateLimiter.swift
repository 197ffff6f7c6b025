import Foundation
import GRDB
import JOSE
import OpenIDKit

extension ProviderDatabase {
  /// The rate limits.
  public var rateLimits: SQLiteRateLimiter { SQLiteRateLimiter(database: self) }
}

/// Counts attempts in SQLite, for all processes together.
public struct SQLiteRateLimiter: RateLimiter {
  let database: ProviderDatabase

  /// Counts an attempt.
  ///
  /// - Throws: `DatabaseError`.
  public func attempt(
    _ keys: [RateLimitKey], limit: Int, blockDuration: Duration, now: NumericDate
  ) async throws -> RateLimitDecision {
    let now = now.secondsSince1970
    return try await database.write { database in
      var windows: [(key: Data, window: Window?)] = []
      for key in keys {
        let key = key.storageKey.octets
        windows.append((key, try Window.fetch(key, from: database)))
      }
      if let end = windows.compactMap({ $0.window?.blockedUntil }).filter({ $0 > now }).max() {
        return Self.blocked(until: end, now)
      }
      var decision = RateLimitDecision.allowed
      for (key, stored) in windows {
        var window = stored ?? Window(startedAt: now, count: 0)
        // A clock that was set back does not open a new window early.
        if window.blockedUntil != nil || now >= window.startedAt + Window.length {
          window = Window(startedAt: now, count: 0)
        }
        window.count += 1
        if window.count > limit {
          let end = now + blockDuration / .seconds(1)
          window.blockedUntil = end
          decision = Self.blocked(until: end, now)
        }
        try window.write(key, to: database)
      }
      return decision
    }
  }

  private static func blocked(until end: Double, _ now: Double) -> RateLimitDecision {
    .blocked(retryAfter: .seconds(max(1, Int((end - now).rounded(.up)))))
  }

  private struct Window {
    /// A window lasts this many seconds.
    static let length = 60.0

    var startedAt: Double
    var count: Int
    var blockedUntil: Double?

    static func fetch(_ key: Data, from database: Database) throws -> Window? {
      let statement = try database.cachedStatement(
        sql: "SELECT startedAt, count, blockedUntil FROM rateLimits WHERE key = ?")
      return try Row.fetchOne(statement, arguments: [key]).map { row in
        Window(startedAt: row[0], count: row[1], blockedUntil: row[2])
      }
    }

    func write(_ key: Data, to database: Database) throws {
      let statement = try database.cachedStatement(
        sql: "INSERT OR REPLACE INTO rateLimits (key, startedAt, count, blockedUntil) VALUES (?, ?, ?, ?)")
      try statement.execute(arguments: [key, startedAt, count, blockedUntil])
    }
  }
}
