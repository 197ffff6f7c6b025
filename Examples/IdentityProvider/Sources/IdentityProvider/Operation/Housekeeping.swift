import GRDB
import Logging
import NativeSSOKit
import ServiceLifecycle

/// Removes what has expired, once an hour while the server runs.
package struct Housekeeping: Service {
  let provider: Provider

  package init(_ provider: Provider) { self.provider = provider }

  package func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: .seconds(3600))
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
  }
}
