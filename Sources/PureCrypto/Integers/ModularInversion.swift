internal import PureCryptoIntegers

/// Inversion modulo a prime by division steps ("safegcd").
///
/// A division step takes (δ, f, g) with f odd to
///
///     (1 − δ, g, (g − f) / 2)                 when δ > 0 and g is odd
///     (1 + δ, f, (g + (g mod 2) f) / 2)       otherwise
///
/// and keeps gcd(f, g). From f = m, g = a it ends with g = 0 and f = ±1. Whatever is done to f and g is done to d and
/// e as well, modulo m, such that f ≡ d · a / c and g ≡ e · a / c all the way, beginning with d = 0 and e = c. So
/// d ends as ±c / a.
///
/// Steps look at the lowest bits only. A batch of them is therefore found on one word, as a matrix of four coefficients
/// (scaled by 2⁶²), and then applied to the long integers at once.
///
/// With δ beginning at 1/2, 590 steps are enough for m below 2²⁵⁶: ten batches of 59.
///
/// Source: D. Bernstein, B.-Y. Yang, "Fast constant-time gcd computation and modular inversion", 2019; δ = 1/2: P.
/// Wuille.
struct ModularInversion: Sendable {
  /// m, an odd prime below 2²⁵⁶.
  let modulus: Limbs62
  /// m⁻¹ mod 2⁶².
  let modulusInverse: Int64
  /// c: what the inverse comes multiplied by.
  let factor: Limbs62

  /// For field elements: p, and c = R² mod p, so that the inverse of a · R is a⁻¹ · R.
  @inline(__always)
  static var field: ModularInversion {
    ModularInversion(
      modulus: Limbs62(FieldElement.modulus),
      modulusInverse: 0x3fff_ffff_ffff_ffff,
      factor: Limbs62(
        UInt256(0x0000_0000_0000_0003, 0xffff_fffb_ffff_ffff, 0xffff_ffff_ffff_fffe, 0x0000_0004_ffff_fffd)))
  }

  /// For scalars: n, and c = R² mod n.
  @inline(__always)
  static var scalar: ModularInversion {
    ModularInversion(
      modulus: Limbs62(Scalar.modulus),
      modulusInverse: 0x332e_3755_11ff_43b1,
      factor: Limbs62(
        UInt256(0x8324_4c95_be79_eea2, 0x4699_799c_49bd_6fa6, 0x2845_b239_2b6b_ec59, 0x66e1_2d94_f3d9_5620)))
  }

  /// For the field of Curve25519: p = 2²⁵⁵ − 19, and c = 1.
  @inline(__always)
  static var field25519: ModularInversion {
    ModularInversion(
      modulus: Limbs62(UInt256(0xffff_ffff_ffff_ffed, ~0, ~0, 0x7fff_ffff_ffff_ffff)),
      modulusInverse: 0x3943_5e50_d794_35e5,
      factor: Limbs62(.one))
  }

  /// c / a mod m, and 0 for 0.
  /// - Parameter a: below m.
  ///
  /// Timing: does not depend on a.
  @inline(__always)
  func inverse(of a: UInt256) -> UInt256 {
    var f = modulus
    var g = Limbs62(a)
    var d = Limbs62(0, 0, 0, 0, 0)
    var e = factor
    var zeta: Int64 = -1  // −(δ + 1/2)
    var batch = 0
    while batch < 10 {
      let matrix = DivisionSteps(count59: &zeta, f: f.l0, g: g.l0)
      matrix.apply(toCofactors: &d, &e, modulus: modulus, modulusInverse: modulusInverse)
      matrix.apply(to: &f, &g)
      batch &+= 1
    }
    return normalized(d, signOf: f)
  }

  /// c / a mod m, and 0 for 0. For public integers: runs of zeros are skipped, and the work ends when g is 0.
  /// - Parameter a: below m.
  @inline(__always)
  func inverseVariableTime(of a: UInt256) -> UInt256 {
    var f = modulus
    var g = Limbs62(a)
    var d = Limbs62(0, 0, 0, 0, 0)
    var e = factor
    var eta: Int64 = -1  // −δ, with δ beginning at 1
    while !g.isZeroVariableTime {
      let matrix = DivisionSteps(count62VariableTime: &eta, f: f.l0, g: g.l0)
      matrix.apply(toCofactors: &d, &e, modulus: modulus, modulusInverse: modulusInverse)
      matrix.apply(to: &f, &g)
    }
    return normalized(d, signOf: f)
  }

  /// d or −d, mod m, in 0 …< m.
  /// - Parameter d: in (−2m, m).
  /// - Parameter f: ±1 (or m, when a was 0 and d is). Its sign is d's.
  @inline(__always)
  private func normalized(_ d: Limbs62, signOf f: Limbs62) -> UInt256 {
    // (−2m, m) → (−m, m) → (−m, m) → [0, m)
    let r = d.adding(modulus, if: d.sign, thenNegatingIf: f.sign)
    return r.adding(modulus, if: r.sign, thenNegatingIf: 0).unsigned
  }
}
