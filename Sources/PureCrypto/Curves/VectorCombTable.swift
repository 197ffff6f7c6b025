#if HARDWARE_KERNELS && arch(x86_64)
  internal import PureCryptoIntegers
  internal import PureCryptoKernelsIFMA

  /// Odd multiples of a point of P-256 for sums in sixteen lanes: each of a scalar's digits has a row of its own, so
  /// that no doubling is left.
  ///
  /// A scalar is a sum of ±2ⁱ for i from 0 to 255, so all digits are odd, and no lane is ever left out. An even
  /// scalar k is replaced by −(n − k).
  struct VectorCombTable: Sendable {
    /// As `P256IFMA.swift` says, from `start` on.
    private let words: [UInt64]
    /// The first word at the beginning of a cache line.
    private let start: Int

    /// Rows of odd multiples for sixteen lanes, the first multiple being 2^position times the point.
    private struct Rows {
      /// For each lane.
      let positions: [Int]
      /// How many multiples.
      let count: Int
      /// Where the table has the first multiple of lane 0, in bytes.
      let offset: Int
      /// From lane to lane, in bytes, or 0 for a table whose lanes are read together.
      let stride: Int
    }

    private init(_ point: AffinePoint, _ rows: [Rows], byteCount: Int) {
      var start = 0
      words = [UInt64](unsafeUninitializedCapacity: byteCount &>> 3 &+ 7) { words, initializedCount in
        words.initialize(repeating: 0)
        initializedCount = words.count
        guard let first = words.baseAddress else { return }
        start = (0 &- Int(bitPattern: first)) &>> 3 & 7
        VectorCombTable.compute(point, rows, UnsafeMutableRawPointer(first + start))
      }
      self.start = start
    }

    /// Of a public key: for each 16 bits of a scalar digits of 5, 5 and 6 bits.
    init(_ point: AffinePoint) {
      let rows = VectorCombTable.digits.map { position, count in
        Rows(
          positions: (0..<16).map { 16 &* $0 &+ position }, count: count, offset: position / 5 &* 1024, stride: 4096)
      }
      self.init(point, rows, byteCount: p256TableByteCountIFMA)
    }

    /// Where the three digits of a piece begin, and how many multiples each asks for.
    private static var digits: [(position: Int, count: Int)] { [(0, 16), (5, 16), (10, 32)] }

    /// The base point's for public scalars: 32 digits of 8 bits. 256 KiB, computed at first use.
    private static let base = VectorCombTable(
      .base,
      [0, 16].map { row in
        Rows(positions: (0..<16).map { 8 &* (row &+ $0) }, count: 128, offset: 8192 &* row, stride: 8192)
      }, byteCount: p256BaseTableByteCountIFMA)

    /// The base point's for secret scalars, by lanes. 64 KiB, computed at first use.
    private static let secretBase = VectorCombTable(
      .base,
      digits.map { position, count in
        let pieces = [0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 8, 9, 10, 11]
        return Rows(
          positions: pieces.map { 16 &* $0 &+ position }, count: count, offset: position / 5 &* 16_384, stride: 0)
      }, byteCount: p256TableByteCountIFMA)

    /// Computes a table in lanes: all powers 2ⁱ of the point, and from two of them the odd multiples of a row.
    private static func compute(_ point: AffinePoint, _ rows: [Rows], _ table: UnsafeMutableRawPointer) {
      var powers = [JacobianPoint(point)]
      powers.reserveCapacity(257)
      while powers.count < 257 { powers.append(powers[powers.count &- 1].outOfLineDouble) }
      let chosen = rows.flatMap { rows in rows.positions.map { powers[$0] } + rows.positions.map { powers[$0 &+ 1] } }
      let points = JacobianPoint.affineVariableTime(chosen)
      var room = VectorRoom()
      room.use { start, _, _ in
        let places = rows.map { rows in
          UnsafeMutableRawPointer.allocate(byteCount: p256RowsByteCountIFMA(count: rows.count), alignment: 64)
        }
        defer { for place in places { place.deallocate() } }
        var products = [UInt64](repeating: 0, count: 80 &* rows.count)
        withEntries(points) { entries in
          products.withUnsafeMutableBufferPointer { products in
            guard let products = products.baseAddress else { return }
            for (index, rows) in rows.enumerated() {
              p256OddMultiplesIFMA(
                rows: places[index], count: rows.count, points: entries + 32 &* index, products: products + 80 &* index,
                room: start)
            }
          }
        }
        // (1 : 1 : Z) is (Z⁻², Z⁻³), and Z⁻¹ is Z · Z⁻².
        let scales = products.withUnsafeBufferPointer { products in
          (0..<products.count / 5).compactMap { index in
            products.baseAddress.map { VectorRoom.element($0 + 5 &* index) }
          }
        }
        let inverses = JacobianPoint.affineVariableTime(scales.map { JacobianPoint(x: .one, y: .one, z: $0) })
        withEntries(zip(inverses, scales).map { AffinePoint(x: $0.x * $1, y: .zero) }) { entries in
          for (index, rows) in rows.enumerated() {
            p256TableIFMA(
              rows: places[index], count: rows.count, inverses: entries + 16 &* index, table: table + rows.offset,
              stride: rows.stride, room: start)
          }
        }
      }
    }

    /// Gives the kernels points: where the limbs of each are, in Montgomery form with R = 2²⁶⁰ instead of
    /// 2²⁵⁶.
    private static func withEntries(_ points: [AffinePoint], _ body: (UnsafePointer<UnsafeRawPointer>) -> Void) {
      let limbs = points.map { AffinePoint(x: $0.x.timesSixteen, y: $0.y.timesSixteen) }
      limbs.withUnsafeBytes { limbs in
        guard let first = limbs.baseAddress else { return }
        let places = points.indices.map { first + 64 &* $0 }
        places.withUnsafeBufferPointer { places in
          if let places = places.baseAddress { body(places) }
        }
      }
    }

    /// The bytes of a public key's table.
    static var byteCount: Int { p256TableByteCountIFMA }

    /// k · G, for a secret k from 1 to n − 1.
    ///
    /// Let k′ be the odd one of k and n − k. The additions are incomplete; that they never meet the same point
    /// twice, or opposite ones, is shown thus. Let a and b be two sums of ±2ⁱ for disjoint sets of i, neither of
    /// them empty, that are added. As an integer a ± b is not 0, since its lowest term is not cancelled, and
    /// |a ± b| < 2²⁵⁶ < 2n. So it would have to be ±n.
    /// - Without i = 0, a ± b is even, but n is odd. Without i = 255 it is less than 2²⁵⁵ in magnitude, hence
    ///   less than n.
    /// - Pieces 0 and 15 come together when four lanes have been added up, with all i below 64 and above 191, and no
    ///   others: a ± b = v + 2¹⁹² w with |v| < 2⁶⁴. From v ≡ ±n mod 2⁶⁴ follows that ±n − v is
    ///   2⁶⁴ times bce6faada7179e84 (hexadecimal; the second word of n) or one more, or the opposite, modulo
    ///   2¹²⁸: no multiple of 2¹⁹².
    /// - In the last sum, a has those i, and b the others; a + b = ±k′ is not ±n. All 256 signs together, n is
    ///   n₀ + n₁ with the same split, in one way only: from a − b = ±n follows a = ±n₀, b = ∓n₁ and
    ///   k′ = ±(n₀ − n₁) = ±(n − 2n₁). Bit 192 of n is 0, so that 2¹⁹¹ counts negatively, and
    ///   n₁ < 0: k′ would be above n, or negative.
    ///
    /// Timing: does not depend on k.
    static func baseMultiple(_ k: UInt256) -> JacobianPoint {
      secretBase.withTable { table in
        var room = VectorRoom()
        defer { wipe(&room) }
        return room.sum { start, result, bits in
          store(k, to: bits)
          p256BaseMultipleIFMA(result: result, bits: bits, table: table, room: start)
        }
      }
    }

    /// u₁ · G + u₂ · Q for the point Q of this table, or infinity, which may be wrong then. All of it is public,
    /// and below n.
    func doubleMultiple(_ u1: UInt256, _ u2: UInt256) -> JacobianPoint {
      withTable { keyTable in
        VectorCombTable.base.withTable { baseTable in
          var room = VectorRoom()
          return room.sum { start, result, bits in
            VectorCombTable.store(u1, to: bits)
            VectorCombTable.store(u2, to: bits + 4)
            p256DoubleMultipleIFMA(
              result: result, bits1: bits, bits2: bits + 4, baseTable: baseTable, keyTable: keyTable, room: start)
          }
        }
      }
    }

    @inline(__always)
    private func withTable(_ body: (UnsafeRawPointer) -> JacobianPoint) -> JacobianPoint {
      words.withUnsafeBytes { words in
        guard let words = words.baseAddress else { return .infinity }
        return body(words + 8 &* start)
      }
    }

    /// Stores which powers of 2 count positively in k, if it is odd, else in −(n − k). The complement of the digits
    /// is their negation.
    ///
    /// Timing: does not depend on k.
    private static func store(_ k: UInt256, to bits: UnsafeMutablePointer<UInt64>) {
      let isEven = Mask(bit: ~k.l0)
      var borrow: UInt64 = 0
      let odd = UInt256.select(isEven.word, .minus(Scalar.modulus, k, &borrow), k)
      // Σ (2bᵢ − 1) 2ⁱ = k for the bits bᵢ of (k + 2²⁵⁶ − 1) / 2.
      bits[0] = (odd.l0 &>> 1 | odd.l1 &<< 63) ^ isEven.word
      bits[1] = (odd.l1 &>> 1 | odd.l2 &<< 63) ^ isEven.word
      bits[2] = (odd.l2 &>> 1 | odd.l3 &<< 63) ^ isEven.word
      bits[3] = (odd.l3 &>> 1 | 1 &<< 63) ^ isEven.word
    }
  }

  /// What the kernels work in, on the stack: 7168 bytes, the result and the scalars.
  private struct VectorRoom: BitwiseCopyable {
    private typealias Row = (SIMD64<UInt64>, SIMD64<UInt64>, SIMD64<UInt64>)
    private static var zeros: Row { (.zero, .zero, .zero) }
    private var rows = (zeros, zeros, zeros, zeros, zeros)

    @inline(__always)
    mutating func sum(
      _ kernel: (UnsafeMutableRawPointer, UnsafeMutablePointer<UInt64>, UnsafeMutablePointer<UInt64>) -> Void
    ) -> JacobianPoint {
      var sum = JacobianPoint.infinity
      use { start, result, bits in
        kernel(start, result, bits)
        sum = JacobianPoint(
          x: VectorRoom.element(result), y: VectorRoom.element(result + 5), z: VectorRoom.element(result + 10))
      }
      return sum
    }

    @inline(__always)
    mutating func use(
      _ body: (UnsafeMutableRawPointer, UnsafeMutablePointer<UInt64>, UnsafeMutablePointer<UInt64>) -> Void
    ) {
      withUnsafeMutableBytes(of: &rows) { bytes in
        guard let first = bytes.baseAddress, bytes.count >= p256RoomByteCountIFMA &+ 184 &+ 63 else { return }
        // SIMD types are aligned to 16 bytes, whatever their size.
        let start = first + (0 &- Int(bitPattern: first)) & 63
        let result = (start + p256RoomByteCountIFMA).bindMemory(to: UInt64.self, capacity: 23)
        body(start, result, result + 15)
      }
    }

    /// Joins five digits of 52 bits of an integer below 2p.
    static func element(_ d: UnsafePointer<UInt64>) -> FieldElement {
      let integer = UInt256(
        d[0] | d[1] &<< 52, d[1] &>> 12 | d[2] &<< 40, d[2] &>> 24 | d[3] &<< 28, d[3] &>> 36 | d[4] &<< 16)
      return FieldElement(
        representative: .subtractOnce(integer, d[4] &>> 48, modulus: FieldElement.modulus))
    }
  }

  extension FieldElement {
    fileprivate var timesSixteen: FieldElement { doubled.doubled.doubled.doubled }
  }
#endif
