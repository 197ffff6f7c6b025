#if HARDWARE_KERNELS && arch(x86_64)
  internal import PureCryptoIntegers
  internal import PureCryptoKernelsIFMA

  /// Multiples of a point of P-256 for sums in eight lanes: row i holds 1, 2, … 2^(width − 1) times 2^(width · i) times the point, for signed
  /// digits. Eight lanes take `stepCount` rows each, so that no doubling is left.
  struct VectorCombTable: Sendable {
    /// As `p256CombByteCountIFMA` says.
    private let words: [UInt64]

    /// - Parameter points: row by row, each of 2^(width − 1) points; rows of zeros are put behind them. Public.
    private init(_ points: [AffinePoint], stepCount: Int, width: Int) {
      let columnCount = 1 &<< (width &- 1)
      let wordCount = p256CombByteCountIFMA(stepCount: stepCount, width: width) &>> 3
      words = [UInt64](unsafeUninitializedCapacity: wordCount) { words, initializedCount in
        words.initialize(repeating: 0)
        initializedCount = wordCount
        for (index, point) in points.enumerated() {
          let row = index / columnCount
          let (lane, step) = (row / stepCount, row % stepCount)
          let entry = (step &* columnCount &+ index % columnCount) &* 64 &+ lane
          for (offset, coordinate) in [(entry, point.x), (entry &+ 32, point.y)] {
            // In Montgomery form with R = 2²⁶⁰ instead of 2²⁵⁶.
            let limbs = coordinate.doubled.doubled.doubled.doubled.representative
            words[offset] = limbs.l0
            words[offset &+ 8] = limbs.l1
            words[offset &+ 16] = limbs.l2
            words[offset &+ 24] = limbs.l3
          }
        }
      }
    }

    /// The base point's: 43 rows of 32 points, 98 304 bytes, computed at first use.
    static let base = VectorCombTable(BasePointTable.shared.points, stepCount: 6, width: 6)

    /// Of a public key: 52 rows of 16 points, for 260 bits.
    init(_ point: AffinePoint) {
      var multiples: [JacobianPoint] = []
      multiples.reserveCapacity(52 &* 16)
      var first = JacobianPoint(point)
      for _ in 0..<52 {
        multiples += JacobianPoint.multiplesVariableTime(first, count: 16)
        // The last multiple of the row is 16 times its first; the next row begins with 32 times.
        if let last = multiples.last { first = last.outOfLineDouble }
      }
      self.init(JacobianPoint.affineVariableTime(multiples), stepCount: 7, width: 5)
    }

    /// The bytes of a public key's table.
    static var byteCount: Int { p256CombByteCountIFMA(stepCount: 7, width: 5) }

    /// k · G, for a secret k from 1 to n − 1.
    ///
    /// The sum of lane l is that of digits 6l to 6l + 5, which never meets an exceptional case, for the reasons that ``JacobianPoint/baseMultiple(_:)``
    /// gives. Then lanes are added in pairs, three times. Let a be the sum of the lower lanes and b that of the upper ones, neither of
    /// them 0: a multiple of 2^(36 i) below 2^(36 (i + m)) / 2 in magnitude, and a multiple of 2^(36 (i + m)). As integers a and ±b differ. a ± b is a
    /// multiple of 2^(36 i) below 2n, so that for i > 0 it is not a multiple of the odd n but 0. For i = 0 it is below n, but for the last
    /// sum of all, where a + b = k is no multiple of n, and a − b = 2a − k with |a| < 2¹⁴³ could only be −n: then b = n + a would be a multiple of
    /// 2¹⁴⁴, which lies more than 2¹⁴³ below n, or above n, where k ends.
    ///
    /// Timing: does not depend on k.
    static func baseMultiple(_ k: UInt256) -> JacobianPoint {
      base.words.withUnsafeBytes { table in
        multiple(table.baseAddress) { result, table in
          withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 4) { limbs in
            defer { wipe(UnsafeMutableRawBufferPointer(limbs)) }
            guard let limbs = store(k, to: limbs) else { return }
            p256BaseMultipleIFMA(result: result, k: limbs, table: table)
          }
        }
      }
    }

    /// u₁ · G + u₂ · Q for the point Q of this table, or infinity, which may be wrong then. All of it is public.
    func doubleMultiple(_ u1: UInt256, _ u2: UInt256) -> JacobianPoint {
      words.withUnsafeBytes { keyTable in
        VectorCombTable.base.words.withUnsafeBytes { baseTable in
          VectorCombTable.multiple(baseTable.baseAddress) { result, baseTable in
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 8) { limbs in
              let (first, second) = (limbs[..<4], limbs[4...])
              guard let keyTable = keyTable.baseAddress,
                let u1 = VectorCombTable.store(u1, to: UnsafeMutableBufferPointer(rebasing: first)),
                let u2 = VectorCombTable.store(u2, to: UnsafeMutableBufferPointer(rebasing: second))
              else { return }
              p256DoubleMultipleIFMA(result: result, u1: u1, u2: u2, baseTable: baseTable, keyTable: keyTable)
            }
          }
        }
      }
    }

    private static func store(
      _ integer: UInt256, to limbs: UnsafeMutableBufferPointer<UInt64>
    ) -> UnsafePointer<UInt64>? {
      guard let start = limbs.baseAddress else { return nil }
      start.initialize(to: integer.l0)
      (start + 1).initialize(to: integer.l1)
      (start + 2).initialize(to: integer.l2)
      (start + 3).initialize(to: integer.l3)
      return UnsafePointer(start)
    }

    /// What a kernel writes, as a point.
    private static func multiple(
      _ table: UnsafeRawPointer?, _ kernel: (UnsafeMutablePointer<UInt64>, UnsafeRawPointer) -> Void
    ) -> JacobianPoint {
      withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 15) { digits in
        defer { wipe(UnsafeMutableRawBufferPointer(digits)) }
        guard let start = digits.baseAddress, let table else { return .infinity }
        start.initialize(repeating: 0, count: 15)
        kernel(start, table)
        return JacobianPoint(x: element(start), y: element(start + 5), z: element(start + 10))
      }
    }

    /// Joins five digits of 52 bits of an integer below 2p.
    private static func element(_ d: UnsafePointer<UInt64>) -> FieldElement {
      let integer = UInt256(
        d[0] | d[1] &<< 52, d[1] &>> 12 | d[2] &<< 40, d[2] &>> 24 | d[3] &<< 28, d[3] &>> 36 | d[4] &<< 16)
      return FieldElement(
        representative: .subtractOnce(integer, d[4] &>> 48, modulus: FieldElement.modulus))
    }
  }
#endif
