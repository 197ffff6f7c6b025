/// A polynomial of degree below 256 with coefficients mod q = 8380417, in memory that it doesn't own; or its number
/// theoretic transform.
///
/// Coefficients are signed and stand for their class mod q. Each function says which bounds it takes and gives:
/// - |c| < q;
/// - canonical, 0 ≤ c < q;
/// - a multiple of q.
///
/// Timing: depends on nothing. All reductions are by multiplication and shift.
/// Source: FIPS 204 §2.3, §7.5, appendix A.
struct MLDSAPolynomial {
  let coefficients: UnsafeMutablePointer<Int32>

  /// The number of coefficients.
  static let count = PackedIntegers.count
  /// The modulus, 2²³ − 2¹³ + 1.
  static let q: Int32 = 8_380_417

  @inline(__always)
  init(_ coefficients: UnsafeMutablePointer<Int32>) { self.coefficients = coefficients }

  // MARK: Coefficients

  /// a · 2⁻³² mod q: |a| < 2³¹ q → |result| < q.
  ///
  /// m = a q⁻¹ mod 2³² makes a − m q a multiple of 2³², and |a − m q| < 2³¹ q + 2³¹ q.
  @inline(__always)
  static func montgomeryReduced(_ a: Int64) -> Int32 {
    let m = Int32(truncatingIfNeeded: a) &* 58_728_449
    return Int32(truncatingIfNeeded: (a &- Int64(m) &* Int64(q)) &>> 32)
  }

  /// a b · 2⁻³² mod q: |b| < q, any a → |result| < q.
  @inline(__always)
  static func product(_ a: Int32, _ b: Int32) -> Int32 { montgomeryReduced(Int64(a) &* Int64(b)) }

  /// |a| < 2³¹ − 2²² → |result| ≤ 6283009 < q: a − q ⌊a / 2²³⌉, since q is a little less than 2²³.
  @inline(__always)
  static func reduced(_ a: Int32) -> Int32 { a &- ((a &+ 1 &<< 22) &>> 23) &* q }

  /// |a| < q → canonical.
  /// - Parameter zero: ``opaqueZero()``, so that no compiler knows that the mask has two values.
  @inline(__always)
  static func canonical(_ a: Int32, _ zero: Int32) -> Int32 { a &+ (a &>> 31 ^ zero) & q }

  // MARK: Sums

  /// Sums below 2³¹ − 2²² → canonical.
  func add(_ other: MLDSAPolynomial) {
    let zero = Int32(truncatingIfNeeded: opaqueZero())
    for index in 0..<Self.count {
      coefficients[index] = Self.canonical(Self.reduced(coefficients[index] &+ other.coefficients[index]), zero)
    }
  }

  /// The same of the difference.
  func subtract(_ other: MLDSAPolynomial) {
    let zero = Int32(truncatingIfNeeded: opaqueZero())
    for index in 0..<Self.count {
      coefficients[index] = Self.canonical(Self.reduced(coefficients[index] &- other.coefficients[index]), zero)
    }
  }

  /// constant − c; |constant − c| < 2³¹ − 2²² → canonical.
  func subtract(from constant: Int32) {
    let zero = Int32(truncatingIfNeeded: opaqueZero())
    for index in 0..<Self.count {
      coefficients[index] = Self.canonical(Self.reduced(constant &- coefficients[index]), zero)
    }
  }

  /// |c| < 2³¹ − 2²² → canonical.
  func reduce() {
    let zero = Int32(truncatingIfNeeded: opaqueZero())
    for index in 0..<Self.count { coefficients[index] = Self.canonical(Self.reduced(coefficients[index]), zero) }
  }

  func copy(_ other: MLDSAPolynomial) { coefficients.update(from: other.coefficients, count: Self.count) }

  // MARK: Transforms

  /// The transform in place: |c| < q → |c| < 9 q.
  ///
  /// Eight layers of butterflies (a, b) ↦ (a + ζ b, a − ζ b), each of which adds less than q.
  /// Source: FIPS 204 algorithm 41.
  func transform() {
    MLDSARoots.powers.withUnsafeBufferPointer { roots in
      var root = 1
      var length = 128
      while length >= 1 {
        var start = 0
        while start < Self.count {
          let zeta = roots[root]
          root &+= 1
          let (low, high) = (coefficients + start, coefficients + (start &+ length))
          for index in 0..<length {
            let t = Self.product(high[index], zeta)
            high[index] = low[index] &- t
            low[index] = low[index] &+ t
          }
          start &+= 2 &* length
        }
        length &>>= 1
      }
    }
  }

  /// The inverse transform in place, times 2³²: out of ``setToProduct(_:_:count:)``'s form. |c| < q → |c| < q.
  ///
  /// Butterflies (a, b) ↦ (a + b, ζ (b − a)): sums double in each of eight layers, and 2⁸ q < 2³¹.
  /// Source: FIPS 204 algorithm 42.
  func transformBack() {
    MLDSARoots.powers.withUnsafeBufferPointer { roots in
      var root = 255
      var length = 1
      while length <= 128 {
        var start = 0
        while start < Self.count {
          let zeta = roots[root]
          root &-= 1
          let (low, high) = (coefficients + start, coefficients + (start &+ length))
          for index in 0..<length {
            let (a, b) = (low[index], high[index])
            low[index] = a &+ b
            high[index] = Self.product(b &- a, zeta)
          }
          start &+= 2 &* length
        }
        length &<<= 1
      }
    }
    // 2⁶⁴ / 256 mod q
    for index in 0..<Self.count { coefficients[index] = Self.product(coefficients[index], 41_978) }
  }

  /// a · b · 2⁻³² of two vectors of transforms, that is Σ aᵢ bᵢ. |a| < q and |b| < 9 q; of one polynomial
  /// each, both < 9 q → |c| < q.
  ///
  /// One reduction for a whole sum, since 7 · 9 q² < 81 q² < 2³¹ q.
  /// - Parameter count: 1 to 7 polynomials.
  func setToProduct(_ a: UnsafePointer<Int32>, _ b: UnsafePointer<Int32>, count: Int) {
    for index in 0..<Self.count {
      var sum: Int64 = 0
      for polynomial in 0..<count {
        let place = polynomial &* Self.count &+ index
        sum &+= Int64(a[place]) &* Int64(b[place])
      }
      coefficients[index] = Self.montgomeryReduced(sum)
    }
  }
}

/// Powers of ζ = 1753, a primitive 512th root of one mod q. Computed at first use.
enum MLDSARoots {
  /// ζ^r · 2³² mod q, |c| < q, where r is the place with its eight bits in reverse.
  /// Source: FIPS 204 appendix B.
  static let powers: [Int32] = {
    var powers = [Int32](repeating: 0, count: 256)
    // 2³² and 1753 · 2³² mod q
    var power: Int32 = 4_193_792
    for exponent in 0..<256 {
      powers[Int(UInt8(truncatingIfNeeded: exponent).bitReversed)] = power
      power = MLDSAPolynomial.product(power, 2_091_667)
    }
    return powers
  }()
}
