/// Several polynomials, one after the other, in somebody else's memory.
struct MLKEMVector {
  let start: UnsafeMutablePointer<Int16>

  /// The length of a polynomial in memory.
  static let polynomialByteCount = 2 &* MLKEMPolynomial.count

  init(start: UnsafeMutablePointer<Int16>) { self.start = start }

  /// The polynomials in secret storage; `nil` where there is no room at all. Only whoever made the storage may write to
  /// them.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return nil }
    self.start = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: Int16.self))
  }

  /// The polynomial at a place that is public.
  @inline(__always)
  subscript(index: Int) -> MLKEMPolynomial { MLKEMPolynomial(start + index &* MLKEMPolynomial.count) }

  /// The polynomials from a place on.
  @inline(__always)
  func from(_ index: Int) -> MLKEMVector { MLKEMVector(start: start + index &* MLKEMPolynomial.count) }

  /// Calls `body` with room for polynomials that are secret: wiped afterwards. What is in it at first is not said.
  /// - Parameter count: how many, 1 or more.
  static func withRoom(_ count: Int, _ body: (MLKEMVector) -> Void) {
    withUnsafeTemporaryAllocation(of: Int16.self, capacity: count &* MLKEMPolynomial.count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      if let start = room.baseAddress { body(MLKEMVector(start: start)) }
    }
  }
}
