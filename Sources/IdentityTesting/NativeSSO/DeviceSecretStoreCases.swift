import JOSE
import NativeSSOKit

/// What a `NativeSSOProvider` relies on in its store of device secrets.
public enum DeviceSecretStoreCases {
  /// All rules.
  public static let all = lookups + limits + uses + rotation + revocation + texts + concurrency

  /// Whatever users, sessions and devices are called, it is kept and compared octet by octet.
  private static let texts: [StoreCase<any DeviceSecretStore>] = AwkwardText.all.map { name, text in
    StoreCase("\(name) is kept, and names its record, user and session and no others") { place in
      let store = try await place.open()
      let twin = AwkwardText.twin(of: text)
      for name in [text, twin] { _ = try await insert(named(name), store) }
      let again = try await place.open()
      let stored = try await again.record(id: text)
      guard stored?.deviceName?.utf8.elementsEqual(text.utf8) == true,
        stored?.clientID.utf8.elementsEqual(text.utf8) == true,
        try await again.records(userID: text).map({ Array($0.id.utf8) }) == [Array(text.utf8)]
      else { return false }
      let ended = try await again.revokeAll(sessionID: text, reason: .sessionLogout, now: now)
      let others = try await again.record(id: twin)?.revocation
      let twins = try await again.revokeAll(userID: twin, reason: .userDisabled, now: now)
      return others == nil && ended.revoked.map { Array($0.utf8) } == [Array(text.utf8)]
        && twins.revoked.map { Array($0.utf8) } == [Array(twin.utf8)]
    }
  }

  private static let lookups: [StoreCase<any DeviceSecretStore>] = [
    StoreCase("an empty store finds nothing") { place in
      let (store, record) = (try await place.open(), record("1"))
      let isFound = try await store.record(fingerprint: record.fingerprint, now: now) != nil
      return try await allHold(!isFound, store.record(id: "1") == nil, store.records(userID: "user").isEmpty)
    },
    StoreCase("a record is found by its hash and by its name, with every member") { place in
      let (store, record) = (try await place.open(), full("1"))
      _ = try await store.insert(record, limit: 10, overflow: .revokeOldest, now: now)
      let byHash = try await store.record(fingerprint: record.fingerprint, now: now)
      let byName = try await store.record(id: "1")
      return byHash?.serialized() == record.serialized() && byName?.serialized() == record.serialized()
    },
    StoreCase("what was written is there when the store is opened again") { place in
      let record = full("1")
      _ = try await place.open().insert(record, limit: 10, overflow: .revokeOldest, now: now)
      let store = try await place.open()
      let isFound = try await store.record(fingerprint: record.fingerprint, now: now)?.id == "1"
      return try await allHold(isFound, store.record(id: "1")?.serialized() == record.serialized())
    },
    StoreCase("another hash finds nothing") { place in
      let store = try await place.open()
      _ = try await insert(record("1"), store)
      return try await store.record(fingerprint: DeviceSecret.random().fingerprint, now: now) == nil
    },
    StoreCase("names of records are compared as bytes") { place in
      let store = try await place.open()
      _ = try await insert(record("\u{E9}"), store)
      return try await allHold(store.record(id: "e\u{301}") == nil, store.record(id: "\u{C9}") == nil)
    },
    StoreCase("a user's records are listed, the newest first, whatever their state, and no others") { place in
      let store = try await place.open()
      for (id, user, age) in [("1", "\u{E9}", 3.0), ("2", "\u{E9}", 2000), ("3", "e\u{301}", 0), ("4", "\u{E9}", 1)] {
        _ = try await insert(record(id, user: user, age: age), store)
      }
      _ = try await store.revoke(id: "4", reason: .adminRevocation, now: now)
      let listed = try await store.records(userID: "\u{E9}").map(\.id)
      return listed.count == 3 && listed.first == "4" && Set(listed) == ["1", "2", "4"]
    },
  ]

