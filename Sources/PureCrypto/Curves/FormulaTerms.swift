/// The coordinates of a point, or the terms of a formula for points, one after the other: runs of limbs of one field.
struct FormulaTerms<Field: PrimeModulus> {
  private let start: LimbRun.MutableLimbs

  @inline(__always)
  private init(_ start: UnsafeMutableRawPointer) {
    self.start = start.assumingMemoryBound(to: UInt64.self)
  }

  /// A coordinate or a term.
  @inline(__always)
  subscript(index: Int) -> LimbRun.MutableLimbs { start + index &* Field.Integer.limbCount }

  /// Calls `body` with the coordinates of two points, the second left unchanged, and with room for nine
  /// terms.
  ///
  /// Points consist of their coordinates, and coordinates of their limbs.
  @inline(__always)
  static func with<Sum: BitwiseCopyable, Summand: BitwiseCopyable>(
    _ p: inout Sum, _ q: Summand, _ body: (_ p: FormulaTerms, _ q: FormulaTerms, _ terms: FormulaTerms) -> Void
  ) {
    var q = q
    withUnsafeTemporaryAllocation(of: Field.Integer.self, capacity: 9) { terms in
      guard let terms = UnsafeMutableRawBufferPointer(terms).baseAddress else { return }
      withUnsafeMutablePointer(to: &p) { p in
        withUnsafeMutablePointer(to: &q) { q in
          body(FormulaTerms(UnsafeMutableRawPointer(p)), FormulaTerms(UnsafeMutableRawPointer(q)), FormulaTerms(terms))
        }
      }
    }
  }
}
