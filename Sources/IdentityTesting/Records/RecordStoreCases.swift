import JOSE

/// What a provider relies on in its `RecordStore`.
public enum RecordStoreCases {
  /// All rules. It is 1760000000, by the clock that the store should have.
  public static let all: [StoreCase<any RecordStore>] = [
    rows, changes, commits, reasons, indexes, order, quotas, expiry, concurrency,
  ].flatMap { $0 }

  /// Every octet counts, in keys, values of indexes and documents.
  private static let octets: [[UInt8]] = [
    [], [0], [0, 0], [0x61], [0x41], [0x61, 0], [0x61, 0x20], [0xC3, 0xA9], [0x65, 0xCC, 0x81], [0xFF], [0xFF, 0],
    Array("'; DROP TABLE records; --".utf8), Array(0...255), [UInt8](repeating: 0x61, count: 600),
    [UInt8](repeating: 0x61, count: 599) + [0x62],
  ]

  private static let rows: [StoreCase<any RecordStore>] = [
    StoreCase("an empty store has no record") { place in
      let store = try await place.open()
      let isEmpty = try await store.record(kind, key: [1]) == nil
      return try await allHold(isEmpty, store.records(kind, where: user("a"), limit: 10).isEmpty)
    },
    StoreCase("what was inserted is read with every member, as version 1") { place in
      let store = try await place.open()
      for record in [full, least] {
        guard try await store.commit([.insert(record)]) == .done, try await holds(record, 1, store) else {
          return false
        }
      }
      return true
    },
    StoreCase("what was written is there when the store is opened again") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(full), .insert(least)])
      _ = try await store.commit([.replace(next(full, 1))])
      let again = try await place.open()
      return try await allHold(holds(next(full, 1), 2, again), holds(least, 1, again))
    },
    StoreCase("keys are compared octet by octet") { place in
      let store = try await place.open()
      for (number, key) in octets.enumerated() {
        let record = record(key, document: [UInt8(number)])
        guard try await store.commit([.insert(record)]) == .done else { return false }
      }
      for (number, key) in octets.enumerated() {
        guard try await store.record(kind, key: key)?.document == [UInt8(number)] else { return false }
      }
      return true
    },
    StoreCase("documents and attempts are kept octet by octet") { place in
      let store = try await place.open()
      for (number, document) in (octets + [[UInt8](repeating: 0x80, count: 200_000)]).enumerated() {
        var record = record([UInt8(number)], document: document)
        record.attempt = Array(document.prefix(16))
        _ = try await store.commit([.insert(record)])
        guard try await holds(record, 1, place.open()) else { return false }
      }
      return true
    },
    StoreCase("dates are kept with their fractions, also before 1970 and far away") { place in
      let store = try await place.open()
      for (number, seconds) in [-0.25, 0.1, 1_760_000_000.123_456, -9e15, 9e15].enumerated() {
        let date = NumericDate(saturating: seconds)
        let record = StoredRecord(
          kind: kind, key: [UInt8(number)], createdAt: date, expiresAt: date, document: [], attempt: [])
        _ = try await store.commit([.insert(record)])
        guard try await holds(record, 1, place.open()) else { return false }
      }
      return true
    },
    StoreCase("records of another kind are others") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(full), .insert(record(full.key, of: otherKind, indexes: full.indexes))])
      let found = try await store.records(otherKind, where: user("a"), limit: 10)
      let isReplaced = try await store.commit([.replace(next(record(full.key, of: otherKind), 1))]) == .done
      return try await allHold(found.count == 1, found.first?.kind == otherKind, isReplaced, holds(full, 1, store))
    },
    StoreCase("stores at different places don't share records") { place in
      _ = try await place.open().commit([.insert(full)])
      return try await place.other.open().record(kind, key: full.key) == nil
    },
  ]

  private static let changes: [StoreCase<any RecordStore>] = [
    StoreCase("a key is taken once, and the first record stays, expired or not") { place in
      let store = try await place.open()
      for first in [full, record([7], expiresAt: date.advanced(by: -1))] {
        _ = try await store.commit([.insert(first)])
        let refused = try await store.commit([.insert(record(first.key, document: [9]))])
        guard refused == .refused(change: 0, .keyTaken), try await holds(first, 1, store) else { return false }
      }
      return true
    },
    StoreCase("only who knows the version replaces and removes") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(full)])
      _ = try await store.commit([.replace(next(full, 1))])
      for version in [0, 1, 3, .max] as [UInt64] {
        let replaced = try await store.commit([.replace(next(full, version))])
        let removed = try await store.commit([.remove(kind, key: full.key, version: version)])
        guard replaced == .refused(change: 0, .versionChanged), removed == replaced else { return false }
      }
      return try await holds(next(full, 1), 2, store)
    },
    StoreCase("what is not there is neither replaced nor removed") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(least)])
      for version in [0, 1] as [UInt64] {
        let replaced = try await store.commit([.replace(next(full, version))])
        let removed = try await store.commit([.remove(kind, key: full.key, version: version)])
        guard replaced == .refused(change: 0, .absent), removed == replaced else { return false }
      }
      return try await store.record(kind, key: full.key) == nil
    },
    StoreCase("a replacement changes all but the date of creation") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(full)])
      let changed = StoredRecord(
        kind: kind, key: full.key, version: 1, indexes: [user("z")], createdAt: date.advanced(by: 99), expiresAt: nil,
        document: [3], attempt: [4])
      guard try await store.commit([.replace(changed)]) == .done else { return false }
      let stored = try await place.open().record(kind, key: full.key)
      return stored?.createdAt == full.createdAt && stored?.expiresAt == nil && stored?.document == [3]
        && stored?.attempt == [4] && stored?.version == 2 && stored?.indexes == [user("z")]
    },
    StoreCase("a record that was removed is gone, and its key is free") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(full)])
      _ = try await store.commit([.remove(kind, key: full.key, version: 1)])
      let isGone = try await place.open().record(kind, key: full.key) == nil
      let isFree = try await store.commit([.insert(full)]) == .done
      return try await allHold(isGone, isFree, holds(full, 1, store))
    },
    StoreCase("a write concerns the record of its key alone") { place in
      let store = try await place.open()
      for number in UInt8(1)...3 { _ = try await store.commit([.insert(record([number], indexes: [user("a")]))]) }
      _ = try await store.commit([.replace(next(record([2]), 1))])
      _ = try await store.commit([.remove(kind, key: [3], version: 1)])
      return try await holds(record([1], indexes: [user("a")]), 1, store)
    },
  ]

  private static let commits: [StoreCase<any RecordStore>] = [
    StoreCase("all changes of a commit are made") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(record([1])), .insert(record([2]))])
      let outcome = try await store.commit([
        .insert(record([3])), .replace(next(record([1]), 1)), .remove(kind, key: [2], version: 1),
      ])
      let isGone = try await store.record(kind, key: [2]) == nil
      return try await allHold(
        outcome == .done, isGone, holds(record([3]), 1, store), holds(next(record([1]), 1), 2, store))
    },
    StoreCase("of a commit with one change that can't be made none is, and the answer names it") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(full), .insert(least)])
      let others: [RecordChange] = [
        .insert(record([3], indexes: [user("a")])), .replace(next(full, 1)),
        .remove(kind, key: least.key, version: 1),
      ]
      for (refused, why) in [
        (.replace(next(record([4]), 1)), .absent), (.insert(record([3])), .keyTaken),
        (.remove(kind, key: full.key, version: 1), .versionChanged),
        (.insert(record([5]), atMost: RecordQuota(user("a"), limit: 1, now: date)), .quotaReached),
      ] as [(RecordChange, RecordCommit.Refusal)] {
        guard try await store.commit(others + [refused]) == .refused(change: 3, why) else { return false }
        let isAbsent = try await store.record(kind, key: [3]) == nil
        let found = try await store.records(kind, where: user("a"), limit: 10).map(\.key)
        guard isAbsent, found == [full.key], try await holds(full, 1, store), try await holds(least, 1, store) else {
          return false
        }
      }
      return true
    },
    StoreCase("a change sees those before it") { place in
      let store = try await place.open()
      let outcome = try await store.commit([
        .insert(record([1])), .replace(next(record([1]), 1)), .remove(kind, key: [1], version: 2),
        .insert(record([1], document: [8])),
      ])
      return try await allHold(outcome == .done, holds(record([1], document: [8]), 1, store))
    },
    StoreCase("a commit without a change is done") { place in try await place.open().commit([]) == .done },
    StoreCase("a commit of many changes is made as a whole") { place in
      let store = try await place.open()
      let many = (0..<200).map { RecordChange.insert(record([UInt8($0)], indexes: [user("a")])) }
      guard try await store.commit(many + [.insert(record([0]))]) == .refused(change: 200, .keyTaken),
        try await store.records(kind, where: user("a"), limit: 1).isEmpty
      else { return false }
      return try await allHold(
        store.commit(many) == .done, store.records(kind, where: user("a"), limit: 500).count == 200)
    },
  ]

  private static let indexes: [StoreCase<any RecordStore>] = [
    StoreCase("records are found by each of their indexes, and by no other") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(full)])
      for index in full.indexes {
        guard try await store.records(kind, where: index, limit: 2).map(\.key) == [full.key] else { return false }
      }
      for index in [user("c"), .init("session", Array("a".utf8)), .init("User", Array("a".utf8)), .init("", [])] {
        guard try await store.records(kind, where: index, limit: 2).isEmpty else { return false }
      }
      return true
    },
    StoreCase("values of indexes are compared octet by octet") { place in
      let store = try await place.open()
      for (number, value) in octets.enumerated() {
        _ = try await store.commit([.insert(record([UInt8(number)], indexes: [.init("v", value, isUnique: true)]))])
      }
      for (number, value) in octets.enumerated() {
        let found = try await store.records(kind, where: .init("v", value), limit: 100).map(\.key)
        guard found == [[UInt8(number)]] else { return false }
      }
      return true
    },
    StoreCase("found records are whole") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(full)])
      let found = try await place.open().records(kind, where: user("a"), limit: 10)
      return found.count == 1 && isSame(found.first, full, 1)
    },
    StoreCase("the oldest records come first, and of one date the one inserted first, also after a replacement") {
      place in
      let store = try await place.open()
      for (number, seconds) in [(1, 5.0), (2, 0.25), (3, 5.0), (4, 0.5), (5, 5.0)] {
        _ = try await store.commit([
          .insert(record([UInt8(9 - number)], indexes: [user("a")], createdAt: date.advanced(by: seconds)))
        ])
      }
      _ = try await store.commit([.replace(next(record([8], indexes: [user("a")]), 1))])
      let found = try await store.records(kind, where: user("a"), limit: 10).map(\.key)
      return found == [[7], [5], [8], [6], [4]]
    },
    StoreCase("no more records are returned than asked for, the oldest of them") { place in
      let store = try await place.open()
      for number in UInt8(0)..<9 {
        _ = try await store.commit([
          .insert(record([number], indexes: [user("a")], createdAt: date.advanced(by: -Double(number))))
        ])
      }
      let three = try await store.records(kind, where: user("a"), limit: 3).map(\.key)
      return try await allHold(three == [[8], [7], [6]], store.records(kind, where: user("a"), limit: 0).isEmpty)
    },
    StoreCase("a replacement leaves its own indexes and no old one") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(full)])
      var changed = next(full, 1)
      changed.indexes = [user("b"), user("c")]
      _ = try await store.commit([.replace(changed)])
      let again = try await place.open()
      let old = try await again.records(kind, where: user("a"), limit: 2)
      let fingerprint = try await again.records(kind, where: full.indexes[0], limit: 2)
      let kept = try await again.records(kind, where: user("b"), limit: 2).map(\.key)
      let new = try await again.records(kind, where: user("c"), limit: 2).map(\.key)
      return old.isEmpty && fingerprint.isEmpty && kept == [full.key] && new == kept
    },
    StoreCase("a removed record is found by nothing") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(full)])
      _ = try await store.commit([.remove(kind, key: full.key, version: 1)])
      return try await store.records(kind, where: user("a"), limit: 2).isEmpty
    },
    StoreCase("a value of a unique index is one record's, until that is changed or removed") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(record([1], indexes: [unique("x")]))])
      let inserted = try await store.commit([.insert(record([2], indexes: [user("a"), unique("x")]))])
      _ = try await store.commit([.insert(record([3]))])
      let replaced = try await store.commit([.replace(next(record([3], indexes: [unique("x")]), 1))])
      guard inserted == .refused(change: 0, .indexTaken("fingerprint")), replaced == inserted else { return false }
      let isKept = try await store.commit([.replace(next(record([1], indexes: [unique("x")]), 1))]) == .done
      guard try await store.commit([.insert(record([2], indexes: [unique("x")]))]) == inserted else { return false }
      let isMoved = try await store.commit([
        .replace(next(record([1], indexes: [unique("y")]), 2)), .insert(record([4], indexes: [unique("x")])),
      ])
      let isFreed = try await store.commit([
        .remove(kind, key: [4], version: 1), .replace(next(record([3], indexes: [unique("x")]), 1)),
      ])
      return isKept && isMoved == .done && isFreed == .done
    },
    StoreCase("a unique index is one of its kind and name alone") { place in
      let store = try await place.open()
      let outcome = try await store.commit([
        .insert(record([1], indexes: [unique("x")])),
        .insert(record([1], of: otherKind, indexes: [unique("x")])),
        .insert(record([2], indexes: [.init("key", Array("x".utf8), isUnique: true), user("x")])),
        .insert(record([3], indexes: [user("x")])),
      ])
      return outcome == .done
    },
    StoreCase("a hundred values of one name find one record") { place in
      let store = try await place.open()
      let many = (0..<100).map { user("\($0)") }
      _ = try await store.commit([.insert(record([1], indexes: many))])
      for index in many {
        guard try await store.records(kind, where: index, limit: 2).count == 1 else { return false }
      }
      return true
    },
    StoreCase("names of indexes are compared octet by octet") { place in
      let store = try await place.open()
      // The first two are one text for Swift's ==, and so are the next two.
      let names = ["\u{E9}", "e\u{301}", "\u{C5}", "\u{212B}", "e", "E", "e ", "e\u{0}", ""]
      for (number, name) in names.enumerated() {
        let index = StoredRecord.Index(name, [1], isUnique: true)
        guard try await store.commit([.insert(record([UInt8(number)], indexes: [index]))]) == .done else {
          return false
        }
      }
      for (number, name) in names.enumerated() {
        let found = try await store.records(kind, where: .init(name, [1]), limit: 100).map(\.key)
        guard found == [[UInt8(number)]] else { return false }
      }
      return true
    },
    StoreCase("a replacement changes the form of an index's name") { place in
      let store = try await place.open()
      let (old, new) = (StoredRecord.Index("\u{E9}", [1]), StoredRecord.Index("e\u{301}", [1]))
      _ = try await store.commit([.insert(record([1], indexes: [old]))])
      _ = try await store.commit([.replace(next(record([1], indexes: [new]), 1))])
      let found = try await store.records(kind, where: new, limit: 2).map(\.key)
      return try await allHold(found == [[1]], store.records(kind, where: old, limit: 2).isEmpty)
    },
    StoreCase("a quota counts one form of an index's name") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(record([1], indexes: [.init("\u{E9}", [1])]))])
      let quota = RecordQuota(.init("e\u{301}", [1]), limit: 1, now: date)
      return try await store.commit([.insert(record([2]), atMost: quota)]) == .done
    },
    StoreCase("an index that a record has twice counts once") { place in
      let store = try await place.open()
      let twice = [user("a"), unique("x"), user("a"), unique("x")]
      let inserted = try await store.commit([.insert(record([1], indexes: twice))])
      guard inserted == .done, try await holds(record([1], indexes: [user("a"), unique("x")]), 1, store) else {
        return false
      }
      let found = try await store.records(kind, where: user("a"), limit: 9).count
      let quota = RecordQuota(user("a"), limit: 2, now: date)
      let second = try await store.commit([.insert(record([2], indexes: [user("a"), user("a")]), atMost: quota)])
      let replaced = try await store.commit([.replace(next(record([1], indexes: [user("b"), user("b")]), 1))])
      return try await allHold(
        found == 1, second == .done, replaced == .done, holds(next(record([1], indexes: [user("b")]), 1), 2, store),
        store.records(kind, where: user("a"), limit: 9).map(\.key) == [[2]])
    },
    StoreCase("an index that a record has twice is unique if it is so once") { place in
      let store = try await place.open()
      let (plain, other) = (StoredRecord.Index("fingerprint", Array("x".utf8)), unique("x"))
      for (number, pair) in [[plain, other], [other, plain]].enumerated() {
        let key = UInt8(2 * number)
        guard try await store.commit([.insert(record([key], indexes: pair))]) == .done else { return false }
        let refused = try await store.commit([.insert(record([key + 1], indexes: [other]))])
        let removed = try await store.commit([.remove(kind, key: [key], version: 1)])
        guard refused == .refused(change: 0, .indexTaken("fingerprint")), removed == .done else { return false }
      }
      return true
    },
  ]

  private static let quotas: [StoreCase<any RecordStore>] = [
    StoreCase("a quota counts what is alive, of its kind and index") { place in
      let store = try await place.open()
      for (number, expiry) in [nil, 60, 0, -1].enumerated() {
        let expiry = expiry.map { date.advanced(by: Double($0)) }
        _ = try await store.commit([
          .insert(record([UInt8(number)], indexes: [user("a")], expiresAt: expiry)),
          .insert(record([UInt8(number)], of: otherKind, indexes: [user("a")], expiresAt: expiry)),
          .insert(record([UInt8(100 + number)], indexes: [user("b")], expiresAt: expiry)),
        ])
      }
      let refused = try await store.commit([
        .insert(record([9], indexes: [user("a")]), atMost: RecordQuota(user("a"), limit: 2, now: date))
      ])
      let done = try await store.commit([
        .insert(record([9], indexes: [user("a")]), atMost: RecordQuota(user("a"), limit: 3, now: date))
      ])
      return refused == .refused(change: 0, .quotaReached) && done == .done
    },
    StoreCase("a quota of none refuses the first") { place in
      let quota = RecordQuota(user("a"), limit: 0, now: date)
      return try await place.open().commit([.insert(full, atMost: quota)]) == .refused(change: 0, .quotaReached)
    },
    StoreCase("a quota is held while many insert at once") { place in
      let inserted = try await place.successes { store, number in
        let quota = RecordQuota(user("a"), limit: 5, now: date)
        return try await store.commit([.insert(record([UInt8(number)], indexes: [user("a")]), atMost: quota)]) == .done
      }
      return inserted == 5
    },
  ]

  private static let expiry: [StoreCase<any RecordStore>] = [
    StoreCase("a record that has expired is there until it is removed") { place in
      let store = try await place.open()
      let past = record([1], indexes: [user("a")], expiresAt: date.advanced(by: -1_000))
      _ = try await store.commit([.insert(past)])
      let found = try await store.records(kind, where: user("a"), limit: 2)
      return try await allHold(found.count == 1, holds(past, 1, store))
    },
    StoreCase("what expired before a date is removed, with its indexes, and nothing else") { place in
      let store = try await place.open()
      for (number, seconds) in [nil, -1, -0.001, 0, 1].enumerated() {
        let record = record(
          [UInt8(number)], indexes: [user("a"), unique("\(number)")], expiresAt: seconds.map { date.advanced(by: $0) })
        _ = try await store.commit([.insert(record)])
      }
      guard try await store.removeExpired(before: date, limit: 100) == 2 else { return false }
      let left = try await place.open().records(kind, where: user("a"), limit: 10).map(\.key)
      let again = try await store.removeExpired(before: date, limit: 100)
      let isFree = try await store.commit([.insert(record([1], indexes: [unique("2")]))]) == .done
      return left == [[0], [3], [4]] && again == 0 && isFree
    },
    StoreCase("the last date that was written counts") { place in
      let store = try await place.open()
      _ = try await store.commit([
        .insert(record([1], expiresAt: date.advanced(by: -5))), .insert(record([2], expiresAt: date.advanced(by: 5))),
        .insert(record([3], expiresAt: date.advanced(by: -5))),
      ])
      _ = try await store.commit([
        .replace(next(record([1], expiresAt: date.advanced(by: 5)), 1)),
        .replace(next(record([2], expiresAt: date.advanced(by: -5)), 1)), .replace(next(record([3]), 1)),
      ])
      let removed = try await store.removeExpired(before: date, limit: 100)
      let isLeft = try await store.record(kind, key: [1]) != nil
      return try await allHold(
        removed == 1, isLeft, store.record(kind, key: [2]) == nil, store.record(kind, key: [3]) != nil)
    },
    StoreCase("no more are removed at once than asked for") { place in
      let store = try await place.open()
      for number in UInt8(0)..<20 {
        _ = try await store.commit([
          .insert(record([number], of: number % 2 == 0 ? kind : otherKind, expiresAt: NumericDate(1)))
        ])
      }
      var counts: [Int] = []
      for _ in 0..<4 { counts.append(try await store.removeExpired(before: date, limit: 7)) }
      return try await allHold(counts == [7, 7, 6, 0], store.removeExpired(before: date, limit: 0) == 0)
    },
  ]

  private static let concurrency: [StoreCase<any RecordStore>] = [
    StoreCase("of simultaneous inserts of one key one wins") { place in
      try await place.successes { store, number in
        try await store.commit([.insert(record([1], document: [UInt8(number)]))]) == .done
      } == 1
    },
    StoreCase("of simultaneous inserts with one unique value one wins") { place in
      try await place.successes { store, number in
        try await store.commit([.insert(record([UInt8(number)], indexes: [unique("x")]))]) == .done
      } == 1
    },
    StoreCase("simultaneous inserts of many keys are all there") { place in
      let inserted = try await place.successes { store, number in
        try await store.commit([.insert(record([UInt8(number)], indexes: [user("a")]))]) == .done
      }
      return try await allHold(inserted == 32, place.open().records(kind, where: user("a"), limit: 99).count == 32)
    },
    StoreCase("of simultaneous replacements and removals of one version one wins") { place in
      _ = try await place.open().commit([.insert(record([1]))])
      let winners = try await place.successes { store, number in
        let change: RecordChange =
          number % 2 == 0 ? .replace(next(record([1]), 1)) : .remove(kind, key: [1], version: 1)
        return try await store.commit([change]) == .done
      }
      return winners == 1
    },
    StoreCase("no write is lost when many write in turns") { place in
      _ = try await place.open().commit([.insert(record([1]))])
      let written = try await place.successes { store, number in
        // Each round that fails saw another succeed.
        for _ in 0..<200 {
          guard var next = try await store.record(kind, key: [1]) else { return false }
          next.document.append(UInt8(number))
          if try await store.commit([.replace(next)]) == .done { return true }
        }
        return false
      }
      let stored = try await place.open().record(kind, key: [1])
      return written == 32 && stored.map { Set($0.document).count } == 32 && stored?.version == 33
    },
    StoreCase("a sum over two records stays while many move parts of it") { place in
      _ = try await place.open().commit([
        .insert(record([1], document: [100])), .insert(record([2], document: [100])),
      ])
      let moved = try await place.successes { store, number in
        for _ in 0..<200 {
          guard var from = try await store.record(kind, key: [UInt8(1 + number % 2)]),
            var to = try await store.record(kind, key: [UInt8(2 - number % 2)]), let left = from.document.first,
            let right = to.document.first
          else { return false }
          (from.document, to.document) = ([left &- 1], [right &+ 1])
          let changes: [RecordChange] = [.replace(from), .replace(to)]
          if try await store.commit(number % 3 == 0 ? changes.reversed() : changes) == .done { return true }
        }
        return false
      }
      let store = try await place.open()
      let sum = try await [store.record(kind, key: [1]), store.record(kind, key: [2])].compactMap { $0?.document.first }
      return moved == 32 && sum.reduce(0) { $0 + Int($1) } == 200
    },
    StoreCase("a commit that is cut off was made or not, as a whole") { place in
      for number in UInt8(0)..<16 {
        let made = try await place.cancelled { store in
          try await store.commit([
            .insert(record([number, 1], indexes: [user("a")])), .insert(record([number, 2])),
          ]) == .done
        }
        let store = try await place.open()
        let first = try await store.record(kind, key: [number, 1]) != nil
        let second = try await store.record(kind, key: [number, 2]) != nil
        guard first == second, made.map({ $0 == first }) ?? true else { return false }
      }
      return true
    },
  ]
}

