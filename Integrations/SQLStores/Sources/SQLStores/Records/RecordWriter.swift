import JOSE

/// Makes the changes of a commit, each with as few statements as possible.
struct RecordWriter {
  private let session: any SQLSession
  private let dialect: SQLDialect
  /// Whether this is the only change of the commit: then one statement may be the whole transaction.
  private let isAlone: Bool
  /// The locks to take before the first statement that isn't the whole transaction.
  private var locks: AdvisoryLocks?

  init(session: any SQLSession, dialect: SQLDialect, changes: [RecordChange]) {
    (self.session, self.dialect) = (session, dialect)
    isAlone = changes.count == 1
    locks = dialect == .postgreSQL ? AdvisoryLocks.needed(for: changes) : nil
  }

  /// Makes one change. Returns the refusal if it can't be made.
  mutating func make(_ change: RecordChange) throws -> RecordCommit.Refusal? {
    switch change {
    case .insert(let record, let quota): try insert(record, quota)
    case .replace(let record): try replace(record)
    case .remove(let kind, let key, let version): try remove(kind, key, version)
    }
  }

  /// Runs a statement, and returns whether it changed a row.
  private mutating func run(
    _ statement: String, _ values: [SQLValue], isAll: Bool = false
  ) throws -> SQLResult {
    if isAll && isAlone { return try session.runWhole(statement, values) }
    try lock()
    return try session.run(statement, values)
  }

  private mutating func lock() throws {
    guard let locks else { return }
    try locks.take(session)
    self.locks = nil
  }

  private mutating func insert(_ record: StoredRecord, _ quota: RecordQuota?) throws -> RecordCommit.Refusal? {
    let indexes = record.distinctIndexes
    let result = try run(
      """
      INSERT INTO records (kind, key, version, createdAt, expiresAt, document, attempt, indexes)
      VALUES (?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT (kind, key) DO NOTHING RETURNING number
      """,
      [
        .text(record.kind.name), .octets(record.key), .date(record.createdAt),
        .date(record.expiresAt), .octets(record.document), .octets(record.attempt),
        .octets(IndexList.octets(of: indexes)),
      ], isAll: indexes.isEmpty && quota == nil)
    guard let row = result.rows.first else { return .keyTaken }
    guard case .integer(let number)? = row.first else { throw MalformedRecord() }
    if let refusal = try insert(indexes, of: record.kind, record.createdAt.secondsSince1970, number) { return refusal }
    guard let quota else { return nil }
    let count = RecordQuotaCount(quota, of: record.kind, besides: number)
    return try count.isUsedUp(session) ? .quotaReached : nil
  }

  private mutating func replace(_ record: StoredRecord) throws -> RecordCommit.Refusal? {
    let wanted = record.distinctIndexes
    let replacement = Self.replacement(record)
    if try run(replacement.statement, replacement.values, isAll: true).count == 1 { return nil }
    try lock()
    guard let old = try fetch(record.kind, record.key) else { return .absent }
    guard old.version == Int64(bitPattern: record.version) else { return .versionChanged }
    let update = Self.update + "number = ? AND version = ?"
    let values = Self.written(record) + [.integer(old.number), .integer(old.version)]
    guard try run(update, values).count == 1 else { return .versionChanged }
    // Other replacements change few of many indexes.
    let known = Set(try old.indexes)
    for index in known.subtracting(wanted) {
      _ = try run(
        "DELETE FROM recordIndexes WHERE kind = ? AND name = ? AND value = ? AND createdAt = ? AND record = ?",
        [
          .text(record.kind.name), .name(index.name), .octets(index.value), .real(old.createdAt),
          .integer(old.number),
        ])
    }
    return try insert(wanted.filter { !known.contains($0) }, of: record.kind, old.createdAt, old.number)
  }

  /// The statement, with its values, that replaces the stored record if that has the expected version and the same
  /// indexes. Most replacements change no index: then it is enough.
  ///
  /// - Parameter unlessLocked: whether it leaves a record that another transaction has locked, in PostgreSQL.
  static func replacement(
    _ record: StoredRecord, unlessLocked: Bool = false
  ) -> (statement: String, values: [SQLValue]) {
    let condition = "kind = ? AND key = ? AND version = ? AND indexes = ?"
    let written = written(record)
    return (
      update
        + (unlessLocked
          ? "number = (SELECT number FROM records WHERE \(condition) FOR NO KEY UPDATE SKIP LOCKED)" : condition),
      written + [
        .text(record.kind.name), .octets(record.key), .integer(Int64(bitPattern: record.version)), written[4],
      ]
    )
  }

