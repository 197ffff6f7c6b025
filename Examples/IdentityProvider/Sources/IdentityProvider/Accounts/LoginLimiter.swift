import Foundation
import GRDB
import GRDBStores
import JOSE

/// Counts attempts to log in, for all processes together: each counts when it begins, so that many at once are many,
/// and one that succeeds is taken back.
package struct LoginLimiter: Sendable {
  let database: ProviderDatabase
  let clock: WallClock
  /// So many in a minute.
  let limit: Int
  /// For how many seconds nothing is accepted after more.
  let blockDuration: Int

  /// Counts an attempt. Returns for how many seconds it must wait; nil if it may go on.
  func attempt(_ keys: [String]) async throws -> Int? {
    let now = clock.now.secondsSince1970
    return try await database.write { [limit, blockDuration] database in
      var wait: Double?
      for key in keys {
        let key = Data(key.utf8)
        let row = try Row.fetchOne(
          database, sql: "SELECT startedAt, count, blockedUntil FROM loginAttempts WHERE key = ?", arguments: [key])
        var (start, count) = (row?["startedAt"] as Double? ?? now, row?["count"] as Int? ?? 0)
        var end = row?["blockedUntil"] as Double?
        if let known = end, known > now {
          wait = max(wait ?? 0, min(known - now, Double(blockDuration)))
          // Where the clock was set back, nobody waits for it to catch up.
          guard known > now + Double(blockDuration) else { continue }
          end = now + Double(blockDuration)
        } else {
          if now >= start + 60 || end != nil { (start, count) = (now, 0) }
          start = min(start, now)
          count += 1
          end = count > limit ? now + Double(blockDuration) : nil
          if let end { wait = max(wait ?? 0, end - now) }
        }
        try database.execute(
          sql: "INSERT OR REPLACE INTO loginAttempts (key, startedAt, count, blockedUntil) VALUES (?, ?, ?, ?)",
          arguments: [key, start, count, end])
      }
      return wait.map { max(1, Int($0.rounded(.up))) }
    }
  }

  /// Takes an attempt back that has succeeded.
  func succeeded(_ keys: [String]) async throws {
    try await database.write { database in
      for key in keys {
        try database.execute(
          sql: "UPDATE loginAttempts SET count = max(0, count - 1) WHERE key = ? AND blockedUntil IS NULL",
          arguments: [Data(key.utf8)])
      }
    }
  }
}
