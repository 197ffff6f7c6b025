import Foundation
import GRDB
import JOSE

/// A record as the table has it.
struct RecordRow {
  let number, version: Int64
  let key, document, attempt, indexList: Data
  let createdAt: Double
  let expiresAt: Double?

  /// What is selected, in this order.
  static let columns = """
    records.number, records.key, records.version, records.createdAt, records.expiresAt, records.document,
    records.attempt, records.indexes
    """

  init(_ row: GRDB.Row) throws {
    (number, key, version, createdAt) = (row[0], row[1], row[2], row[3])
    (expiresAt, document, attempt, indexList) = (row[4], row[5], row[6], row[7])
  }

  static func fetch(_ database: Database, _ kind: StoredRecord.Kind, _ key: [UInt8]) throws -> RecordRow? {
    let statement = try database.cachedStatement(sql: "SELECT \(columns) FROM records WHERE kind = ? AND key = ?")
    return try GRDB.Row.fetchOne(statement, arguments: [kind.name, Data(key)]).map { try RecordRow($0) }
  }

  var indexes: [StoredRecord.Index] {
    get throws { try IndexList.indexes(in: indexList) }
  }

  func record(_ kind: StoredRecord.Kind) throws -> StoredRecord {
    StoredRecord(
      kind: kind, key: Array(key), version: UInt64(bitPattern: version), indexes: try indexes,
      createdAt: NumericDate(saturating: createdAt), expiresAt: expiresAt.map { NumericDate(saturating: $0) },
      document: Array(document), attempt: Array(attempt))
  }
}
