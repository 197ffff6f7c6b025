import JOSE
import OpenIDKit
import SQLStores

extension ProviderDatabase {
  /// The rate limits.
  public var rateLimits: SQLiteRateLimiter { SQLiteRateLimiter(database: self) }
}

/// Counts attempts in SQLite, for all processes together.
public struct SQLiteRateLimiter: RateLimiter {
  private let limits: SQLRateLimiter

  init(database: ProviderDatabase) { limits = SQLRateLimiter(driver: SQLiteDriver(database: database)) }

  /// Counts an attempt.
  ///
  /// - Throws: `DatabaseError`.
  public func attempt(
    _ keys: [RateLimitKey], limit: Int, blockDuration: Duration, now: NumericDate
  ) async throws -> RateLimitDecision {
    try await limits.attempt(keys, limit: limit, blockDuration: blockDuration, now: now)
  }
}
