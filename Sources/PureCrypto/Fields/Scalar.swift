internal import PureCryptoIntegers

/// An integer mod n, the order of P-256's base point,
/// n = 2²⁵⁶ − 2²²⁴ + 2¹⁹² − 2¹²⁸ + n₁ 2⁶⁴ + n₀.
///
/// Montgomery form: `representative` = a · R mod n for the scalar a, with R = 2²⁵⁶.
///
/// Invariant: `representative` < n.
///
/// Timing: no operation depends on the values, except where its name says so.
/// Source: SP 800-186 §3.2.1.3.
struct Scalar: Sendable, Hashable, BitwiseCopyable {
  /// a · R mod n, below n.
  var representative: UInt256

  /// n.
  @inline(__always)
  static var modulus: UInt256 {
    UInt256(0xf3b9_cac2_fc63_2551, 0xbce6_faad_a717_9e84, 0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000)
  }

  static var zero: Scalar { Scalar(representative: .zero) }

  /// R mod n = 2²⁵⁶ − n.
  static var one: Scalar {
    Scalar(
      representative: UInt256(
        0x0c46_353d_039c_daaf, 0x4319_0552_58e8_617b, 0x0000_0000_0000_0000, 0x0000_0000_ffff_ffff))
  }

  /// R² mod n, which takes an integer to Montgomery form.
  private static var radixSquared: Scalar {
    Scalar(
      representative: UInt256(
        0x8324_4c95_be79_eea2, 0x4699_799c_49bd_6fa6, 0x2845_b239_2b6b_ec59, 0x66e1_2d94_f3d9_5620))
  }
}

extension Scalar {
  /// `integer` mod n, for any integer below 2²⁵⁶: the product with R² < n comes out reduced.
  init(_ integer: UInt256) {
    self = Scalar(representative: integer) * .radixSquared
  }

  /// The integer below n.
  var integer: UInt256 {
    Scalar.reduce(representative, .zero)
  }
}

extension Scalar {
  /// a + b mod n.
  static func + (a: Scalar, b: Scalar) -> Scalar {
    Scalar(representative: .sum(a.representative, b.representative, modulus: modulus))
  }

  /// a − b mod n.
  static func - (a: Scalar, b: Scalar) -> Scalar {
    Scalar(representative: .difference(a.representative, b.representative, modulus: modulus))
  }

  /// Whether the scalar is zero.
  var isZero: Mask { representative.isZero }
}

extension Scalar {
  /// a⁻¹ mod n, and 0 for 0.
  ///
  /// Timing: does not depend on a.
  var inverted: Scalar {
    @inline(never) get { Scalar(representative: ModularInversion.scalar.inverse(of: representative)) }
  }

  /// a⁻¹ mod n, and 0 for 0. For public scalars.
  @inline(never)
  func invertedVariableTime() -> Scalar {
    Scalar(representative: ModularInversion.scalar.inverseVariableTime(of: representative))
  }
}

extension Scalar {
  /// a · b mod n.
  @inline(never)
  static func * (a: Scalar, b: Scalar) -> Scalar {
    let product = UInt256.product(a.representative, b.representative)
    return Scalar(representative: reduce(product.low, product.high))
  }

  /// a² mod n.
  var squared: Scalar {
    @inline(never) get {
      let square = UInt256.square(representative)
      return Scalar(representative: Scalar.reduce(square.low, square.high))
    }
  }

  /// (low + 2²⁵⁶ high) · R⁻¹ mod n, below n.
  /// - Parameter high: low + 2²⁵⁶ high must be below n · 2²⁵⁶.
  ///
  /// As for p, see ``FieldElement/reduce(_:_:)``: four times t ← (t + m·n) / 2⁶⁴, on the low half only, which
  /// leaves at most n. Adding high < n gives less than 2n.
  @inline(__always)
  static func reduce(_ low: UInt256, _ high: UInt256) -> UInt256 {
    var t = low
    t = reduceWord(t)
    t = reduceWord(t)
    t = reduceWord(t)
    t = reduceWord(t)
    var carry: UInt64 = 0
    let r0 = add(t.l0, high.l0, &carry)
    let r1 = add(t.l1, high.l1, &carry)
    let r2 = add(t.l2, high.l2, &carry)
    let r3 = add(t.l3, high.l3, &carry)
    return .subtractOnce(UInt256(r0, r1, r2, r3), carry, modulus: modulus)
  }

  /// (t + m·n) / 2⁶⁴ with m = t₀ · n′ mod 2⁶⁴ and n′ = −n⁻¹ mod 2⁶⁴, below 2²⁵⁶:
  /// t + m·n ≤ 2²⁵⁶ − 1 + (2⁶⁴ − 1) n < 2⁶⁴ · 2²⁵⁶.
  @inline(__always)
  private static func reduceWord(_ t: UInt256) -> UInt256 {
    let m = t.l0 &* 0xccd1_c8aa_ee00_bc4f
    // m·n by words: m n₀ and m n₁, then m (2²⁵⁶ − 2²²⁴ + 2¹⁹² − 2¹²⁸) without a product. The
    // latter is 2¹²⁸ (2¹²⁸ m − 2⁹⁶ m + 2⁶⁴ m − m) ≥ 0, three words h2, h3, h4 that end without a
    // borrow.
    let q0 = multiply(m, 0xf3b9_cac2_fc63_2551)
    let q1 = multiply(m, 0xbce6_faad_a717_9e84)
    var borrow: UInt64 = 0
    let h2 = subtract(0, m, &borrow)
    let h3 = subtract(m, m &<< 32, &borrow)
    let h4 = subtract(m, m &>> 32, &borrow)
    var carry: UInt64 = 0
    _ = add(t.l0, q0.low, &carry)  // 0 mod 2⁶⁴ by the choice of m
    var r0 = add(t.l1, q0.high, &carry)
    var r1 = add(t.l2, h2, &carry)
    var r2 = add(t.l3, h3, &carry)
    var r3 = add(h4, 0, &carry)
    carry = 0
    r0 = add(r0, q1.low, &carry)
    r1 = add(r1, q1.high, &carry)
    r2 = add(r2, 0, &carry)
    r3 = add(r3, 0, &carry)
    return UInt256(r0, r1, r2, r3)
  }
}
