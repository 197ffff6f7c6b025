import Foundation
import GRDB
import GRDBStores
import JOSE

/// Counts attempts to log in, for all processes together: each counts when it begins, so that many at once are many,
/// and one that succeeds is taken back.
package struct LoginLimiter: Sendable {
  /// What attempts are counted under.
  struct Budget: Sendable {
    let key: String
    /// So many in a minute.
    let limit: Int
    /// How many seconds apart more are: a few only slow, so that nobody can lock another out.
    let interval: Int
    /// Whether an attempt counts that must wait for another budget: whoever asks all the time would have each turn.
    var countsWaiting = true
  }

  let database: ProviderDatabase
  let clock: WallClock

  /// Counts an attempt, unless it must wait. Returns for how many seconds; nil if it may go on.
  func attempt(_ budgets: [Budget]) async throws -> Int? {
    let now = clock.now.secondsSince1970
    return try await database.write { database in
      let rows = try budgets.map { budget in
        try Row.fetchOne(
          database, sql: "SELECT startedAt, count, blockedUntil FROM loginAttempts WHERE key = ?",
          arguments: [Data(budget.key.utf8)])
      }
      var wait = 0.0
      for (budget, row) in zip(budgets, rows) {
        guard let end = row?["blockedUntil"] as Double?, end > now else { continue }
        // Where the clock was set back, nobody waits for it to catch up.
        let latest = min(end, now + Double(budget.interval))
        wait = max(wait, latest - now)
        try database.execute(
          sql: "UPDATE loginAttempts SET blockedUntil = ? WHERE key = ?", arguments: [latest, Data(budget.key.utf8)])
      }
      for (budget, row) in zip(budgets, rows) {
        if wait > 0, !budget.countsWaiting || (row?["blockedUntil"] as Double? ?? 0) > now { continue }
        var (start, count) = (row?["startedAt"] as Double? ?? now, row?["count"] as Int? ?? 0)
        if now >= start + 60 { (start, count) = (now, 0) }
        count += 1
        let end = count >= budget.limit ? now + Double(budget.interval) : Optional.none
        try database.execute(
          sql: "INSERT OR REPLACE INTO loginAttempts (key, startedAt, count, blockedUntil) VALUES (?, ?, ?, ?)",
          arguments: [Data(budget.key.utf8), min(start, now), count, end])
      }
      return wait > 0 ? Int(wait.rounded(.up)) : nil
    }
  }

  /// Takes an attempt back that has succeeded.
  func succeeded(_ budgets: [Budget]) async throws {
    try await database.write { database in
      for budget in budgets {
        try database.execute(
          sql: "UPDATE loginAttempts SET count = max(0, count - 1), blockedUntil = NULL WHERE key = ?",
          arguments: [Data(budget.key.utf8)])
      }
    }
  }
}
