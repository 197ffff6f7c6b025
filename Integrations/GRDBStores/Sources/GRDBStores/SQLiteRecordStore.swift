import Foundation
import GRDB
import JOSE

extension ProviderDatabase {
  /// All records of a provider.
  public var records: SQLiteRecordStore { SQLiteRecordStore(database: self) }
}

/// Records in SQLite: a table of records and a table of their indexes.
public struct SQLiteRecordStore: RecordStore {
  let database: ProviderDatabase

  /// The record of this kind and key.
  ///
  /// - Throws: `DatabaseError`.
  public func record(_ kind: StoredRecord.Kind, key: [UInt8]) async throws -> StoredRecord? {
    try database.lookUp { try RecordRow.fetch($0, kind, key)?.record(kind) }
  }

  /// The records of this kind with this index, the oldest first.
  ///
  /// - Throws: `DatabaseError`.
  public func records(
    _ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int
  ) async throws -> [StoredRecord] {
    try await database.read { database in
      let statement = try database.cachedStatement(
        sql: """
          SELECT \(RecordRow.columns) FROM recordIndexes JOIN records ON number = record
          WHERE recordIndexes.kind = ? AND name = ? AND value = ? ORDER BY recordIndexes.createdAt, record LIMIT ?
          """)
      let rows = try GRDB.Row.fetchAll(
        statement, arguments: [kind.name, index.name.octets, Data(index.value), max(0, limit)])
      return try rows.map { try RecordRow($0).record(kind) }
    }
  }

