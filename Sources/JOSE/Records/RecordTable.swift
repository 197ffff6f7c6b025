/// The records of one kind in memory, with their indexes.
struct RecordTable: Sendable {
  /// A record with its place in the order of insertion.
  struct Row: Sendable {
    let record: StoredRecord
    let number: UInt64

    /// What stands for it under each of its indexes.
    var entry: RecordOrder.Entry { .init(createdAt: record.createdAt, number: number, key: record.key) }
  }

  /// A change that can't be made.
  struct Refused: Error {
    let refusal: RecordCommit.Refusal
  }

  /// An index, unique or not.
  private struct IndexValue: Hashable, Sendable {
    private let index: StoredRecord.Index

    init(_ index: StoredRecord.Index) { self.index = StoredRecord.Index(index.name, index.value) }
  }

  /// The records with an index value that are alive at a time.
  private struct Tally: Sendable {
    private(set) var now: NumericDate
    private(set) var count = 0
    /// Those that are alive and expire once, and some that were removed.
    private var expiries = RecordExpiries()

    init(_ rows: some Sequence<Row>, now: NumericDate) {
      self.now = now
      for row in rows { insert(row) }
    }

    mutating func insert(_ row: Row) {
      if let expiry = row.record.expiresAt {
        guard expiry > now else { return }
        expiries.insert(.init(expiry: expiry, key: row.record.key, number: row.number))
      }
      count += 1
    }

    mutating func remove(_ row: Row) {
      if row.record.expiresAt.map({ $0 > now }) ?? true { count -= 1 }
    }

    mutating func advance(to date: NumericDate, isThere: (RecordExpiries.Entry) -> Bool) {
      while let first = expiries.first, first.expiry <= date {
        expiries.removeFirst()
        if isThere(first) { count -= 1 }
      }
      now = max(now, date)
    }
  }

  private var rows: [[UInt8]: Row] = [:]
  /// The records with each value, in the order in which they are found.
  private var orders: [IndexValue: RecordOrder] = [:]
  /// The values that a record has as unique ones.
  private var owners: [IndexValue: [UInt8]] = [:]
  /// Every record that expires is here with its date, and others may be: those that were removed, or expire at another
  /// time by now.
  private var expiries = RecordExpiries()
  /// How many records with a value are alive, of the values that have had a quota.
  private var tallies: [IndexValue: Tally] = [:]
  private var lastNumber: UInt64 = 0
  /// What all records take.
  private(set) var byteCount = 0

  subscript(key: [UInt8]) -> StoredRecord? { rows[key]?.record }

  /// The first records with this index, the oldest first.
  func records(where index: StoredRecord.Index, limit: Int) -> [StoredRecord] {
    guard let order = orders[IndexValue(index)] else { return [] }
    return order.entries.prefix(limit).compactMap { rows[$0.key]?.record }
  }

  /// Makes one change. Returns the row that was there before, or why nothing was changed.
  mutating func apply(_ change: RecordChange) -> Result<Row?, Refused> {
    let old = rows[change.key]
    if let refusal = refusal(of: change, old?.record) { return .failure(Refused(refusal: refusal)) }
    switch change {
    case .insert(var record, _):
      (record.version, record.indexes) = (1, record.distinctIndexes)
      lastNumber += 1
      set(Row(record: record, number: lastNumber), at: record.key, isNew: true)
    case .replace(let next):
      guard let old else { return .failure(Refused(refusal: .absent)) }
      let record = StoredRecord(
        kind: next.kind, key: next.key, version: next.version &+ 1, indexes: next.distinctIndexes,
        createdAt: old.record.createdAt, expiresAt: next.expiresAt, document: next.document, attempt: next.attempt)
      set(Row(record: record, number: old.number), at: record.key)
    case .remove(_, let key, _):
      set(nil, at: key)
    }
    return .success(old)
  }

  private mutating func refusal(of change: RecordChange, _ stored: StoredRecord?) -> RecordCommit.Refusal? {
    switch change {
    case .insert(let record, let quota):
      if stored != nil { return .keyTaken }
      if let name = takenIndex(of: record) { return .indexTaken(name) }
      guard let quota else { return nil }
      return isUsedUp(quota) ? .quotaReached : nil
    case .replace(let record):
      guard let stored else { return .absent }
      guard stored.version == record.version else { return .versionChanged }
      return takenIndex(of: record).map { .indexTaken($0) }
    case .remove(_, _, let version):
      guard let stored else { return .absent }
      return stored.version == version ? nil : .versionChanged
    }
  }

