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
  /// Brings many points to affine coordinates with one inversion (Montgomery's trick).
  /// - Parameter points: public, none of them infinity.
  static func affineVariableTime(_ points: [JacobianPoint]) -> [AffinePoint] {
    // products[i] = Z₀ · … · Zᵢ₋₁
    var products: [FieldElement] = []
    products.reserveCapacity(points.count)
    var product = FieldElement.one
    for point in points {
      products.append(product)
      product = product * point.z
    }
    // inverse = (Z₀ · … · Zᵢ)⁻¹ on entering the loop for i, so that inverse · products[i] = Zᵢ⁻¹
    var inverse = product.invertedVariableTime()
    var result = [AffinePoint](repeating: .base, count: points.count)
    for index in points.indices.reversed() {
      let point = points[index]
      let zInverse = inverse * products[index]
      inverse = inverse * point.z
      let zInverseSquared = zInverse.squared
      result[index] = AffinePoint(x: point.x * zInverseSquared, y: point.y * (zInverseSquared * zInverse))
    }
    return result
  }
}
