import JOSE
import StrictJSON

/// Runs a device-secret store through what the provider relies on, concurrency included.
///
/// ```swift
/// let findings = try await DeviceSecretStoreConformance.check { try await MyDatabaseStore.emptied() }
/// #expect(findings.isEmpty)
/// ```
public struct DeviceSecretStoreConformance: Sendable {
  /// Checks a store.
  ///
  /// - Parameter makeStore: a store with nothing in it, made anew for each check.
  /// - Returns: a sentence for each rule that was broken. Empty if the store conforms.
  /// - Throws: what the store throws.
  public static func check(
    makeStore: @Sendable () async throws -> any DeviceSecretStore
  ) async throws -> [String] {
    var run = DeviceSecretStoreConformance(store: try await makeStore())
    try await run.lookups()
    run.store = try await makeStore()
    try await run.limits()
    run.store = try await makeStore()
    try await run.uses()
    run.store = try await makeStore()
    try await run.rotation()
    run.store = try await makeStore()
    try await run.revocation()
    run.store = try await makeStore()
    try await run.races()
    return run.findings
  }

  private var store: any DeviceSecretStore
  private var findings: [String] = []
  private let now = NumericDate(1_760_000_000)

  private init(store: any DeviceSecretStore) { self.store = store }

  private mutating func require(_ holds: Bool, _ rule: String) {
    if !holds { findings.append(rule) }
  }

  private func record(
    _ id: String, user: String = "user", session: String = "session", age: Double = 0, lifetime: Double = 1000
  ) -> DeviceSecretRecord {
    let created = now.advanced(by: -age)
    return DeviceSecretRecord(
      id: id, fingerprint: DeviceSecret.random().fingerprint, userID: user, sessionID: session, clientID: "app",
      createdAt: created, expiresAt: created.advanced(by: lifetime))
  }

  private func insert(
    _ record: DeviceSecretRecord, limit: Int = 10, _ overflow: NativeSSOSettings.OverflowBehavior = .revokeOldest
  ) async throws -> DeviceSecretInsertion {
    try await store.insert(record, limit: limit, overflow: overflow, now: now)
  }

  private mutating func lookups() async throws {
    // é in two normal forms: equal to Swift's ==, different users to everybody else.
    let (composed, decomposed) = ("user-\u{E9}", "user-e\u{301}")
    let first = record("1", user: composed, age: 2)
    let second = record("2", user: composed, age: 1)
    _ = try await insert(first)
    _ = try await insert(second)
    _ = try await insert(record("3", user: decomposed))
    let found = try await store.record(fingerprint: first.fingerprint, now: now)
    require(found?.id == "1", "a record is found by its hash")
    let none = try await store.record(fingerprint: DeviceSecret.random().fingerprint, now: now)
    require(none == nil, "an unknown hash finds nothing")
    let byID = try await store.record(id: "2")
    require(byID?.fingerprint == second.fingerprint, "a record is found by its name")
    let listed = try await store.records(userID: composed)
    require(
      listed.map(\.id) == ["2", "1"], "a user's records are listed, the newest first, and users are compared as bytes")
    _ = try await store.revokeAll(userID: decomposed, reason: .userDisabled, now: now)
    let kept = try await store.record(id: "1")
    require(kept?.revocation == nil, "revoking all of a user leaves other users alone")
  }

  private mutating func limits() async throws {
    _ = try await insert(record("expired", age: 2000), limit: 2)
    _ = try await insert(record("1", age: 20), limit: 2)
    let full = try await insert(record("2", age: 10), limit: 2)
    require(full == .inserted(revoked: []), "up to the limit nothing is revoked, and expired records don't count")
    let refused = try await insert(record("3"), limit: 2, .reject)
    require(refused == .rejected, "at the limit, reject rejects")
    let absent = try await store.record(id: "3")
    require(absent == nil, "a rejected record is not there")
    let made = try await insert(record("4"), limit: 2)
    require(
      made == .inserted(revoked: ["1"]), "at the limit, the oldest live record is revoked"
    )
    let oldest = try await store.record(id: "1")
    require(oldest?.revocation?.reason == .maxSecretsExceeded, "its reason is max_secrets_exceeded")
    let other = try await insert(record("5", user: "another"), limit: 2, .reject)
    require(other == .inserted(revoked: []), "users don't share a limit")
  }

