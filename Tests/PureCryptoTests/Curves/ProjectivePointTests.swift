import PureJOSETestSupport
import Testing

@testable import PureCrypto

/// The group law of P-384, P-521 and secp256k1, and the three kinds of scalar multiplication against each other and
/// against doubling and adding.
@Suite("Points of prime curves") struct ProjectivePointTests {
  @Test func p384() throws {
    // SP 800-186 §3.2.1.4
    try judge(
      P384Curve.self,
      x: "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7",
      y: "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f",
      b: "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef")
  }

  @Test func p521() throws {
    // SP 800-186 §3.2.1.5
    try judge(
      P521Curve.self,
      x: "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ff"
        + "a8de3348b3c1856a429bf97e7e31c2e5bd66",
      y: "011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad"
        + "0761353c7086a272c24088be94769fd16650",
      b: "0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1"
        + "bf073573df883d2c34f1ef451fd46b503f00")
  }

  @Test func secp256k1() throws {
    // SEC 2 §2.4.1
    try judge(
      Secp256k1Curve.self, x: "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
      y: "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8", b: String(repeating: "0", count: 63) + "7")
    #expect(Secp256k1Curve.a.isZero.declassified)
  }

  private func judge<Curve: PrimeCurve>(_ curve: Curve.Type, x: String, y: String, b: String) throws {
    let count = Curve.byteCount
    #expect(Curve.base.isOnCurve.declassified)
    #expect(Curve.base.x.integer.bigEndianBytes(count: count) == (try hex(x)))
    #expect(Curve.base.y.integer.bigEndianBytes(count: count) == (try hex(y)))
    #expect(Curve.b.integer.bigEndianBytes(count: count) == (try hex(b)))
    #expect(
      AwkwardLimbs.reference(Curve.excess) + AwkwardLimbs.reference(Curve.Order.modulus)
        == AwkwardLimbs.reference(Curve.Field.modulus))
    // kG for k = 0 … 70, by adding G
    var multiples = [ProjectivePoint<Curve>.infinity]
    for _ in 0..<70 { multiples.append((multiples.last ?? .infinity) + Curve.base) }
    affineFormulas(multiples)
    groupLaw(multiples)
    smallMultiplesAndTheirNegatives(multiples)
    awkwardScalars(multiples)
    doubleMultiples(multiples)
    baseMultiples(curve)
    publicPoints(multiples)
    lookup(multiples)
  }

  private func isSame<Curve: PrimeCurve>(_ a: ProjectivePoint<Curve>, _ b: ProjectivePoint<Curve>) -> Bool {
    if a.isInfinity.declassified || b.isInfinity.declassified {
      return a.isInfinity.declassified && b.isInfinity.declassified
    }
    return (a.x * b.z - b.x * a.z).isZero.declassified && (a.y * b.z - b.y * a.z).isZero.declassified
  }

  /// SP 800-186 §A.1.1, for doubling and for adding G:
  /// x₃ = λ² − x₁ − x₂, y₃ = λ (x₁ − x₃) − y₁.
  private func affineFormulas<Curve: PrimeCurve>(_ multiples: [ProjectivePoint<Curve>]) {
    typealias Element = Residue<Curve.Field>
    let g = Curve.base
    for k in [1, 2, 5, 20] {
      let p = multiples[k].affine
      #expect(p.isOnCurve.declassified)
      let tangent = (p.x.squared.tripled + Curve.a) * p.y.doubled.inverted
      check(multiples[k].doubled.affine, slope: tangent, p, p)
      guard k > 1 else { continue }
      check(multiples[k + 1].affine, slope: (g.y - p.y) * (g.x - p.x).inverted, p, g)
    }
    func check(_ sum: CurvePoint<Curve>, slope: Element, _ p: CurvePoint<Curve>, _ q: CurvePoint<Curve>) {
      #expect(sum.x == slope.squared - p.x - q.x)
      #expect(sum.y == slope * (p.x - sum.x) - p.y)
    }
  }

  /// The formulas are complete: every pair, equal, opposite and infinite ones included.
  private func groupLaw<Curve: PrimeCurve>(_ multiples: [ProjectivePoint<Curve>]) {
    for (a, b) in [(1, 1), (1, 2), (2, 3), (7, 7), (31, 32), (0, 5), (5, 0), (0, 0), (0, 1)] {
      let p = multiples[a]
      let q = multiples[b]
      #expect(isSame(p + q, multiples[a + b]))
      #expect(isSame(q + p, multiples[a + b]))
      #expect(isSame(p + p, p.doubled) && isSame(p.doubled, multiples[2 * a]))
      #expect((p + p.negated(if: .yes)).isInfinity.declassified)
      #expect(isSame(p + q + p.negated(if: .yes), q))
      if b > 0 {
        #expect(isSame(p + q.affine, multiples[a + b]))
        #expect((q + q.affine.negated(if: .yes)).isInfinity.declassified)
        #expect(isSame(q + q.affine, q.doubled))
      }
    }
    let rescaled = multiples[3].x * multiples[9].x
    let scaled = ProjectivePoint<Curve>(
      x: multiples[9].x * rescaled, y: multiples[9].y * rescaled, z: multiples[9].z * rescaled)
    #expect(isSame(scaled + multiples[4], multiples[13]) && isSame(scaled.doubled, multiples[18]))
    #expect(ProjectivePoint.affine(Array(multiples[1...20])) == multiples[1...20].map(\.affine))
    #expect(ProjectivePoint<Curve>.affine([]).isEmpty)
  }

  private func smallMultiplesAndTheirNegatives<Curve: PrimeCurve>(_ multiples: [ProjectivePoint<Curve>]) {
    for k in [0, 1, 2, 3, 15, 16, 17, 18, 31, 32, 33, 48, 63, 64, 65, 70] {
      let scalar = Curve.Integer(word: UInt64(k))
      #expect(isSame(.baseMultiple(scalar), multiples[k]))
      #expect(isSame(.multiple(scalar, of: Curve.base), multiples[k]))
      // n − k: these meet the last windows
      let opposite = Curve.Order.modulus.subtracting(UInt64(k))
      let expected = multiples[k].negated(if: .yes)
      #expect(isSame(.baseMultiple(opposite), expected))
      #expect(isSame(.multiple(opposite, of: Curve.base), expected))
    }
  }

  private func byDoublingAndAdding<Curve: PrimeCurve>(
    _ k: Curve.Integer, _ point: ProjectivePoint<Curve>
  ) -> ProjectivePoint<Curve> {
    var result = ProjectivePoint<Curve>.infinity
    for position in (0..<Curve.Order.bitCount).reversed() {
      result = result + result
      if k.bits(at: position, width: 1) == 1 { result = result + point }
    }
    return result
  }

  private func awkwardScalars<Curve: PrimeCurve>(_ multiples: [ProjectivePoint<Curve>]) {
    let point = multiples[37]
    for k in AwkwardLimbs.residues(Curve.Order.self) {
      let expected = byDoublingAndAdding(k, point)
      #expect(isSame(.multiple(k, of: point.affine), expected))
      #expect(isSame(.doubleMultipleVariableTime(.zero, k, point.affine), expected))
      let times37 = (Residue<Curve.Order>(k) * Residue(Curve.Integer(word: 37))).integer
      #expect(isSame(.baseMultiple(times37), expected))
      #expect(isSame(.doubleMultipleVariableTime(times37, .zero, point.affine), expected))
    }
  }

  private func doubleMultiples<Curve: PrimeCurve>(_ multiples: [ProjectivePoint<Curve>]) {
    // a G + b (3G) = (a + 3b) G, sums that are infinity included
    let three = multiples[3].affine
    let scalars = AwkwardLimbs.residues(Curve.Order.self)
    for (a, b) in zip(scalars, scalars.reversed()) {
      let total = Residue<Curve.Order>(a) + Residue<Curve.Order>(b).tripled
      #expect(isSame(.doubleMultipleVariableTime(a, b, three), .baseMultiple(total.integer)))
    }
    let opposite = Curve.Order.modulus.subtracting(3)
    let one = Curve.Integer(word: 1)
    #expect(ProjectivePoint<Curve>.doubleMultipleVariableTime(opposite, one, three).isInfinity.declassified)
    #expect(ProjectivePoint<Curve>.doubleMultipleVariableTime(.zero, .zero, three).isInfinity.declassified)
    let negative = Curve.base.negated(if: .yes)
    #expect(ProjectivePoint<Curve>.doubleMultipleVariableTime(one, one, negative).isInfinity.declassified)
  }

  /// The tables of the base point, derived again by repeated addition only.
  private func baseMultiples<Curve: PrimeCurve>(_ curve: Curve.Type) {
    let points = Curve.baseMultiples.points
    let rowCount = ((Curve.Order.bitCount + 5) / 5 + 1) / 2
    #expect(points.count == rowCount * 16)
    var first = ProjectivePoint<Curve>(Curve.base)
    for row in 0..<rowCount {
      var multiple = ProjectivePoint<Curve>.infinity
      for column in 0..<16 {
        multiple = multiple + first
        #expect(isSame(ProjectivePoint(points[row * 16 + column]), multiple))
      }
      for _ in 0..<10 { first = first + first }
    }
    let odd = Curve.oddBaseMultiples
    #expect(odd.count == 64)
    var multiple = ProjectivePoint<Curve>(Curve.base)
    for point in odd {
      #expect(isSame(ProjectivePoint(point), multiple))
      multiple = multiple + Curve.base + Curve.base
    }
  }

  /// The exceptional cases of points for public scalars, and all others: kG ± jG for small k and j, in coordinates
  /// with and without Z = 1.
  private func publicPoints<Curve: PrimeCurve>(_ multiples: [ProjectivePoint<Curve>]) {
    // kG, by adding G: from infinity, then to a point that is the same, then to others
    var sums = [JacobianSum<Curve>()]
    for k in 0..<20 {
      sums.append(sums[k])
      sums[k + 1].addVariableTime(Curve.base)
    }
    for (k, sum) in sums.enumerated() {
      #expect(isSame(sum.homogeneous, multiples[k]))
      var double = sum
      double.double()
      #expect(isSame(double.homogeneous, multiples[2 * k]))
      for j in [1, 2, 3, 10, 20] {
        var (total, difference) = (sum, sum)
        total.addVariableTime(multiples[j].affine)
        #expect(isSame(total.homogeneous, multiples[k + j]))
        difference.addVariableTime(multiples[j].affine.negated(if: .yes))
        #expect(isSame(difference.homogeneous, multiples[abs(k - j)].negated(if: k < j ? .yes : .no)))
      }
    }
  }

  private func lookup<Curve: PrimeCurve>(_ multiples: [ProjectivePoint<Curve>]) {
    let row = ProjectivePoint.affine(Array(multiples[1...16]))
    row.withUnsafeBufferPointer { row in
      for index in 1...16 {
        #expect(CurvePoint.maskedLookup(row, index: UInt64(index)) == row[index - 1])
      }
      let nothing = CurvePoint.maskedLookup(row, index: 0)
      #expect(nothing.x == .zero && nothing.y == .zero)
    }
  }
}
