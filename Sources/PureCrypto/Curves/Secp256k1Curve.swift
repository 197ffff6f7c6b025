internal import PureCryptoIntegers

/// secp256k1, a curve y² = x³ + 7 for signatures.
///
/// JOSE registers no key agreement on it (RFC 8812 §3.1), so no key type is named for one.
///
/// Source: SEC 2 §2.4.1, RFC 8812 §3.
public enum Secp256k1Curve: EllipticCurve {
  /// What ES256K hashes messages with.
  public typealias HashFunction = SHA2.SHA256

  /// A point of the curve.
  public struct Point: Sendable, Hashable {
    let affine: CurvePoint<Secp256k1Curve>
  }

  /// What is computed on the curve.
  public static let operations = CurveOperations<Secp256k1Curve>()
}

extension Secp256k1Curve: PrimeCurve {
  typealias Multiple = ProjectivePoint<Secp256k1Curve>

  /// p = 2²⁵⁶ − c with c = 2³² + 977. Montgomery form with R = 2²⁵⁶, by the arithmetic for any modulus.
  enum Field: PrimeModulus {
    static var modulus: UInt256 {
      UInt256(0xffff_fffe_ffff_fc2f, 0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff)
    }
    static var bitCount: Int { 256 }
    /// R mod p = c.
    static var one: UInt256 { UInt256(0x0000_0001_0000_03d1, 0, 0, 0) }
    /// c².
    static var radixSquared: UInt256 { UInt256(0x0000_07a2_000e_90a1, 1, 0, 0) }
  }

  /// n.
  enum Order: PrimeModulus {
    static var modulus: UInt256 {
      UInt256(0xbfd2_5e8c_d036_4141, 0xbaae_dce6_af48_a03b, 0xffff_ffff_ffff_fffe, 0xffff_ffff_ffff_ffff)
    }
    static var bitCount: Int { 256 }
    static var one: UInt256 { UInt256(0x402d_a173_2fc9_bebf, 0x4551_2319_50b7_5fc4, 1, 0) }
    static var radixSquared: UInt256 {
      UInt256(0x896c_f214_67d7_d140, 0x7414_96c2_0e7c_f878, 0xe697_f5e4_5bcd_07c6, 0x9d67_1cd5_81c6_9bc5)
    }
  }

  @inline(__always)
  static var aIsZero: Bool { true }

  /// 7.
  static var b: Residue<Field> { Residue(representative: UInt256(0x0000_0007_0000_1ab7, 0, 0, 0)) }

  static var base: CurvePoint<Secp256k1Curve> {
    CurvePoint(
      x: Residue(
        representative: UInt256(
          0xd736_2e5a_487e_2097, 0x231e_2953_29bc_66db, 0x979f_48c0_33fd_129c, 0x9981_e643_e908_9f48)),
      y: Residue(
        representative: UInt256(
          0xb15e_a6d2_d3db_abe2, 0x8dfc_5d5d_1f1d_c64d, 0x70b6_b59a_ac19_c136, 0xcf3f_851f_d4a5_82d6)))
  }

  /// Below 2¹²⁹.
  static var excess: UInt256 { UInt256(0x402d_a172_2fc9_baee, 0x4551_2319_50b7_5fc4, 1, 0) }

  static var name: NamedCurve { .secp256k1 }
  static func point(_ affine: CurvePoint<Secp256k1Curve>) -> Point { Point(affine: affine) }
  static func affine(_ point: Point) -> CurvePoint<Secp256k1Curve> { point.affine }

  static let baseMultiples = BaseMultiples<Secp256k1Curve>()
  static let oddBaseMultiples = ProjectivePoint<Secp256k1Curve>.oddBaseMultiples()
}
