import IdentityTesting
import JOSE
import Testing

@testable import NativeSSOKit
import OpenIDKit

/// What a provider relies on in its device secrets, over records in memory.
@Suite struct DeviceSecretRecordsTests {
  @Test(arguments: all) func rule(_ rule: Rule) async throws { #expect(try await rule.body(Place())) }

  /// Each group of rules, with faults that it finds.
  private static let planted: [(rules: [Rule], faults: [BentRecords.Fault])] = [
    (lookups, [.losesIndex("fingerprint"), .losesIndex("user")]),
    (limits, [.losesIndex("live"), .keepsDocuments]),
    (uses, [.keepsDocuments]),
    (rotation, [.losesIndex("fingerprint"), .losesIndex("rotated"), .losesExpiry, .keepsDocuments]),
    (revocation, [.losesIndex("session"), .losesIndex("user"), .losesExpiry, .keepsDocuments]),
    (texts, [.losesIndex("session"), .losesIndex("user")]),
    (concurrency, [.ignoresQuotas, .replacesBlindly, .losesIndex("rotated")]),
    (damages, [.hidesDamage, .losesIndex("live"), .losesExpiry]),
    (formerDamages, [.hidesDamage]),
  ]

  @Test(arguments: planted.indices) func `the rules find what is planted`(_ group: Int) async {
    let (rules, faults) = Self.planted[group]
    for fault in faults {
      var isFound = false
      for rule in rules where !isFound { isFound = (try? await rule.body(Place(fault))) != true }
      #expect(isFound, "\(fault)")
    }
  }

  /// A rule, and what shows whether it holds.
  struct Rule: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: @Sendable (Place) async throws -> Bool

    init(_ rule: String, _ body: @escaping @Sendable (_ place: Place) async throws -> Bool) {
      (testDescription, self.body) = (rule, body)
    }
  }

  /// Records, empty at first.
  struct Place: Sendable {
    let records: BentRecords

    init(_ fault: BentRecords.Fault? = nil) { records = BentRecords(fault) }

    func open() -> DeviceSecretRecords { DeviceSecretRecords(records) }

    /// Those that know this many former secrets of a device.
    func open(formerLimit: Int) -> DeviceSecretRecords { DeviceSecretRecords(records, formerLimit: formerLimit) }

    /// How many of 32 attempts succeed that are made at once.
    func successes(
      _ attempt: @escaping @Sendable (_ store: DeviceSecretRecords, _ number: Int) async throws -> Bool
    ) async throws -> Int {
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<32 { group.addTask { try await attempt(open(), number) } }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
    }

    /// Puts what becomes of its document in the place of a record's.
    func damage(_ id: String, _ change: ([UInt8]) -> [UInt8] = { Array($0.dropLast()) }) async throws {
      var record = try #require(await records.record(DeviceSecretRecords.kind, key: Array(id.utf8)))
      record.document = change(record.document)
      #expect(try await records.commit([.replace(record)]) == .done)
    }

    /// The same for what is kept of a former secret.
    func damageFormer(_ fingerprint: DeviceSecretFingerprint, _ change: ([UInt8]) -> [UInt8]) async throws {
      let index = FormerDeviceSecret.index(fingerprint)
      var former = try #require(await records.records(FormerDeviceSecret.kind, where: index, limit: 1).first)
      former.document = change(former.document)
      #expect(try await records.commit([.replace(former)]) == .done)
    }

    /// Removes what has expired, and returns how many there were.
    func removeExpired(before date: NumericDate) async -> Int { await records.removeExpired(before: date, limit: 100) }
  }

  /// All rules.
  static let all = lookups + limits + uses + rotation + revocation + texts + concurrency + damages + formerDamages

  /// Whatever users, sessions and devices are called, it is kept and compared octet by octet.
  private static let texts: [Rule] = AwkwardText.all.map { name, text in
    Rule("\(name) is kept, and names its record, user and session and no others") { place in
      let store = place.open()
      let twin = AwkwardText.twin(of: text)
      for name in [text, twin] { _ = try await insert(named(name), store) }
      let again = place.open()
      let stored = try await again.record(id: text)
      guard stored?.deviceName?.utf8.elementsEqual(text.utf8) == true,
        stored?.clientID.utf8.elementsEqual(text.utf8) == true,
        try await again.records(userID: text).map({ Array($0.id.utf8) }) == [Array(text.utf8)]
      else { return false }
      let ended = try await again.revokeAll(sessionID: text, reason: .sessionEnded, now: now)
      let others = try await again.record(id: twin)?.revocation
      let twins = try await again.revokeAll(userID: twin, reason: .userDisabled, now: now)
      return others == nil && ended.revoked.map { Array($0.utf8) } == [Array(text.utf8)]
        && twins.revoked.map { Array($0.utf8) } == [Array(twin.utf8)]
    }
  }

