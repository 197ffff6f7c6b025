import JOSE

/// A record in the form of the table.
struct RecordRow {
  let number, version: Int64
  let key, document, attempt, indexList: [UInt8]
  let createdAt: Double
  let expiresAt: Double?

  /// The selected columns, in this order.
  static let columns = """
    records.number, records.key, records.version, records.createdAt, records.expiresAt, records.document,
    records.attempt, records.indexes
    """

  init(_ row: [SQLValue]) throws(MalformedRecord) {
    guard row.count == 8, case .integer(let number) = row[0], case .octets(let key) = row[1],
      case .integer(let version) = row[2], case .real(let createdAt) = row[3], case .octets(let document) = row[5],
      case .octets(let attempt) = row[6], case .octets(let indexList) = row[7]
    else { throw MalformedRecord() }
    switch row[4] {
    case .real(let date): expiresAt = date
    case .null: expiresAt = nil
    default: throw MalformedRecord()
    }
    (self.number, self.key, self.version, self.createdAt) = (number, key, version, createdAt)
    (self.document, self.attempt, self.indexList) = (document, attempt, indexList)
  }

  /// - Parameter locking: the SQL after the condition, which locks the row until the transaction ends.
  static func fetch(
    _ session: any SQLSession, _ kind: StoredRecord.Kind, _ key: [UInt8], locking: String = ""
  ) throws -> RecordRow? {
    try session.run(byKey + locking, name(kind, key)).rows.first.map { try RecordRow($0) }
  }

  /// Selects the row of a ``name(_:_:)``.
  static let byKey = "SELECT \(columns) FROM records WHERE kind = ? AND key = ?"

  static func name(_ kind: StoredRecord.Kind, _ key: [UInt8]) -> [SQLValue] { [.text(kind.name), .octets(key)] }

  var indexes: [StoredRecord.Index] {
    get throws(MalformedRecord) { try IndexList.indexes(in: indexList) }
  }

  func record(_ kind: StoredRecord.Kind) throws(MalformedRecord) -> StoredRecord {
    StoredRecord(
      kind: kind, key: key, version: UInt64(bitPattern: version), indexes: try indexes,
      createdAt: NumericDate(saturating: createdAt), expiresAt: expiresAt.map { NumericDate(saturating: $0) },
      document: document, attempt: attempt)
  }
}
