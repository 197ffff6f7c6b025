internal import PureCryptoIntegers

/// A point of the curve −x² + y² = 1 + d x² y² over the field mod 2²⁵⁵ − 19, on which Ed25519 is defined.
///
/// Extended coordinates (X : Y : Z : T) with x = X/Z, y = Y/Z and T = XY/Z. The formulas are complete: −1 is a square and d
/// is none, so that no denominator is zero for any two points, equal, opposite or neutral.
/// Source: H. Hisil, K. Wong, G. Carter, E. Dawson, "Twisted Edwards Curves Revisited", 2008, §3.1 and §3.3.
struct EdwardsPoint: Sendable, BitwiseCopyable {
  var x: FieldElement25519
  var y: FieldElement25519
  var z: FieldElement25519
  var t: FieldElement25519

  /// (0, 1).
  static var neutral: EdwardsPoint { EdwardsPoint(x: .zero, y: .one, z: .one, t: .zero) }

  /// d = −121665 / 121666.
  static let d = FieldElement25519(
    0x34dc_a135_978a3, 0x1a82_83b1_56ebd, 0x5e7a_2600_1c029, 0x739c_663a_03cbb, 0x5203_6cee_2b6ff)

  /// The base point: y = 4/5, x even. Source: RFC 8032 §5.1.
  static let base: EdwardsPoint = {
    let x = FieldElement25519(
      0x62d6_08f2_5d51a, 0x412a_4b4f_6592a, 0x75b7_171a_4b31d, 0x1ff6_0527_118fe, 0x2169_36d3_cd6e5)
    let y = FieldElement25519(
      0x6666_6666_66658, 0x4ccc_cccc_ccccc, 0x1999_9999_99999, 0x3333_3333_33333, 0x6666_6666_66666)
    return EdwardsPoint(x: x, y: y, z: .one, t: x * y)
  }()

  /// A point prepared for being added: Y + X, Y − X, 2Z, 2dT.
  struct Addend: Sendable, BitwiseCopyable {
    var sum: FieldElement25519
    var difference: FieldElement25519
    var z2: FieldElement25519
    var t2d: FieldElement25519

    init(_ point: EdwardsPoint) {
      sum = point.y + point.x
      difference = point.y - point.x
      z2 = point.z + point.z
      t2d = point.t * (EdwardsPoint.d + EdwardsPoint.d)
    }

    /// −P for yes: x and t change their signs.
    @inline(__always)
    func negated(if mask: Mask) -> Addend {
      var result = self
      FieldElement25519.swap(if: mask, &result.sum, &result.difference)
      result.t2d = .select(mask, -t2d, t2d)
      return result
    }

    /// `first` for yes, `second` for no.
    @inline(__always)
    static func select(_ mask: Mask, _ first: Addend, _ second: Addend) -> Addend {
      var result = first
      result.sum = .select(mask, first.sum, second.sum)
      result.difference = .select(mask, first.difference, second.difference)
      result.z2 = .select(mask, first.z2, second.z2)
      result.t2d = .select(mask, first.t2d, second.t2d)
      return result
    }
  }

  /// P + Q.
  @inline(never)
  static func + (p: EdwardsPoint, q: Addend) -> EdwardsPoint {
    let a = (p.y - p.x) * q.difference
    let b = (p.y + p.x) * q.sum
    let c = p.t * q.t2d
    let d = p.z * q.z2
    let (e, f, g, h) = (b - a, d - c, d + c, b + a)
    return EdwardsPoint(x: e * f, y: g * h, z: f * g, t: e * h)
  }

  /// 2P.
  var doubled: EdwardsPoint {
    @inline(never) get {
      let a = x.squared
      let b = y.squared
      let zz = z.squared
      let h = a + b
      let e = h - (x + y).squared
      let g = a - b
      let f = zz + zz + g
      return EdwardsPoint(x: e * f, y: g * h, z: f * g, t: e * h)
    }
  }

  /// −P.
  var negated: EdwardsPoint { EdwardsPoint(x: -x, y: y, z: z, t: -t) }
}

extension EdwardsPoint {
  /// Whether the point is one of the eight whose order divides 8: whether 8P is neutral.
  var hasSmallOrder: Mask {
    // 8P is in the subgroup of odd order, where no point but the neutral one has X = 0.
    doubled.doubled.doubled.x.isZero
  }

  /// Writes y with the lowest bit of x as its highest bit: 32 bytes.
  /// Source: RFC 8032 §5.1.2.
  func encode(to bytes: UnsafeMutableRawPointer) {
    let inverse = z.inverted
    (y * inverse).encode(to: bytes)
    let sign = UInt8(truncatingIfNeeded: (x * inverse).isOdd.bit &<< 7)
    bytes.storeBytes(of: bytes.load(fromByteOffset: 31, as: UInt8.self) | sign, toByteOffset: 31, as: UInt8.self)
  }

  /// Reads a point. Not for secrets: the answer tells whether there is one.
  /// - Parameter bytes: readable for 32 bytes.
  /// - Returns: `nil` when y is not below p, the curve has no point at y, or x is 0 and its sign bit is set.
  /// Source: RFC 8032 §5.1.3.
  static func decodeVariableTime(_ bytes: UnsafeRawPointer) -> EdwardsPoint? {
    let encoded = UInt256(littleEndian: bytes)
    let y = FieldElement25519(littleEndian: bytes)
    let sign = encoded.l3 &>> 63
    let canonical = y.words
    guard
      UInt256(canonical.l0, canonical.l1, canonical.l2, canonical.l3 | sign &<< 63).equals(encoded).isYesVariableTime
    else { return nil }
    // x² = (y² − 1) / (d y² + 1)
    let yy = y.squared
    let (root, exists) = FieldElement25519.squareRoot(yy - .one, over: d * yy + .one)
    guard exists.isYesVariableTime, !(root.isZero & Mask(bit: sign)).isYesVariableTime else { return nil }
    let x = FieldElement25519.select(root.isOdd ^ Mask(bit: sign), -root, root)
    return EdwardsPoint(x: x, y: y, z: .one, t: x * y)
  }
}
