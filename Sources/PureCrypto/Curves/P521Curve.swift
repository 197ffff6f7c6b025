/// P-521, also called secp521r1.
///
/// Source: SP 800-186 §3.2.1.5.
public enum P521Curve: EllipticCurve {
  /// What ES512 hashes messages with.
  public typealias HashFunction = SHA2.SHA512

  /// A point of the curve.
  public struct Point: Sendable, Hashable {
    let affine: CurvePoint<P521Curve>
  }

  /// What is computed on the curve.
  public static let operations = CurveOperations<P521Curve>()
}

extension P521Curve: PrimeCurve {
  typealias Field = P521Field
  typealias Multiple = ProjectivePoint<P521Curve>

  /// n.
  enum Order: PrimeModulus {
    static var modulus: UInt576 {
      UInt576(
        0xbb6f_b71e_9138_6409, 0x3bb5_c9b8_899c_47ae, 0x7fcc_0148_f709_a5d0, 0x5186_8783_bf2f_966b,
        0xffff_ffff_ffff_fffa, 0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff,
        0x0000_0000_0000_01ff)
    }
    static var bitCount: Int { 521 }
    static var one: UInt576 {
      UInt576(
        0xfb80_0000_0000_0000, 0x28a2_4824_70b7_63cd, 0x17e2_251b_23bb_31dc, 0xca40_19ff_5b84_7b2d,
        0x02d7_3cbc_3e20_6834, 0, 0, 0, 0)
    }
    static var radixSquared: UInt576 {
      UInt576(
        0x137c_d04d_cf15_dd04, 0xf707_badc_e554_7ea3, 0x12a7_8d38_7945_73ff, 0xd372_1ef5_57f7_5e06,
        0xdd6e_23d8_2e49_c7db, 0xcff3_d142_b775_6e3e, 0x5bcc_6d61_a8e5_67bc, 0x2d8e_03d1_492d_0d45, 0x3d)
    }
  }

  static var b: Residue<P521Field> {
    Residue(
      representative: UInt576(
        0xef45_1fd4_6b50_3f00, 0x3573_df88_3d2c_34f1, 0x1652_c0bd_3bb1_bf07, 0x5619_3951_ec7e_937b,
        0xb8b4_8991_8ef1_09e1, 0xa2da_725b_99b3_15f3, 0x929a_21a0_b685_40ee, 0x953e_b961_8e1c_9a1f, 0x51))
  }

  static var base: CurvePoint<P521Curve> {
    CurvePoint(
      x: Residue(
        representative: UInt576(
          0xf97e_7e31_c2e5_bd66, 0x3348_b3c1_856a_429b, 0xfe1d_c127_a2ff_a8de, 0xa14b_5e77_efe7_5928,
          0xf828_af60_6b4d_3dba, 0x9c64_8139_053f_b521, 0x9e3e_cb66_2395_b442, 0x858e_06b7_0404_e9cd, 0xc6)),
      y: Residue(
        representative: UInt576(
          0x88be_9476_9fd1_6650, 0x353c_7086_a272_c240, 0xc550_b901_3fad_0761, 0x97ee_7299_5ef4_2640,
          0x17af_bd17_273e_662c, 0x98f5_4449_579b_4468, 0x5c8a_5fb4_2c7d_1bd9, 0x3929_6a78_9a3b_c004, 0x118)))
  }

  static var excess: UInt576 {
    UInt576(0x4490_48e1_6ec7_9bf6, 0xc44a_3647_7663_b851, 0x8033_feb7_08f6_5a2f, 0xae79_787c_40d0_6994, 5, 0, 0, 0, 0)
  }

  static var name: NamedCurve { .p521 }
  static func point(_ affine: CurvePoint<P521Curve>) -> Point { Point(affine: affine) }
  static func affine(_ point: Point) -> CurvePoint<P521Curve> { point.affine }

  static let baseMultiples = BaseMultiples<P521Curve>()
  static let oddBaseMultiples = ProjectivePoint<P521Curve>.oddBaseMultiples()
}
