import JOSE

/// The records that a quota counts.
struct RecordQuotaCount {
  private let session: any SQLSession
  private let quota: RecordQuota
  private let kind: StoredRecord.Kind
  /// The number of the record that isn't counted; 0 is no record's.
  private let number: Int64

  init(_ session: any SQLSession, _ quota: RecordQuota, of kind: StoredRecord.Kind, besides number: Int64 = 0) {
    (self.session, self.quota, self.kind, self.number) = (session, quota, kind, number)
  }

  /// Whether the quota is used up if expired records are counted too. Most makers are far below it, and then the index
  /// alone answers without reading the records.
  func mayBeUsedUp() throws -> Bool {
    guard quota.limit > 0 else { return true }
    let result = try session.run(
      "SELECT 1 FROM recordIndexes WHERE kind = ? AND name = ? AND value = ? AND record <> ? LIMIT 1 OFFSET ?",
      counted + [skipped])
    return !result.rows.isEmpty
  }

  func isUsedUp() throws -> Bool {
    guard try mayBeUsedUp() else { return false }
    guard quota.limit > 0 else { return true }
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
