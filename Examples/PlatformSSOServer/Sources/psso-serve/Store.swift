import Foundation
import JOSE
import PlatformSSOKit

/// The provider's records in a folder: each change is on the disk before a request is answered. Every commit writes the
/// whole file, which is enough for some hundred Macs. Nonces stay in this process: one made before a restart is refused
/// after it.
actor Store: RecordStore {
  private let nonces = MemoryRecordStore()
  private let folder: StateFolder
  private var state: State

  init(folder: StateFolder, state: State) { (self.folder, self.state) = (folder, state) }

  func record(_ kind: StoredRecord.Kind, key: [UInt8]) async -> StoredRecord? {
    if kind.isOfNonces { return await nonces.record(kind, key: key) }
    return state.records.first { $0.isNamed(kind, key) }?.record(kind)
  }

  func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) async -> [StoredRecord] {
    if kind.isOfNonces { return await nonces.records(kind, where: index, limit: limit) }
    let found = state.records.filter { $0.kind == kind.name && $0.has(index) }
    // Sorting keeps the order of insertion for equal dates.
    return found.sorted { $0.createdAt < $1.createdAt }.prefix(limit).map { $0.record(kind) }
  }

  func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
    // A commit holds either nonces or other records, since a nonce is stored by itself.
    if changes.first?.kind.isOfNonces == true { return try await nonces.commit(changes) }
    var next = state
    for (number, change) in changes.enumerated() {
      if let refusal = next.refusal(of: change) { return .refused(change: number, refusal) }
    }
    try folder.save(next)
    state = next
    return .done
  }

  func removeExpired(before date: NumericDate, limit: Int) async throws -> Int {
    _ = await nonces.removeExpired(before: date, limit: limit)
    var next = state
    next.records.removeAll { $0.expiresAt.map { $0 < date } ?? false }
    try folder.save(next)
    defer { state = next }
    return state.records.count - next.records.count
  }
}

extension RecordChange {
  fileprivate var kind: StoredRecord.Kind {
    switch self {
    case .insert(let record, _), .replace(let record): record.kind
    case .remove(let kind, _, _): kind
    }
  }
}

extension State {
  /// Makes a change, or says why it can't be made.
  fileprivate mutating func refusal(of change: RecordChange) -> RecordCommit.Refusal? {
    switch change {
    case .insert(let record, let quota):
      if records.contains(where: { $0.isNamed(record.kind, record.key) }) { return .keyTaken }
      if let name = takenIndex(of: record) { return .indexTaken(name) }
      if let quota {
        let count = records.count { kept in
          kept.kind == record.kind.name && kept.has(quota.index) && kept.expiresAt.map { $0 > quota.now } ?? true
        }
        if count >= quota.limit { return .quotaReached }
      }
      records.append(KeptRecord(record, version: 1))
    case .replace(let record):
      guard let index = records.firstIndex(where: { $0.isNamed(record.kind, record.key) }) else { return .absent }
      guard records[index].version == record.version else { return .versionChanged }
      if let name = takenIndex(of: record) { return .indexTaken(name) }
      var next = KeptRecord(record, version: record.version + 1)
      next.createdAt = records[index].createdAt
      records[index] = next
    case .remove(let kind, let key, let version):
      guard let index = records.firstIndex(where: { $0.isNamed(kind, key) }) else { return .absent }
      guard records[index].version == version else { return .versionChanged }
      records.remove(at: index)
    }
    return nil
  }

  /// A unique index of the record that another record has already.
  private func takenIndex(of record: StoredRecord) -> String? {
    let others = records.filter { $0.kind == record.kind.name && !$0.isNamed(record.kind, record.key) }
    return record.distinctIndexes.first { index in index.isUnique && others.contains { $0.has(index) } }?.name
  }
}

/// A record in the form of the file.
struct KeptRecord: Codable, Sendable {
  struct Index: Codable, Sendable {
    var name: String
    var value: Data
    var isUnique: Bool
  }

  var kind: String
  var key: Data
  var version: UInt64
  var indexes: [Index]
  var createdAt: NumericDate
  var expiresAt: NumericDate?
  var document: Data
  var attempt: Data

  init(_ record: StoredRecord, version: UInt64) {
    (kind, key, self.version) = (record.kind.name, Data(record.key), version)
    indexes = record.distinctIndexes.map { Index(name: $0.name, value: Data($0.value), isUnique: $0.isUnique) }
    (createdAt, expiresAt) = (record.createdAt, record.expiresAt)
    (document, attempt) = (Data(record.document), Data(record.attempt))
  }

  func record(_ kind: StoredRecord.Kind) -> StoredRecord {
    StoredRecord(
      kind: kind, key: Array(key), version: version,
      indexes: indexes.map { StoredRecord.Index($0.name, Array($0.value), isUnique: $0.isUnique) },
      createdAt: createdAt, expiresAt: expiresAt, document: Array(document), attempt: Array(attempt))
  }

  func isNamed(_ kind: StoredRecord.Kind, _ key: [UInt8]) -> Bool {
    self.kind == kind.name && self.key.elementsEqual(key)
  }

  func has(_ index: StoredRecord.Index) -> Bool {
    indexes.contains { $0.name.utf8.elementsEqual(index.name.utf8) && $0.value.elementsEqual(index.value) }
  }
}

extension StoredRecord.Kind {
  fileprivate var isOfNonces: Bool { name.hasSuffix("nonce") }
}
