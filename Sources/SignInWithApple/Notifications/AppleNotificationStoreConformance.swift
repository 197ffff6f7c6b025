import JOSE

/// Runs a store of notifications through what an ``AppleNotificationReceiver`` relies on.
public enum AppleNotificationStoreConformance {
  /// Checks a store.
  ///
  /// - Parameters:
  ///   - now: by the store's clock.
  ///   - makeStore: a store with nothing in it.
  /// - Returns: a sentence for each rule that was broken. Empty if the store conforms.
  /// - Throws: what the store throws.
  public static func check(
    now: NumericDate, makeStore: @Sendable () async throws -> any AppleNotificationStore
  ) async throws -> [String] {
    var findings: [String] = []
    func require(_ holds: Bool, _ rule: String) {
      if !holds { findings.append(rule) }
    }
    let store = try await makeStore()
    let expiration = now.advanced(by: 48 * 3600)
    func notification(
      _ name: String, _ event: AppleNotification.Event = .consentRevoked, subject: String = "s", app: String = "a",
      at seconds: Int
    ) -> AppleNotification {
      AppleNotification(
        event: event, subject: subject, eventTime: NumericDate(seconds), audience: app, tokenID: name)
    }
    let first = notification("1", at: 10)
    for _ in 0..<2 {
      require(
        try await store.verdict(on: first, expiration: expiration) == .new, "asking for the verdict records nothing")
    }
    let verdicts = try await withThrowingTaskGroup(of: AppleNotificationVerdict.self) { group in
      for _ in 0..<32 { group.addTask { try await store.record(first, expiration: expiration) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    require(
      verdicts.count { $0 == .new } == 1 && verdicts.count { $0 == .duplicate } == 31,
      "of simultaneous records one is new, the others are duplicates")
    require(try await store.verdict(on: first, expiration: expiration) == .duplicate, "what was recorded is known")
    let older = notification("2", at: 9)
    require(
      try await store.verdict(on: older, expiration: expiration) == .outdated,
      "an earlier event of the same app, user and kind is outdated")
    require(try await store.record(older, expiration: expiration) == .outdated, "and says so when it is recorded")
    let others = [
      notification("3", .emailDisabled, at: 9), notification("4", .accountDeleted, at: 9),
      notification("5", subject: "S", at: 9), notification("6", app: "b", at: 9), notification("7", .other, at: 9),
      notification("8", .other, at: 8), notification("9", at: 11),
    ]
    for other in others {
      require(
        try await store.record(other, expiration: expiration) == .new,
        "another kind, user or app, and a later event, are new: \(other.tokenID)")
    }
    require(
      try await store.record(notification("10", .emailEnabled, at: 8), expiration: expiration) == .outdated,
      "mail that is switched on and off is of one kind")
    return findings
  }
}
