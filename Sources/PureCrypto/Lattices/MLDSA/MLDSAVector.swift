/// Several polynomials, one after the other, in somebody else's memory.
struct MLDSAVector {
  let start: UnsafeMutablePointer<Int32>

  /// The length of a polynomial in memory.
  static let polynomialByteCount = 4 &* MLDSAPolynomial.count

  init(start: UnsafeMutablePointer<Int32>) { self.start = start }

  /// The polynomials in secret storage; `nil` where there is no room at all. Only whoever made the storage may write to
  /// them.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return nil }
    self.start = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: Int32.self))
  }

  /// The polynomial at a place that is public.
  @inline(__always)
  subscript(index: Int) -> MLDSAPolynomial { MLDSAPolynomial(start + index &* MLDSAPolynomial.count) }

  /// The polynomials from a place on.
  @inline(__always)
  func from(_ index: Int) -> MLDSAVector { MLDSAVector(start: start + index &* MLDSAPolynomial.count) }

  /// Calls `body` with room for polynomials that are secret: wiped afterwards. What is in it at first is not said.
  /// - Parameter count: how many, 1 or more.
  static func withRoom(_ count: Int, _ body: (MLDSAVector) -> Void) {
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: count &* MLDSAPolynomial.count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      if let start = room.baseAddress { body(MLDSAVector(start: start)) }
    }
  }

  /// Calls `body` with Â, row by row.
  /// - Parameter rho: 32 bytes.
  /// Source: FIPS 204 algorithm 32.
  static func withMatrix(
    _ parameterSet: MLDSAParameterSet, _ rho: UnsafeRawBufferPointer, _ body: (MLDSAVector) -> Void
  ) {
    let (rows, columns) = (parameterSet.rowCount, parameterSet.columnCount)
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: rows &* columns &* MLDSAPolynomial.count) { room in
      guard let start = room.baseAddress else { return }
      let matrix = MLDSAVector(start: start)
      for row in 0..<rows {
        for column in 0..<columns {
          matrix[columns &* row &+ column].setUniformVariableTime(seed: rho, column: column, row: row)
        }
      }
      body(matrix)
    }
  }
}