  private static let limits: [StoreCase<any DeviceSecretStore>] = [
    StoreCase("up to the limit nothing is revoked, and expired records don't count") { place in
      let store = try await place.open()
      _ = try await insert(record("expired", age: 2000), store, limit: 2)
      _ = try await insert(record("1", age: 20), store, limit: 2)
      return try await insert(record("2", age: 10), store, limit: 2) == .inserted(revoked: [])
    },
    StoreCase("at the limit, reject rejects, and the record is not there") { place in
      let store = try await place.open()
      _ = try await insert(record("1"), store, limit: 1)
      let insertion = try await insert(record("2"), store, limit: 1, .reject)
      return try await allHold(insertion == .rejected, store.record(id: "2") == nil)
    },
    StoreCase("at the limit, the oldest live record is revoked, for max_secrets_exceeded") { place in
      let store = try await place.open()
      for (id, age) in [("1", 30.0), ("2", 20), ("3", 10)] {
        _ = try await insert(record(id, age: age), store, limit: 3)
      }
      _ = try await store.revoke(id: "1", reason: .adminRevocation, now: now)
      _ = try await insert(record("4", age: 5), store, limit: 3)
      let insertion = try await insert(record("5"), store, limit: 3)
      let reason = try await store.record(id: "2")?.revocation?.reason
      return insertion == .inserted(revoked: ["2"]) && reason == .maxSecretsExceeded
    },
    StoreCase("a limit that was lowered revokes as many as it must") { place in
      let store = try await place.open()
      for (id, age) in [("1", 30.0), ("2", 20), ("3", 10)] { _ = try await insert(record(id, age: age), store) }
      return try await insert(record("4"), store, limit: 2) == .inserted(revoked: ["1", "2"])
    },
    StoreCase("users don't share a limit, and are compared as bytes") { place in
      let store = try await place.open()
      _ = try await insert(record("1", user: "\u{E9}"), store, limit: 1)
      return try await insert(record("2", user: "e\u{301}"), store, limit: 1, .reject) == .inserted(revoked: [])
    },
  ]

  private static let uses: [StoreCase<any DeviceSecretStore>] = [
    StoreCase("uses are counted, and the last one is noted") { place in
      let store = try await place.open()
      _ = try await insert(record("1"), store)
      let first = try await store.consume(id: "1", useLimit: nil, now: now)
      let second = try await store.consume(id: "1", useLimit: nil, now: now.advanced(by: 1))
      let used = try await place.open().record(id: "1")
      return first == .consumed(useCount: 1) && second == .consumed(useCount: 2) && used?.useCount == 2
        && used?.lastUsedAt == now.advanced(by: 1)
    },
    StoreCase("one use more than the limit revokes, for use_count_exceeded") { place in
      let store = try await place.open()
      _ = try await insert(record("1"), store)
      for _ in 0..<2 { _ = try await store.consume(id: "1", useLimit: 2, now: now) }
      let third = try await store.consume(id: "1", useLimit: 2, now: now)
      let fourth = try await store.consume(id: "1", useLimit: nil, now: now)
      let reason = try await store.record(id: "1")?.revocation?.reason
      return third == .exhausted && fourth == .notActive && reason == .useCountExceeded
    },
    StoreCase("a secret does not serve at its expiry instant, nor an unknown one") { place in
      let store = try await place.open()
      _ = try await insert(record("1", lifetime: 1), store)
      let atExpiry = try await store.consume(id: "1", useLimit: nil, now: now.advanced(by: 1))
      let unknown = try await store.consume(id: "?", useLimit: nil, now: now)
      return atExpiry == .notActive && unknown == .notActive
    },
  ]