  private static let lookups: [Rule] = [
    Rule("an empty store finds nothing") { place in
      let (store, record) = (place.open(), record("1"))
      let isFound = try await store.record(fingerprint: record.fingerprint, now: now) != nil
      return try await allHold(!isFound, store.record(id: "1") == nil, store.records(userID: "user").isEmpty)
    },
    Rule("a record is found by its hash and by its name, with every member") { place in
      let (store, record) = (place.open(), full("1"))
      _ = try await store.insert(record, limit: 10, overflow: .revokeOldest, now: now)
      let byHash = try await store.record(fingerprint: record.fingerprint, now: now)
      let byName = try await store.record(id: "1")
      return byHash?.serialized() == record.serialized() && byName?.serialized() == record.serialized()
    },
    Rule("what was written is there when the store is opened again") { place in
      let record = full("1")
      _ = try await place.open().insert(record, limit: 10, overflow: .revokeOldest, now: now)
      let store = place.open()
      let isFound = try await store.record(fingerprint: record.fingerprint, now: now)?.id == "1"
      return try await allHold(isFound, store.record(id: "1")?.serialized() == record.serialized())
    },
    Rule("another hash finds nothing") { place in
      let store = place.open()
      _ = try await insert(record("1"), store)
      return try await store.record(fingerprint: DeviceSecret.random().fingerprint, now: now) == nil
    },
    Rule("names of records are compared as bytes") { place in
      let store = place.open()
      _ = try await insert(record("\u{E9}"), store)
      return try await allHold(store.record(id: "e\u{301}") == nil, store.record(id: "\u{C9}") == nil)
    },
    Rule("a user's records are listed, the newest first, whatever their state, and no others") { place in
      let store = place.open()
      for (id, user, age) in [("1", "\u{E9}", 3.0), ("2", "\u{E9}", 2000), ("3", "e\u{301}", 0), ("4", "\u{E9}", 1)] {
        _ = try await insert(record(id, user: user, age: age), store)
      }
      _ = try await store.revoke(id: "4", reason: .administrator, now: now)
      let listed = try await store.records(userID: "\u{E9}").map(\.id)
      return listed.count == 3 && listed.first == "4" && Set(listed) == ["1", "2", "4"]
    },
  ]

  private static let limits: [Rule] = [
    Rule("up to the limit nothing is revoked, and expired records don't count") { place in
      let store = place.open()
      _ = try await insert(record("expired", age: 2000), store, limit: 2)
      _ = try await insert(record("1", age: 20), store, limit: 2)
      return try await insert(record("2", age: 10), store, limit: 2) == .inserted(revoked: [])
    },
    Rule("at the limit, reject rejects, and the record is not there") { place in
      let store = place.open()
      _ = try await insert(record("1"), store, limit: 1)
      let insertion = try await insert(record("2"), store, limit: 1, .reject)
      return try await allHold(insertion == .rejected, store.record(id: "2") == nil)
    },
    Rule("at the limit, the oldest live record is revoked, for max_secrets_exceeded") { place in
      let store = place.open()
      for (id, age) in [("1", 30.0), ("2", 20), ("3", 10)] {
        _ = try await insert(record(id, age: age), store, limit: 3)
      }
      _ = try await store.revoke(id: "1", reason: .administrator, now: now)
      _ = try await insert(record("4", age: 5), store, limit: 3)
      let insertion = try await insert(record("5"), store, limit: 3)
      let reason = try await store.record(id: "2")?.revocation?.reason
      return insertion == .inserted(revoked: ["2"]) && reason == .tooManyDeviceSecrets
    },
    Rule("a limit that was lowered revokes as many as it must") { place in
      let store = place.open()
      for (id, age) in [("1", 30.0), ("2", 20), ("3", 10)] { _ = try await insert(record(id, age: age), store) }
      return try await insert(record("4"), store, limit: 2) == .inserted(revoked: ["1", "2"])
    },
    Rule("users don't share a limit, and are compared as bytes") { place in
      let store = place.open()
      _ = try await insert(record("1", user: "\u{E9}"), store, limit: 1)
      return try await insert(record("2", user: "e\u{301}"), store, limit: 1, .reject) == .inserted(revoked: [])
    },
  ]

