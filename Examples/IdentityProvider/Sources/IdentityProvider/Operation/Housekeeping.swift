import GRDB
import Logging
import NativeSSOKit
import ServiceLifecycle

/// Removes what has expired, every ten minutes while the server runs.
package struct Housekeeping: Service {
  let provider: Provider

  package init(_ provider: Provider) { self.provider = provider }

  package func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: .seconds(600))
        do {
          try await provider.removeExpired()
        } catch {
          provider.log.error("what has expired could not be removed", metadata: ["error": "\(type(of: error))"])
        }
      }
    }
  }
}

extension Provider {
  /// Removes what has expired and will never be asked for again.
  package func removeExpired() async throws {
    for entry in try await browsers.expired() {
      if let session = try await sessions.session(id: entry.id), session.isActive {
        try await end(session, because: "expired")
      } else {
        try await browsers.remove(sessionID: entry.id)
      }
    }
    // Whoever writes meanwhile waits for one step, and not for all of them. What falls due meanwhile is for next time.
    while try await sweep(limit: 500) >= 500 { try await Task.sleep(for: .milliseconds(50)) }
    try await database.removeExpired()
    // Some pages at a time, so that others may write between.
    var (left, before) = (Int.max, Int.max)
    repeat {
      before = left
      left = try await database.write { database in
        try database.execute(sql: "PRAGMA incremental_vacuum(500)")
        return try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
      }
    } while left > 0 && left < before
  }

  /// Has a database give back pages that it needs no more. One that is there is written anew for that, once.
  static func makeShrinkable(_ path: String) throws {
    var configuration = GRDB.Configuration()
    configuration.busyMode = .timeout(10)
    let database = try DatabaseQueue(path: path, configuration: configuration)
    try database.writeWithoutTransaction { database in
      guard try Int.fetchOne(database, sql: "PRAGMA auto_vacuum") != 2 else { return }
      try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
    }
  }

  /// Removes at most so many rows of each table that are due. Returns how many it has removed
  /// of the table that had most.
  func sweep(limit: Int) async throws -> Int {
    let now = clock.now.secondsSince1970
    let dues: [(table: String, key: String, isDue: String, time: Double)] = [
      ("interactions", "id", "expiresAt < ?1", now),
      ("loginAttempts", "key", "max(startedAt + 60, ifnull(blockedUntil, 0)) < ?1", now),
      // Lines are numbered as they come, so that none but the first have to be looked at.
      (
        "auditLog", "number", "at < ?1 AND number < (SELECT min(number) FROM auditLog) + ?2",
        now - settings.auditRetention
      ),
      (
        "sessionClients", "session, client",
        "firstUsedAt < ?1 AND NOT EXISTS (SELECT 1 FROM browserSessions WHERE session = sessionClients.session)",
        now - 86_400
      ),
    ]
    var count = try await database.records.removeExpired(before: clock.now.advanced(by: .seconds(-60)), limit: limit)
    for (table, key, isDue, time) in dues {
      let removed = try await database.execute(
        "DELETE FROM \(table) WHERE (\(key)) IN (SELECT \(key) FROM \(table) WHERE \(isDue) LIMIT ?2)",
        [time, limit])
      count = max(count, removed)
    }
    return count
  }
}