  private static let rotation: [StoreCase<any DeviceSecretStore>] = [
    StoreCase("only the current secret of an active record is replaced") { place in
      let (store, original) = (try await place.open(), record("1"))
      _ = try await insert(original, store)
      let (second, third) = (DeviceSecret.random().fingerprint, DeviceSecret.random().fingerprint)
      let isRotated = try await rotate(original.fingerprint, second, store)
      let isStaleRotated = try await rotate(original.fingerprint, third, store)
      _ = try await store.revoke(id: "1", reason: .adminRevocation, now: now)
      let isRevokedRotated = try await rotate(second, third, store)
      return isRotated && !isStaleRotated && !isRevokedRotated
    },
    StoreCase("the new secret is found, and the old one until its grace ends") { place in
      let (store, original) = (try await place.open(), record("1"))
      _ = try await insert(original, store)
      let next = DeviceSecret.random().fingerprint
      _ = try await rotate(original.fingerprint, next, store)
      let again = try await place.open()
      let current = try await again.record(fingerprint: next, now: now.advanced(by: 900))
      let within = try await again.record(fingerprint: original.fingerprint, now: now.advanced(by: 59))
      let after = try await again.record(fingerprint: original.fingerprint, now: now.advanced(by: 60))
      return current?.id == "1" && within?.fingerprint == next && after == nil
    },
    StoreCase("a secret before the last but one is found no more") { place in
      let (store, original) = (try await place.open(), record("1"))
      _ = try await insert(original, store)
      let (second, third) = (DeviceSecret.random().fingerprint, DeviceSecret.random().fingerprint)
      _ = try await rotate(original.fingerprint, second, store)
      _ = try await rotate(second, third, store)
      let first = try await store.record(fingerprint: original.fingerprint, now: now)
      return try await allHold(first == nil, store.record(fingerprint: second, now: now) != nil)
    },
    StoreCase("a store that remembers rotated secrets gives their record once their grace has ended") { place in
      let (store, original) = (try await place.open(), record("1"))
      _ = try await insert(original, store)
      _ = try await rotate(original.fingerprint, DeviceSecret.random().fingerprint, store)
      let within = try await store.rotatedRecord(fingerprint: original.fingerprint, now: now.advanced(by: 59))
      let after = try await store.rotatedRecord(fingerprint: original.fingerprint, now: now.advanced(by: 60))
      let unknown = try await store.rotatedRecord(fingerprint: DeviceSecret.random().fingerprint, now: now)
      return within == nil && unknown == nil && (after == nil || after?.id == "1")
    },
  ]

