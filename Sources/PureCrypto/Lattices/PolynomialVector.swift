/// A polynomial of 256 coefficients, in memory that it doesn't own.
protocol LatticePolynomial {
  associatedtype Coefficient: FixedWidthInteger

  init(_ coefficients: UnsafeMutablePointer<Coefficient>)
}

/// Several polynomials, one after the other, in memory that they don't own.
struct PolynomialVector<Polynomial: LatticePolynomial> {
  let start: UnsafeMutablePointer<Polynomial.Coefficient>

  /// The length of a polynomial in memory.
  @inline(__always)
  static var polynomialByteCount: Int { PackedIntegers.count &* MemoryLayout<Polynomial.Coefficient>.stride }

  @inline(__always)
  init(start: UnsafeMutablePointer<Polynomial.Coefficient>) { self.start = start }

  /// The polynomials in secret storage; `nil` where there is no room at all. Only the code that made the storage may
  /// write to them.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return nil }
    self.start = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: Polynomial.Coefficient.self))
  }

  /// The polynomial at a place that is public.
  @inline(__always)
  subscript(index: Int) -> Polynomial { Polynomial(start + index &* PackedIntegers.count) }

  /// The polynomials from a place on.
  @inline(__always)
  func from(_ index: Int) -> PolynomialVector { PolynomialVector(start: start + index &* PackedIntegers.count) }

  /// Calls `body` with uninitialised scratch space for secret polynomials, and wipes it afterwards.
  /// - Parameter count: how many, 1 or more.
  static func withRoom(_ count: Int, _ body: (PolynomialVector) -> Void) {
    withUnsafeTemporaryAllocation(of: Polynomial.Coefficient.self, capacity: count &* PackedIntegers.count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      if let start = room.baseAddress { body(PolynomialVector(start: start)) }
    }
  }
}

extension MLKEMPolynomial: LatticePolynomial {}
extension MLDSAPolynomial: LatticePolynomial {}

typealias MLKEMVector = PolynomialVector<MLKEMPolynomial>
typealias MLDSAVector = PolynomialVector<MLDSAPolynomial>
