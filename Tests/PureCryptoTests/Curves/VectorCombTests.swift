#if HARDWARE_KERNELS && arch(x86_64)
  import PureCryptoIntegers
  import PureJOSETestSupport
  import Testing

  @testable import PureCrypto

  /// Sums of points in sixteen lanes against those of words, which `PointTests` compare with repeated addition.
  @Suite("P-256 in sixteen lanes", .enabled(if: Backend.available.contains(.avx512ifma)))
  struct VectorCombTests {
    private static let scalars = AwkwardIntegers.below(AwkwardIntegers.n).filter { $0 != .zero }

    /// Every digit of every row, positive and negative.
    private static let singleDigits: [UInt256] = (0..<256).flatMap { position in
      ([1, 3, 31, 33] as [UInt32]).compactMap { factor in
        let value = ReferenceInteger(factor) * AwkwardIntegers.reference(powerOf2(position))
        return value < AwkwardIntegers.n ? AwkwardIntegers.integer(value) : nil
      }
    }

    private static func powerOf2(_ position: Int) -> UInt256 {
      var limbs: [UInt64] = [0, 0, 0, 0]
      limbs[position / 64] = 1 << UInt64(position % 64)
      return UInt256(limbs[0], limbs[1], limbs[2], limbs[3])
    }

    @Test("k · G for awkward k")
    func baseMultiples() {
      for k in Self.scalars + Self.singleDigits + (1...200).map({ UInt256($0, 0, 0, 0) }) {
        #expect(VectorCombTable.baseMultiple(k).affine == JacobianPoint.baseMultipleByWords(k).affine)
      }
    }

    @Test("u₁ · G + u₂ · Q, and what is left to words")
    func doubleMultiples() {
      let point = JacobianPoint.baseMultipleByWords(UInt256(0x1234_5678_9abc_def1, 7, ~0, 0x0fff)).affine
      let table = VectorCombTable(point)
      for (index, u1) in ([.zero] + Self.scalars).enumerated() {
        let u2 = Self.scalars[(7 * index + 3) % Self.scalars.count]
        for (first, second) in [(u1, u2), (u2, u1)] {
          let sum = table.doubleMultiple(first, second)
          let expected = JacobianPoint.doubleMultipleVariableTime(first, second, point)
          #expect(sum.affine == expected.affine && !sum.isInfinity.declassified)
        }
      }
      #expect(table.doubleMultiple(.zero, .zero).isInfinity.declassified)
    }

    @Test("the same point twice in one lane, and opposite ones: no sum, and nothing that could be taken for one")
    func exceptionalCases() {
      // u₁ = 1 is 2²⁵⁵ − 2²⁵⁴ − … − 1: what lane 0 has of it is −255 and −255 · 2¹²⁸, and
      // of u₂ = 1 it has −31.
      let sum = Scalar(UInt256(255, 0, 255, 0))
      for factor in [sum, Scalar.zero - sum] {
        let multiple = (factor * Scalar(UInt256(31, 0, 0, 0)).invertedVariableTime()).integer
        let point = JacobianPoint.baseMultipleByWords(multiple).affine
        #expect(VectorCombTable(point).doubleMultiple(.one, .one).isInfinity.declassified)
        #expect(!JacobianPoint.doubleMultipleVariableTime(.one, .one, point).isInfinity.declassified)
      }
      // The last sum of all is that of opposite points, or no sum.
      let base = VectorCombTable(.base)
      let opposite = VectorCombTable(AffinePoint(x: AffinePoint.base.x, y: -AffinePoint.base.y))
      for k in (1...15).map({ UInt256($0, 0, 0, 0) }) {
        let double = base.doubleMultiple(k, k)
        let expected = JacobianPoint.doubleMultipleVariableTime(k, k, AffinePoint.base)
        #expect(double.isInfinity.declassified || double.affine == expected.affine)
        #expect(opposite.doubleMultiple(k, k).isInfinity.declassified)
      }
    }

    @Test("signatures verify with tables of either kind")
    func signatures() throws {
      for key in [try P256PrivateKey(rawRepresentation: [UInt8](repeating: 0, count: 31) + [1]), P256PrivateKey()] {
        let tables = Backend.available.map {
          P256VerificationKey.Prepared(P256VerificationKey(key.publicKey), backend: $0)
        }
        for number in 0..<20 {
          let message = [UInt8](repeating: UInt8(number), count: number)
          let signature = key.signature(for: message)
          for table in tables {
            #expect(table.isValidSignature(signature, for: message))
            #expect(!table.isValidSignature(signature, for: message + [0]))
          }
        }
      }
    }
  }
#endif
