internal import PureCryptoIntegers

/// A point of the curve −x² + y² = 1 + d x² y² over the field mod 2²⁵⁵ − 19, on which Ed25519 is defined.
///
/// Extended coordinates (X : Y : Z : T) with x = X/Z, y = Y/Z and T = XY/Z. The formulas are complete: −1 is a square
/// and d is not, so that no denominator is zero for any two points, equal, opposite or neutral.
///
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
    0x75eb_4dca_1359_78a3, 0x0070_0a4d_4141_d8ab, 0x8cc7_4079_7779_e898, 0x5203_6cee_2b6f_fe73)

  /// The base point: y = 4/5, x even.
  /// Source: RFC 8032 §5.1.
  static let base: EdwardsPoint = {
    let x = FieldElement25519(
      0xc956_2d60_8f25_d51a, 0x692c_c760_9525_a7b2, 0xc0a4_e231_fdd6_dc5c, 0x2169_36d3_cd6e_53fe)
    let y = FieldElement25519(
      0x6666_6666_6666_6658, 0x6666_6666_6666_6666, 0x6666_6666_6666_6666, 0x6666_6666_6666_6666)
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

    /// −P: x and t change their signs.
    var negated: Addend {
      var result = self
      (result.sum, result.difference, result.t2d) = (difference, sum, -t2d)
      return result
    }
  }

  /// The same with Z = 1: y + x, y − x, 2dxy.
  struct AffineAddend: Sendable, BitwiseCopyable {
    var sum: FieldElement25519
    var difference: FieldElement25519
    var t2d: FieldElement25519

    /// −P.
    var negated: AffineAddend { AffineAddend(sum: difference, difference: sum, t2d: -t2d) }
  }

  /// P ← P + Q, in place: a sum that is returned would be copied once more.
  @inline(never)
  mutating func add(_ q: Addend) {
    let a = (y ∸ x) * q.difference
    let b = (y ∔ x) * q.sum
    let c = t * q.t2d
    let d = z * q.z2
    let (e, f, g, h) = (b ∸ a, d ∸ c, d ∔ c, b ∔ a)
    self = EdwardsPoint(x: e * f, y: g * h, z: f * g, t: e * h)
  }

  /// P ← P + Q.
  @inline(never)
  mutating func add(_ q: AffineAddend) {
    let a = (y ∸ x) * q.difference
    let b = (y ∔ x) * q.sum
    let c = t * q.t2d
    let d = z ∔ z
    let (e, f, g, h) = (b ∸ a, d ∸ c, d ∔ c, b ∔ a)
    self = EdwardsPoint(x: e * f, y: g * h, z: f * g, t: e * h)
  }

  /// P + Q.
  static func + (p: EdwardsPoint, q: Addend) -> EdwardsPoint {
    var sum = p
    sum.add(q)
    return sum
  }

  /// 2P.
  var doubled: EdwardsPoint {
    var result = self
    result.double(times: 1)
    return result
  }

  /// P ← 2^count P. No doubling reads T, so that only the last one makes it.
  /// - Parameter count: at least 1, public.
  @inline(never)
  mutating func double(times count: Int) {
    var (x, y, z) = (self.x, self.y, self.z)
    var remaining = count
    while true {
      let a = x.squared
      let b = y.squared
      let zz = z.squared
      let h = a ∔ b
      let e = h ∸ (x ∔ y).squared
      let g = a ∸ b
      let f = g ∔ zz ∔ zz
      (x, y, z) = (e * f, g * h, f * g)
      remaining &-= 1
      if remaining <= 0 {
        self = EdwardsPoint(x: x, y: y, z: z, t: e * h)
        return
      }
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
    encode(to: bytes, inverse: z.inverted)
  }

  /// - Parameter inverse: 1 / Z.
  private func encode(to bytes: UnsafeMutableRawPointer, inverse: FieldElement25519) {
    (y * inverse).encode(to: bytes)
    let sign = UInt8(truncatingIfNeeded: (x * inverse).isOdd.bit &<< 7)
    bytes.storeBytes(of: bytes.load(fromByteOffset: 31, as: UInt8.self) | sign, toByteOffset: 31, as: UInt8.self)
  }

  /// The encoding as words, least significant first.
  var encoded: UInt256 { encoded(inverse: z.inverted) }

  /// The encoding of a public point as words, least significant first.
  var encodedVariableTime: UInt256 { encoded(inverse: z.invertedVariableTime()) }

  private func encoded(inverse: FieldElement25519) -> UInt256 {
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { bytes in
      guard let start = bytes.baseAddress else { return .zero }
      encode(to: start, inverse: inverse)
      return UInt256(littleEndian: start)
    }
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