// MARK: Records

extension RecordStoreCases {
  static let date = NumericDate(1_760_000_000)
  static let kind = StoredRecord.Kind(library: "conformance")
  private static let otherKind = StoredRecord.Kind(library: "conformance-2")

  static func user(_ name: String) -> StoredRecord.Index { .init("user", Array(name.utf8)) }

  static func unique(_ name: String) -> StoredRecord.Index {
    .init("fingerprint", Array(name.utf8), isUnique: true)
  }

  static func record(
    _ key: [UInt8], of kind: StoredRecord.Kind = kind, indexes: [StoredRecord.Index] = [],
    createdAt: NumericDate = date, expiresAt: NumericDate? = nil, document: [UInt8] = [1, 2]
  ) -> StoredRecord {
    StoredRecord(
      kind: kind, key: key, indexes: indexes, createdAt: createdAt, expiresAt: expiresAt, document: document,
      attempt: [UInt8](repeating: 5, count: 16))
  }

  /// A record with all that there can be.
  static let full = StoredRecord(
    kind: kind, key: Array(0..<32), version: 77, indexes: [unique("f"), user("a"), user("b")],
    createdAt: date.advanced(by: 0.25), expiresAt: date.advanced(by: 60.5), document: Array("{}".utf8),
    attempt: Array(16..<32))

  /// A record with nothing but what it must have.
  static let least = StoredRecord(kind: kind, key: [], createdAt: date, document: [], attempt: [])

  /// What a writer makes of a version: the same with another document.
  static func next(_ record: StoredRecord, _ version: UInt64) -> StoredRecord {
    var next = record
    (next.version, next.document, next.attempt) = (version, [UInt8(truncatingIfNeeded: version)], [6])
    return next
  }

  /// Whether this is what the store has under the record's key.
  static func holds(
    _ record: StoredRecord, _ version: UInt64, _ store: any RecordStore
  ) async throws -> Bool {
    isSame(try await store.record(record.kind, key: record.key), record, version)
  }

  /// Indexes may come back in any order.
  private static func isSame(_ stored: StoredRecord?, _ record: StoredRecord, _ version: UInt64) -> Bool {
    guard var stored else { return false }
    guard Set(stored.indexes) == Set(record.indexes), stored.indexes.count == record.indexes.count else { return false }
    var expected = record
    expected.version = version
    stored.indexes = expected.indexes
    return stored == expected
  }
}