  /// Whether the records that count for a quota use it up.
  private mutating func isUsedUp(_ quota: RecordQuota) -> Bool {
    let value = IndexValue(quota.index)
    guard let found = orders[value], found.count >= quota.limit else { return quota.limit <= 0 }
    // A client at its quota must not cost a count of all its records each time.
    if tallies[value].map({ $0.now > quota.now }) ?? true {
      tallies[value] = Tally(found.entries.compactMap { rows[$0.key] }, now: quota.now)
    }
    tallies[value]?.advance(to: quota.now) { [rows] in rows[$0.key]?.number == $0.number }
    return tallies[value].map { $0.count >= quota.limit } ?? false
  }

  /// The name of a unique index of this record whose value another record has.
  private func takenIndex(of record: StoredRecord) -> String? {
    record.distinctIndexes.first { $0.isUnique && (owners[IndexValue($0)] ?? record.key) != record.key }?.name
  }

  /// Puts a row in the place of the one of this key, or removes that one.
  ///
  /// - Parameter isNew: whether the row has a number of its own, and there was none of this key.
  mutating func set(_ row: Row?, at key: [UInt8], isNew: Bool = false) {
    let old = rows[key]
    if let old, let row, old.record.indexes == row.record.indexes, tallies.isEmpty {
      // Most replacements change no index.
      rows[key] = row
      byteCount += row.record.document.count - old.record.document.count
      if let expiry = row.record.expiresAt, expiry != old.record.expiresAt { enqueue(expiry, key) }
      return
    }
    let (before, after) = (Self.values(of: old), Self.values(of: row))
    if let old {
      byteCount -= Self.byteCount(of: old.record)
      for index in before {
        if owners[index] == key { owners[index] = nil }
        if row == nil { tallies[index]?.remove(old) } else { tallies[index] = nil }
        if !after.contains(index) { remove(old, from: index) }
      }
    }
    rows[key] = row
    guard let row else { return }
    byteCount += Self.byteCount(of: row.record)
    for index in row.record.indexes where index.isUnique { owners[IndexValue(index)] = key }
    for index in after {
      // A replacement keeps date and number, and so its place.
      if !before.contains(index) { orders[index, default: RecordOrder()].insert(row.entry) }
      if isNew { tallies[index]?.insert(row) } else { tallies[index] = nil }
    }
    if let expiry = row.record.expiresAt, expiry != old?.record.expiresAt { enqueue(expiry, key) }
  }

  /// Removes records that expired before a date, the earliest first. Returns how many.
  mutating func removeExpired(before date: NumericDate, limit: Int) -> Int {
    var count = 0
    while count < limit, let first = expiries.first, first.expiry < date {
      expiries.removeFirst()
      guard rows[first.key]?.record.expiresAt == first.expiry else { continue }
      set(nil, at: first.key)
      count += 1
    }
    return count
  }

  /// What a record takes: its octets, and the tables' own.
  static func byteCount(of record: StoredRecord) -> Int {
    record.indexes.reduce(256 + record.key.count + record.document.count) {
      $0 + 64 + $1.value.count + record.key.count
    }
  }

  private static func values(of row: Row?) -> Set<IndexValue> {
    guard let row else { return [] }
    return Set(row.record.indexes.map(IndexValue.init))
  }

  private mutating func remove(_ row: Row, from value: IndexValue) {
    orders[value]?.remove(row.entry)
    if orders[value]?.count == 0 { (orders[value], tallies[value]) = (nil, nil) }
  }

  private mutating func enqueue(_ expiry: NumericDate, _ key: [UInt8]) {
    expiries.insert(.init(expiry: expiry, key: key))
    // Dates that moved leave entries behind; made anew now and then, the queue stays as long as the table.
    guard expiries.entries.count > 2 * rows.count + 64 else { return }
    expiries = RecordExpiries()
    for (key, row) in rows {
      if let expiry = row.record.expiresAt { expiries.insert(.init(expiry: expiry, key: key)) }
    }
  }
}