  private static let uses: [Rule] = [
    Rule("uses are counted, and the last one is noted") { place in
      let store = place.open()
      _ = try await insert(record("1"), store)
      let first = try await store.consume(id: "1", useLimit: nil, now: now)
      let second = try await store.consume(id: "1", useLimit: nil, now: now.advanced(by: 1))
      let used = try await place.open().record(id: "1")
      return first == .consumed(useCount: 1) && second == .consumed(useCount: 2) && used?.useCount == 2
        && used?.lastUsedAt == now.advanced(by: 1)
    },
    Rule("one use more than the limit revokes, for use_count_exceeded") { place in
      let store = place.open()
      _ = try await insert(record("1"), store)
      for _ in 0..<2 { _ = try await store.consume(id: "1", useLimit: 2, now: now) }
      let third = try await store.consume(id: "1", useLimit: 2, now: now)
      let fourth = try await store.consume(id: "1", useLimit: nil, now: now)
      let reason = try await store.record(id: "1")?.revocation?.reason
      return third == .exhausted && fourth == .notActive && reason == .useCountExceeded
    },
    Rule("a secret does not serve at its expiry instant, nor an unknown one") { place in
      let store = place.open()
      _ = try await insert(record("1", lifetime: 1), store)
      let atExpiry = try await store.consume(id: "1", useLimit: nil, now: now.advanced(by: 1))
      let unknown = try await store.consume(id: "?", useLimit: nil, now: now)
      return atExpiry == .notActive && unknown == .notActive
    },
  ]