  private static let revocation: [StoreCase<any DeviceSecretStore>] = [
    StoreCase("a record is revoked once, and the first reason stays") { place in
      let store = try await place.open()
      _ = try await insert(record("1"), store)
      let once = try await store.revoke(id: "1", reason: .adminRevocation, now: now)
      let twice = try await store.revoke(id: "1", reason: .sessionLogout, now: now.advanced(by: 1))
      let unknown = try await store.revoke(id: "?", reason: .adminRevocation, now: now)
      let kept = try await place.open().record(id: "1")?.revocation
      return once == .revoked && twice == .alreadyRevoked && unknown == .unknown && kept?.reason == .adminRevocation
        && kept?.date == now
    },
    StoreCase("a revoked record does not serve and takes no session") { place in
      let store = try await place.open()
      _ = try await insert(record("1"), store)
      _ = try await store.revoke(id: "1", reason: .adminRevocation, now: now)
      let isAttached = try await store.attach(sessionID: "late", to: "1", now: now)
      return try await allHold(!isAttached, store.consume(id: "1", useLimit: nil, now: now) == .notActive)
    },
    StoreCase("sessions are attached to active records, once each") { place in
      let store = try await place.open()
      _ = try await insert(record("1", lifetime: 10), store)
      for _ in 0..<2 { _ = try await store.attach(sessionID: "\u{E9}", to: "1", now: now) }
      let isAttached = try await store.attach(sessionID: "e\u{301}", to: "1", now: now)
      let isLate = try await store.attach(sessionID: "late", to: "1", now: now.advanced(by: 10))
      let isUnknown = try await store.attach(sessionID: "session", to: "?", now: now)
      let sessions = try await place.open().record(id: "1")?.sessionIDs ?? []
      return isAttached && !isLate && !isUnknown && sessions.count == 3
    },
    StoreCase("ending a session revokes the records that it is attached to, and no others") { place in
      let store = try await place.open()
      for id in ["1", "2", "3"] { _ = try await insert(record(id, session: "s\(id)"), store) }
      _ = try await store.attach(sessionID: "s2", to: "1", now: now)
      _ = try await store.revoke(id: "3", reason: .adminRevocation, now: now)
      _ = try await store.attach(sessionID: "s2", to: "3", now: now)
      let outcome = try await store.revokeAll(sessionID: "s2", reason: .sessionLogout, now: now)
      let states = try await ["1", "2"].asyncMap { try await store.record(id: $0)?.revocation?.reason }
      let kept = try await store.record(id: "3")?.revocation?.reason
      return Set(outcome.revoked) == ["1", "2"] && outcome.alreadyRevoked == []
        && states == [.sessionLogout, .sessionLogout] && kept == .adminRevocation
    },
    StoreCase("sessions and users are compared as bytes") { place in
      let store = try await place.open()
      _ = try await insert(record("1", user: "\u{E9}", session: "\u{E9}"), store)
      let bySession = try await store.revokeAll(sessionID: "e\u{301}", reason: .sessionLogout, now: now)
      let byUser = try await store.revokeAll(userID: "e\u{301}", reason: .userDisabled, now: now)
      let none = DeviceSecretRevocations()
      return try await allHold(bySession == none, byUser == none, store.record(id: "1")?.revocation == nil)
    },
    StoreCase("revoking all of a user revokes what is not revoked yet, and names it and the rest") { place in
      let store = try await place.open()
      for id in ["1", "2", "3"] { _ = try await insert(record(id), store) }
      _ = try await insert(record("4", user: "another"), store)
      _ = try await store.revoke(id: "3", reason: .adminRevocation, now: now)
      let outcome = try await store.revokeAll(userID: "user", reason: .passwordChanged, now: now)
      let again = try await place.open().revokeAll(userID: "user", reason: .passwordChanged, now: now)
      return try await allHold(
        Set(outcome.revoked) == ["1", "2"], outcome.alreadyRevoked == ["3"], again.revoked == [],
        Set(again.alreadyRevoked) == ["1", "2", "3"], again.alreadyRevoked.count == 3,
        store.record(id: "4")?.revocation == nil)
    },
    StoreCase("ending a session again revokes nothing, and names what it is attached to") { place in
      let store = try await place.open()
      for id in ["1", "2", "3"] { _ = try await insert(record(id, session: id == "3" ? "other" : "s"), store) }
      _ = try await store.revoke(id: "1", reason: .adminRevocation, now: now)
      let outcome = try await store.revokeAll(sessionID: "s", reason: .sessionLogout, now: now)
      let again = try await place.open().revokeAll(sessionID: "s", reason: .sessionLogout, now: now)
      return outcome == DeviceSecretRevocations(revoked: ["2"], alreadyRevoked: ["1"]) && again.revoked == []
        && Set(again.alreadyRevoked) == ["1", "2"]
    },
    StoreCase("expired records are removed, and revoked ones after a while") { place in
      let (store, expired) = (try await place.open(), record("1", age: 10, lifetime: 10))
      _ = try await insert(expired, store)
      for id in ["2", "3"] { _ = try await insert(record(id), store) }
      _ = try await store.revoke(id: "2", reason: .adminRevocation, now: now)
      let first = try await store.removeStale(now: now, revokedBefore: now)
      let isKept = try await store.record(id: "2") != nil
      let second = try await store.removeStale(now: now, revokedBefore: now.advanced(by: 1))
      let isGone = try await store.record(fingerprint: expired.fingerprint, now: now) == nil
      return try await allHold(
        first == 1, second == 1, isKept, isGone, store.records(userID: "user").map(\.id) == ["3"])
    },
  ]

