/// A point of the curve in Jacobian coordinates: (X : Y : Z) is (X/Z², Y/Z³), or the point at infinity when Z = 0.
///
/// Timing: no operation depends on the values, except where its name ends in `VariableTime`.
struct JacobianPoint: Sendable, BitwiseCopyable {
  var x: FieldElement
  var y: FieldElement
  var z: FieldElement

  @inline(__always)
  init(x: FieldElement, y: FieldElement, z: FieldElement) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// A point with Z = 1.
  @inline(__always)
  init(_ point: AffinePoint) {
    self.init(x: point.x, y: point.y, z: .one)
  }

  static var infinity: JacobianPoint {
    JacobianPoint(x: .one, y: .one, z: .zero)
  }

  /// Whether this is the point at infinity.
  @inline(__always)
  var isInfinity: Mask { z.isZero }

  /// (X : −Y : Z) for yes, the point itself for no.
  @inline(__always)
  func negated(if mask: Mask) -> JacobianPoint {
    JacobianPoint(x: x, y: y.negated(if: mask), z: z)
  }

  /// `first` for yes, `second` for no.
  @inline(__always)
  static func select(_ mask: Mask, _ first: JacobianPoint, _ second: JacobianPoint) -> JacobianPoint {
    JacobianPoint(
      x: .select(mask, first.x, second.x), y: .select(mask, first.y, second.y), z: .select(mask, first.z, second.z))
  }

  /// (X/Z², Y/Z³). The point at infinity becomes (0, 0), which is not on the curve.
  var affine: AffinePoint {
    let inverse = z.inverted
    let inverseSquared = inverse.squared
    return AffinePoint(x: x * inverseSquared, y: y * (inverseSquared * inverse))
  }

  /// X/Z², the affine x-coordinate. 0 for the point at infinity.
  var affineX: FieldElement {
    x * z.inverted.squared
  }
}

extension JacobianPoint {
  /// 2P. Correct for every point: infinity has Z = 0, hence Z₃ = 0, and no point of P-256 has order 2 (n is odd).
  ///
  /// The tangent's formulas with Z₃ = 2YZ have 3 (X − Z²)(X + Z²) for the slope's numerator, since a = −3.
  /// Scaled by 1/2 they need fewer sums: with S = XY² and N = (3/2) (X − Z²)(X + Z²)
  ///
  ///     X₃ = N² − 2S
  ///     Y₃ = N (S − X₃) − Y⁴
  ///     Z₃ = YZ
  ///
  /// 4 products, 4 squarings.
  ///
  /// Source: Cohen, Miyaji, Ono, "Efficient elliptic curve exponentiation", 1998, §3.
  @inline(__always)
  var doubled: JacobianPoint {
    let zz = z.squared  //                          Z²
    let yy = y.squared  //                          Y²
    let z3 = y * z  //                              YZ
    let m = (x - zz) * (x + zz)  //                 X² − Z⁴
    let n = m + m.halved  //                        N
    let s = x * yy  //                              S
    let y4 = yy.squared  //                         Y⁴
    let x3 = n.squared - s - s  //                  N² − 2S
    let y3 = n * (s - x3) - y4  //                  N (S − X₃) − Y⁴
    return JacobianPoint(x: x3, y: y3, z: z3)
  }

  /// P ← 2P, out of line: loops of doublings stay small.
  @inline(never)
  mutating func double() {
    self = doubled
  }

  /// 2P where doublings are rare.
  var outOfLineDouble: JacobianPoint {
    var p = self
    p.double()
    return p
  }

  /// P + Q for Q = (X₂, Y₂), unless P is infinity or P = ±Q: `h` is zero then, or Z is, and the sum is
  /// meaningless.
  ///
  /// With H = X₂Z₁² − X₁ and r = Y₂Z₁³ − Y₁
  ///
  ///     X₃ = r² − H³ − 2X₁H²
  ///     Y₃ = r (X₁H² − X₃) − Y₁H³
  ///     Z₃ = Z₁H
  ///
  /// 8 products, 3 squarings.
  ///
  /// Source: Cohen, Miyaji, Ono, 1998, §2, with Z₂ = 1.
  @inline(__always)
  func incompleteSum(x x2: FieldElement, y y2: FieldElement) -> (sum: JacobianPoint, h: FieldElement, r: FieldElement) {
    let zz = z.squared  //                          Z₁²
    let h = x2 * zz - x  //                         H
    let r = y2 * (zz * z) - y  //                   r
    let hh = h.squared  //                          H²
    let hhh = hh * h  //                            H³
    let v = x * hh  //                              X₁H²
    let x3 = r.squared - hhh - v - v  //        r² − H³ − 2X₁H²
    let y3 = r * (v - x3) - y * hhh  //             r (X₁H² − X₃) − Y₁H³
    return (JacobianPoint(x: x3, y: y3, z: z * h), h, r)
  }

