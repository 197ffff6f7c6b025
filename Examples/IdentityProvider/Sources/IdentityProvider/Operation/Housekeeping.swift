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
    let now = clock.now
    for entry in try await browsers.expired() {
      if let session = try await sessions.session(id: entry.id), session.isActive {
        try await end(session, because: "expired")
      } else {
        try await browsers.remove(sessionID: entry.id)
      }
    }
    try await database.write { database in
      let seconds = now.secondsSince1970
      for (statement, time) in [
        ("DELETE FROM interactions WHERE expiresAt < ?", seconds),
        ("DELETE FROM loginAttempts WHERE max(startedAt + 60, ifnull(blockedUntil, 0)) < ?", seconds),
      ] {
        try database.execute(sql: statement, arguments: [time])
      }
    }
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
}