  private static let concurrency: [StoreCase<any DeviceSecretStore>] = [
    StoreCase("simultaneous logins never pass the limit") { place in
      let inserted = try await place.successes { store, number in
        _ = try await insert(record("r\(number)"), store, limit: 3)
        return true
      }
      let records = try await place.open().records(userID: "user")
      return inserted == 32 && records.count == 32 && records.count { $0.state(at: now) == .active } == 3
    },
    StoreCase("simultaneous logins never pass the limit where it rejects") { place in
      let inserted = try await place.successes { store, number in
        try await insert(record("r\(number)"), store, limit: 3, .reject) != .rejected
      }
      return try await allHold(inserted == 3, place.open().records(userID: "user").count == 3)
    },
    StoreCase("simultaneous uses never pass the limit, and each is counted") { place in
      _ = try await insert(record("1"), place.open())
      let served = try await place.successes { store, _ in
        if case .consumed = try await store.consume(id: "1", useLimit: 5, now: now) { return true }
        return false
      }
      return try await allHold(served == 5, place.open().record(id: "1")?.useCount == 5)
    },
    StoreCase("of simultaneous rotations one wins") { place in
      let original = record("1")
      _ = try await insert(original, place.open())
      let rotated = try await place.successes { store, _ in
        try await rotate(original.fingerprint, DeviceSecret.random().fingerprint, store)
      }
      return rotated == 1
    },
    StoreCase("of simultaneous revocations one revokes") { place in
      _ = try await insert(record("1"), place.open())
      let revoked = try await place.successes { store, number in
        try await store.revoke(id: "1", reason: RevocationReason("by \(number)"), now: now) == .revoked
      }
      return revoked == 1
    },
    StoreCase("sessions that are attached at once are all there") { place in
      _ = try await insert(record("1"), place.open())
      let attached = try await place.successes { store, number in
        try await store.attach(sessionID: "s\(number)", to: "1", now: now)
      }
      return try await allHold(attached == 32, place.open().record(id: "1")?.sessionIDs.count == 33)
    },
    StoreCase("a use that is cut off is counted or not, and nothing else is changed") { place in
      _ = try await insert(full("1"), place.open())
      var counted = 0
      for _ in 0..<16 {
        let outcome = try await place.cancelled { try await $0.consume(id: "1", useLimit: nil, now: now) }
        guard let record = try await place.open().record(id: "1") else { return false }
        guard record.useCount == counted || record.useCount == counted + 1 else { return false }
        if case .consumed(let count)? = outcome, count != record.useCount { return false }
        counted = record.useCount
      }
      return true
    },
    StoreCase("stores at different places don't share records") { place in
      _ = try await insert(record("1"), place.open())
      return try await place.other.open().record(id: "1") == nil
    },
  ]

  static let now = NumericDate(1_760_000_000)

  static func record(
    _ id: String, user: String = "user", session: String = "session", age: Double = 0, lifetime: Double = 1000
  ) -> DeviceSecretRecord {
    let created = now.advanced(by: -age)
    return DeviceSecretRecord(
      id: id, fingerprint: DeviceSecret.random().fingerprint, userID: user, sessionID: session, clientID: "app",
      createdAt: created, expiresAt: created.advanced(by: lifetime))
  }

  /// A record whose every name is this text.
  private static func named(_ text: String) -> DeviceSecretRecord {
    DeviceSecretRecord(
      id: text, fingerprint: DeviceSecret.random().fingerprint, userID: text, sessionID: text, clientID: text,
      deviceName: text, createdAt: now, expiresAt: now.advanced(by: 1000))
  }

  /// A record with every member that a new one has.
  private static func full(_ id: String) -> DeviceSecretRecord {
    DeviceSecretRecord(
      id: id, fingerprint: DeviceSecret.random().fingerprint, userID: "\u{1F600}'\"\\", sessionID: "s", clientID: "app",
      deviceName: "Jane's phone", devicePlatform: .iOS, createdAt: now.advanced(by: 0.25),
      expiresAt: now.advanced(by: 1000))
  }

  static func insert(
    _ record: DeviceSecretRecord, _ store: any DeviceSecretStore, limit: Int = 100,
    _ overflow: NativeSSOSettings.OverflowBehavior = .revokeOldest
  ) async throws -> DeviceSecretInsertion {
    try await store.insert(record, limit: limit, overflow: overflow, now: now)
  }

  private static func rotate(
    _ current: DeviceSecretFingerprint, _ next: DeviceSecretFingerprint, _ store: any DeviceSecretStore
  ) async throws -> Bool {
    try await store.rotate(id: "1", from: current, to: next, graceUntil: now.advanced(by: 60), now: now)
  }
}

extension Array {
  fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