  private static let update =
    "UPDATE records SET version = ?, expiresAt = ?, document = ?, attempt = ?, indexes = ? WHERE "

  private static func written(_ record: StoredRecord) -> [SQLValue] {
    [
      .integer(Int64(bitPattern: record.version &+ 1)), .date(record.expiresAt), .octets(record.document),
      .octets(record.attempt), .octets(IndexList.octets(of: record.distinctIndexes)),
    ]
  }

  private mutating func remove(
    _ kind: StoredRecord.Kind, _ key: [UInt8], _ version: UInt64
  ) throws -> RecordCommit.Refusal? {
    let result = try run(
      "DELETE FROM records WHERE kind = ? AND key = ? AND version = ?",
      [.text(kind.name), .octets(key), .integer(Int64(bitPattern: version))], isAll: true)
    if result.count == 1 { return nil }
    return try fetch(kind, key) == nil ? .absent : .versionChanged
  }

  private mutating func insert(
    _ indexes: [StoredRecord.Index], of kind: StoredRecord.Kind, _ createdAt: Double, _ number: Int64
  ) throws -> RecordCommit.Refusal? {
    for start in stride(from: 0, to: indexes.count, by: Self.rowLimit) {
      let part = indexes[start..<min(start + Self.rowLimit, indexes.count)]
      let rows = Array(repeating: "(?, ?, ?, ?, ?, ?)", count: part.count).joined(separator: ", ")
      let result = try run(
        """
        INSERT INTO recordIndexes (kind, name, value, createdAt, record, isUnique) VALUES \(rows)
        ON CONFLICT DO NOTHING
        """,
        part.flatMap { index -> [SQLValue] in
          [
            .text(kind.name), .name(index.name), .octets(index.value), .real(createdAt), .integer(number),
            .flag(index.isUnique),
          ]
        })
      // The record has no index twice, so a conflict is with another record.
      guard result.count < part.count else { continue }
      let taken = try part.first { index in
        try index.isUnique && !isRecord(number, with: index, of: kind)
      }
      guard let taken else { throw MalformedRecord() }
      return .indexTaken(taken.name)
    }
    return nil
  }

  /// The most rows that a statement inserts: few enough that each number of them has a prepared statement.
  private static let rowLimit = 16

  /// Whether it is this record that has an index.
  private func isRecord(_ number: Int64, with index: StoredRecord.Index, of kind: StoredRecord.Kind) throws -> Bool {
    let result = try session.run(
      "SELECT 1 FROM recordIndexes WHERE kind = ? AND name = ? AND value = ? AND isUnique = 1 AND record = ?",
      [.text(kind.name), .name(index.name), .octets(index.value), .integer(number)])
    return !result.rows.isEmpty
  }

  /// The stored record. If there are several writers, it is locked until the transaction ends.
  private func fetch(_ kind: StoredRecord.Kind, _ key: [UInt8]) throws -> RecordRow? {
    let locking =
      switch dialect {
      case .sqlite: ""
      case .postgreSQL: " FOR NO KEY UPDATE"
      }
    return try RecordRow.fetch(session, kind, key, locking: locking)
  }
}

extension AdvisoryLocks {
  /// The locks that a commit of several statements takes first: keys, unique values and quotas. They prevent deadlocks
  /// between writers of the same records in another order, and let writers under one quota count each other's records.
  /// A single key is locked by its row.
  fileprivate static func needed(for changes: [RecordChange]) -> AdvisoryLocks? {
    var locks = AdvisoryLocks()
    for change in changes {
      switch change {
      case .insert(let record, let quota):
        locks.insert(record)
        if let index = quota?.index { locks.insert(index, of: record.kind) }
      case .replace(let record): locks.insert(record)
      case .remove(let kind, let key, _): locks.insert(Array(kind.name.utf8), key)
      }
    }
    return locks.numbers.count > 1 ? locks : nil
  }

  private mutating func insert(_ record: StoredRecord) {
    insert(Array(record.kind.name.utf8), record.key)
    for index in record.indexes where index.isUnique { insert(index, of: record.kind) }
  }

  private mutating func insert(_ index: StoredRecord.Index, of kind: StoredRecord.Kind) {
    insert(Array(kind.name.utf8), Array(index.name.utf8), index.value)
  }
}