  /// Makes all changes, or none.
  ///
  /// - Throws: `DatabaseError`.
  public func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
    if let first = changes.first, try await isRefusedByQuota(first) { return .refused(change: 0, .quotaReached) }
    do {
      try await database.write { database in
        for (number, change) in changes.enumerated() {
          // What is thrown undoes this commit's savepoint, and no other's.
          if let refusal = try Self.make(change, database) { throw Refused(outcome: .refused(change: number, refusal)) }
        }
      }
      return .done
    } catch let refused as Refused {
      return refused.outcome
    }
  }

  /// Removes records that expired before a date.
  ///
  /// - Throws: `DatabaseError`.
  public func removeExpired(before date: NumericDate, limit: Int) async throws -> Int {
    try await database.write { database in
      let statement = try database.cachedStatement(
        sql: """
          DELETE FROM records WHERE number IN
          (SELECT number FROM records WHERE expiresAt < ? ORDER BY expiresAt LIMIT ?)
          """)
      try statement.execute(arguments: [date.secondsSince1970, max(0, limit)])
      return database.changesCount
    }
  }

  /// Whether the first change of a commit is an insertion that its quota refuses. A maker that is at its quota holds
  /// up no writer then while its records are counted. Later changes see those before them, and can't be told yet.
  private func isRefusedByQuota(_ first: RecordChange) async throws -> Bool {
    guard case .insert(let record, let quota?) = first else { return false }
    let mayBe = try database.lookUp { try Self.mayBeUsedUp(quota, of: record.kind, $0) }
    guard mayBe else { return false }
    return try await database.read { database in
      guard try Self.isUsedUp(quota, of: record.kind, database) else { return false }
      // These reasons are given before the quota.
      guard try RecordRow.fetch(database, record.kind, record.key) == nil else { return false }
      return try !record.indexes.contains { try $0.isUnique && Self.isTaken($0, of: record.kind, database) }
    }
  }

  private struct Refused: Error {
    let outcome: RecordCommit
  }

  /// Makes one change. Returns why it can't be made.
  private static func make(_ change: RecordChange, _ database: Database) throws -> RecordCommit.Refusal? {
    switch change {
    case .insert(let record, let quota): try insert(record, quota, database)
    case .replace(let record): try replace(record, database)
    case .remove(let kind, let key, let version): try remove(kind, key, version, database)
    }
  }

  private static func insert(
    _ record: StoredRecord, _ quota: RecordQuota?, _ database: Database
  ) throws -> RecordCommit.Refusal? {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO records (kind, key, version, createdAt, expiresAt, document, attempt, indexes)
        VALUES (?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT (kind, key) DO NOTHING
        """)
    let indexes = record.distinctIndexes
    try statement.execute(arguments: [
      record.kind.name, Data(record.key), record.createdAt.secondsSince1970, record.expiresAt?.secondsSince1970,
      Data(record.document), Data(record.attempt), IndexList.data(of: indexes),
    ])
    guard database.changesCount == 1 else { return .keyTaken }
    let number = database.lastInsertedRowID
    let createdAt = record.createdAt.secondsSince1970
    if let refusal = try insert(indexes, of: record.kind, createdAt, number, database) { return refusal }
    guard let quota else { return nil }
    return try isUsedUp(quota, of: record.kind, besides: number, database) ? .quotaReached : nil
  }

  private static func replace(_ record: StoredRecord, _ database: Database) throws -> RecordCommit.Refusal? {
    let wanted = record.distinctIndexes
    // Most replacements change no index: then this is all.
    if try update(record, wanted, where: "indexes = ?", [IndexList.data(of: wanted)], database) { return nil }
    guard let old = try RecordRow.fetch(database, record.kind, record.key) else { return .absent }
    guard try update(record, wanted, where: "TRUE", [], database) else { return .versionChanged }
    // Others change a few of many.
    let known = Set(try old.indexes)
    for index in known.subtracting(wanted) {
      let statement = try database.cachedStatement(
        sql: "DELETE FROM recordIndexes WHERE kind = ? AND name = ? AND value = ? AND createdAt = ? AND record = ?")
      try statement.execute(arguments: [
        record.kind.name, index.name.octets, Data(index.value), old.createdAt, old.number,
      ])
    }
    return try insert(
      wanted.filter { !known.contains($0) }, of: record.kind, old.createdAt, old.number, database)
  }

  /// Writes a record in the place of the stored one. Returns whether that has the version that it replaces, and is as
  /// the condition says.
  private static func update(
    _ record: StoredRecord, _ indexes: [StoredRecord.Index], where condition: String, _ arguments: StatementArguments,
    _ database: Database
  ) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: """
        UPDATE records SET version = ?, expiresAt = ?, document = ?, attempt = ?, indexes = ?
        WHERE kind = ? AND key = ? AND version = ? AND \(condition)
        """)
    let written: StatementArguments = [
      Int64(bitPattern: record.version &+ 1), record.expiresAt?.secondsSince1970, Data(record.document),
      Data(record.attempt), IndexList.data(of: indexes), record.kind.name, Data(record.key),
      Int64(bitPattern: record.version),
    ]
    try statement.execute(arguments: written + arguments)
    return database.changesCount == 1
  }

  private static func remove(
    _ kind: StoredRecord.Kind, _ key: [UInt8], _ version: UInt64, _ database: Database
  ) throws -> RecordCommit.Refusal? {
    guard let old = try RecordRow.fetch(database, kind, key) else { return .absent }
    guard old.version == Int64(bitPattern: version) else { return .versionChanged }
    try database.cachedStatement(sql: "DELETE FROM records WHERE number = ?").execute(arguments: [old.number])
    return nil
  }

  private static func insert(
    _ indexes: [StoredRecord.Index], of kind: StoredRecord.Kind, _ createdAt: Double, _ number: Int64,
    _ database: Database
  ) throws -> RecordCommit.Refusal? {
    for index in indexes {
      let statement = try database.cachedStatement(
        sql: """
          INSERT INTO recordIndexes (kind, name, value, createdAt, record, isUnique) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT DO NOTHING
          """)
      try statement.execute(arguments: [
        kind.name, index.name.octets, Data(index.value), createdAt, number, index.isUnique,
      ])
      // The record has no index twice, so the conflict is with another record.
      guard database.changesCount == 1 else { return .indexTaken(index.name) }
    }
    return nil
  }

  /// Whether a record has the value of this index as a unique one.
  private static func isTaken(
    _ index: StoredRecord.Index, of kind: StoredRecord.Kind, _ database: Database
  ) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: "SELECT 1 FROM recordIndexes WHERE kind = ? AND name = ? AND value = ? AND isUnique = 1")
    return try Int.fetchOne(statement, arguments: [kind.name, index.name.octets, Data(index.value)]) != nil
  }

  /// Whether a quota is used up if records count that have expired. Most makers are far from theirs, and then the index
  /// says so without a look at the records.
  ///
  /// - Parameter number: of the record that doesn't count; no record has 0.
  private static func mayBeUsedUp(
    _ quota: RecordQuota, of kind: StoredRecord.Kind, besides number: Int64 = 0, _ database: Database
  ) throws -> Bool {
    guard quota.limit > 0 else { return true }
    let statement = try database.cachedStatement(
      sql: """
        SELECT 1 FROM recordIndexes WHERE kind = ? AND name = ? AND value = ? AND record <> ? LIMIT 1 OFFSET ?
        """)
    return try Int.fetchOne(
      statement,
      arguments: [kind.name, quota.index.name.octets, Data(quota.index.value), number, quota.limit - 1]) != nil
  }

  private static func isUsedUp(
    _ quota: RecordQuota, of kind: StoredRecord.Kind, besides number: Int64 = 0, _ database: Database
  ) throws -> Bool {
    guard try mayBeUsedUp(quota, of: kind, besides: number, database) else { return false }
    guard quota.limit > 0 else { return true }
    let statement = try database.cachedStatement(
      sql: """
        SELECT 1 FROM recordIndexes JOIN records ON number = record
        WHERE recordIndexes.kind = ? AND name = ? AND value = ? AND record <> ?
        AND (expiresAt IS NULL OR expiresAt > ?) LIMIT 1 OFFSET ?
        """)
    return try Int.fetchOne(
      statement,
      arguments: [
        kind.name, quota.index.name.octets, Data(quota.index.value), number, quota.now.secondsSince1970,
        quota.limit - 1,
      ]) != nil
  }
}
