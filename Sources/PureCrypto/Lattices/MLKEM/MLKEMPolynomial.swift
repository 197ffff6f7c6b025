internal import Builtin

/// A polynomial of degree below 256 with coefficients mod q = 3329, in memory that it doesn't own; or what its number
/// theoretic transform is: 128 polynomials of degree below 2.
///
/// Coefficients are signed and stand for their class mod q. Each function says which bounds it takes and gives; there
/// are three:
/// - |c| < q;
/// - centred, |c| ≤ 1665;
/// - canonical, 0 ≤ c < q.
///
/// Eight coefficients are computed at once, in lanes.
///
/// Timing: depends on nothing. All reductions are by multiplication.
/// Source: FIPS 203 §2.4, §4.3; reductions: Seiler, "Faster AVX2 optimized NTT multiplication for Ring-LWE" (2018),
/// §3.
struct MLKEMPolynomial {
  let coefficients: UnsafeMutablePointer<Int16>

  /// The number of coefficients.
  static let count = PackedIntegers.count
  /// The modulus.
  static let q: Int16 = 3329

  @inline(__always)
  init(_ coefficients: UnsafeMutablePointer<Int16>) { self.coefficients = coefficients }

  // MARK: Coefficients

  /// a · 2⁻¹⁶ mod q: |a| < 2¹⁵ q → |result| < q.
  ///
  /// m = a q⁻¹ mod 2¹⁶ makes a − m q a multiple of 2¹⁶, and |a − m q| < 2¹⁵ q + 2¹⁵ q.
  @inline(__always)
  static func montgomeryReduced(_ a: Int32) -> Int16 {
    // q⁻¹ = −3327 mod 2¹⁶
    let m = Int16(truncatingIfNeeded: a) &* -3327
    return Int16(truncatingIfNeeded: (a &- Int32(m) &* Int32(q)) &>> 16)
  }

  /// a b · 2⁻¹⁶ mod q: |b| < q, any a → |result| < q.
  @inline(__always)
  static func product(_ a: Int16, _ b: Int16) -> Int16 { montgomeryReduced(Int32(a) &* Int32(b)) }

  /// Any a → centred: a − q ⌊a / q⌉, where 20159 = ⌊2²⁶ / q⌉.
  @inline(__always)
  static func centred(_ a: Int16) -> Int16 {
    let quotient = ((Int32(a) &* 20_159) &>> 16 &+ 512) &>> 10
    return a &- Int16(truncatingIfNeeded: quotient) &* q
  }

  /// |a| < q → canonical.
  /// - Parameter zero: ``opaqueZero()``, so that no compiler knows that the mask has two values.
  @inline(__always)
  static func canonical(_ a: Int16, _ zero: Int16) -> Int16 { a &+ (a &>> 15 ^ zero) & q }

  // MARK: Lanes

  private typealias Lanes = SIMD8<Int16>

  /// ⌊a b / 2¹⁶⌋. Every x86-64 has an instruction for it, which the compiler doesn't find here by itself.
  @inline(__always)
  private static func highProduct(_ a: Lanes, _ b: Lanes) -> Lanes {
    #if arch(x86_64)
      var high = Lanes.zero
      high._storage._value = Builtin.int_x86_sse2_pmulh_w(a._storage._value, b._storage._value)
      return high
    #else
      return Lanes(
        truncatingIfNeeded: (SIMD8<Int32>(truncatingIfNeeded: a) &* SIMD8<Int32>(truncatingIfNeeded: b)) &>> 16)
    #endif
  }

  /// ``product(_:_:)``: the low halves of a b and m q are the same, so that their difference is that of the high ones.
  @inline(__always)
  private static func product(_ a: Lanes, _ b: Lanes) -> Lanes {
    highProduct(a, b) &- highProduct(a &* b &* -3327, Lanes(repeating: q))
  }

  /// ``centred(_:)``.
  @inline(__always)
  private static func centred(_ a: Lanes) -> Lanes {
    a &- ((highProduct(a, Lanes(repeating: 20_159)) &+ 512) &>> 10) &* q
  }

  /// The same with the two of each pair exchanged.
  @inline(__always)
  private static func exchanged(_ a: Lanes) -> Lanes {
    let pairs = unsafeBitCast(a, to: SIMD4<UInt32>.self)
    return unsafeBitCast(pairs &<< 16 | pairs &>> 16, to: Lanes.self)
  }

  /// Eight coefficients from a place on.
  @inline(__always)
  private static func load(_ coefficients: UnsafePointer<Int16>, _ place: Int) -> Lanes {
    UnsafeRawPointer(coefficients).loadUnaligned(fromByteOffset: 2 &* place, as: Lanes.self)
  }

  @inline(__always)
  private func store(_ lanes: Lanes, _ place: Int) {
    UnsafeMutableRawPointer(coefficients).storeBytes(of: lanes, toByteOffset: 2 &* place, as: Lanes.self)
  }

