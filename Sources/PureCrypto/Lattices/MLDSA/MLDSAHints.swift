/// How hints stand in a signature: the places of the ones, polynomial by polynomial, in ω bytes, and after them for
/// each polynomial how many there are up to its end. A set of hints has one such form only.
///
/// Source: FIPS 204 §7.1.
enum MLDSAHints {
  /// Writes the hints of a signature that is about to be published.
  /// - Parameter hints: k polynomials of zeros and ones, at most ω of them.
  /// - Parameter bytes: ω + k.
  ///
  /// Timing: depends on the hints, which the signature shows.
  /// Source: FIPS 204 algorithm 20.
  static func pack(_ hints: MLDSAVector, _ parameterSet: MLDSAParameterSet, to bytes: UnsafeMutableRawBufferPointer) {
    let omega = parameterSet.maximumHintCount
    UnsafeMutableRawBufferPointer(rebasing: bytes[..<omega]).initializeMemory(as: UInt8.self, repeating: 0)
    var count = 0
    for row in 0..<parameterSet.rowCount {
      for word in 0..<4 {
        let coefficients = hints[row].coefficients + 64 &* word
        var bits: UInt64 = 0
        for place in 0..<64 { bits |= UInt64(truncatingIfNeeded: coefficients[place]) &<< UInt64(place) }
        bits = declassified(bits, bitCount: 64)
        while bits != 0, count < omega {
          bytes[count] = UInt8(truncatingIfNeeded: 64 &* word &+ bits.trailingZeroBitCount)
          bits &= bits &- 1
          count &+= 1
        }
      }
      bytes[omega &+ row] = UInt8(truncatingIfNeeded: count)
    }
  }

  /// Calls `body` with the place of each hint, and gives up where the form is not the one: counts that fall or pass ω,
  /// places of a polynomial that do not rise, bytes behind the last that are not zero.
  /// - Parameter bytes: ω + k.
  /// - Returns: whether the form is right.
  ///
  /// Timing: depends on the hints, which are public.
  /// Source: FIPS 204 algorithm 21.
  static func unpackVariableTime(
    _ bytes: UnsafeRawBufferPointer, _ parameterSet: MLDSAParameterSet, _ body: (_ row: Int, _ place: Int) -> Void
  ) -> Bool {
    let omega = parameterSet.maximumHintCount
    var index = 0
    for row in 0..<parameterSet.rowCount {
      let end = Int(bytes[omega &+ row])
      guard index <= end, end <= omega else { return false }
      let first = index
      while index < end {
        if index > first, bytes[index &- 1] >= bytes[index] { return false }
        body(row, Int(bytes[index]))
        index &+= 1
      }
    }
    return bytes[index..<omega].allSatisfy { $0 == 0 }
  }
}
