/// A point of the curve in homogeneous coordinates: (X : Y : Z) is (X/Z, Y/Z), or the point at infinity when Z = 0.
///
/// Timing: no operation depends on the values, except where its name ends in `VariableTime`.
struct ProjectivePoint<Curve: PrimeCurve>: PointArithmetic {
  typealias Coordinate = Residue<Curve.Field>

  var x: Coordinate
  var y: Coordinate
  var z: Coordinate

  @inline(__always)
  init(x: Coordinate, y: Coordinate, z: Coordinate) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// A point with Z = 1.
  @inline(__always)
  init(_ point: CurvePoint<Curve>) {
    self.init(x: point.x, y: point.y, z: .one)
  }

  /// (0 : 1 : 0).
  static var infinity: ProjectivePoint { ProjectivePoint(x: .zero, y: .one, z: .zero) }

  /// Whether this is the point at infinity.
  @inline(__always)
  var isInfinity: Mask { z.isZero }

  /// (X : −Y : Z) for yes, the point itself for no.
  @inline(__always)
  func negated(if mask: Mask) -> ProjectivePoint { ProjectivePoint(x: x, y: y.negated(if: mask), z: z) }

  /// `first` for yes, `second` for no.
  @inline(__always)
  static func select(_ mask: Mask, _ first: ProjectivePoint, _ second: ProjectivePoint) -> ProjectivePoint {
    ProjectivePoint(
      x: .select(mask, first.x, second.x), y: .select(mask, first.y, second.y), z: .select(mask, first.z, second.z))
  }

  /// (X/Z, Y/Z). The point at infinity becomes (0, 0), which is not on the curve.
  var affine: CurvePoint<Curve> {
    let inverse = z.inverted
    return CurvePoint(x: x * inverse, y: y * inverse)
  }

  /// X/Z, the affine x-coordinate. 0 for the point at infinity.
  var affineX: Coordinate { x * z.inverted }

  /// Whether X = x Z.
  func hasAffineX(_ x: Coordinate) -> Mask { (x * z - self.x).isZero }
}

extension ProjectivePoint {
  /// Brings many points to affine coordinates with one inversion (Montgomery's trick).
  /// - Parameter points: none of them infinity.
  static func affine(_ points: [ProjectivePoint]) -> [CurvePoint<Curve>] {
    // products[i] = Z₀ · … · Zᵢ₋₁
    var products: [Coordinate] = []
    products.reserveCapacity(points.count)
    var product = Coordinate.one
    for point in points {
      products.append(product)
      product = product * point.z
    }
    // inverse = (Z₀ · … · Zᵢ)⁻¹ on entering the loop for i, so that inverse · products[i] = Zᵢ⁻¹
    var inverse = product.inverted
    var result = [CurvePoint<Curve>](repeating: Curve.base, count: points.count)
    for index in points.indices.reversed() {
      let point = points[index]
      let zInverse = inverse * products[index]
      inverse = inverse * point.z
      result[index] = CurvePoint(x: point.x * zInverse, y: point.y * zInverse)
    }
    return result
  }
}

// The complete formulas for a = −3: one sequence of operations that is right for all points, P = ±Q and infinity included,
// because the curve has no point of order 2. No caller has an exceptional case to think of.
//
// Source: J. Renes, C. Costello, L. Batina, "Complete addition formulas for prime order elliptic curves", 2016 (eprint
// 2015/1060), algorithms 4, 5 and 6. In the letters used here, with
//
//     d  = X₁Z₂ + X₂Z₁,  e = X₁Y₂ + X₂Y₁,  f = Y₁Z₂ + Y₂Z₁
//     u  = 3 (d − b Z₁Z₂)
//     v  = 3 (b d − 3 Z₁Z₂ − X₁X₂)
//     w  = 3 (X₁X₂ − Z₁Z₂)
//
// the sum is
//
//     X₃ = e (Y₁Y₂ + u) − f v
//     Y₃ = (Y₁Y₂ + u)(Y₁Y₂ − u) + w v
//     Z₃ = f (Y₁Y₂ − u) + e w

extension ProjectivePoint {
  /// P + Q.
  ///
  /// 12 products and 2 by b. d, e and f cost one product each: X₁Y₂ + X₂Y₁ = (X₁ + Y₁)(X₂ + Y₂) − X₁X₂ − Y₁Y₂.
  @inline(never)
  static func + (p: ProjectivePoint, q: ProjectivePoint) -> ProjectivePoint {
    let xx = p.x * q.x
    let yy = p.y * q.y
    let zz = p.z * q.z
    let d = (p.x + p.z) * (q.x + q.z) - (xx + zz)
    let e = (p.x + p.y) * (q.x + q.y) - (xx + yy)
    let f = (p.y + p.z) * (q.y + q.z) - (yy + zz)
    return combined(xx: xx, yy: yy, zz: zz, d: d, e: e, f: f)
  }

  /// P + Q where Z of Q is 1: Q is not infinity.
  ///
  /// 11 products and 2 by b.
  @inline(never)
  static func + (p: ProjectivePoint, q: CurvePoint<Curve>) -> ProjectivePoint {
    let xx = p.x * q.x
    let yy = p.y * q.y
    let d = q.x * p.z + p.x
    let e = (p.x + p.y) * (q.x + q.y) - (xx + yy)
    let f = q.y * p.z + p.y
    return combined(xx: xx, yy: yy, zz: p.z, d: d, e: e, f: f)
  }

  /// X₃, Y₃ and Z₃ of a sum.
  @inline(__always)
  private static func combined(
    xx: Coordinate, yy: Coordinate, zz: Coordinate, d: Coordinate, e: Coordinate, f: Coordinate
  ) -> ProjectivePoint {
    let (plus, minus, v, w) = terms(xx: xx, yy: yy, zz: zz, d: d)
    return ProjectivePoint(x: e * plus - f * v, y: plus * minus + w * v, z: f * minus + e * w)
  }

  /// Y² ± u, v and w, in the letters above.
  @inline(__always)
  private static func terms(
    xx: Coordinate, yy: Coordinate, zz: Coordinate, d: Coordinate
  ) -> (plus: Coordinate, minus: Coordinate, v: Coordinate, w: Coordinate) {
    let zz3 = zz.tripled
    let u = (d - Curve.b * zz).tripled
    return (yy + u, yy - u, (Curve.b * d - zz3 - xx).tripled, xx.tripled - zz3)
  }

  /// 2P: the sum with Q = P, where d = 2XZ, e = 2XY, f = 2YZ. On the curve f (Y² − u) + e w is 8Y³Z, which is cheaper.
  ///
  /// 8 products, 3 squarings and 2 products by b.
  var doubled: ProjectivePoint {
    @inline(never) get {
      let xx = x.squared
      let yy = y.squared
      let zz = z.squared
      let d = (x * z).doubled
      let e = (x * y).doubled
      let f = (y * z).doubled
      let (plus, minus, v, w) = Self.terms(xx: xx, yy: yy, zz: zz, d: d)
      return ProjectivePoint(x: e * plus - f * v, y: plus * minus + w * v, z: (f * yy).doubled.doubled)
    }
  }
}
