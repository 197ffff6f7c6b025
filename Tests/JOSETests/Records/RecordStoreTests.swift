import Synchronization
import Testing

@testable import JOSE

/// What a commit is whose answer got lost, and what memory does when it is full.
@Suite struct RecordStoreTests {
  private static let kind = StoredRecord.Kind(library: "test")
  private static let now = NumericDate(1_760_000_000)

  private static func record(
    _ key: UInt8, version: UInt64 = 0, attempt: UInt8 = 1, createdAt: NumericDate = now, expiresAt: NumericDate? = nil,
    size: Int = 1
  ) -> StoredRecord {
    StoredRecord(
      kind: kind, key: [key], version: version, indexes: [.init("user", [key / 2])], createdAt: createdAt,
      expiresAt: expiresAt, document: [UInt8](repeating: attempt, count: size), attempt: [attempt])
  }

  // MARK: Lost answers

  @Test(arguments: [LosingStore.Loss.before, .after])
  func `an insertion whose answer got lost was made once`(loss: LosingStore.Loss) async throws {
    let store = LosingStore(losing: loss)
    #expect(try await store.settle([.insert(Self.record(1))]) == .done)
    #expect(await store.inner.record(Self.kind, key: [1])?.attempt == [1])
  }

  @Test(arguments: [LosingStore.Loss.before, .after])
  func `a replacement whose answer got lost was made once`(loss: LosingStore.Loss) async throws {
    let store = LosingStore(losing: loss)
    _ = try await store.inner.commit([.insert(Self.record(1))])
    #expect(try await store.settle([.replace(Self.record(1, version: 1, attempt: 2))]) == .done)
    let stored = await store.inner.record(Self.kind, key: [1])
    #expect(stored?.version == 2 && stored?.attempt == [2])
  }

  @Test func `another writer's record is not mistaken for that of a lost attempt`() async throws {
    let store = LosingStore(losing: .before) { store in
      _ = try await store.commit([.insert(Self.record(1, attempt: 9))])
    }
    #expect(try await store.settle([.insert(Self.record(1))]) == .refused(change: 0, .keyTaken))
    let replacing = LosingStore(losing: .before) { store in
      _ = try await store.commit([.replace(Self.record(1, version: 1, attempt: 9))])
    }
    _ = try await replacing.inner.commit([.insert(Self.record(1))])
    let outcome = try await replacing.settle([.replace(Self.record(1, version: 1, attempt: 2))])
    #expect(outcome == .refused(change: 0, .versionChanged))
  }

