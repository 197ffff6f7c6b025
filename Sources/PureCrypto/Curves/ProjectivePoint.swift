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

// The complete formulas: one sequence of operations that is right for all points, P = ±Q and infinity included,
// because the curve has no point of order 2. No caller has an exceptional case to think of.
//
// Source: J. Renes, C. Costello, L. Batina, "Complete addition formulas for prime order elliptic curves", 2016 (eprint
// 2015/1060), algorithms 4, 5 and 6 for a = −3, 7, 8 and 9 for a = 0. In the letters used here, with
//
//     d  = X₁Z₂ + X₂Z₁,  e = X₁Y₂ + X₂Y₁,  f = Y₁Z₂ + Y₂Z₁
//
// and, for a = −3 and for a = 0,
//
//     u  = 3 (d − b Z₁Z₂)                  u  = −3b Z₁Z₂
//     v  = 3 (b d − 3 Z₁Z₂ − X₁X₂)         v  = 3b d
//     w  = 3 (X₁X₂ − Z₁Z₂)                 w  = 3 X₁X₂
//
// the sum is
//
//     X₃ = e (Y₁Y₂ + u) − f v
//     Y₃ = (Y₁Y₂ + u)(Y₁Y₂ − u) + w v
//     Z₃ = f (Y₁Y₂ − u) + e w
//
// They are written for limbs, a line for each sum or product.

extension ProjectivePoint {
  @inline(__always)
  static func + (p: ProjectivePoint, q: ProjectivePoint) -> ProjectivePoint {
    var sum = p
    sum.add(q)
    return sum
  }

  @inline(__always)
  static func + (p: ProjectivePoint, q: CurvePoint<Curve>) -> ProjectivePoint {
    var sum = p
    sum.add(q)
    return sum
  }

  /// 2P.
  var doubled: ProjectivePoint {
    @inline(__always) get {
      var double = self
      double.double()
      return double
    }
  }

  /// P ← P + Q.
  ///
  /// 12 products and 2 by b. d, e and f cost one product each:
  /// X₁Y₂ + X₂Y₁ = (X₁ + Y₁)(X₂ + Y₂) − X₁X₂ − Y₁Y₂.
  @inline(never)
  mutating func add(_ q: ProjectivePoint) {
    typealias Field = Curve.Field
    FormulaTerms<Field>.with(&self, q) { p, q, t in
      let (x1, y1, z1, x2, y2, z2) = (p[0], p[1], p[2], q[0], q[1], q[2])
      let (xx, yy, zz, d, e, f, s) = (t[0], t[1], t[2], t[3], t[4], t[5], t[6])
      Field.multiply(xx, x1, x2)  //  X₁X₂
      Field.multiply(yy, y1, y2)  //  Y₁Y₂
      Field.multiply(zz, z1, z2)  //  Z₁Z₂
      Field.add(d, x1, z1)
      Field.add(s, x2, z2)
      Field.multiply(d, d, s)
      Field.subtract(d, d, xx)
      Field.subtract(d, d, zz)  //    X₁Z₂ + X₂Z₁
      Field.add(e, x1, y1)
      Field.add(s, x2, y2)
      Field.multiply(e, e, s)
      Field.subtract(e, e, xx)
      Field.subtract(e, e, yy)  //    X₁Y₂ + X₂Y₁
      Field.add(f, y1, z1)
      Field.add(s, y2, z2)
      Field.multiply(f, f, s)
      Field.subtract(f, f, yy)
      Field.subtract(f, f, zz)  //    Y₁Z₂ + Y₂Z₁
      Self.combine(p, t, zz: zz)
      Self.setZ(p, t)
    }
  }

  /// P ← P + Q where Z of Q is 1: Q is not infinity.
  ///
  /// 11 products and 2 by b.
  @inline(never)
  mutating func add(_ q: CurvePoint<Curve>) {
    typealias Field = Curve.Field
    FormulaTerms<Field>.with(&self, q) { p, q, t in
      let (x1, y1, z1, x2, y2) = (p[0], p[1], p[2], q[0], q[1])
      let (xx, yy, d, e, f, s) = (t[0], t[1], t[3], t[4], t[5], t[6])
      Field.multiply(xx, x1, x2)  //  X₁X₂
      Field.multiply(yy, y1, y2)  //  Y₁Y₂
      Field.multiply(d, x2, z1)
      Field.add(d, d, x1)  //         X₁ + X₂Z₁
      Field.add(e, x1, y1)
      Field.add(s, x2, y2)
      Field.multiply(e, e, s)
      Field.subtract(e, e, xx)
      Field.subtract(e, e, yy)  //    X₁Y₂ + X₂Y₁
      Field.multiply(f, y2, z1)
      Field.add(f, f, y1)  //         Y₁ + Y₂Z₁
      Self.combine(p, t, zz: z1)
      Self.setZ(p, t)
    }
  }

