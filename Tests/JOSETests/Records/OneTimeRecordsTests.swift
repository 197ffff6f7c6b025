import Synchronization
import Testing

@testable import JOSE

/// What waits under a name is taken once.
@Suite struct OneTimeRecordsTests {
  private static let kind = StoredRecord.Kind(library: "waiting")
  private static let now = NumericDate(1_760_000_000)
  private let store = MemoryRecordStore()

  private func waiting(_ clock: WallClock = .fixed(at: Self.now)) -> OneTimeRecords {
    OneTimeRecords(store, kind: Self.kind, clock: clock)
  }

  private var soon: NumericDate { Self.now.advanced(by: 60) }

  @Test func `a document is taken once, and its name is free afterwards`() async throws {
    let waiting = waiting()
    #expect(try await waiting.insert([1, 2], name: "a", expiresAt: soon))
    #expect(try await !waiting.insert([3], name: "a", expiresAt: soon))
    #expect(try await waiting.take("a") == [1, 2])
    #expect(try await waiting.take("a") == nil)
    #expect(try await waiting.insert([3], name: "a", expiresAt: soon))
  }

  @Test func `names are compared as octets, and the store has digests of them`() async throws {
    let waiting = waiting()
    let names = ["\u{E9}", "e\u{301}", "", "a", "A", "a ", "a\u{0}"]
    for (number, name) in names.enumerated() {
      #expect(try await waiting.insert([UInt8(number)], name: name, expiresAt: soon))
      #expect(await store.record(Self.kind, key: Array(name.utf8)) == nil)
    }
    for (number, name) in names.enumerated() { #expect(try await waiting.take(name) == [UInt8(number)]) }
  }

  @Test func `a document is not taken if it has expired or the caller declines it`() async throws {
    let time = Mutex(Self.now)
    let waiting = waiting(WallClock { time.withLock { $0 } })
    _ = try await waiting.insert([1], name: "a", expiresAt: soon)
    #expect(try await waiting.take("a") { _ in false } == nil)
    await #expect(throws: CancellationError.self) { try await waiting.take("a") { _ in throw CancellationError() } }
    time.withLock { $0 = soon }
    #expect(try await waiting.take("a") == nil)
    time.withLock { $0 = soon.advanced(by: -0.001) }
    #expect(try await waiting.take("a") == [1])
  }

  @Test func `one of many simultaneous callers takes a document`() async throws {
    let waiting = waiting()
    _ = try await waiting.insert([1], name: "a", expiresAt: soon)
    let count = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<64 { group.addTask { try await waiting.take("a") != nil } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(count == 1)
  }

  @Test func `a document is not given out if the outcome of its removal is unknown`() async throws {
    let losing = LosingStore(losing: .after)
    let waiting = OneTimeRecords(losing, kind: Self.kind, clock: .fixed(at: Self.now))
    let record = StoredRecord(kind: Self.kind, key: [], createdAt: Self.now, document: [], attempt: [])
    _ = try? await losing.commit([.insert(record)])
    #expect(try await waiting.insert([1], name: "a", expiresAt: soon))
    let again = LosingStore(losing: .after)
    let other = OneTimeRecords(again, kind: Self.kind, clock: .fixed(at: Self.now))
    let sound = OneTimeRecords(again.inner, kind: Self.kind, clock: .fixed(at: Self.now))
    #expect(try await sound.insert([1], name: "a", expiresAt: soon))
    await #expect(throws: RecordOutcomeUnknown.self) { try await other.take("a") }
    #expect(try await other.take("a") == nil)
  }
}
