import PureCrypto

/// What an attempt is counted under.
public struct RateLimitKey: Hashable, Sendable, Redacted {
  private let parts: [[UInt8]]

  /// A key of these parts, compared as bytes. The first says what is counted; `c`, `u` and `d` are Native SSO's.
  public init(_ parts: String...) { self.parts = parts.map { Array($0.utf8) } }

  /// A text for use as a database key. Unambiguous: lengths stand before the parts.
  public var storageKey: String {
    parts.map { "\($0.count):\(String(decoding: $0, as: UTF8.self))" }.joined()
  }
}

/// What a limiter says about an attempt.
public enum RateLimitDecision: Sendable, Hashable {
  /// It may go on.
  case allowed
  /// It may not. Whole seconds until it may, rounded up.
  case blocked(retryAfter: Duration)

  /// A block that ends at a date, however far away: it lasts whole seconds, rounded up, and one at least.
  public static func blocked(until end: NumericDate, at now: NumericDate) -> RateLimitDecision {
    // Both are of magnitude 2⁵³ at most, so the difference fits.
    .blocked(retryAfter: .seconds(max(1, Int((end.secondsSince1970 - now.secondsSince1970).rounded(.up)))))
  }
}

/// Counts attempts under keys, on all machines of a provider together, and blocks a key that has too many.
public protocol RateLimiter: Sendable {
  /// Counts an attempt under several keys at once, atomically.
  ///
  /// Each key has windows of 60 seconds, which begin with an attempt. Attempt `limit + 1` of a window blocks the key
  /// from that instant for `blockDuration`, of any length. Attempts while a key is blocked count under none.
  /// - Throws: anything; the exchange is then not allowed, but answered with `temporarily_unavailable`.
  func attempt(_ keys: [RateLimitKey], limit: Int, blockDuration: Duration, now: NumericDate) async throws
    -> RateLimitDecision
}

/// A limiter in memory, for single-process servers and tests.
public actor InMemoryRateLimiter: RateLimiter {
  private struct Window {
    var start: NumericDate
    var count: Int
    var blockedUntil: NumericDate?
  }

  /// A window lasts this many seconds.
  private static let length = 60.0
  private var windows: [RateLimitKey: Window] = [:]
  private var attemptsUntilSweep = 4096

  /// A limiter that has counted nothing.
  public init() {}

  /// Counts an attempt.
  public func attempt(_ keys: [RateLimitKey], limit: Int, blockDuration: Duration, now: NumericDate)
    -> RateLimitDecision
  {
    sweep(now)
    let blocks = keys.compactMap { windows[$0]?.blockedUntil }.filter { $0 > now }
    if let latest = blocks.max() { return .blocked(until: latest, at: now) }
    var decision = RateLimitDecision.allowed
    for key in keys {
      var window = windows[key] ?? Window(start: now, count: 0)
      // A clock that was set back does not open a new window early.
      if window.blockedUntil != nil || now >= window.start.advanced(by: Self.length) {
        window = Window(start: now, count: 0)
      }
      window.count += 1
      if window.count > limit {
        let end = now.advanced(by: blockDuration)
        window.blockedUntil = end
        decision = .blocked(until: end, at: now)
      }
      windows[key] = window
    }
    return decision
  }

  /// Forgets what no longer matters, now and then, so that made-up keys don't fill memory for ever.
  private func sweep(_ now: NumericDate) {
    attemptsUntilSweep -= 1
    guard attemptsUntilSweep <= 0 else { return }
    attemptsUntilSweep = 4096
    windows = windows.filter { ($0.value.blockedUntil ?? $0.value.start.advanced(by: Self.length)) > now }
  }
}
