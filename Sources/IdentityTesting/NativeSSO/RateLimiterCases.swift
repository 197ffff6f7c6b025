import JOSE
import OpenIDKit

/// What a provider relies on in its rate limiter.
public enum RateLimiterCases {
  /// All rules.
  public static let all = rules + texts

  /// Whatever clients, users and addresses are called, attempts are counted under them and under no others.
  private static let texts: [StoreCase<any RateLimiter>] = AwkwardText.all.flatMap {
    name, text -> [StoreCase<any RateLimiter>] in
    let twin = AwkwardText.twin(of: text)
    let kinds: [(String, RateLimitKey, [RateLimitKey])] = [
      ("a client", .client(text, source: "x"), [.client(twin, source: "x"), .client("x", source: text)]),
      ("an address", .client("x", source: text), [.client("x", source: twin), .client("x", user: text)]),
      ("a user", .client("x", user: text), [.client("x", user: twin), .client("x", source: text)]),
    ]
    return kinds.map { kind, key, others in
      StoreCase("\(name) is \(kind)'s name, and attempts count under no other") { place in
        for _ in 0..<2 { _ = try await attempt([key], place.open(), at: 0, limit: 1) }
        let limiter = try await place.open()
        for other in others where try await attempt([other], limiter, at: 1, limit: 1) != .allowed { return false }
        return try await attempt([key], limiter, at: 1, limit: 1) == .blocked(retryAfter: .seconds(119))
      }
    }
  }

  private static let rules: [StoreCase<any RateLimiter>] = [
    StoreCase("as many attempts as the limit says are allowed in a window, one more blocks") { place in
      let limiter = try await place.open()
      var decisions: [RateLimitDecision] = []
      for second in 0..<4 { decisions.append(try await attempt("a", limiter, at: Double(second), limit: 3)) }
      return decisions == [.allowed, .allowed, .allowed, .blocked(retryAfter: .seconds(120))]
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
      return half == .blocked(retryAfter: .seconds(60)) && last == .blocked(retryAfter: .seconds(1))
        && after == .allowed
    },
    StoreCase("attempts while a key is blocked don't prolong the block") { place in
      let limiter = try await place.open()
      for second in 0..<100 { _ = try await attempt("a", limiter, at: Double(second), limit: 1) }
      return try await attempt("a", limiter, at: 121, limit: 1) == .allowed
    },
    StoreCase("a block is there when the limiter is opened again") { place in
      for _ in 0..<2 { _ = try await attempt("a", place.open(), at: 0, limit: 1) }
      return try await attempt("a", place.open(), at: 1, limit: 1) == .blocked(retryAfter: .seconds(119))
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
      for _ in 0..<2 {
        _ = try await limiter.attempt(keys, limit: 1, blockDuration: .seconds(120), now: NumericDate(0))
      }
      let first = try await limiter.attempt([keys[0]], limit: 9, blockDuration: .seconds(120), now: NumericDate(1))
      let both = try await limiter.attempt(
        [keys[1], .client("b", user: "2")], limit: 9, blockDuration: .seconds(120), now: NumericDate(1))
      return first == .blocked(retryAfter: .seconds(119)) && both == .blocked(retryAfter: .seconds(119))
    },
    StoreCase("attempts that are blocked count under none of their keys") { place in
      let limiter = try await place.open()
      let (blocked, free) = (RateLimitKey.client("a", source: "1"), RateLimitKey.client("a", user: "1"))
      for _ in 0..<2 {
        _ = try await limiter.attempt([blocked], limit: 1, blockDuration: .seconds(120), now: NumericDate(0))
      }
      for _ in 0..<5 {
        _ = try await limiter.attempt([blocked, free], limit: 1, blockDuration: .seconds(120), now: NumericDate(1))
      }
      return try await limiter.attempt([free], limit: 1, blockDuration: .seconds(120), now: NumericDate(2)) == .allowed
    },
    StoreCase("a clock that is set back opens no new window") { place in
      let limiter = try await place.open()
      _ = try await attempt("a", limiter, at: 1000, limit: 2)
      _ = try await attempt("a", limiter, at: 900, limit: 2)
      return try await attempt("a", limiter, at: 901, limit: 2) == .blocked(retryAfter: .seconds(120))
    },
    StoreCase("a clock that is set back does not end a block") { place in
      let limiter = try await place.open()
      for _ in 0..<2 { _ = try await attempt("a", limiter, at: 1000, limit: 1) }
      for second in [999.0, 900, 1001] {
        if try await attempt("a", place.open(), at: second, limit: 1) == .allowed { return false }
      }
      return try await attempt("a", limiter, at: 1120, limit: 1) == .allowed
    },
    StoreCase("a limit that is changed holds for the window that has begun") { place in
      let limiter = try await place.open()
      for second in 0..<3 { _ = try await attempt("a", limiter, at: Double(second), limit: 10) }
      return try await attempt("a", limiter, at: 3, limit: 3) == .blocked(retryAfter: .seconds(120))
    },
    StoreCase("a limit of none allows no attempt") { place in
      try await attempt("a", place.open(), at: 0, limit: 0) == .blocked(retryAfter: .seconds(120))
    },
    StoreCase("a block may be longer than any date says") { place in
      let (limiter, key) = (try await place.open(), RateLimitKey.client("a", source: "x"))
      for length in [Duration.seconds(Int64.max), .seconds(Int64.max) * 2] {
        for opened in [limiter, try await place.open()] {
          let decision = try await opened.attempt([key], limit: 0, blockDuration: length, now: NumericDate(0))
          guard case .blocked(let pause) = decision, pause > .seconds(1 << 52) else { return false }
        }
      }
      return try await limiter.attempt([key], limit: 9, blockDuration: .zero, now: NumericDate(1 << 40)) != .allowed
    },
    StoreCase("attempts are counted when the limiter is opened again, and a window ends for all") { place in
      var decisions: [RateLimitDecision] = []
      for second in [0.0, 1, 59.999, 60, 61] {
        decisions.append(try await attempt("a", place.open(), at: second, limit: 3))
      }
      return decisions.allSatisfy { $0 == .allowed }
    },
    StoreCase("of simultaneous attempts under two keys, named in either order, as many as the limit are allowed") {
      place in
      let keys = [RateLimitKey.client("a", source: "1"), .client("a", user: "1")]
      let allowed = try await place.successes { limiter, number in
        let keys = number.isMultiple(of: 2) ? keys : keys.reversed()
        return try await attempt(keys, limiter, at: 0, limit: 7) == .allowed
      }
      return allowed == 7
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
    try await attempt([.client(key, source: "x")], limiter, at: seconds, limit: limit)
  }

  private static func attempt(
    _ keys: [RateLimitKey], _ limiter: any RateLimiter, at seconds: Double, limit: Int
  ) async throws -> RateLimitDecision {
    try await limiter.attempt(
      keys, limit: limit, blockDuration: .seconds(120), now: NumericDate(1_760_000_000).advanced(by: seconds))
  }
}