  private static let rotation: [Rule] = [
    Rule("only the current secret of an active record is replaced") { place in
      let (store, original) = (place.open(), record("1"))
      _ = try await insert(original, store)
      let (second, third) = (DeviceSecret.random().fingerprint, DeviceSecret.random().fingerprint)
      let isRotated = try await rotate(original.fingerprint, second, store)
      let isStaleRotated = try await rotate(original.fingerprint, third, store)
      _ = try await store.revoke(id: "1", reason: .administrator, now: now)
      let isRevokedRotated = try await rotate(second, third, store)
      return isRotated && !isStaleRotated && !isRevokedRotated
    },
    Rule("the new secret is found, and the old one until its grace ends") { place in
      let (store, original) = (place.open(), record("1"))
      _ = try await insert(original, store)
      let next = DeviceSecret.random().fingerprint
      _ = try await rotate(original.fingerprint, next, store)
      let again = place.open()
      let current = try await again.record(fingerprint: next, now: now.advanced(by: 900))
      let within = try await again.record(fingerprint: original.fingerprint, now: now.advanced(by: 59))
      let after = try await again.record(fingerprint: original.fingerprint, now: now.advanced(by: 60))
      return current?.id == "1" && within?.fingerprint == next && after == nil
    },
    Rule("a secret before the last but one is found no more") { place in
      let (store, original) = (place.open(), record("1"))
      _ = try await insert(original, store)
      let (second, third) = (DeviceSecret.random().fingerprint, DeviceSecret.random().fingerprint)
      _ = try await rotate(original.fingerprint, second, store)
      _ = try await rotate(second, third, store)
      let first = try await store.record(fingerprint: original.fingerprint, now: now)
      return try await allHold(first == nil, store.record(fingerprint: second, now: now) != nil)
    },
    Rule("a rotated secret gives its record once its grace has ended") { place in
      let (store, original) = (place.open(), record("1"))
      _ = try await insert(original, store)
      _ = try await rotate(original.fingerprint, DeviceSecret.random().fingerprint, store)
      let within = try await store.rotatedRecord(fingerprint: original.fingerprint, now: now.advanced(by: 59))
      let after = try await store.rotatedRecord(fingerprint: original.fingerprint, now: now.advanced(by: 60))
      let unknown = try await store.rotatedRecord(fingerprint: DeviceSecret.random().fingerprint, now: now)
      return within == nil && unknown == nil && after?.id == "1"
    },
    Rule("of former secrets as many are known as are kept, and the oldest are forgotten first") { place in
      let (store, original) = (place.open(formerLimit: 4), record("1"))
      _ = try await insert(original, store)
      var secrets = [original.fingerprint]
      for _ in 0..<10 {
        let next = DeviceSecret.random().fingerprint
        guard try await rotate(secrets[secrets.count - 1], next, store) else { return false }
        secrets.append(next)
        // What has been replaced is known after its grace, up to the limit, and the current one is no former one.
        let known = try await secrets.asyncMap {
          try await store.rotatedRecord(fingerprint: $0, now: now.advanced(by: 60)) != nil
        }
        let forgotten = max(0, secrets.count - 5)
        let expected =
          [Bool](repeating: false, count: forgotten)
          + [Bool](repeating: true, count: secrets.count - 1 - forgotten) + [false]
        guard known == expected else { return false }
      }
      return true
    },
    Rule("a device's former secrets take no place of another's") { place in
      let (store, other) = (place.open(), record("11"))
      let original = record("1")
      for device in [original, other] { _ = try await insert(device, store) }
      var secrets = [original.fingerprint]
      for _ in 0..<11 {
        let next = DeviceSecret.random().fingerprint
        guard try await rotate(secrets[secrets.count - 1], next, store) else { return false }
        secrets.append(next)
      }
      let isOtherRotated = try await store.rotate(
        id: "11", from: other.fingerprint, to: DeviceSecret.random().fingerprint, graceUntil: now, now: now)
      return try await allHold(
        isOtherRotated, store.rotatedRecord(fingerprint: other.fingerprint, now: now)?.id == "11",
        store.rotatedRecord(fingerprint: secrets[9], now: now)?.id == "1",
        store.rotatedRecord(fingerprint: secrets[10], now: now.advanced(by: 60))?.id == "1")
    },
    Rule("a former secret is forgotten after 90 days, and no later one with it") { place in
      let (store, day) = (place.open(), 86_400.0)
      let original = record("1", lifetime: 100 * day)
      let (second, third) = (DeviceSecret.random().fingerprint, DeviceSecret.random().fingerprint)
      _ = try await insert(original, store)
      let isRotated = try await rotate(original.fingerprint, second, store)
      let later = now.advanced(by: day)
      let isRotatedAgain = try await store.rotate(id: "1", from: second, to: third, graceUntil: later, now: later)
      let early = await place.removeExpired(before: now.advanced(by: 90 * day))
      let isKept = try await store.rotatedRecord(fingerprint: original.fingerprint, now: later) != nil
      let late = await place.removeExpired(before: now.advanced(by: 90 * day + 1))
      let isGone = try await store.rotatedRecord(fingerprint: original.fingerprint, now: later) == nil
      return try await allHold(
        isRotated, isRotatedAgain, early == 0, isKept, late == 1, isGone,
        store.rotatedRecord(fingerprint: second, now: later)?.id == "1",
        store.record(fingerprint: third, now: later)?.id == "1")
    },
  ]