  private mutating func uses() async throws {
    _ = try await insert(record("1"))
    _ = try await insert(record("old", lifetime: 0))
    let first = try await store.consume(id: "1", useLimit: 2, now: now)
    let second = try await store.consume(id: "1", useLimit: 2, now: now.advanced(by: 1))
    let third = try await store.consume(id: "1", useLimit: 2, now: now)
    require(
      first == .consumed(useCount: 1) && second == .consumed(useCount: 2) && third == .exhausted,
      "uses are counted up to the limit")
    let exhausted = try await store.record(id: "1")
    require(exhausted?.revocation?.reason == .useCountExceeded, "one use too many revokes")
    require(exhausted?.lastUsedAt == now.advanced(by: 1), "the last use is noted")
    let expired = try await store.consume(id: "old", useLimit: nil, now: now)
    let unknown = try await store.consume(id: "?", useLimit: nil, now: now)
    require(
      expired == .notActive && unknown == .notActive,
      "a secret does not serve at its expiry instant, nor an unknown one")
  }

  private mutating func rotation() async throws {
    let original = record("1")
    _ = try await insert(original)
    let next = DeviceSecret.random().fingerprint
    let grace = now.advanced(by: 60)
    let rotated = try await store.rotate(id: "1", from: original.fingerprint, to: next, graceUntil: grace, now: now)
    let again = try await store.rotate(id: "1", from: original.fingerprint, to: next, graceUntil: grace, now: now)
    require(rotated && !again, "only the current secret is replaced")
    let current = try await store.record(fingerprint: next, now: now)
    require(current?.fingerprint == next, "the new secret is found")
    let within = try await store.record(fingerprint: original.fingerprint, now: now.advanced(by: 59))
    require(within?.id == "1", "the old secret is found within its grace")
    let after = try await store.record(fingerprint: original.fingerprint, now: grace)
    require(after == nil, "the old secret is not found once its grace has ended")
  }

  private mutating func revocation() async throws {
    _ = try await insert(record("1", session: "a"))
    _ = try await insert(record("2", session: "b"))
    let attached = try await store.attach(sessionID: "c", to: "1", now: now)
    require(attached, "a session is attached")
    let count = try await store.revokeAll(sessionID: "c", reason: .sessionLogout, now: now)
    require(count == 1, "ending an attached session revokes its records and no others")
    let late = try await store.attach(sessionID: "d", to: "1", now: now)
    require(!late, "nothing is attached to a revoked record")
    let once = try await store.revoke(id: "2", reason: .adminRevocation, now: now)
    let twice = try await store.revoke(id: "2", reason: .sessionLogout, now: now)
    let unknown = try await store.revoke(id: "?", reason: .adminRevocation, now: now)
    require(once == .revoked && twice == .alreadyRevoked && unknown == .unknown, "a record is revoked once")
    let kept = try await store.record(id: "2")
    require(kept?.revocation?.reason == .adminRevocation, "the first reason stays")
    let use = try await store.consume(id: "2", useLimit: nil, now: now)
    require(use == .notActive, "a revoked record does not serve")
    _ = try await insert(record("3", age: 10, lifetime: 5))
    let removed = try await store.removeStale(now: now, revokedBefore: now)
    let stillThere = try await store.record(id: "2")
    require(removed == 1 && stillThere != nil, "expired records are removed, revoked ones kept for a while")
  }

  private mutating func races() async throws {
    let (store, now) = (store, now)
    let records = (0..<32).map { record("r\($0)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for record in records {
        group.addTask { _ = try await store.insert(record, limit: 3, overflow: .revokeOldest, now: now) }
      }
      try await group.waitForAll()
    }
    let live = try await store.records(userID: "user").filter { $0.state(at: now) == .active }
    require(live.count == 3, "simultaneous logins never pass the limit")
    guard let id = live.first?.id else { return }
    let served = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<32 {
        group.addTask {
          if case .consumed = try await store.consume(id: id, useLimit: 5, now: now) { return true }
          return false
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    require(served == 5, "simultaneous uses never pass the limit")
  }
}