  /// P ← 2P: the sum with Q = P, where d = 2XZ, e = 2XY, f = 2YZ. On the curve f (Y² − u) + e w is 8Y³Z, which is
  /// cheaper.
  ///
  /// 8 products, 3 squarings and 2 products by b.
  @inline(never)
  mutating func double() {
    typealias Field = Curve.Field
    FormulaTerms<Field>.with(&self, ()) { p, _, t in
      let (x, y, z) = (p[0], p[1], p[2])
      let (xx, yy, zz, d, e, f) = (t[0], t[1], t[2], t[3], t[4], t[5])
      Field.square(xx, x)
      Field.square(yy, y)
      Field.square(zz, z)
      Field.multiply(d, x, z)
      Field.add(d, d, d)  //          2XZ
      Field.multiply(e, x, y)
      Field.add(e, e, e)  //          2XY
      Field.multiply(f, y, z)
      Field.add(f, f, f)  //          2YZ
      Field.multiply(z, f, yy)
      Field.add(z, z, z)
      Field.add(z, z, z)  //          8Y³Z
      Self.combine(p, t, zz: zz)
    }
  }

  /// X₃ and Y₃ of a sum. Leaves Y₁Y₂ − u, v and w in t[7], t[6] and t[0].
  @inline(__always)
  private static func combine(
    _ p: FormulaTerms<Curve.Field>, _ t: FormulaTerms<Curve.Field>, zz: LimbRun.MutableLimbs
  ) {
    typealias Field = Curve.Field
    let (xx, yy, d, e, f, v, minus, s) = (t[0], t[1], t[3], t[4], t[5], t[6], t[7], t[8])
    Curve.b.representative.withLimbs { b in
      if Curve.aIsZero {
        Field.multiply(s, b, zz)
        Field.add(v, s, s)
        Field.add(s, s, v)  //            −u = 3b Z₁Z₂
        Field.add(minus, yy, s)  //       Y₁Y₂ − u
        Field.subtract(yy, yy, s)  //     Y₁Y₂ + u
        Field.multiply(s, b, d)
        Field.add(v, s, s)
        Field.add(v, v, s)  //            v = 3b d
        Field.add(d, xx, xx)
        Field.add(xx, xx, d)  //          w = 3 X₁X₂
      } else {
        Field.multiply(s, b, zz)
        Field.subtract(s, d, s)
        Field.add(v, s, s)
        Field.add(s, s, v)  //            u = 3 (d − b Z₁Z₂)
        Field.subtract(minus, yy, s)  //  Y₁Y₂ − u
        Field.add(yy, yy, s)  //          Y₁Y₂ + u
        Field.add(s, zz, zz)
        Field.add(s, s, zz)  //           3 Z₁Z₂
        Field.multiply(v, b, d)
        Field.subtract(v, v, s)
        Field.subtract(v, v, xx)
        Field.add(d, v, v)
        Field.add(v, v, d)  //            v = 3 (b d − 3 Z₁Z₂ − X₁X₂)
        Field.add(d, xx, xx)
        Field.add(xx, xx, d)
        Field.subtract(xx, xx, s)  //     w = 3 (X₁X₂ − Z₁Z₂)
      }
      Field.multiply(d, e, yy)
      Field.multiply(s, f, v)
      Field.subtract(p[0], d, s)  //    X₃ = e (Y₁Y₂ + u) − f v
      Field.multiply(d, yy, minus)
      Field.multiply(s, xx, v)
      Field.add(p[1], d, s)  //         Y₃ = (Y₁Y₂ + u)(Y₁Y₂ − u) + w v
    }
  }

  /// Z₃ of a sum, after `combine`.
  @inline(__always)
  private static func setZ(_ p: FormulaTerms<Curve.Field>, _ t: FormulaTerms<Curve.Field>) {
    let (w, d, e, f, minus) = (t[0], t[3], t[4], t[5], t[7])
    Curve.Field.multiply(d, f, minus)
    Curve.Field.multiply(e, e, w)
    Curve.Field.add(p[2], d, e)  //     Z₃ = f (Y₁Y₂ − u) + e w
  }
}
