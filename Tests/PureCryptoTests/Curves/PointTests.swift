import PureCryptoIntegers
import PureJOSETestSupport
import Testing

@testable import PureCrypto

/// The group law, and the three kinds of scalar multiplication against each other and against repeated addition.
@Suite("P-256 points") struct PointTests {
  /// kG for k = 0 … 130, by adding G.
  static let multiples: [JacobianPoint] = {
    var points: [JacobianPoint] = [.infinity]
    for _ in 0..<130 { points.append((points.last ?? .infinity).sumVariableTime(.base)) }
    return points
  }()

  func isSame(_ a: JacobianPoint, _ b: JacobianPoint) -> Bool {
    if a.isInfinity.declassified || b.isInfinity.declassified {
      return a.isInfinity.declassified && b.isInfinity.declassified
    }
    return a.affine == b.affine
  }

  func minus(_ a: UInt256, _ b: UInt64) -> UInt256 {
    var borrow: UInt64 = 0
    let l0 = subtract(a.l0, b, &borrow)
    let l1 = subtract(a.l1, 0, &borrow)
    let l2 = subtract(a.l2, 0, &borrow)
    return UInt256(l0, l1, l2, subtract(a.l3, 0, &borrow))
  }

  @Test func basePoint() throws {
    // SP 800-186 §3.2.1.3
    #expect(AffinePoint.base.isOnCurve.declassified)
    #expect(
      AffinePoint.base.x.integer.bigEndianBytes
        == (try hex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")))
    #expect(
      AffinePoint.base.y.integer.bigEndianBytes
        == (try hex("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")))
    #expect(
      P256Curve.b.integer.bigEndianBytes
        == (try hex("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b")))
  }

  /// The affine formulas of SP 800-186 §A.1.1, worked with slow integers, for 2G and 3G.
  @Test func doublingAndAdditionAgainstTheAffineFormulas() throws {
    let p = AwkwardIntegers.p
    let x1 = AwkwardIntegers.reference(AffinePoint.base.x.integer)
    let y1 = AwkwardIntegers.reference(AffinePoint.base.y.integer)
    func check(
      _ point: JacobianPoint, slopeNumerator: ReferenceInteger, slopeDenominator: ReferenceInteger,
      _ x2: ReferenceInteger
    ) {
      // λ · denominator = numerator is checked instead of dividing: x₃ = λ² − x₁ − x₂, so
      // (x₃ + x₁ + x₂) denominator² = numerator²
      let x3 = AwkwardIntegers.reference(point.affine.x.integer)
      let left = ((x3 + x1 + x2) * slopeDenominator % p) * slopeDenominator % p
      #expect(left == slopeNumerator * slopeNumerator % p)
      #expect(point.affine.isOnCurve.declassified)
    }
    let double = Self.multiples[2]
    check(
      double, slopeNumerator: (ReferenceInteger(3) * x1 * x1 + p - ReferenceInteger(3)) % p,
      slopeDenominator: (y1 + y1) % p, x1)
    let x2 = AwkwardIntegers.reference(double.affine.x.integer)
    let y2 = AwkwardIntegers.reference(double.affine.y.integer)
    check(
      Self.multiples[3], slopeNumerator: (y2 + p - y1) % p, slopeDenominator: (x2 + p - x1) % p, x2)
  }

  @Test func groupLaw() {
    for (a, b) in [(1, 1), (1, 2), (2, 3), (7, 7), (31, 32), (64, 65), (0, 5), (5, 0), (0, 0)] {
      let p = Self.multiples[a]
      let q = Self.multiples[b]
      #expect(isSame(p.sumVariableTime(q), Self.multiples[a + b]))
      #expect(isSame(q.sumVariableTime(p), Self.multiples[a + b]))
      #expect(isSame(p.sumVariableTime(p), p.doubled))
      #expect(p.sumVariableTime(p.negated(if: .yes)).isInfinity.declassified)
      if !q.isInfinity.declassified {
        #expect(isSame(p.sumVariableTime(q.affine), Self.multiples[a + b]))
        #expect(q.sumVariableTime(q.affine.negated(if: .yes)).isInfinity.declassified)
        #expect(isSame(q.sumVariableTime(q.affine), q.doubled))
      }
    }
    #expect(JacobianPoint.infinity.doubled.isInfinity.declassified)
  }

  @Test func manyPointsToAffine() {
    let points = Array(Self.multiples[1...])
    #expect(JacobianPoint.affineVariableTime(points) == points.map(\.affine))
    #expect(JacobianPoint.affineVariableTime([]).isEmpty)
  }

  /// The base point table, derived again by repeated addition only.
  @Test func basePointTable() {
    let table = BasePointTable.shared.points
    #expect(table.count == BasePointTable.rowCount * BasePointTable.columnCount)
    var first = JacobianPoint(.base)
    for row in 0..<BasePointTable.rowCount {
      var multiple = JacobianPoint.infinity
      for column in 0..<BasePointTable.columnCount {
        multiple = multiple.sumVariableTime(first)
        let entry = table[row * BasePointTable.columnCount + column]
        // X = x Z² and Y = y Z³, without an inversion for each entry
        let zz = multiple.z.squared
        #expect(entry.x * zz == multiple.x && entry.y * zz * multiple.z == multiple.y)
      }
      for _ in 0..<BasePointTable.windowWidth { first = first.sumVariableTime(first) }
    }
  }

  @Test func oddMultiplesTables() {
    for (width, stride) in [(5, 256), (7, 16), (8, 16), (4, 64)] {
      let table = OddMultiplesTable(Self.multiples[3].affine, width: width, stride: stride)
      let columns = 1 << (width - 2)
      #expect(table.points.count == columns * (256 / stride))
      var first = Self.multiples[3]
      for row in 0..<(256 / stride) {
        var multiple = first
        for column in 0..<columns {
          #expect(table.points[row * columns + column] == multiple.affine)
          multiple = multiple.sumVariableTime(first).sumVariableTime(first)
        }
        for _ in 0..<stride { first = first.sumVariableTime(first) }
      }
    }
  }

  @Test func smallMultiples() {
    for k in 1...130 {
      let scalar = UInt256(UInt64(k), 0, 0, 0)
      #expect(isSame(.baseMultiple(scalar), Self.multiples[k]))
      #expect(isSame(.multiple(scalar, of: .base), Self.multiples[k]))
    }
  }

  /// n − k for k = 1 … 130: −kG. These meet the last windows of both tables.
  @Test func multiplesNearTheOrder() {
    for k in 1...130 {
      let scalar = minus(Scalar.modulus, UInt64(k))
      let expected = Self.multiples[k].negated(if: .yes)
      #expect(isSame(.baseMultiple(scalar), expected))
      #expect(isSame(.multiple(scalar, of: .base), expected))
    }
  }

  /// Scalars with awkward windows: the three multiplications agree, and the fourth by doubling and adding bit by bit.
  @Test func multiplicationsAgree() {
    let point = Self.multiples[77].affine
    for sample in AwkwardIntegers.below(AwkwardIntegers.n) where !sample.isZero.declassified {
      var expected = JacobianPoint.infinity
      for position in (0..<256).reversed() {
        expected = expected.doubled
        if sample.bits(at: position, width: 1) == 1 { expected = expected.sumVariableTime(point) }
      }
      #expect(isSame(.multiple(sample, of: point), expected))
      #expect(isSame(.doubleMultipleVariableTime(.zero, sample, point), expected))
      let times77 = (Scalar(sample) * Scalar(UInt256(77, 0, 0, 0))).integer
      #expect(isSame(.baseMultiple(times77), expected))
      #expect(isSame(.doubleMultipleVariableTime(times77, .zero, point), expected))
    }
  }

  @Test func doubleMultiples() {
    let samples = AwkwardIntegers.below2To256(around: AwkwardIntegers.n)
    let points = [1, 2, 3, 15, 127].map { Self.multiples[$0].affine } + [AffinePoint.base.negated(if: .yes)]
    for point in points {
      let table = OddMultiplesTable(point, width: 7, stride: 16)
      for (a, b) in zip(samples, samples.dropFirst(5)) {
        let sum = JacobianPoint.doubleMultipleVariableTime(a, b, point)
        #expect(isSame(.doubleMultipleVariableTime(a, b, table), sum))
      }
    }
    // a G + b (3G) = (a + 3b) G, sums that are infinity included
    let three = Self.multiples[3].affine
    let tripleTable = OddMultiplesTable(three, width: 7, stride: 16)
    for (a, b) in zip(samples, samples.reversed()) {
      let total = Scalar(a) + Scalar(b) + Scalar(b) + Scalar(b)
      let expected: JacobianPoint = total.isZero.declassified ? .infinity : .baseMultiple(total.integer)
      #expect(isSame(.doubleMultipleVariableTime(a, b, three), expected))
      #expect(isSame(.doubleMultipleVariableTime(a, b, tripleTable), expected))
    }
    let order = minus(Scalar.modulus, 3)
    #expect(JacobianPoint.doubleMultipleVariableTime(order, .one, three).isInfinity.declassified)
    #expect(JacobianPoint.doubleMultipleVariableTime(order, .one, tripleTable).isInfinity.declassified)
    #expect(JacobianPoint.doubleMultipleVariableTime(.zero, .zero, tripleTable).isInfinity.declassified)
  }

  @Test func lookupReadsTheEntryAsked() {
    let row = Self.multiples[1...32].map(\.affine)
    row.withUnsafeBufferPointer { row in
      guard let start = row.baseAddress else { return }
      for index in 1...32 {
        #expect(maskedLookup(start, count: 32, index: UInt64(index)) == row[index - 1])
      }
      let nothing = maskedLookup(start, count: 32, index: 0)
      #expect(nothing.x == .zero && nothing.y == .zero)
    }
  }
}
