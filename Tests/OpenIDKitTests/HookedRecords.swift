import JOSE

/// Records in memory, with something that happens beside each call.
struct HookedRecords: RecordStore {
  let inner = MemoryRecordStore()
  var willRead: @Sendable () async throws -> Void = {}
  var willList: @Sendable () async throws -> Void = {}
  var willCommit: @Sendable ([RecordChange]) async throws -> Void = { _ in }
  var didCommit: @Sendable () async throws -> Void = {}

  func record(_ kind: StoredRecord.Kind, key: [UInt8]) async throws -> StoredRecord? {
    try await willRead()
    return await inner.record(kind, key: key)
  }

  func records(
    _ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int
  ) async throws -> [StoredRecord] {
    try await willList()
    return await inner.records(kind, where: index, limit: limit)
  }

  func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
    try await willCommit(changes)
    let outcome = try await inner.commit(changes)
    try await didCommit()
    return outcome
  }

  func removeExpired(before date: NumericDate, limit: Int) async -> Int {
    await inner.removeExpired(before: date, limit: limit)
  }
}
