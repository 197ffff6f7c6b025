import JOSE
import OpenIDKit
import PureCrypto

/// Counts attempts in a database, for all processes together.
///
/// The methods throw the driver's error, or ``MalformedRecord``.
public struct SQLRateLimiter: RateLimiter {
  private let driver: any SQLDriver

  /// The rate limits of a database.
  public init(driver: any SQLDriver) { self.driver = driver }

  /// Counts an attempt.
  ///
  /// - Throws: see ``SQLRateLimiter``.
  public func attempt(
    _ keys: [RateLimitKey], limit: Int, blockDuration: Duration, now: NumericDate
  ) async throws -> RateLimitDecision {
    // A name may be longer than an index of PostgreSQL allows.
    let keys = keys.map { Array(SHA2.SHA256.hash($0.storageKey.utf8)) }
    let dialect = driver.dialect
    // Who is blocked already is told so without a lock, for which a flood would wait with a connection in hand.
    let block = try await driver.read { session in
      try keys.compactMap { try RateLimitWindow.fetch($0, session)?.blockedUntil }.filter { $0 > now }.max()
    }
    if let block { return .blocked(until: block, at: now) }
    return try await driver.write { session in
      // A row that isn't there yet can't be locked.
      if dialect == .postgreSQL { try AdvisoryLocks(rateLimits: keys).take(session) }
      let windows = try keys.map { (key: $0, window: try RateLimitWindow.fetch($0, session)) }
      if let end = windows.compactMap({ $0.window?.blockedUntil }).filter({ $0 > now }).max() {
        return .blocked(until: end, at: now)
      }
      var decision = RateLimitDecision.allowed
      for (key, stored) in windows {
        var window = stored ?? RateLimitWindow(startedAt: now)
        // A clock that was set back does not open a new window early.
        if window.blockedUntil != nil || now >= window.end {
          window = RateLimitWindow(startedAt: now)
        }
        window.count += 1
        if window.count > limit {
          let end = now.advanced(by: blockDuration)
          window.blockedUntil = end
          decision = .blocked(until: end, at: now)
        }
        try window.write(key, session)
      }
      return decision
    }
  }

  /// Removes the rate limits that have ended at a date, in batches, so that no writer waits for all of them. In
  /// PostgreSQL those that another transaction has locked are left for the next time.
  ///
  /// - Throws: see ``SQLRateLimiter``.
  public func removeExpired(at date: NumericDate) async throws {
    let batch = 1000
    let expired = """
      SELECT key FROM rateLimits WHERE startedAt < ? AND (blockedUntil IS NULL OR blockedUntil < ?) LIMIT \(batch)
      """
    let chosen =
      switch driver.dialect {
      case .sqlite: "IN (\(expired))"
      // An array is made once; what a list of rows is asked for may be asked for again.
      case .postgreSQL: "= ANY (ARRAY(\(expired) FOR UPDATE SKIP LOCKED))"
      }
    let values: [SQLValue] = [.real(date.secondsSince1970 - RateLimitWindow.length), .date(date)]
    while try await driver.run("DELETE FROM rateLimits WHERE key \(chosen)", values).count == batch {}
  }
}

extension AdvisoryLocks {
  fileprivate init(rateLimits keys: [[UInt8]]) {
    self.init()
    for key in keys { insert(key) }
  }
}