  private static let revocation: [Rule] = [
    Rule("a record is revoked once, and the first reason stays") { place in
      let store = place.open()
      _ = try await insert(record("1"), store)
      let once = try await store.revoke(id: "1", reason: .administrator, now: now)
      let twice = try await store.revoke(id: "1", reason: .sessionEnded, now: now.advanced(by: 1))
      let unknown = try await store.revoke(id: "?", reason: .administrator, now: now)
      let kept = try await place.open().record(id: "1")?.revocation
      return once == .revoked && twice == .alreadyRevoked && unknown == .unknown && kept?.reason == .administrator
        && kept?.date == now
    },
    Rule("a revoked record does not serve and takes no session") { place in
      let store = place.open()
      _ = try await insert(record("1"), store)
      _ = try await store.revoke(id: "1", reason: .administrator, now: now)
      let isAttached = try await store.attach(sessionID: "late", to: "1", now: now)
      return try await allHold(!isAttached, store.consume(id: "1", useLimit: nil, now: now) == .notActive)
    },
    Rule("sessions are attached to active records, once each") { place in
      let store = place.open()
      _ = try await insert(record("1", lifetime: 10), store)
      for _ in 0..<2 { _ = try await store.attach(sessionID: "\u{E9}", to: "1", now: now) }
      let isAttached = try await store.attach(sessionID: "e\u{301}", to: "1", now: now)
      let isLate = try await store.attach(sessionID: "late", to: "1", now: now.advanced(by: 10))
      let isUnknown = try await store.attach(sessionID: "session", to: "?", now: now)
      let sessions = try await place.open().record(id: "1")?.sessionIDs ?? []
      return isAttached && !isLate && !isUnknown && sessions.count == 3
    },
    Rule("ending a session revokes the records that it is attached to, and no others") { place in
      let store = place.open()
      for id in ["1", "2", "3"] { _ = try await insert(record(id, session: "s\(id)"), store) }
      _ = try await store.attach(sessionID: "s2", to: "1", now: now)
      _ = try await store.revoke(id: "3", reason: .administrator, now: now)
      _ = try await store.attach(sessionID: "s2", to: "3", now: now)
      let outcome = try await store.revokeAll(sessionID: "s2", reason: .sessionEnded, now: now)
      let states = try await ["1", "2"].asyncMap { try await store.record(id: $0)?.revocation?.reason }
      let kept = try await store.record(id: "3")?.revocation?.reason
      return Set(outcome.revoked) == ["1", "2"] && outcome.alreadyRevoked == []
        && states == [.sessionEnded, .sessionEnded] && kept == .administrator
    },
    Rule("sessions and users are compared as bytes") { place in
      let store = place.open()
      _ = try await insert(record("1", user: "\u{E9}", session: "\u{E9}"), store)
      let bySession = try await store.revokeAll(sessionID: "e\u{301}", reason: .sessionEnded, now: now)
      let byUser = try await store.revokeAll(userID: "e\u{301}", reason: .userDisabled, now: now)
      let none = DeviceSecretRecords.Revocations()
      return try await allHold(bySession == none, byUser == none, store.record(id: "1")?.revocation == nil)
    },
    Rule("revoking all of a user revokes what is not revoked yet, and names it and the rest") { place in
      let store = place.open()
      for id in ["1", "2", "3"] { _ = try await insert(record(id), store) }
      _ = try await insert(record("4", user: "another"), store)
      _ = try await store.revoke(id: "3", reason: .administrator, now: now)
      let outcome = try await store.revokeAll(userID: "user", reason: .passwordChanged, now: now)
      let again = try await place.open().revokeAll(userID: "user", reason: .passwordChanged, now: now)
      return try await allHold(
        Set(outcome.revoked) == ["1", "2"], outcome.alreadyRevoked == ["3"], again.revoked == [],
        Set(again.alreadyRevoked) == ["1", "2", "3"], again.alreadyRevoked.count == 3,
        store.record(id: "4")?.revocation == nil)
    },
    Rule("ending a session again revokes nothing, and names what it is attached to") { place in
      let store = place.open()
      for id in ["1", "2", "3"] { _ = try await insert(record(id, session: id == "3" ? "other" : "s"), store) }
      _ = try await store.revoke(id: "1", reason: .administrator, now: now)
      let outcome = try await store.revokeAll(sessionID: "s", reason: .sessionEnded, now: now)
      let again = try await place.open().revokeAll(sessionID: "s", reason: .sessionEnded, now: now)
      return outcome == DeviceSecretRecords.Revocations(revoked: ["2"], alreadyRevoked: ["1"]) && again.revoked == []
        && Set(again.alreadyRevoked) == ["1", "2"]
    },
    Rule("expired and revoked records are removed after 90 days") { place in
      let (store, expired) = (place.open(), record("1", age: 10, lifetime: 10))
      _ = try await insert(expired, store)
      for id in ["2", "3"] { _ = try await insert(record(id, lifetime: 100 * 86_400), store) }
      _ = try await store.revoke(id: "2", reason: .administrator, now: now)
      let first = await place.removeExpired(before: now.advanced(by: 90 * 86_400 - 1))
      let isKept = try await store.record(id: "2") != nil
      let isKnown = try await store.record(fingerprint: expired.fingerprint, now: now)?.state(at: now) == .expired
      let isCounted = try await insert(record("4"), store, limit: 2) != .rejected
      let early = await place.removeExpired(before: now.advanced(by: 90 * 86_400))
      let second = await place.removeExpired(before: now.advanced(by: 90 * 86_400 + 1))
      let isGone = try await store.record(fingerprint: expired.fingerprint, now: now) == nil
      return try await allHold(
        first == 0, early == 0, second == 2, isKept, isKnown, isCounted, isGone,
        store.records(userID: "user").map(\.id) == ["4", "3"])
    },
  ]