  /// Takes a step of eight coefficients through all of them.
  @inline(__always)
  private func forEachLanes(_ step: (Lanes) -> Lanes) {
    for place in stride(from: 0, to: Self.count, by: 8) { store(step(Self.load(coefficients, place)), place) }
  }

  /// Sixteen coefficients as the first and the second halves of runs of four or of eight.
  @inline(__always)
  private static func separated(_ first: Lanes, _ second: Lanes, runsOfFour: Bool) -> (low: Lanes, high: Lanes) {
    guard runsOfFour else {
      return (
        Lanes(lowHalf: first.lowHalf, highHalf: second.lowHalf),
        Lanes(lowHalf: first.highHalf, highHalf: second.highHalf)
      )
    }
    let (first, second) = (unsafeBitCast(first, to: SIMD4<UInt32>.self), unsafeBitCast(second, to: SIMD4<UInt32>.self))
    return (
      unsafeBitCast(SIMD4(lowHalf: first.evenHalf, highHalf: second.evenHalf), to: Lanes.self),
      unsafeBitCast(SIMD4(lowHalf: first.oddHalf, highHalf: second.oddHalf), to: Lanes.self)
    )
  }

  /// What ``separated(_:_:runsOfFour:)`` was made of.
  @inline(__always)
  private static func joined(_ low: Lanes, _ high: Lanes, runsOfFour: Bool) -> (first: Lanes, second: Lanes) {
    guard runsOfFour else {
      return (
        Lanes(lowHalf: low.lowHalf, highHalf: high.lowHalf), Lanes(lowHalf: low.highHalf, highHalf: high.highHalf)
      )
    }
    let (low, high) = (unsafeBitCast(low, to: SIMD4<UInt32>.self), unsafeBitCast(high, to: SIMD4<UInt32>.self))
    var (first, second) = (SIMD4<UInt32>.zero, SIMD4<UInt32>.zero)
    (first.evenHalf, first.oddHalf) = (low.lowHalf, high.lowHalf)
    (second.evenHalf, second.oddHalf) = (low.highHalf, high.highHalf)
    return (unsafeBitCast(first, to: Lanes.self), unsafeBitCast(second, to: Lanes.self))
  }

  // MARK: Sums

  /// |c| + |d| < 2¹⁵ → their sum.
  func add(_ other: MLKEMPolynomial) {
    for index in 0..<Self.count { coefficients[index] &+= other.coefficients[index] }
  }

  /// other − self; |c| + |d| < 2¹⁵.
  func subtract(from other: MLKEMPolynomial) {
    for index in 0..<Self.count { coefficients[index] = other.coefficients[index] &- coefficients[index] }
  }

  /// Any c → canonical.
  func reduce() {
    let zero = Int16(truncatingIfNeeded: opaqueZero())
    for index in 0..<Self.count { coefficients[index] = Self.canonical(Self.centred(coefficients[index]), zero) }
  }

  /// Any c → centred, times 2¹⁶: out of ``setToProduct(_:stride:_:count:)``'s form.
  func multiplyByRadix() {
    // 2³² mod q
    forEachLanes { Self.centred(Self.product($0, Lanes(repeating: 1353))) }
  }

  // MARK: Transforms

  /// The transform in place: |c| < q → centred.
  ///
  /// Seven layers of butterflies (a, b) ↦ (a + ζ b, a − ζ b), each of which adds less than q: |c| < 8 q < 2¹⁵
  /// before the reduction.
  ///
  /// Source: FIPS 203 algorithm 9.
  func transform() {
    MLKEMRoots.shared.withUnsafeBufferPointer { roots in
      guard let roots = roots.baseAddress else { return }
      var root = 1
      for length in [128, 64, 32, 16, 8] {
        for start in stride(from: 0, to: Self.count, by: 2 &* length) {
          let zeta = Lanes(repeating: roots[root])
          root &+= 1
          for place in stride(from: start, to: start &+ length, by: 8) {
            let a = Self.load(coefficients, place)
            let t = Self.product(Self.load(coefficients, place &+ length), zeta)
            store(a &+ t, place)
            store(a &- t, place &+ length)
          }
        }
      }
      for runsOfFour in [false, true] {
        let zetas = roots + (runsOfFour ? MLKEMRoots.pairs : MLKEMRoots.quads)
        for place in stride(from: 0, to: Self.count, by: 16) {
          let (a, b) = Self.separated(
            Self.load(coefficients, place), Self.load(coefficients, place &+ 8), runsOfFour: runsOfFour)
          let t = Self.product(b, Self.load(zetas, place &>> 1))
          let (first, second) = Self.joined(a &+ t, a &- t, runsOfFour: runsOfFour)
          store(first, place)
          store(second, place &+ 8)
        }
      }
      forEachLanes { Self.centred($0) }
    }
  }

