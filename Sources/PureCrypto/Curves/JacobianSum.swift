/// A sum of multiples of points in Jacobian coordinates: (X : Y : Z) is (X/Z², Y/Z³), or the point at infinity when
/// Z = 0.
///
/// A multiple doubles its sum for each bit of the scalar, and doublings cost two thirds of those of a
/// ``ProjectivePoint``. Additions have exceptional cases, P = ±Q: they branch where all is public, and a caller with a
/// secret scalar has to prove that it meets none.
///
/// Timing: no operation depends on the values, except where its name ends in `VariableTime`.
struct JacobianSum<Curve: PrimeCurve>: BitwiseCopyable {
  private var x = Residue<Curve.Field>.one
  private var y = Residue<Curve.Field>.one
  private var z = Residue<Curve.Field>.zero

  /// Infinity.
  init() {}

  /// A point with Z = 1.
  @inline(__always)
  private init(_ point: CurvePoint<Curve>) {
    (x, y, z) = (point.x, point.y, .one)
  }

  /// `first` for yes, `second` for no.
  @inline(__always)
  private static func select(_ mask: Mask, _ first: JacobianSum, _ second: JacobianSum) -> JacobianSum {
    var result = second
    result.x = .select(mask, first.x, second.x)
    result.y = .select(mask, first.y, second.y)
    result.z = .select(mask, first.z, second.z)
    return result
  }

  /// (XZ : Y : Z³) in homogeneous coordinates, where (X : Y : Z) is (X/Z, Y/Z); infinity becomes (0 : 1 : 0).
  var homogeneous: ProjectivePoint<Curve> { ProjectivePoint(x: x * z, y: y, z: z.squared * z) }

  /// P ← 2P.
  ///
  /// With γ = Y², β = Xγ and α = 3X² + aZ⁴, which is 3 (X − Z²)(X + Z²) for a = −3
  ///
  ///     X₃ = α² − 8β
  ///     Y₃ = α (4β − X₃) − 8γ²
  ///     Z₃ = 2YZ
  ///
  /// Twice infinity is infinity, and no point of the curve has order 2.
  ///
  /// 4 products, 4 squarings; one product fewer for a = 0.
  ///
  /// Source: D. Bernstein, 2001 ("dbl-2001-b").
  @inline(never)
  mutating func double() {
    typealias Field = Curve.Field
    FormulaTerms<Field>.with(&self, ()) { p, _, t in
      let (x, y, z) = (p[0], p[1], p[2])
      let (gamma, beta, alpha, s) = (t[0], t[1], t[2], t[3])
      Field.square(s, Curve.aIsZero ? x : z)
      Field.square(gamma, y)  //          γ
      Field.multiply(beta, x, gamma)  //  β
      if !Curve.aIsZero {
        Field.subtract(alpha, x, s)
        Field.add(s, x, s)
        Field.multiply(s, alpha, s)
      }
      Field.add(alpha, s, s)
      Field.add(alpha, alpha, s)  //      α
      Field.multiply(z, y, z)
      Field.add(z, z, z)  //              2YZ
      Field.add(beta, beta, beta)
      Field.add(beta, beta, beta)  //     4β
      Field.square(x, alpha)
      Field.subtract(x, x, beta)
      Field.subtract(x, x, beta)  //      α² − 8β
      Field.subtract(beta, beta, x)
      Field.multiply(y, alpha, beta)
      Field.add(gamma, gamma, gamma)
      Field.square(gamma, gamma)
      Field.add(gamma, gamma, gamma)  //  8γ²
      Field.subtract(y, y, gamma)  //     α (4β − X₃) − 8γ²
    }
  }

  /// P ← P ± Q with what secret digits need: ±Q where P is infinity, and P for a digit of zero, for which Q means
  /// nothing. That P is not ±Q is left to the caller to prove.
  ///
  /// 8 products, 3 squarings.
  @inline(never)
  mutating func addIncomplete(_ q: CurvePoint<Curve>, digit: (magnitude: UInt64, isNegative: Mask)) {
    let q = q.negated(if: digit.isNegative)
    var sum = self
    let slope = sum.slope(to: q)
    sum.add(slope)
    sum = .select(z.isZero, JacobianSum(q), sum)
    self = .select(Mask(isZero: digit.magnitude), self, sum)
  }

  /// P ← P + Q, for all points.
  ///
  /// Where H is zero the points have the same x-coordinate, and are one point when r is zero too.
  ///
  /// 8 products, 3 squarings.
  @inline(never)
  mutating func addVariableTime(_ q: CurvePoint<Curve>) {
    guard !z.isZero.isYesVariableTime else {
      self = JacobianSum(q)
      return
    }
    let slope = slope(to: q)
    guard !slope.h.isZero.isYesVariableTime else {
      if slope.r.isZero.isYesVariableTime { double() } else { self = JacobianSum() }
      return
    }
    add(slope)
  }

  // With H = X₂Z₁² − X₁ and r = Y₂Z₁³ − Y₁
  //
  //     X₃ = r² − H³ − 2X₁H²
  //     Y₃ = r (X₁H² − X₃) − Y₁H³
  //     Z₃ = Z₁H
  //
  // Source: Cohen, Miyaji, Ono, 1998, §2.

  /// Numerator and denominator of the slope of the line to Q, but for powers of Z₁.
  private struct Slope: BitwiseCopyable {
    var h = Residue<Curve.Field>.zero
    var r = Residue<Curve.Field>.zero
  }

  @inline(__always)
  private func slope(to q: CurvePoint<Curve>) -> Slope {
    typealias Field = Curve.Field
    var slope = Slope()
    FormulaTerms<Field>.with(&slope, (self, q)) { slope, points, t in
      let (h, r) = (slope[0], slope[1])
      let (x1, y1, z1, x2, y2) = (points[0], points[1], points[2], points[3], points[4])
      Field.square(t[0], z1)
      Field.multiply(t[1], t[0], z1)
      Field.multiply(h, x2, t[0])
      Field.subtract(h, h, x1)
      Field.multiply(r, y2, t[1])
      Field.subtract(r, r, y1)
    }
    return slope
  }

  /// P ← P + Q, by the slope of the line to Q.
  @inline(__always)
  private mutating func add(_ slope: Slope) {
    typealias Field = Curve.Field
    FormulaTerms<Field>.with(&self, slope) { p, q, t in
      let (x, y, z, h, r) = (p[0], p[1], p[2], q[0], q[1])
      let (v, hhh) = (t[0], t[1])
      Field.square(v, h)
      Field.multiply(hhh, v, h)  //    H³
      Field.multiply(v, x, v)  //      X₁H²
      Field.multiply(z, z, h)  //      Z₁H
      Field.square(x, r)
      Field.subtract(x, x, hhh)
      Field.subtract(x, x, v)
      Field.subtract(x, x, v)  //      r² − H³ − 2X₁H²
      Field.subtract(v, v, x)
      Field.multiply(v, r, v)
      Field.multiply(y, y, hhh)
      Field.subtract(y, v, y)  //      r (X₁H² − X₃) − Y₁H³
    }
  }
}
