import PostgresStoresLibPQ
import SQLStores

extension SQLResult {
  /// The rows of an answer in binary form, and the number of affected rows.
  init(_ answer: OpaquePointer) {
    let columns = (0..<PQnfields(answer)).map { (number: $0, type: PQftype(answer, $0)) }
    let rows: [[SQLValue]] = (0..<PQntuples(answer)).map { row in
      columns.map { column -> SQLValue in
        guard PQgetisnull(answer, row, column.number) == 0, let start = PQgetvalue(answer, row, column.number) else {
          return SQLValue.null
        }
        let length = Int(PQgetlength(answer, row, column.number))
        return SQLValue(UnsafeRawBufferPointer(start: start, count: length), type: column.type)
      }
    }
    let count = PQcmdTuples(answer).flatMap { Int(String(cString: $0)) }
    self.init(rows: rows, count: count ?? 0)
  }
}

extension SQLValue {
  /// A value in the binary form of its type, which is a number in the server's table of types.
  fileprivate init(_ octets: UnsafeRawBufferPointer, type: UInt32) {
    self =
      switch type {
      // int8, int2, int4.
      case 20, 21, 23: .integer(Self.signed(octets))
      // float8.
      case 701: .real(Double(bitPattern: UInt64(bitPattern: Self.signed(octets))))
      // name, text.
      case 19, 25: .text(String(decoding: octets, as: UTF8.self))
      default: .octets(Array(octets))
      }
  }

  /// A number of 8 octets or fewer, big-endian, in two's complement.
  private static func signed(_ octets: UnsafeRawBufferPointer) -> Int64 {
    let isNegative = octets.first.map { $0 >= 0x80 } ?? false
    return octets.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
  }
}

extension PostgresError {
  /// The error of an answer: only its code, since the text may contain values.
  init(_ answer: OpaquePointer) {
    // PG_DIAG_SQLSTATE.
    let state = PQresultErrorField(answer, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
    self.init(.statementFailed, sqlState: state)
  }
}
