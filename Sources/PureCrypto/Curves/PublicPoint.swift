/// A public point in Jacobian coordinates: (X : Y : Z) is (X/Z², Y/Z³), or the point at infinity when Z = 0.
///
/// Doublings and sums cost two thirds of those of a ``ProjectivePoint``, and sums have exceptional cases, which branch:
/// for signatures that are verified, where a point is doubled for each bit of the scalars.
struct PublicPoint<Curve: PrimeCurve>: BitwiseCopyable {
  private var x = Residue<Curve.Field>.one
  private var y = Residue<Curve.Field>.one
  private var z = Residue<Curve.Field>.zero

  /// Infinity.
  init() {}

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

  /// P ← P + Q, for all points.
  ///
  /// With H = X₂Z₁² − X₁ and r = Y₂Z₁³ − Y₁
  ///
  ///     X₃ = r² − H³ − 2X₁H²
  ///     Y₃ = r (X₁H² − X₃) − Y₁H³
  ///     Z₃ = Z₁H
  ///
  /// Where H is zero the points have the same x-coordinate, and are one point when r is zero too.
  ///
  /// 8 products, 3 squarings.
  ///
  /// Source: Cohen, Miyaji, Ono, 1998, §2.
  @inline(never)
  mutating func addVariableTime(_ q: CurvePoint<Curve>) {
    typealias Field = Curve.Field
    guard !z.isZero.isYesVariableTime else {
      (x, y, z) = (q.x, q.y, .one)
      return
    }
    var (h, r) = (Residue<Field>.zero, Residue<Field>.zero)
    FormulaTerms<Field>.with(&self, q) { p, q, t in
      let (x1, y1, z1, x2, y2) = (p[0], p[1], p[2], q[0], q[1])
      Field.square(t[0], z1)
      Field.multiply(t[1], t[0], z1)
      h.representative.withMutableLimbs { h in
        Field.multiply(h, x2, t[0])
        Field.subtract(h, h, x1)
      }
      r.representative.withMutableLimbs { r in
        Field.multiply(r, y2, t[1])
        Field.subtract(r, r, y1)
      }
    }
    guard !h.isZero.isYesVariableTime else {
      if r.isZero.isYesVariableTime { double() } else { self = PublicPoint() }
      return
    }
    FormulaTerms<Field>.with(&self, (h, r)) { p, q, t in
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
