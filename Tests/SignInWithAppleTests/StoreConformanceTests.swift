import JOSE
import Testing

@testable import SignInWithApple

/// What every store of pending sign-ins must do. Run it with a store of your own.
func checkConformance(_ store: some ApplePendingSignInStore, _ pending: ApplePendingSignIn) async throws {
  #expect(try await store.take(handle: "absent") == nil)
  #expect(try await store.insert(pending, handle: "a"))
  #expect(try await !store.insert(pending, handle: "a"))
  // Canonically equivalent handles are different ones.
  #expect(try await store.insert(pending, handle: "\u{E9}"))
  #expect(try await store.take(handle: "e\u{301}") == nil)
  #expect(try await store.take(handle: "\u{E9}")?.state == pending.state)
  // Of many callers one gets it.
  let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
    for _ in 0..<100 { group.addTask { try await store.take(handle: "a") != nil } }
    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
  }
  #expect(winners == 1)
}

/// What every store of notifications must do.
func checkConformance(_ store: some AppleNotificationStore, now: NumericDate) async throws {
  func notification(_ name: String, subject: String, time: Int) -> AppleNotification {
    AppleNotification(
      event: .consentRevoked, subject: subject, eventTime: NumericDate(time), email: nil, isPrivateEmail: nil,
      audience: "a", tokenID: name)
  }
  let expiration = now.advanced(by: 48 * 3600)
  let verdicts = try await withThrowingTaskGroup(of: AppleNotificationVerdict.self) { group in
    for _ in 0..<100 {
      group.addTask { try await store.record(notification("1", subject: "s", time: 10), expiration: expiration) }
    }
    return try await group.reduce(into: []) { $0.append($1) }
  }
  #expect(verdicts.count { $0 == .new } == 1 && verdicts.count { $0 == .duplicate } == 99)
  #expect(try await store.record(notification("2", subject: "s", time: 9), expiration: expiration) == .outdated)
  #expect(try await store.record(notification("3", subject: "t", time: 9), expiration: expiration) == .new)
  #expect(try await store.record(notification("4", subject: "s", time: 11), expiration: expiration) == .new)
}

@Suite struct StoreConformanceTests {
  @Test func `the store of pending sign-ins in memory`() async throws {
    let fixture = try Fixture()
    try await checkConformance(InMemoryApplePendingSignInStore(clock: fixture.clock), fixture.pending())
  }

  @Test func `the store of notifications in memory`() async throws {
    let clock = WallClock.fixed(at: NumericDate(0))
    try await checkConformance(InMemoryAppleNotificationStore(clock: clock), now: clock.now)
  }

  @Test func `a full store of pending sign-ins forgets old ones only`() async throws {
    let fixture = try Fixture()
    let clock = ManualClock(Fixture.now)
    let store = InMemoryApplePendingSignInStore(capacity: 2, clock: clock.wallClock)
    for handle in ["a", "b"] {
      #expect(try await store.insert(fixture.pending(startedAt: Fixture.now), handle: handle))
    }
    await #expect(throws: InMemoryApplePendingSignInStore.Full.self) {
      try await store.insert(fixture.pending(startedAt: Fixture.now), handle: "c")
    }
    clock.move(to: Fixture.now + 600)
    #expect(try await store.insert(fixture.pending(startedAt: Fixture.now + 600), handle: "c"))
    #expect(await store.count == 1)
  }

  @Test func `remembered names are forgotten once they expire`() async throws {
    let clock = ManualClock(0)
    let store = InMemoryAppleNotificationStore(clock: clock.wallClock)
    let notification = AppleNotification(
      event: .other, subject: "s", eventTime: NumericDate(5), email: nil, isPrivateEmail: nil, audience: "a",
      tokenID: "1")
    #expect(await store.record(notification, expiration: NumericDate(100)) == .new)
    clock.move(to: 3600)
    #expect(await store.record(notification, expiration: NumericDate(5000)) == .new)
  }
}