  /// ±Q, or infinity for a digit of zero, for which Q means nothing: what a sum of multiples by secret digits begins
  /// with.
  @inline(__always)
  init(_ q: AffinePoint, digit: (magnitude: UInt64, isNegative: Mask)) {
    let point = JacobianPoint(x: q.x, y: q.y.negated(if: digit.isNegative), z: .one)
    self = .select(Mask(isZero: digit.magnitude), .infinity, point)
  }

  /// P ± Q with what secret digits need: ±Q where P is infinity, and P for a digit of zero, for which Q means
  /// nothing. That P is not ±Q is left to the caller to prove.
  @inline(__always)
  func sum(_ q: AffinePoint, digit: (magnitude: UInt64, isNegative: Mask)) -> JacobianPoint {
    let y = q.y.negated(if: digit.isNegative)
    let next = JacobianPoint.select(
      isInfinity, JacobianPoint(x: q.x, y: y, z: .one), incompleteSum(x: q.x, y: y).sum)
    return .select(Mask(isZero: digit.magnitude), self, next)
  }

  /// P + Q, unless one of them is infinity or P = ±Q: `h` is zero then, or a Z is, and the sum is meaningless.
  ///
  /// With U₁ = X₁Z₂², U₂ = X₂Z₁², S₁ = Y₁Z₂³, S₂ = Y₂Z₁³,
  /// H = U₂ − U₁ and r = S₂ − S₁
  ///
  ///     X₃ = r² − H³ − 2U₁H²
  ///     Y₃ = r (U₁H² − X₃) − S₁H³
  ///     Z₃ = Z₁Z₂H
  ///
  /// 12 products, 4 squarings.
  ///
  /// Source: Cohen, Miyaji, Ono, 1998, §2.
  @inline(__always)
  func incompleteSum(_ q: JacobianPoint) -> (sum: JacobianPoint, h: FieldElement, r: FieldElement) {
    let zz1 = z.squared  //                         Z₁²
    let zz2 = q.z.squared  //                       Z₂²
    let u1 = x * zz2  //                            U₁
    let s1 = y * (zz2 * q.z)  //                    S₁
    let h = q.x * zz1 - u1  //                      H
    let r = q.y * (zz1 * z) - s1  //                r
    let hh = h.squared  //                          H²
    let hhh = hh * h  //                            H³
    let v = u1 * hh  //                             U₁H²
    let x3 = r.squared - hhh - v - v  //        r² − H³ − 2U₁H²
    let y3 = r * (v - x3) - s1 * hhh  //            r (U₁H² − X₃) − S₁H³
    return (JacobianPoint(x: x3, y: y3, z: (z * q.z) * h), h, r)
  }
}

extension JacobianPoint {
  /// P + Q for all points. For public points only: the exceptional cases branch.
  func sumVariableTime(_ q: AffinePoint) -> JacobianPoint {
    if isInfinity.isYesVariableTime { return JacobianPoint(q) }
    let (sum, h, r) = incompleteSum(x: q.x, y: q.y)
    guard h.isZero.isYesVariableTime else { return sum }
    // Same x-coordinate: Q = P when the y-coordinates agree as well, else Q = −P.
    return r.isZero.isYesVariableTime ? outOfLineDouble : .infinity
  }

  /// P + Q for all points. For public points only: the exceptional cases branch.
  func sumVariableTime(_ q: JacobianPoint) -> JacobianPoint {
    if isInfinity.isYesVariableTime { return q }
    if q.isInfinity.isYesVariableTime { return self }
    let (sum, h, r) = incompleteSum(q)
    guard h.isZero.isYesVariableTime else { return sum }
    return r.isZero.isYesVariableTime ? outOfLineDouble : .infinity
  }
}

extension JacobianPoint {
  /// Brings many points to affine coordinates with one inversion (Montgomery's trick).
  /// - Parameter points: public, none of them infinity.
  static func affineVariableTime(_ points: [JacobianPoint]) -> [AffinePoint] {
    // products[i] = Z₀ · … · Zᵢ₋₁
    var products: [FieldElement] = []
    products.reserveCapacity(points.count)
    var product = FieldElement.one
    for point in points {
      products.append(product)
      product = product ⋅ point.z
    }
    // inverse = (Z₀ · … · Zᵢ)⁻¹ on entering the loop for i, so that inverse · products[i] = Zᵢ⁻¹
    var inverse = product.invertedVariableTime()
    var result = [AffinePoint](repeating: .base, count: points.count)
    for index in points.indices.reversed() {
      let point = points[index]
      let zInverse = inverse ⋅ products[index]
      inverse = inverse ⋅ point.z
      let zInverseSquared = zInverse.squared(times: 1)
      result[index] = AffinePoint(x: point.x ⋅ zInverseSquared, y: point.y ⋅ (zInverseSquared ⋅ zInverse))
    }
    return result
  }
}
