import PureCrypto

/// Documents that wait under a name, which may be a secret, until they are taken once.
package struct OneTimeRecords: Sendable {
  private let records: any RecordStore
  private let kind: StoredRecord.Kind
  private let clock: WallClock

  /// Documents of one kind.
  package init(_ records: any RecordStore, kind: StoredRecord.Kind, clock: WallClock) {
    (self.records, self.kind, self.clock) = (records, kind, clock)
  }

  /// Keeps a document. Returns false if the name is taken, or the quota used up.
  ///
  /// - Throws: what the store throws.
  package func insert(
    _ document: [UInt8], name: String, indexes: [StoredRecord.Index] = [], atMost quota: RecordQuota? = nil,
    expiresAt: NumericDate
  ) async throws -> Bool {
    let record = StoredRecord(
      kind: kind, key: Self.key(name), indexes: indexes, createdAt: clock.now, expiresAt: expiresAt,
      document: document, attempt: SystemRandom.bytes(count: 16))
    return try await records.settle([.insert(record, atMost: quota)]) == .done
  }

  /// Removes and returns the document of a name; nil if there is none, another caller takes it, or its time is over.
  ///
  /// - Parameter isWanted: judges the document before it is removed. What it throws leaves the document in its place.
  /// - Throws: what the store throws; then the caller must not act on the document, which may be gone.
  package func take(_ name: String, where isWanted: ([UInt8]) throws -> Bool = { _ in true }) async throws -> [UInt8]? {
    let key = Self.key(name)
    guard let record = try await records.record(kind, key: key), record.expiresAt.map({ clock.now < $0 }) ?? true,
      try isWanted(record.document),
      try await records.settle([.remove(kind, key: key, version: record.version)]) == .done
    else { return nil }
    return record.document
  }

  /// A database that is read by a stranger gives no name away.
  private static func key(_ name: String) -> [UInt8] { Array(SHA2.SHA256.hash(Array(name.utf8))) }
}