  private static let concurrency: [Rule] = [
    Rule("simultaneous logins never pass the limit") { place in
      let inserted = try await place.successes { store, number in
        _ = try await insert(record("r\(number)"), store, limit: 3)
        return true
      }
      let records = try await place.open().records(userID: "user")
      return inserted == 32 && records.count == 32 && records.count { $0.state(at: now) == .active } == 3
    },
    Rule("simultaneous logins never pass the limit where it rejects") { place in
      let inserted = try await place.successes { store, number in
        try await insert(record("r\(number)"), store, limit: 3, .reject) != .rejected
      }
      let isThere = try await place.open().records(userID: "user").count == 3
      return inserted == 3 && isThere
    },
    Rule("simultaneous uses never pass the limit, and each is counted") { place in
      _ = try await insert(record("1"), place.open())
      let served = try await place.successes { store, _ in
        if case .consumed = try await store.consume(id: "1", useLimit: 5, now: now) { return true }
        return false
      }
      let isThere = try await place.open().record(id: "1")?.useCount == 5
      return served == 5 && isThere
    },
    Rule("of simultaneous rotations one wins") { place in
      let original = record("1")
      _ = try await insert(original, place.open())
      let rotated = try await place.successes { store, _ in
        try await rotate(original.fingerprint, DeviceSecret.random().fingerprint, store)
      }
      return rotated == 1
    },
    Rule("of simultaneous revocations one revokes") { place in
      _ = try await insert(record("1"), place.open())
      let revoked = try await place.successes { store, number in
        try await store.revoke(id: "1", reason: LogoutReason("by \(number)"), now: now) == .revoked
      }
      return revoked == 1
    },
    Rule("sessions that are attached at once are all there") { place in
      _ = try await insert(record("1"), place.open())
      let attached = try await place.successes { store, number in
        try await store.attach(sessionID: "s\(number)", to: "1", now: now)
      }
      let isThere = try await place.open().record(id: "1")?.sessionIDs.count == 33
      return attached == 32 && isThere
    },
    Rule("more records than are looked at together are revoked together") { place in
      for number in 0..<600 { _ = try await insert(record("\(number)"), place.open(), limit: 1000) }
      let outcome = try await place.open().revokeAll(sessionID: "session", reason: .sessionEnded, now: now)
      let again = try await place.open().revokeAll(userID: "user", reason: .userDisabled, now: now)
      return outcome.revoked.count == 600 && again.revoked.isEmpty && again.alreadyRevoked.count == 600
    },
    Rule("a secret that a rotation replaced long ago is known") { place in
      let (store, original) = (place.open(), record("1"))
      _ = try await insert(original, store)
      var current = original.fingerprint
      for _ in 0..<3 {
        let next = DeviceSecret.random().fingerprint
        guard try await rotate(current, next, store) else { return false }
        current = next
      }
      _ = try await store.consume(id: "1", useLimit: nil, now: now)
      return try await store.rotatedRecord(fingerprint: original.fingerprint, now: now)?.id == "1"
    },
  ]

  private static let formerDamages: [Rule] = DocumentDamage.all.map { damage in
    Rule("\(damage.name) in a former secret's place is not nothing, and the current one serves") { place in
      let (store, original) = (place.open(), record("1"))
      _ = try await insert(original, store)
      let next = DeviceSecret.random().fingerprint
      guard try await rotate(original.fingerprint, next, store) else { return false }
      try await place.damageFormer(original.fingerprint, damage.change)
      let later = now.advanced(by: 60)
      let isNoticed = await isMalformed {
        try await store.rotatedRecord(fingerprint: original.fingerprint, now: later)
      }
      return try await allHold(isNoticed, store.record(fingerprint: next, now: later)?.id == "1")
    }
  }

