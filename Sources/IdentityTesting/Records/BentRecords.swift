import JOSE

/// Records that come to the store, or from it, as a library with a fault would write and read them.
package struct BentRecords: RecordStore {
  /// What is planted.
  package enum Fault: Sendable, CustomStringConvertible {
    /// Records can't be found by this index.
    case losesIndex(String)
    /// No record expires.
    case losesExpiry
    /// A replacement leaves the document as it was.
    case keepsDocuments
    /// What is there is written over, whatever its version.
    case replacesBlindly
    /// Insertions go beyond their quota.
    case ignoresQuotas
    /// Removals are not made.
    case removesNothing
    /// A document that can't be read is no record.
    case hidesDamage

    package var description: String {
      switch self {
      case .losesIndex(let name): "losesIndex \(name)"
      case .losesExpiry: "losesExpiry"
      case .keepsDocuments: "keepsDocuments"
      case .replacesBlindly: "replacesBlindly"
      case .ignoresQuotas: "ignoresQuotas"
      case .removesNothing: "removesNothing"
      case .hidesDamage: "hidesDamage"
      }
    }
  }

  package let fault: Fault?
  package let inner = MemoryRecordStore()

  package init(_ fault: Fault?) { self.fault = fault }

  package func record(_ kind: StoredRecord.Kind, key: [UInt8]) async -> StoredRecord? {
    let record = await inner.record(kind, key: key)
    // Those that read at once write at once: on a busy machine they would come one after the other.
    await Task.yield()
    return record.flatMap(seen)
  }

  package func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) async -> [StoredRecord] {
    let records = await inner.records(kind, where: index, limit: limit)
    await Task.yield()
    return records.compactMap(seen)
  }

  package func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
    var made: [RecordChange] = []
    for change in changes {
      switch change {
      case .remove where isRemovingNothing: continue
      case .remove: made.append(change)
      case .insert(let record, let quota):
        let known = isBlind ? await inner.record(record.kind, key: record.key) : nil
        if let known {
          var next = bent(record)
          next.version = known.version
          made.append(.replace(next))
        } else {
          made.append(.insert(bent(record), atMost: isIgnoringQuotas ? nil : quota))
        }
      case .replace(let record):
        var next = bent(record)
        let known = await inner.record(record.kind, key: record.key)
        if isBlind, let known { next.version = known.version }
        if isKeepingDocuments, let known { next.document = known.document }
        made.append(.replace(next))
      }
    }
    return try await inner.commit(made)
  }

  package func removeExpired(before date: NumericDate, limit: Int) async -> Int {
    await inner.removeExpired(before: date, limit: limit)
  }

  private var isBlind: Bool { if case .replacesBlindly = fault { true } else { false } }
  private var isIgnoringQuotas: Bool { if case .ignoresQuotas = fault { true } else { false } }
  private var isKeepingDocuments: Bool { if case .keepsDocuments = fault { true } else { false } }
  private var isRemovingNothing: Bool { if case .removesNothing = fault { true } else { false } }

  private func seen(_ record: StoredRecord) -> StoredRecord? {
    guard case .hidesDamage = fault else { return record }
    return record.document.first == UInt8(ascii: "{") && record.document.last == UInt8(ascii: "}") ? record : nil
  }

  private func bent(_ record: StoredRecord) -> StoredRecord {
    var record = record
    if case .losesIndex(let name) = fault { record.indexes.removeAll { "\($0.name)" == name } }
    if case .losesExpiry = fault { record.expiresAt = nil }
    return record
  }
}
