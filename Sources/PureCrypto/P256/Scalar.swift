/// An integer mod n, the order of P-256's base point, n = 2²⁵⁶ − 2²²⁴ + 2¹⁹² − 2¹²⁸ + n₁ 2⁶⁴ + n₀.
///
/// Montgomery form: `residue` = a · R mod n for the scalar a, with R = 2²⁵⁶. Invariant: `residue` < n.
///
/// Timing: no operation depends on the values, except where its name says so.
/// Source: SP 800-186 §3.2.1.3.
struct Scalar: Sendable, Hashable, BitwiseCopyable {
  /// a · R mod n.
  var residue: UInt256

  /// Takes a · R mod n, already below n.
  @inline(__always)
  init(residue: UInt256) {
    self.residue = residue
  }

  /// n.
  @inline(__always)
  static var modulus: UInt256 {
    UInt256(0xf3b9_cac2_fc63_2551, 0xbce6_faad_a717_9e84, 0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000)
  }

  static var zero: Scalar { Scalar(residue: .zero) }

  /// R mod n = 2²⁵⁶ − n.
  static var one: Scalar {
    Scalar(
      residue: UInt256(0x0c46_353d_039c_daaf, 0x4319_0552_58e8_617b, 0x0000_0000_0000_0000, 0x0000_0000_ffff_ffff))
  }

  /// R² mod n, which takes an integer to Montgomery form.
  private static var radixSquared: Scalar {
    Scalar(
      residue: UInt256(0x8324_4c95_be79_eea2, 0x4699_799c_49bd_6fa6, 0x2845_b239_2b6b_ec59, 0x66e1_2d94_f3d9_5620))
  }
}

extension Scalar {
  /// `integer` mod n, for any integer below 2²⁵⁶: the product with R² < n comes out reduced.
  init(reducing integer: UInt256) {
    self = Scalar(residue: integer) * .radixSquared
  }

  /// Reads 32 bytes, most significant first.
  /// - Parameter bytes: readable for 32 bytes.
  /// - Returns: the scalar, and whether the integer was in 1 … n − 1. If not, the scalar is meaningless.
  static func decode(_ bytes: UnsafeRawPointer) -> (scalar: Scalar, isInRange: Mask) {
    let integer = UInt256(bigEndian: bytes)
    return (Scalar(reducing: integer), isInRange(integer))
  }

  /// Whether 1 ≤ `integer` ≤ n − 1.
  static func isInRange(_ integer: UInt256) -> Mask {
    integer.isLess(than: modulus) & ~integer.isZero
  }

  /// The integer below n.
  var integer: UInt256 {
    Scalar.reduce(residue, .zero)
  }
}

extension Scalar {
  /// a + b mod n.
  static func + (a: Scalar, b: Scalar) -> Scalar {
    Scalar(residue: .sum(a.residue, b.residue, modulus: modulus))
  }

  /// a − b mod n.
  static func - (a: Scalar, b: Scalar) -> Scalar {
    Scalar(residue: .difference(a.residue, b.residue, modulus: modulus))
  }

  /// Whether the scalar is zero.
  var isZero: Mask { residue.isZero }
}
