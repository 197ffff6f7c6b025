import JOSE
import Synchronization

/// Records in memory, with something that happens beside each call.
package struct HookedRecords: RecordStore {
  package let inner: MemoryRecordStore
  private let willRead: @Sendable () async throws -> Void
  private let willList: @Sendable () async throws -> Void
  private let willCommit: @Sendable ([RecordChange]) async throws -> Void
  private let didCommit: @Sendable () async throws -> Void

  package init(
    inner: MemoryRecordStore = MemoryRecordStore(),
    willRead: @escaping @Sendable () async throws -> Void = {},
    willList: @escaping @Sendable () async throws -> Void = {},
    willCommit: @escaping @Sendable ([RecordChange]) async throws -> Void = { _ in },
    didCommit: @escaping @Sendable () async throws -> Void = {}
  ) {
    self.inner = inner
    (self.willRead, self.willList) = (willRead, willList)
    (self.willCommit, self.didCommit) = (willCommit, didCommit)
  }

  /// Records with something that happens once, right before the first commit that adds a record of a kind.
  package init(
    inner: MemoryRecordStore, beforeFirst kind: StoredRecord.Kind,
    _ happens: @escaping @Sendable () async throws -> Void
  ) {
    let hasHappened = Once()
    self.init(
      inner: inner,
      willCommit: { changes in
        let adds = changes.contains { if case .insert(let record, _) = $0 { record.kind == kind } else { false } }
        if adds, hasHappened.isFirst() { try await happens() }
      })
  }

  private final class Once: Sendable {
    private let isOver = Mutex(false)

    func isFirst() -> Bool {
      isOver.withLock { over in
        defer { over = true }
        return !over
      }
    }
  }

  package func record(_ kind: StoredRecord.Kind, key: [UInt8]) async throws -> StoredRecord? {
    try await willRead()
    return await inner.record(kind, key: key)
  }

  package func records(
    _ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int
  ) async throws -> [StoredRecord] {
    try await willList()
    return await inner.records(kind, where: index, limit: limit)
  }

  package func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
    try await willCommit(changes)
    let outcome = try await inner.commit(changes)
    try await didCommit()
    return outcome
  }

  package func removeExpired(before date: NumericDate, limit: Int) async -> Int {
    await inner.removeExpired(before: date, limit: limit)
  }
}
