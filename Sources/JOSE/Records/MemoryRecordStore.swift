import PureCrypto

/// Records in this process's memory, for one process and for tests.
///
/// The records of one kind take a bounded number of octets. From a sixteenth of that on each insertion removes a few
/// that expired more than a minute before the new one was made. When there is no room for another, the store throws
/// ``RecordStoreFull``, because a nonce that is forgotten too early could be used again.
public actor MemoryRecordStore: RecordStore {
  /// How many expired records one insertion removes at most, so that none waits for all of them.
  private static let sweepLimit = 64
  /// More than one, so that what has expired goes sooner than new records come.
  private static let usualSweepLimit = 4

  private let byteLimit: Int
  private var tables: [StoredRecord.Kind: RecordTable] = [:]

  /// An empty store.
  ///
  /// - Parameter byteLimit: how many octets the records of one kind take at most: those of keys, indexes and
  ///   documents, and 256 for each record.
  public init(byteLimit: Int = 256 << 20) { self.byteLimit = byteLimit }

  /// The record of this kind and key.
  public func record(_ kind: StoredRecord.Kind, key: [UInt8]) -> StoredRecord? { tables[kind]?[key] }

  /// The records of this kind with this index, the oldest first.
  public func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) -> [StoredRecord] {
    tables[kind]?.records(where: index, limit: max(0, limit)) ?? []
  }

  /// Makes all changes, or none.
  ///
  /// - Throws: ``RecordStoreFull``.
  public func commit(_ changes: [RecordChange]) throws -> RecordCommit {
    var changed: [(kind: StoredRecord.Kind, key: [UInt8], row: RecordTable.Row?)] = []
    func undo() {
      for old in changed.reversed() { tables[old.kind, default: RecordTable()].set(old.row, at: old.key) }
    }
    for (number, change) in changes.enumerated() {
      let kind = change.kind
      makeRoom(for: change)
      switch tables[kind, default: RecordTable()].apply(change) {
      case .failure(let error):
        undo()
        return .refused(change: number, error.refusal)
      case .success(let row):
        changed.append((kind, change.key, row))
      }
      guard change.byteCount == 0 || tables[kind, default: RecordTable()].byteCount <= byteLimit else {
        undo()
        throw RecordStoreFull()
      }
    }
    return .done
  }

  /// Removes some of what has expired, by the date of the record that comes.
  private func makeRoom(for change: RecordChange) {
    guard case .insert(let record, _) = change, let byteCount = tables[record.kind]?.byteCount,
      byteCount > byteLimit / 16
    else { return }
    let limit = byteCount + change.byteCount > byteLimit ? Self.sweepLimit : Self.usualSweepLimit
    // An expired nonce is remembered for another minute, for clocks that are set back.
    _ = tables[record.kind]?.removeExpired(before: record.createdAt.advanced(by: -60), limit: limit)
  }

  /// Removes records that expired before a date.
  public func removeExpired(before date: NumericDate, limit: Int) -> Int {
    var count = 0
    for kind in tables.keys where count < limit {
      count += tables[kind]?.removeExpired(before: date, limit: limit - count) ?? 0
    }
    return count
  }
}

extension MemoryRecordStore: Redacted {
  /// The type's name.
  public nonisolated var description: String { "MemoryRecordStore" }
}

extension RecordChange {
  /// The kind of the record that is changed.
  package var kind: StoredRecord.Kind {
    switch self {
    case .insert(let record, _), .replace(let record): record.kind
    case .remove(let kind, _, _): kind
    }
  }

  /// The key of the record that is changed.
  package var key: [UInt8] {
    switch self {
    case .insert(let record, _), .replace(let record): record.key
    case .remove(_, let key, _): key
    }
  }

  /// What the written record takes in memory; 0 for a removal.
  fileprivate var byteCount: Int {
    switch self {
    case .insert(let record, _), .replace(let record): RecordTable.byteCount(of: record)
    case .remove: 0
    }
  }
}