  @Test func `a lost replacement that another writer has overwritten has an unknown outcome`() async throws {
    let store = LosingStore(losing: .after) { store in
      _ = try await store.commit([.replace(Self.record(1, version: 2, attempt: 9))])
    }
    _ = try await store.inner.commit([.insert(Self.record(1))])
    await #expect(throws: RecordOutcomeUnknown.self) {
      try await store.settle([.replace(Self.record(1, version: 1, attempt: 2))])
    }
  }

  @Test func `a removal whose answer got lost is repeated or has an unknown outcome`() async throws {
    let store = LosingStore(losing: .before)
    _ = try await store.inner.commit([.insert(Self.record(1))])
    #expect(try await store.settle([.remove(Self.kind, key: [1], version: 1)]) == .done)
    let other = LosingStore(losing: .after)
    _ = try await other.inner.commit([.insert(Self.record(1))])
    await #expect(throws: RecordOutcomeUnknown.self) {
      try await other.settle([.remove(Self.kind, key: [1], version: 1)])
    }
  }

  @Test func `an insertion or replacement that takes effect during its repetition counts as done`() async throws {
    let store = LosingStore(losing: .late)
    #expect(try await store.settle([.insert(Self.record(1))]) == .done)
    let replacing = LosingStore(losing: .late)
    _ = try await replacing.inner.commit([.insert(Self.record(1))])
    #expect(try await replacing.settle([.replace(Self.record(1, version: 1, attempt: 2))]) == .done)
    #expect(await replacing.inner.record(Self.kind, key: [1])?.version == 2)
    let removing = LosingStore(losing: .late)
    _ = try await removing.inner.commit([.insert(Self.record(1))])
    await #expect(throws: RecordOutcomeUnknown.self) {
      try await removing.settle([.remove(Self.kind, key: [1], version: 1)])
    }
    // One that is pending still is unknown, though the store says that nothing was changed by the next ones.
    let blocked = LosingStore(losing: .pending)
    await #expect(throws: RecordOutcomeUnknown.self) { try await blocked.settle([.insert(Self.record(1))]) }
  }

  @Test func `a store that loses every answer is given up`() async throws {
    let store = LosingStore(losing: .before, times: 3)
    await #expect(throws: RecordOutcomeUnknown.self) { try await store.settle([.insert(Self.record(1))]) }
    #expect(await store.inner.record(Self.kind, key: [1]) == nil)
  }

  @Test func `an attempt by another writer is told from this one's (planted)`() async throws {
    // A writer without random octets of its own takes the other's record for its own.
    let store = LosingStore(losing: .before) { store in
      _ = try await store.commit([.insert(Self.record(1, attempt: 1))])
    }
    #expect(try await store.settle([.insert(Self.record(1, attempt: 1))]) == .done)
  }

  // MARK: Memory

  @Test func `a full memory store drops records a minute after their expiry, and no others`() async throws {
    let size = RecordTable.byteCount(of: Self.record(0))
    let store = MemoryRecordStore(byteLimit: 4 * size)
    for key in UInt8(0)..<4 {
      let expiry = key == 3 ? nil : Self.now.advanced(by: Double(key))
      #expect(try await store.commit([.insert(Self.record(key, expiresAt: expiry))]) == .done)
    }
    await #expect(throws: RecordStoreFull.self) { try await store.commit([.insert(Self.record(9))]) }
    // For a minute more, what has expired is remembered.
    let later = Self.now.advanced(by: 60.5)
    #expect(try await store.commit([.insert(Self.record(9, createdAt: later))]) == .done)
    #expect(await store.record(Self.kind, key: [0]) == nil)
    for key in [1, 2, 3, 9] as [UInt8] { #expect(await store.record(Self.kind, key: [key]) != nil) }
    await #expect(throws: RecordStoreFull.self) {
      try await store.commit([.insert(Self.record(8, createdAt: later))])
    }
    // What is smaller or goes is let in.
    #expect(try await store.commit([.remove(Self.kind, key: [3], version: 1), .insert(Self.record(8))]) == .done)
  }

  @Test func `a commit that doesn't fit leaves everything as it was`() async throws {
    let size = RecordTable.byteCount(of: Self.record(0))
    let store = MemoryRecordStore(byteLimit: 3 * size)
    _ = try await store.commit([.insert(Self.record(1)), .insert(Self.record(2))])
    await #expect(throws: RecordStoreFull.self) {
      try await store.commit([
        .remove(Self.kind, key: [1], version: 1), .replace(Self.record(2, version: 1, attempt: 7)),
        .insert(Self.record(5, size: 3 * size)),
      ])
    }
    #expect(await store.record(Self.kind, key: [1])?.version == 1)
    #expect(await store.record(Self.kind, key: [2])?.attempt == [1])
    #expect(await store.records(Self.kind, where: .init("user", [1]), limit: 5).map(\.key) == [[2]])
    #expect(try await store.commit([.insert(Self.record(3))]) == .done)
  }

  @Test(arguments: 0..<8) func `a quota refuses an insertion when six unexpired records are there`(seed: UInt64)
    async throws
  {
    let store = MemoryRecordStore()
    let index = StoredRecord.Index("maker", [1])
    var alive: [UInt8: (expiresAt: NumericDate?, version: UInt64)] = [:]
    var state = seed
    func random(_ bound: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % bound)
    }
    var refusals = 0
    for round in 0..<2_000 {
      // The clock goes on, stands, or is set back.
      let now = Self.now.advanced(by: Double(round / 4 - random(20) / 18 * random(40)))
      let key = UInt8(random(40))
      let expiry = random(9) == 0 ? nil : now.advanced(by: Double(random(30) - 3))
      let record = StoredRecord(
        kind: Self.kind, key: [key], version: alive[key]?.version ?? 0, indexes: [index], createdAt: now,
        expiresAt: expiry, document: [], attempt: [])
      if let known = alive[key] {
        if random(3) == 0 {
          #expect(try await store.commit([.replace(record)]) == .done)
          alive[key] = (expiry, known.version + 1)
        } else {
          #expect(try await store.commit([.remove(Self.kind, key: [key], version: known.version)]) == .done)
          alive[key] = nil
        }
        continue
      }
      let count = alive.values.count { $0.expiresAt.map { $0 > now } ?? true }
      let outcome = try await store.commit([.insert(record, atMost: RecordQuota(index, limit: 6, now: now))])
      #expect(outcome == (count < 6 ? .done : .refused(change: 0, .quotaReached)))
      if outcome == .done { alive[key] = (expiry, 1) } else { refusals += 1 }
    }
    #expect(refusals > 50)
  }

  @Test(arguments: 0..<4) func `an order of records stays sorted by date under insertions and removals`(seed: UInt64) {
    var order = RecordOrder()
    var expected: [RecordOrder.Entry] = []
    var state = seed
    func random(_ bound: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % bound)
    }
    for round in 0..<6_000 {
      // It grows, shrinks to nothing, and grows again.
      let isGrowing = round % 3_000 < 2_000
      if expected.isEmpty || isGrowing || random(8) == 0 {
        // Dates that grow, that fall, and that are anywhere.
        let date = [round, -round, random(500)][Int(seed % 3)]
        let entry = RecordOrder.Entry(createdAt: NumericDate(date), number: UInt64(round), key: [])
        order.insert(entry)
        expected.insert(entry, at: expected.firstIndex { entry.isBefore($0) } ?? expected.count)
      } else {
        for _ in 0..<min(3, expected.count) { order.remove(expected.remove(at: random(UInt64(expected.count)))) }
      }
      // What is not there is not removed.
      order.remove(.init(createdAt: NumericDate(random(500)), number: .max, key: []))
      #expect(order.count == expected.count)
      guard round % 97 == 0 else { continue }
      #expect(order.entries.map(\.number) == expected.map(\.number))
      #expect(order.runs.allSatisfy { (1...128).contains($0.count) })
      #expect(zip(order.runs, order.runs.dropFirst()).allSatisfy { $0.count + $1.count > 64 })
    }
    #expect(order.entries.map(\.number) == expected.map(\.number))
  }

  @Test func `kinds of the program have names of their own`() {
    #expect(StoredRecord.Kind(application: "invoice-2")?.name == "app.invoice-2")
    for name in ["", "A", "a.b", "é", String(repeating: "a", count: 33)] {
      #expect(StoredRecord.Kind(application: name) == nil)
    }
  }

  @Test func `the record that expires first stands first under insertions and removals`() {
    var queue = RecordExpiries()
    var expected: [Int] = []
    var state: UInt64 = 1
    for round in 0..<2_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      if round % 3 == 2 {
        queue.removeFirst()
        expected.removeFirst()
      } else {
        let value = Int(state >> 40)
        queue.insert(.init(expiry: NumericDate(value), key: []))
        expected.append(value)
        expected.sort()
      }
      #expect(queue.first?.expiry == expected.first.map { NumericDate($0) })
    }
  }
}