  /// The inverse transform in place, times 2¹⁶: out of ``setToProduct(_:stride:_:count:)``'s form.
  /// |c| < q → |c| < q.
  ///
  /// Butterflies (a, b) ↦ (a + b, ζ (b − a)): |a ± b| < 2 q. Sums are centred and differences
  /// multiplied.
  ///
  /// Source: FIPS 203 algorithm 10.
  func transformBack() {
    MLKEMRoots.shared.withUnsafeBufferPointer { roots in
      guard let roots = roots.baseAddress else { return }
      for runsOfFour in [true, false] {
        let zetas = roots + (runsOfFour ? MLKEMRoots.pairsBack : MLKEMRoots.quadsBack)
        for place in stride(from: 0, to: Self.count, by: 16) {
          let (a, b) = Self.separated(
            Self.load(coefficients, place), Self.load(coefficients, place &+ 8), runsOfFour: runsOfFour)
          let (first, second) = Self.joined(
            Self.centred(a &+ b), Self.product(b &- a, Self.load(zetas, place &>> 1)), runsOfFour: runsOfFour)
          store(first, place)
          store(second, place &+ 8)
        }
      }
      var root = 31
      for length in [8, 16, 32, 64, 128] {
        for start in stride(from: 0, to: Self.count, by: 2 &* length) {
          let zeta = Lanes(repeating: roots[root])
          root &-= 1
          for place in stride(from: start, to: start &+ length, by: 8) {
            let (a, b) = (Self.load(coefficients, place), Self.load(coefficients, place &+ length))
            store(Self.centred(a &+ b), place)
            store(Self.product(b &- a, zeta), place &+ length)
          }
        }
      }
      // 2³² / 128 mod q
      forEachLanes { Self.product($0, Lanes(repeating: 1441)) }
    }
  }

  /// a · b · 2⁻¹⁶ of two vectors of transforms, that is Σ aᵢ bᵢ, each in 128 products mod X² − γ:
  ///
  ///     (a₀ b₀ + a₁ γ b₁) + (a₀ b₁ + a₁ b₀) X
  ///
  /// a canonical, b centred → centred.
  ///
  /// A coefficient is a sum of at most eight reduced products: |c| < 8 q < 2¹⁵.
  /// - Parameter stride: from one polynomial of a to the next, in polynomials.
  /// Source: FIPS 203 algorithms 11 and 12.
  func setToProduct(_ a: UnsafePointer<Int16>, stride: Int = 1, _ b: UnsafePointer<Int16>, count: Int) {
    let even = unsafeBitCast(SIMD4<UInt32>(repeating: 0xffff), to: Lanes.self)
    MLKEMRoots.shared.withUnsafeBufferPointer { roots in
      guard let gammas = roots.baseAddress.map({ $0 + MLKEMRoots.gammas }) else { return }
      for place in Swift.stride(from: 0, to: Self.count, by: 8) {
        let gamma = Self.load(gammas, place)
        var (c0, c1) = (Lanes.zero, Lanes.zero)
        for index in 0..<count {
          let a = Self.load(a + index &* stride &* Self.count, place)
          let b = Self.load(b + index &* Self.count, place)
          // (a₀ b₀, a₁ γ b₁) and (a₀ b₁, a₁ b₀)
          c0 &+= Self.product(a, Self.product(b, gamma))
          c1 &+= Self.product(a, Self.exchanged(b))
        }
        c0 &+= Self.exchanged(c0)
        c1 &+= Self.exchanged(c1)
        store(Self.centred(c0 & even | c1 & ~even), place)
      }
    }
  }
}

/// Powers of ζ = 17, a primitive 256th root of one mod q. Computed at first use, 1792 bytes.
enum MLKEMRoots {
  /// Where the powers stand four times or twice each, for the layers with runs of 4 and of 2, and where as 1, γ for
  /// each pair.
  static let quads = 128, pairs = 256, quadsBack = 384, pairsBack = 512, gammas = 640

  /// ζ^r · 2¹⁶ mod q, |c| < q, where r is the place with its seven bits in reverse; and behind that the tables
  /// named above.
  ///
  /// Source: FIPS 203 appendix A.
  static let shared: [Int16] = {
    var powers = [Int16](repeating: 0, count: 128)
    // 2¹⁶ and 17 · 2¹⁶ mod q
    let one: Int16 = 2285
    var power = one
    for exponent in 0..<128 {
      powers[Int(UInt8(truncatingIfNeeded: exponent).bitReversed &>> 1)] = power
      power = MLKEMPolynomial.product(power, 2226)
    }
    var all = powers
    all += (0..<128).map { powers[32 &+ $0 &>> 2] }
    all += (0..<128).map { powers[64 &+ $0 &>> 1] }
    all += (0..<128).map { powers[63 &- $0 &>> 2] }
    all += (0..<128).map { powers[127 &- $0 &>> 1] }
    for pair in 0..<128 {
      let gamma = powers[64 &+ pair &>> 1]
      all += [one, pair & 1 == 0 ? gamma : 0 &- gamma]
    }
    return all
  }()
}

extension UInt8 {
  /// The bits in reverse.
  var bitReversed: UInt8 {
    let pairs = (self & 0x55) &<< 1 | self &>> 1 & 0x55
    let nibbles = (pairs & 0x33) &<< 2 | pairs &>> 2 & 0x33
    return nibbles &<< 4 | nibbles &>> 4
  }
}
