import JOSE
import NativeSSO

/// What a `NativeSSOProvider` relies on in its rate limiter.
public enum RateLimiterCases {
  /// All rules.
  public static let all: [StoreCase<any RateLimiter>] = [
    StoreCase("as many attempts as the limit says are allowed in a window, one more blocks") { place in
      let limiter = try await place.open()
      var decisions: [RateLimitDecision] = []
      for second in 0..<4 { decisions.append(try await attempt("a", limiter, at: Double(second), limit: 3)) }
      return decisions == [.allowed, .allowed, .allowed, .blocked(retryAfter: 120)]
    },
    StoreCase("a window begins with its first attempt and lasts 60 seconds") { place in
      let limiter = try await place.open()
      var decisions: [RateLimitDecision] = []
      for second in [30.0, 89.5, 90, 91] { decisions.append(try await attempt("a", limiter, at: second, limit: 2)) }
      return decisions == [.allowed, .allowed, .allowed, .allowed]
    },
    StoreCase("a block lasts as long as it must, in whole seconds that are rounded up, and ends at its instant") {
      place in
      let limiter = try await place.open()
      for _ in 0..<2 { _ = try await attempt("a", limiter, at: 0, limit: 1) }
      let half = try await attempt("a", limiter, at: 60.5, limit: 1)
      let last = try await attempt("a", limiter, at: 119.75, limit: 1)
      let after = try await attempt("a", limiter, at: 120, limit: 1)
      return half == .blocked(retryAfter: 60) && last == .blocked(retryAfter: 1) && after == .allowed
    },
    StoreCase("attempts while a key is blocked don't prolong the block") { place in
      let limiter = try await place.open()
      for second in 0..<100 { _ = try await attempt("a", limiter, at: Double(second), limit: 1) }
      return try await attempt("a", limiter, at: 121, limit: 1) == .allowed
    },
    StoreCase("a block is there when the limiter is opened again") { place in
      for _ in 0..<2 { _ = try await attempt("a", place.open(), at: 0, limit: 1) }
      return try await attempt("a", place.open(), at: 1, limit: 1) == .blocked(retryAfter: 119)
    },
    StoreCase("keys don't disturb each other, and are compared as bytes") { place in
      let limiter = try await place.open()
      for _ in 0..<2 { _ = try await attempt("\u{E9}", limiter, at: 0, limit: 1) }
      for key in ["e\u{301}", "\u{C9}", "b"] {
        guard try await attempt(key, limiter, at: 1, limit: 1) == .allowed else { return false }
      }
      return true
    },
    StoreCase("an attempt under several keys counts under each, and is blocked if one of them is") { place in
      let limiter = try await place.open()
      let keys = [RateLimitKey.client("a", source: "1"), .client("a", user: "1")]
      for _ in 0..<2 { _ = try await limiter.attempt(keys, limit: 1, blockDuration: 120, now: NumericDate(0)) }
      let first = try await limiter.attempt([keys[0]], limit: 9, blockDuration: 120, now: NumericDate(1))
      let both = try await limiter.attempt(
        [keys[1], .client("b", user: "2")], limit: 9, blockDuration: 120, now: NumericDate(1))
      return first == .blocked(retryAfter: 119) && both == .blocked(retryAfter: 119)
    },
    StoreCase("attempts that are blocked count under none of their keys") { place in
      let limiter = try await place.open()
      let (blocked, free) = (RateLimitKey.client("a", source: "1"), RateLimitKey.client("a", user: "1"))
      for _ in 0..<2 { _ = try await limiter.attempt([blocked], limit: 1, blockDuration: 120, now: NumericDate(0)) }
      for _ in 0..<5 {
        _ = try await limiter.attempt([blocked, free], limit: 1, blockDuration: 120, now: NumericDate(1))
      }
      return try await limiter.attempt([free], limit: 1, blockDuration: 120, now: NumericDate(2)) == .allowed
    },
    StoreCase("a clock that is set back opens no new window") { place in
      let limiter = try await place.open()
      _ = try await attempt("a", limiter, at: 1000, limit: 2)
      _ = try await attempt("a", limiter, at: 900, limit: 2)
      return try await attempt("a", limiter, at: 901, limit: 2) == .blocked(retryAfter: 120)
    },
    StoreCase("of simultaneous attempts exactly as many as the limit are allowed") { place in
      let allowed = try await place.successes { limiter, _ in
        try await attempt("a", limiter, at: 0, limit: 7) == .allowed
      }
      return allowed == 7
    },
    StoreCase("limiters at different places don't share keys") { place in
      for _ in 0..<2 { _ = try await attempt("a", place.open(), at: 0, limit: 1) }
      return try await attempt("a", place.other.open(), at: 0, limit: 1) == .allowed
    },
  ]

  private static func attempt(
    _ key: String, _ limiter: any RateLimiter, at seconds: Double, limit: Int
  ) async throws -> RateLimitDecision {
    try await limiter.attempt(
      [.client(key, source: "x")], limit: limit, blockDuration: 120,
      now: NumericDate(1_760_000_000).advanced(by: seconds))
  }
}
