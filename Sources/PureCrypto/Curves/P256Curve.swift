internal import PureCryptoIntegers

/// P-256, also called secp256r1 and prime256v1.
///
/// It has arithmetic of its own behind the protocol: a field of fixed shape, Jacobian coordinates with incomplete sums
/// whose exceptional cases are ruled out, and inversion by division steps.
///
/// Source: SP 800-186 §3.2.1.3.
public enum P256Curve: EllipticCurve {
  /// What ES256 hashes messages with.
  public typealias HashFunction = SHA2.SHA256

  /// A point of the curve.
  public struct Point: Sendable, Hashable {
    let affine: AffinePoint
  }

  /// What is computed on the curve.
  public static let operations = CurveOperations<P256Curve>()
}

/// A point of P-256 other than the point at infinity.
typealias AffinePoint = CurvePoint<P256Curve>

extension P256Curve: CurveArithmetic {
  typealias Integer = UInt256
  typealias Coordinate = FieldElement
  typealias Scalar = PureCrypto.Scalar
  typealias Multiple = JacobianPoint

  static var name: NamedCurve { .p256 }

  /// −3.
  static var a: FieldElement {
    FieldElement(
      representative: UInt256(
        0xffff_ffff_ffff_fffc, 0x0000_0003_ffff_ffff, 0x0000_0000_0000_0000, 0xffff_fffc_0000_0004))
  }

  static var b: FieldElement {
    FieldElement(
      representative: UInt256(
        0xd89c_df62_29c4_bddf, 0xacf0_05cd_7884_3090, 0xe5a2_20ab_f721_2ed6, 0xdc30_061d_0487_4834))
  }

  static var base: AffinePoint {
    AffinePoint(
      x: FieldElement(
        representative: UInt256(
          0x79e7_30d4_18a9_143c, 0x75ba_95fc_5fed_b601, 0x79fb_732b_7762_2510, 0x1890_5f76_a537_55c6)),
      y: FieldElement(
        representative: UInt256(
          0xddf2_5357_ce95_560a, 0x8b4a_b8e4_ba19_e45c, 0xd2e8_8688_dd21_f325, 0x8571_ff18_2588_5d85)))
  }

  /// Below 2¹²⁸.
  static var excess: UInt256 { UInt256(0x0c46_353d_039c_daae, 0x4319_0553_58e8_617b, 0, 0) }

  static func point(_ affine: AffinePoint) -> Point { Point(affine: affine) }
  static func affine(_ point: Point) -> AffinePoint { point.affine }
}

extension FieldElement: CurveCoordinate {
  static var bitCount: Int { 256 }
}

extension Scalar: ModularInteger {
  static var bitCount: Int { 256 }
}

extension JacobianPoint: PointArithmetic {
  typealias Curve = P256Curve

  /// Whether X = x Z².
  @inline(never)
  func hasAffineX(_ x: FieldElement) -> Mask { (x * z.squared - self.x).isZero }
}