  private static let damages: [Rule] =
    DocumentDamage.all.map { damage in
      Rule("\(damage.name) is no device secret and not nothing, and its user's others go on") { place in
        let (damaged, sound, store) = (record("damaged"), record("sound"), place.open())
        for record in [damaged, sound] { _ = try await insert(record, store) }
        try await place.damage("damaged", damage.change)
        guard await isMalformed({ try await store.record(fingerprint: damaged.fingerprint, now: now) }),
          await isMalformed({ try await store.record(id: "damaged") }),
          await isMalformed({ try await store.consume(id: "damaged", useLimit: nil, now: now) }),
          try await store.record(fingerprint: sound.fingerprint, now: now)?.id == "sound",
          try await store.consume(id: "sound", useLimit: nil, now: now) == .consumed(useCount: 1)
        else { return false }
        return try await insert(record("3"), store) == .inserted(revoked: [])
      }
    } + [
      Rule("the document of another device's former secret is none") { place in
        let devices = ["1", "2"].map { record($0) }
        for device in devices {
          _ = try await insert(device, place.open())
          _ = try await place.open().rotate(
            id: device.id, from: device.fingerprint, to: DeviceSecret.random().fingerprint, graceUntil: now, now: now)
        }
        try await place.damageFormer(devices[0].fingerprint) { _ in Array(#"{"v":1,"record":"2"}"#.utf8) }
        return await isMalformed {
          try await place.open().rotatedRecord(fingerprint: devices[0].fingerprint, now: now)
        }
      },
      Rule("the document of another device secret is none") { place in
        for id in ["1", "2"] { _ = try await insert(record(id), place.open()) }
        let other = try #require(try await place.open().record(id: "2")).serialized()
        try await place.damage("1") { _ in other }
        return await isMalformed { try await place.open().record(id: "1") }
      },
      Rule("who may have one more device secret gets it, though the oldest can't be read") { place in
        let store = place.open()
        for id in ["damaged", "sound"] { _ = try await insert(record(id), store, limit: 2) }
        try await place.damage("damaged")
        for id in ["3", "4"] {
          guard case .inserted = try await insert(record(id), store, limit: 2) else { return false }
        }
        let isLive = try await store.record(id: "sound")?.revocation == nil
        return try await allHold(!isLive, store.record(id: "4")?.revocation == nil)
      },
      Rule("to revoke all of a user or a session revokes what can be read beside what can't, and says so once") {
        place in
        for isOfUser in [true, false] {
          let place = Place(place.records.fault)
          let store = place.open()
          for id in ["damaged", "sound"] { _ = try await insert(record(id), store) }
          try await place.damage("damaged")
          func revokeAll() async throws -> DeviceSecretRecords.Revocations {
            isOfUser
              ? try await store.revokeAll(userID: "user", reason: .passwordChanged, now: now)
              : try await store.revokeAll(sessionID: "session", reason: .passwordChanged, now: now)
          }
          let (outcome, again) = (try await revokeAll(), try await revokeAll())
          guard Set(outcome.revoked) == ["damaged", "sound"], Set(again.alreadyRevoked) == ["damaged", "sound"],
            try await store.record(id: "sound")?.revocation?.reason == .passwordChanged
          else { return false }
        }
        return true
      },
      Rule("what can't be read is removed when it has expired") { place in
        _ = try await insert(record("damaged"), place.open())
        try await place.damage("damaged")
        let removed = await place.removeExpired(before: now.advanced(by: 2000 + 90 * 86_400))
        let isThere = try await place.open().record(id: "damaged") == nil
        return removed == 1 && isThere
      },
    ]

  private static func isMalformed<Value: Sendable>(_ body: () async throws -> Value) async -> Bool {
    do {
      _ = try await body()
      return false
    } catch {
      return (error as? JOSEError)?.code == .recordMalformed
    }
  }

  private static func allHold(_ conditions: Bool...) -> Bool { conditions.allSatisfy { $0 } }

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
      deviceName: "Jane's phone", devicePlatform: "ios", createdAt: now.advanced(by: 0.25),
      expiresAt: now.advanced(by: 1000))
  }

  static func insert(
    _ record: DeviceSecretRecord, _ store: DeviceSecretRecords, limit: Int = 100,
    _ overflow: NativeSSOSettings.OverflowBehavior = .revokeOldest
  ) async throws -> DeviceSecretRecords.Insertion {
    try await store.insert(record, limit: limit, overflow: overflow, now: now)
  }

  private static func rotate(
    _ current: DeviceSecretFingerprint, _ next: DeviceSecretFingerprint, _ store: DeviceSecretRecords
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
