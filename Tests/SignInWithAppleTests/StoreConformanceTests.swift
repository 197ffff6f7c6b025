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

@Suite struct StoreConformanceTests {
  @Test func `the store of pending sign-ins in memory`() async throws {
    let fixture = try Fixture()
    try await checkConformance(InMemoryApplePendingSignInStore(clock: fixture.clock), fixture.pending())
  }

  @Test func `the store of notifications in memory`() async throws {
    let clock = WallClock.fixed(at: NumericDate(0))
    let findings = try await AppleNotificationStoreConformance.check(now: clock.now) {
      InMemoryAppleNotificationStore(clock: clock)
    }
    #expect(findings.isEmpty)
  }

  @Test func `a store of notifications that records before the action doesn't conform`() async throws {
    let findings = try await AppleNotificationStoreConformance.check(now: NumericDate(0)) { HastyStore() }
    #expect(findings.contains("asking for the verdict records nothing"))
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

/// A store from before `verdict(on:expiration:)`.
private actor HastyStore: AppleNotificationStore {
  private let inner = InMemoryAppleNotificationStore(clock: .fixed(at: NumericDate(0)))

  func record(_ notification: AppleNotification, expiration: NumericDate) async -> AppleNotificationVerdict {
    await inner.record(notification, expiration: expiration)
  }
}
