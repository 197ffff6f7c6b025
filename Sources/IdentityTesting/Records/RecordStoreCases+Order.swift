import JOSE

/// What comes first: of several refusals, and of many records.
extension RecordStoreCases {
  static let reasons: [StoreCase<any RecordStore>] = [
    StoreCase("of several changes that can't be made the first is named") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(full), .insert(least)])
      let refused: [(change: RecordChange, why: RecordCommit.Refusal)] = [
        (.replace(next(record([4]), 1)), .absent), (.insert(record(full.key)), .keyTaken),
        (.remove(kind, key: full.key, version: 2), .versionChanged),
        (.insert(record([5]), atMost: RecordQuota(user("a"), limit: 1, now: date)), .quotaReached),
        (.insert(record([6], indexes: [unique("f")])), .indexTaken("fingerprint")),
        (.replace(next(record(least.key, indexes: [unique("f")]), 1)), .indexTaken("fingerprint")),
      ]
      for first in refused.indices {
        let changes: [RecordChange] = (refused[first...] + refused[..<first]).map(\.change)
        let alone = try await store.commit(changes)
        let later = try await store.commit([RecordChange.insert(record([7]))] + changes)
        guard alone == .refused(change: 0, refused[first].why), later == .refused(change: 1, refused[first].why) else {
          return false
        }
      }
      return try await allHold(holds(full, 1, store), holds(least, 1, store))
    },
    StoreCase("of several reasons the key is given first, then a unique index, then the quota") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(record([1], indexes: [user("a"), unique("x")])), .insert(record([2]))])
      let quota = RecordQuota(user("a"), limit: 1, now: date)
      let all = try await store.commit([.insert(record([2], indexes: [unique("x")]), atMost: quota)])
      let two = try await store.commit([.insert(record([3], indexes: [user("a"), unique("x")]), atMost: quota)])
      let one = try await store.commit([.insert(record([3], indexes: [user("a"), unique("y")]), atMost: quota)])
      return all == .refused(change: 0, .keyTaken) && two == .refused(change: 0, .indexTaken("fingerprint"))
        && one == .refused(change: 0, .quotaReached)
    },
    StoreCase("that a record is absent or has another version is said before a unique index is") { place in
      let store = try await place.open()
      _ = try await store.commit([.insert(record([1], indexes: [unique("x")])), .insert(record([2]))])
      let absent = try await store.commit([.replace(next(record([3], indexes: [unique("x")]), 1))])
      let changed = try await store.commit([.replace(next(record([2], indexes: [unique("x")]), 7))])
      return absent == .refused(change: 0, .absent) && changed == .refused(change: 0, .versionChanged)
    },
    StoreCase("of several unique indexes that are taken the first of the record is named") { place in
      let store = try await place.open()
      let (one, two) = (unique("x"), StoredRecord.Index("address", [1], isUnique: true))
      _ = try await store.commit([
        .insert(record([1], indexes: [one])), .insert(record([2], indexes: [two])), .insert(record([3])),
      ])
      for (first, second) in [(one, two), (two, one)] {
        let taken = RecordCommit.refused(change: 0, .indexTaken(first.name))
        let inserted = try await store.commit([.insert(record([4], indexes: [user("a"), first, second]))])
        let replaced = try await store.commit([.replace(next(record([3], indexes: [user("a"), first, second]), 1))])
        guard inserted == taken, replaced == taken else { return false }
      }
      return true
    },
  ]

  static let order: [StoreCase<any RecordStore>] = [
    StoreCase("of many records the oldest are found, in whatever order they came") { place in
      let store = try await place.open()
      let many = manyRecords
      guard try await store.commit(many.map { RecordChange.insert($0) }) == .done else { return false }
      return try await findsTheOldest(of: many, store)
    },
    StoreCase("of many records those that left an index are not found, and those that came back are at their places") {
      place in
      let store = try await place.open()
      let many = manyRecords
      _ = try await store.commit(many.map { RecordChange.insert($0) })
      let left = many.enumerated().filter { $0.offset % 3 != 0 }.map(\.element)
      let gone = many.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
      _ = try await store.commit(gone.map { RecordChange.replace(next(record($0.key, indexes: [user("b")]), 1)) })
      let leaves = try await findsTheOldest(of: left, store)
      _ = try await store.commit(gone.map { RecordChange.replace(next($0, 2)) })
      let isBack = try await findsTheOldest(of: many, store)
      _ = try await store.commit(gone.map { RecordChange.remove(kind, key: $0.key, version: 3) })
      return try await allHold(leaves, isBack, findsTheOldest(of: left, store))
    },
  ]

  /// Records with one index, not in the order of their dates; several share one.
  private static var manyRecords: [StoredRecord] {
    (0..<200).map {
      record([UInt8($0)], indexes: [user("a")], createdAt: date.advanced(by: Double($0 * 77 % 100)))
    }
  }

  /// Whether each lookup returns the oldest of these records, which stand in the order of their insertion.
  private static func findsTheOldest(of records: [StoredRecord], _ store: any RecordStore) async throws -> Bool {
    let ordered = records.enumerated().sorted {
      ($0.element.createdAt, $0.offset) < ($1.element.createdAt, $1.offset)
    }.map(\.element.key)
    for limit in [0, 1, 2, 63, 130, records.count - 1, records.count, 1_000] {
      let found = try await store.records(kind, where: user("a"), limit: limit).map(\.key)
      guard found == Array(ordered.prefix(limit)) else { return false }
    }
    return true
  }
}
