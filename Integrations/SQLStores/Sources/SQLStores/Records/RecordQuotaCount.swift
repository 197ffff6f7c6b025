import JOSE

/// The records that a quota counts.
struct RecordQuotaCount {
  private let quota: RecordQuota
  private let kind: StoredRecord.Kind
  /// The number of the record that isn't counted; 0 is no record's.
  private let number: Int64

  init(_ quota: RecordQuota, of kind: StoredRecord.Kind, besides number: Int64 = 0) {
    (self.quota, self.kind, self.number) = (quota, kind, number)
  }

  /// The statement, with its values, that has a row if the quota is used up when expired records are counted too. Most
  /// makers are far below it, and then the index alone answers without reading the records. It is nil where no record
  /// is allowed.
  var estimate: (statement: String, values: [SQLValue])? {
    guard quota.limit > 0 else { return nil }
    return (
      "SELECT 1 FROM recordIndexes WHERE kind = ? AND name = ? AND value = ? AND record <> ? LIMIT 1 OFFSET ?",
      counted + [skipped]
    )
  }

  func isUsedUp(_ session: any SQLSession) throws -> Bool {
    guard let estimate else { return true }
    guard try !session.run(estimate.statement, estimate.values).rows.isEmpty else { return false }
    let result = try session.run(
      """
      SELECT 1 FROM recordIndexes JOIN records ON number = record
      WHERE recordIndexes.kind = ? AND name = ? AND value = ? AND record <> ?
      AND (expiresAt IS NULL OR expiresAt > ?) LIMIT 1 OFFSET ?
      """, counted + [.date(quota.now), skipped])
    return !result.rows.isEmpty
  }

  private var counted: [SQLValue] {
    [.text(kind.name), .name(quota.index.name), .octets(quota.index.value), .integer(number)]
  }

  private var skipped: SQLValue { .integer(Int64(quota.limit - 1)) }
}
