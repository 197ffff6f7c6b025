import JOSE

/// Records in SQL: a table of records and a table of their indexes.
///
/// The methods throw the driver's error, ``MalformedRecord``, or `RecordOutcomeUnknown` from the driver.
public struct SQLRecordStore: RecordStore {
  private let driver: any SQLDriver

  /// The records of a database.
  public init(driver: any SQLDriver) { self.driver = driver }

  /// The record of this kind and key.
  ///
  /// - Throws: see ``SQLRecordStore``.
  public func record(_ kind: StoredRecord.Kind, key: [UInt8]) async throws -> StoredRecord? {
    try await driver.lookUp(RecordRow.byKey, RecordRow.name(kind, key)) { rows in
      try rows.first.map { try RecordRow($0).record(kind) }
    }
  }

  /// The records of this kind with this index, the oldest first.
  ///
  /// - Throws: see ``SQLRecordStore``.
  public func records(
    _ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int
  ) async throws -> [StoredRecord] {
    try await driver.read { session in
      let result = try session.run(
        """
        SELECT \(RecordRow.columns) FROM recordIndexes JOIN records ON number = record
        WHERE recordIndexes.kind = ? AND name = ? AND value = ? ORDER BY recordIndexes.createdAt, record LIMIT ?
        """, [.text(kind.name), .name(index.name), .octets(index.value), .integer(Int64(max(0, limit)))])
      return try result.rows.map { try RecordRow($0).record(kind) }
    }
  }

  /// Makes all changes, or none.
  ///
  /// - Throws: see ``SQLRecordStore``.
  public func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
    if let first = changes.first, try await isRefusedByQuota(first) { return .refused(change: 0, .quotaReached) }
    let dialect = driver.dialect
    if dialect == .postgreSQL, changes.count == 1, case .replace(let record) = changes[0] {
      let (statement, values) = RecordWriter.replacement(record, unlessLocked: true)
      if try await driver.tryChange(statement, values) { return .done }
    }
    do {
      try await driver.write { session in
        var writer = RecordWriter(session: session, dialect: dialect, changes: changes)
        for (number, change) in changes.enumerated() {
          // The error undoes this commit, and no other that may share its transaction.
          if let refusal = try writer.make(change) { throw Refused(outcome: .refused(change: number, refusal)) }
        }
      }
      return .done
    } catch let refused as Refused {
      return refused.outcome
    }
  }

  /// Removes records that expired before a date. In PostgreSQL those that another transaction has locked are left for
  /// the next time, and those that haven't expired by the server's clock too: one machine whose clock is ahead must not
  /// remove what others still need.
  ///
  /// - Throws: see ``SQLRecordStore``.
  public func removeExpired(before date: NumericDate, limit: Int) async throws -> Int {
    func expired(_ date: String) -> String {
      "SELECT number FROM records WHERE expiresAt < \(date) ORDER BY expiresAt LIMIT ?"
    }
    let earlier = "least(?, CAST(extract(epoch FROM now()) AS double precision))"
    let chosen =
      switch driver.dialect {
      case .sqlite: "IN (\(expired("?")))"
      // The array is computed once; a subquery may be evaluated again.
      case .postgreSQL: "= ANY (ARRAY(\(expired(earlier)) FOR UPDATE SKIP LOCKED))"
      }
    return try await driver.write { session in
      try session.runWhole(
        "DELETE FROM records WHERE number \(chosen)",
        [.date(date), .integer(Int64(max(0, limit)))]
      ).count
    }
  }

  /// Whether the first change of a commit is an insertion that its quota refuses. With one writer at a time, this check
  /// before the transaction keeps the count for a maker at its quota from delaying other writers. Later changes depend
  /// on those before them, so they can't be checked yet.
  private func isRefusedByQuota(_ first: RecordChange) async throws -> Bool {
    guard driver.dialect == .sqlite, case .insert(let record, let quota?) = first else { return false }
    let count = RecordQuotaCount(quota, of: record.kind)
    if let estimate = count.estimate {
      let isBelow = try await driver.lookUp(estimate.statement, estimate.values, \.isEmpty)
      guard !isBelow else { return false }
    }
    return try await driver.read { session in
      guard try count.isUsedUp(session) else { return false }
      // These refusals take precedence over the quota.
      guard try RecordRow.fetch(session, record.kind, record.key) == nil else { return false }
      return try !record.indexes.contains { index in
        try index.isUnique
          && !session.run(
            "SELECT 1 FROM recordIndexes WHERE kind = ? AND name = ? AND value = ? AND isUnique = 1",
            [.text(record.kind.name), .name(index.name), .octets(index.value)]
          ).rows.isEmpty
      }
    }
  }

  private struct Refused: Error {
    let outcome: RecordCommit
  }
}
