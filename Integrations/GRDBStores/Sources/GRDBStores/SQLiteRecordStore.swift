import JOSE
import SQLStores

extension ProviderDatabase {
  /// All records of a provider.
  public var records: SQLiteRecordStore { SQLiteRecordStore(database: self) }
}

/// Records in SQLite: a table of records and a table of their indexes.
public struct SQLiteRecordStore: RecordStore {
  private let store: SQLRecordStore

  init(database: ProviderDatabase) { store = SQLRecordStore(driver: SQLiteDriver(database: database)) }

  /// The record of this kind and key.
  ///
  /// - Throws: `DatabaseError`.
  public func record(_ kind: StoredRecord.Kind, key: [UInt8]) async throws -> StoredRecord? {
    try await store.record(kind, key: key)
  }

  /// The records of this kind with this index, the oldest first.
  ///
  /// - Throws: `DatabaseError`.
  public func records(
    _ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int
  ) async throws -> [StoredRecord] {
    try await store.records(kind, where: index, limit: limit)
  }

  /// Makes all changes, or none.
  ///
  /// - Throws: `DatabaseError`.
  public func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
    try await store.commit(changes)
  }

  /// Removes records that expired before a date.
  ///
  /// - Throws: `DatabaseError`.
  public func removeExpired(before date: NumericDate, limit: Int) async throws -> Int {
    try await store.removeExpired(before: date, limit: limit)
  }
}
