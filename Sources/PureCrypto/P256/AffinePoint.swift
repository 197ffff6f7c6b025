/// A point (x, y) of the curve y² = x³ − 3x + b other than the point at infinity.
///
/// Source: SP 800-186 §3.2.1.3.
struct AffinePoint: Sendable, Hashable, BitwiseCopyable {
  var x: FieldElement
  var y: FieldElement

  @inline(__always)
  init(x: FieldElement, y: FieldElement) {
    self.x = x
    self.y = y
  }

  /// G, the base point, of order n.
  static var base: AffinePoint {
    AffinePoint(
      x: FieldElement(
        residue: UInt256(0x79e7_30d4_18a9_143c, 0x75ba_95fc_5fed_b601, 0x79fb_732b_7762_2510, 0x1890_5f76_a537_55c6)),
      y: FieldElement(
        residue: UInt256(0xddf2_5357_ce95_560a, 0x8b4a_b8e4_ba19_e45c, 0xd2e8_8688_dd21_f325, 0x8571_ff18_2588_5d85)))
  }

  /// b, the constant of the curve's equation.
  static var b: FieldElement {
    FieldElement(
      residue: UInt256(0xd89c_df62_29c4_bddf, 0xacf0_05cd_7884_3090, 0xe5a2_20ab_f721_2ed6, 0xdc30_061d_0487_4834))
  }

  /// x³ − 3x + b = (x² − 3) x + b.
  static func curveEquation(_ x: FieldElement) -> FieldElement {
    let three = FieldElement.one.doubled + .one
    return (x.squared - three) * x + b
  }

  /// Whether y² = x³ − 3x + b.
  var isOnCurve: Mask {
    (y.squared - AffinePoint.curveEquation(x)).isZero
  }

  /// (x, −y) for yes, (x, y) for no.
  @inline(__always)
  func negated(if mask: Mask) -> AffinePoint {
    AffinePoint(x: x, y: y.negated(if: mask))
  }
}
