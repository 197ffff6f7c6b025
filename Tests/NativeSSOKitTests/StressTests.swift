import JOSE
import NativeSSOKit
import OpenIDKit
import StrictJSON
import Testing

@Suite("Under load")
struct StressTests {
  /// 64 tasks share the work, so that they meet in every combination.
  private func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Int) async throws -> Int {
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<64 {
        group.addTask {
          var sum = 0
          for index in stride(from: task, to: count, by: 64) { sum += try await body(index) }
          return sum
        }
      }
      return try await group.reduce(0, +)
    }
  }

  @Test(
    "64 tasks, 10 000 exchanges among logins: never an eleventh live secret, every exchange granted",
    .timeLimit(.minutes(60)))
  func exchanges() async throws {
    let world = try await World(settings: ["enabled": true], rateLimiter: UnlimitedRateLimiter(), seedsPair: false)
    // Eight users with a device each that keeps its secret, and one whose logins go on all the time.
    var pairs: [(secret: String, idToken: String)] = []
    for index in 0..<8 {
      let user = "user-\(index)"
      try await world.sessions.addUser(user)
      for client in World.clients {
        try await world.sessions.grant(client.allowedScopes, userID: user, clientID: client.id)
      }
      try await world.addSession("s-\(index)", user: user)
      let grant = AcceptedGrant(
        .authorizationCode, clientID: "app-a", sessionID: "s-\(index)", scopes: ["openid", "device_sso"])
      let response = try await world.provider.tokens(for: grant)
      pairs.append((try #require(response.deviceSecret).reveal(), try #require(response.idToken)))
    }
    let fixed = pairs
    let now = NumericDate(Int(world.clock.now))
    let granted = try await inParallel(10_000) { index in
      if index.isMultiple(of: 20) {
        let grant = AcceptedGrant(
          .authorizationCode, clientID: "app-a", sessionID: World.session, scopes: ["openid", "device_sso"])
        #expect(try await world.provider.tokens(for: grant).deviceSecret != nil)
        let live = try await world.store.records(userID: World.user).count { $0.state(at: now) == .active }
        #expect(live <= 10)
      }
      let pair = fixed[index % 8]
      let client = index.isMultiple(of: 3) ? "app-b" : "app-c"
      let response = await world.exchange([
        ("client_id", client), ("subject_token", pair.idToken), ("actor_token", pair.secret),
      ])
      return response.status == 200 ? 1 : 0
    }
    #expect(granted == 10_000)
    var uses = 0
    for index in 0..<8 { uses += try await world.store.records(userID: "user-\(index)").reduce(0) { $0 + $1.useCount } }
    #expect(uses == 10_000)
    let records = try await world.store.records(userID: World.user)
    #expect(records.count == 500 && records.count { $0.state(at: now) == .active } == 10)
  }

  @Test(
    "Rates are exact: of 10 000 exchanges over 64 tasks, exactly the limit of each window", .timeLimit(.minutes(60)))
  func rates() async throws {
    let world = try await World(settings: [
      "enabled": true, "rateLimit": ["maxAttemptsPerMinute": 7, "blockDurationMinutes": 1],
    ])
    var granted = 0
    for _ in 0..<20 {
      granted += try await inParallel(500) { _ in await world.exchange().status == 200 ? 1 : 0 }
      // The block of one minute ends at the instant at which the next round begins.
      world.clock.advance(60)
    }
    #expect(granted == 20 * 7)
    #expect(try await world.record().useCount == 20 * 7)
  }

  @Test("Keys of a limiter don't disturb each other, and windows begin with an attempt")
  func limiter() async throws {
    let limiter = InMemoryRateLimiter()
    func attempt(_ key: String, at time: Int, limit: Int = 2) async -> RateLimitDecision {
      await limiter.attempt(
        [.client(key, source: "x")], limit: limit, blockDuration: .seconds(120), now: NumericDate(time))
    }
    #expect(await attempt("a", at: 1000) == .allowed)
    #expect(await attempt("a", at: 1059) == .allowed)
    #expect(await attempt("a", at: 1060) == .allowed)
    #expect(await attempt("a", at: 1061) == .allowed)
    #expect(await attempt("a", at: 1119) == .blocked(retryAfter: .seconds(120)))
    #expect(await attempt("a", at: 1238) == .blocked(retryAfter: .seconds(1)))
    #expect(await attempt("b", at: 1238) == .allowed)
    // A clock that is set back opens no new window.
    #expect(await attempt("a", at: 1000) == .blocked(retryAfter: .seconds(239)))
    #expect(await attempt("a", at: 1239) == .allowed)
    #expect(RateLimitKey.client("a:b", source: "c").storageKey != RateLimitKey.client("a", source: "b:c").storageKey)
    // Made-up keys are forgotten: all of these together must not slow the next attempt down for good.
    for index in 0..<10_000 { _ = await attempt("k\(index)", at: 2000 + index) }
    #expect(await attempt("k0", at: 20_000) == .allowed)
  }
}

/// Lets everything through, where a test is about something else.
struct UnlimitedRateLimiter: RateLimiter {
  func attempt(_ keys: [RateLimitKey], limit: Int, blockDuration: Duration, now: NumericDate) -> RateLimitDecision {
    .allowed
  }
}
