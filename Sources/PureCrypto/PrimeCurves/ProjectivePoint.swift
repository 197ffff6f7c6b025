/// A point of the curve in homogeneous coordinates: (X : Y : Z) is (X/Z, Y/Z), or the point at infinity when Z = 0.
///
/// Timing: no operation depends on the values, except where its name ends in `VariableTime`.
struct ProjectivePoint<Curve: PrimeCurve>: Sendable, BitwiseCopyable {
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
