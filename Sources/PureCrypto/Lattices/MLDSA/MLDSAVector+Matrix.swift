extension MLDSAVector {
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
      matrix.setUniformVariableTime(seed: rho, rowCount: rows, columnCount: columns)
      body(matrix)
    }
  }
}
