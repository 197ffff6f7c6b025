import PureCryptoIntegers
import Testing

@testable import PureCrypto

/// u₁ G + u₂ Q where the sum is the next summand, its negative, or infinity. Formulas for sums leave these out.
@Suite("Sums of two multiples, of one point and of its negative") struct EqualSummandsTests {
  private func judge(_ body: (any CurveArithmetic.Type) throws -> Void) rethrows {
    try body(P256Curve.self)
    try body(P384Curve.self)
    try body(P521Curve.self)
    try body(Secp256k1Curve.self)
  }

  @Test func `u1 G and u2 Q may be one point, opposite points, or nothing`() {
    judge { check($0) }
    func check<Curve: CurveArithmetic>(_ curve: Curve.Type) {
      for m in [1, 2, 3, 5, 15, -1, -2, -3, -5, -15] {
        let q = multiple(m, curve)
        for a in [0, 1, 2, 3, 5, 15, 16] {
          for b in [0, 1, 2, 3, 5, 15, 16] {
            let (u1, u2) = (Curve.Integer(word: UInt64(a)), Curve.Integer(word: UInt64(b)))
            expect(.doubleMultipleVariableTime(u1, u2, q), a + b * m, curve)
          }
        }
      }
    }
  }

  @Test func `u1 G and u2 Q may be equal or opposite with scalars of the length of n, too`() {
    judge { check($0) }
    func check<Curve: CurveArithmetic>(_ curve: Curve.Type) {
      let one = Curve.Scalar(Curve.Integer(word: 1))
      let half = Curve.Scalar(Curve.Integer(word: 2)).inverted
      let third = Curve.Scalar(Curve.Integer(word: 3)).inverted
      for k in [half, third, one - half, one - third, half * third * third] {
        let opposite = (one - k - one).integer
        let (g, minusG) = (multiple(1, curve), multiple(-1, curve))
        expect(.doubleMultipleVariableTime(k.integer, opposite, g), 0, curve)
        expect(.doubleMultipleVariableTime(k.integer, k.integer, minusG), 0, curve)
        let double: Curve.Multiple = .baseMultiple((k + k).integer)
        #expect(Curve.Multiple.doubleMultipleVariableTime(k.integer, k.integer, g).affine == double.affine, "\(curve)")
        #expect(
          Curve.Multiple.doubleMultipleVariableTime(k.integer, opposite, minusG).affine == double.affine, "\(curve)")
      }
    }
  }

  @Test func `with both tables of a prepared key of P-256, too`() {
    for m in [1, 2, 3, 5, 15, -1, -2, -3, -5, -15] {
      let table = OddMultiplesTable(multiple(m, P256Curve.self), width: 7, stride: OddMultiplesTable.base.stride)
      for a in [0, 1, 2, 3, 5, 15, 16] {
        for b in [0, 1, 2, 3, 5, 15, 16] {
          // Digits beyond the first row of a table as well.
          for place in [0, 1, 2] {
            let (u1, u2) = (shifted(UInt64(a), place), shifted(UInt64(b), place))
            let sum = JacobianPoint.doubleMultipleVariableTime(u1, u2, table)
            let total = a + b * m
            #expect(sum.isInfinity.declassified == (total == 0))
            guard total != 0 else { continue }
            let expected = JacobianPoint.baseMultiple(shifted(UInt64(abs(total)), place)).affine
            #expect(sum.affine == expected.negated(if: total < 0 ? .yes : .no))
          }
        }
      }
    }
  }

  /// 2^(100 place) · `word`.
  private func shifted(_ word: UInt64, _ place: Int) -> UInt256 {
    switch place {
    case 0: UInt256(word, 0, 0, 0)
    case 1: UInt256(0, word << 36, word >> 28, 0)
    default: UInt256(0, 0, 0, word << 8)
    }
  }

  private func expect<Curve: CurveArithmetic>(_ sum: Curve.Multiple, _ total: Int, _ curve: Curve.Type) {
    #expect(sum.isInfinity.declassified == (total == 0), "\(curve), \(total)")
    if total != 0 { #expect(sum.affine == multiple(total, curve), "\(curve), \(total)") }
  }

  /// m G, for another m than 0.
  private func multiple<Curve: CurveArithmetic>(_ m: Int, _: Curve.Type) -> CurvePoint<Curve> {
    Curve.Multiple.baseMultiple(Curve.Integer(word: UInt64(abs(m)))).affine.negated(if: m < 0 ? .yes : .no)
  }
}
