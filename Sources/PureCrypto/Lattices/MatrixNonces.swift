/// The nonces of a matrix, row by row, in one byte for the column and one for the row. Counted, since nothing here
/// divides.
struct MatrixNonces {
  private let columnCount: Int
  private var row = 0
  private var column = 0

  init(columnCount: Int) { self.columnCount = columnCount }

  /// The nonce of the next element.
  mutating func next() -> UInt16 {
    let nonce = UInt16(truncatingIfNeeded: column | row &<< 8)
    column &+= 1
    if column == columnCount { (row, column) = (row &+ 1, 0) }
    return nonce
  }
}
