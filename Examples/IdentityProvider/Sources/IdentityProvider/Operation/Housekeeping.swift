import JOSE
import Logging
import NativeSSOKit
import SQLStores
import ServiceLifecycle

/// Removes expired data every ten minutes while the server runs. If several servers share a database, one of them does.
package struct Housekeeping: Service {
  let provider: Provider
  private static let interval = 600

  package init(_ provider: Provider) { self.provider = provider }

  package func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: .seconds(Self.interval))
        do {
          if try await provider.isFirst(inSpanOf: Self.interval) { try await provider.removeExpired() }
        } catch {
          provider.log.error(
            "expired data could not be removed", metadata: ["error": "\(Storage.reason(of: error))"])
        }
      }
    }
  }
}

extension Provider {
  /// Whether this is the first process to ask in the present time span of this many seconds.
  func isFirst(inSpanOf seconds: Int) async throws -> Bool {
    guard let kind = StoredRecord.Kind(application: "housekeeping") else { return true }
    let now = clock.now
    let turn = StoredRecord(
      kind: kind, key: Array("\(now.wholeSeconds / seconds)".utf8), createdAt: now,
      expiresAt: now.advanced(by: .seconds(2 * seconds)), document: [], attempt: [])
    return try await database.records.commit([.insert(turn)]) == .done
  }

  /// Removes expired data that is never needed again.
  package func removeExpired() async throws {
    var (found, ended) = (0, 0)
    repeat {
      let entries = try await browsers.expired(limit: 500)
      (found, ended) = (entries.count, 0)
      for entry in entries {
        do {
          if let session = try await sessions.session(id: entry.id), session.isActive {
            try await end(session, because: "expired")
          } else {
            try await browsers.remove(sessionID: entry.id)
          }
          ended += 1
        } catch {
          // One that can't be ended keeps none of the others.
          log.error("a login that is over could not be ended", metadata: ["error": "\(Storage.reason(of: error))"])
        }
      }
    } while found == 500 && ended > 0
    // Small steps, so that another writer waits for one of them and not for all. Rows that expire meanwhile are left
    // for the next time.
    while try await sweep(limit: 500) >= 500 { try await Task.sleep(for: .milliseconds(50)) }
    try await database.removeExpired(at: clock.now)
    guard database.dialect == .sqlite else { return }
    // Some pages at a time, so that other writers get their turn in between.
    var (left, before) = (Int64.max, Int64.max)
    repeat {
      before = left
      left = try await database.write { session in
        _ = try session.run("PRAGMA incremental_vacuum(500)", [])
        return try session.run("PRAGMA freelist_count", []).rows[0][0].int
      }
    } while left > 0 && left < before
  }

  /// Removes at most `limit` expired rows of each table. Returns the largest number that it removed from one table.
  func sweep(limit: Int) async throws -> Int {
    let now = clock.now.secondsSince1970
    let dues: [(table: String, key: String, isDue: String, values: [SQLValue])] = [
      ("interactions", "id", "expiresAt < ?", [.real(now)]),
      ("loginAttempts", "key", "startedAt < ? AND coalesce(blockedUntil, 0) < ?", [.real(now - 60), .real(now)]),
      ("guesses", "key", "lastAt < ?", [.real(now - GuessCounter.retention)]),
      // Lines are numbered in their order, so only the first ones need to be looked at.
      (
        "auditLog", "number", "at < ? AND number < (SELECT min(number) FROM auditLog) + ?",
        [.real(now - settings.auditRetention), .integer(Int64(limit))]
      ),
      (
        "sessionClients", "session, client",
        "firstUsedAt < ? AND NOT EXISTS (SELECT 1 FROM browserSessions WHERE session = sessionClients.session)",
        [.real(now - 86_400)]
      ),
    ]
    var count = try await database.records.removeExpired(before: clock.now.advanced(by: .seconds(-60)), limit: limit)
    for (table, key, isDue, values) in dues {
      let removed = try await database.run(
        "DELETE FROM \(table) WHERE (\(key)) IN (SELECT \(key) FROM \(table) WHERE \(isDue) LIMIT ?)",
        values + [.integer(Int64(limit))])
      count = max(count, removed.count)
    }
    return count
  }
}