/// A memory whose first answers get lost, before or after the commit is made; then others may write.
actor LosingStore: RecordStore {
  enum Loss: Sendable {
    case before, after
    /// The commit is made when the next one comes, or is in the way of all that come.
    case late, pending
  }

  private struct Locked: Error {}

  nonisolated let inner = MemoryRecordStore()
  private let loss: Loss
  private var left: Int
  private var pending: [RecordChange]?
  private let meanwhile: @Sendable (MemoryRecordStore) async throws -> Void

  init(
    losing loss: Loss, times: Int = 1,
    meanwhile: @escaping @Sendable (MemoryRecordStore) async throws -> Void = { _ in }
  ) {
    (self.loss, left, self.meanwhile) = (loss, times, meanwhile)
  }

  func record(_ kind: StoredRecord.Kind, key: [UInt8]) async -> StoredRecord? { await inner.record(kind, key: key) }

  func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) async -> [StoredRecord] {
    await inner.records(kind, where: index, limit: limit)
  }

  func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
    guard left > 0 else {
      if let pending {
        guard loss == .late else { throw Locked() }
        self.pending = nil
        _ = try await inner.commit(pending)
      }
      return try await inner.commit(changes)
    }
    left -= 1
    if loss == .late || loss == .pending { pending = changes }
    if loss == .after { _ = try await inner.commit(changes) }
    try await meanwhile(inner)
    throw RecordOutcomeUnknown()
  }

  func removeExpired(before date: NumericDate, limit: Int) async -> Int {
    await inner.removeExpired(before: date, limit: limit)
  }
}
