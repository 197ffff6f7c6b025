#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  // Poly1305 on eight blocks at a time, each in a lane of its own, in limbs of 44, 44 and 42 bits: VPMADD52 gives the
  // lower and the upper 52 bits of a product.
  //
  //     sum ← (sum + blocks) · r¹⁶ + blocks′ · r⁸
  //
  // for each sixteen blocks: the second product waits for nothing. The last eight meet the powers of their own places,
  // r⁸ … r, which makes one sum of the lanes.
  //
  // All types of this file are private to it: see GCMVAES.swift.

  private typealias Vector = SIMD8<Int64>

  /// Takes in blocks: sum ← (sum + block + 2¹²⁸) · r for each, mod 2¹³⁰ − 5.
  /// - Parameter sum: three limbs, before and after below 2⁴⁴, 2⁴⁴ + 2¹⁰ and 2⁴² + 1.
  /// - Parameter powers: five words of r⁸: its limbs, and twenty times the upper two; then those of r¹⁶. From byte
  ///   128 on, five such words for each lane, eight lanes together: those of r⁸, r⁴, r⁷, r³, r⁶, r², r⁵ and
  ///   r. Limbs are below 2⁴⁴, 2⁴⁴ and 2⁴² + 1.
  /// - Parameter blocks: 128 · `groupCount` readable bytes.
  /// - Parameter groupCount: at least 1.
  ///
  /// The processor must have AVX-512 F and IFMA.
  ///
  /// Timing: depends on `groupCount` only.
  /// Source: RFC 8439 §2.5.
  package func poly1305AddIFMA(
    sum: UnsafeMutablePointer<UInt64>, powers: UnsafeRawPointer, blocks: UnsafeRawPointer, groupCount: Int
  ) {
    var number = Limbs(sum)
    var blocks = blocks
    var rest = groupCount &- 1
    let eighth = Factor(everywhere: powers)
    let sixteenth = Factor(everywhere: powers + 40)
    while rest >= 2 {
      number.add(Limbs(blocks: blocks))
      var columns = Columns()
      columns.add(Limbs(blocks: blocks + 128), times: eighth)
      columns.add(number, times: sixteenth)
      number = columns.carried
      blocks += 256
      rest &-= 2
    }
    if rest == 1 {
      number.add(Limbs(blocks: blocks))
      var columns = Columns()
      columns.add(number, times: eighth)
      number = columns.carried
      blocks += 128
    }
    number.add(Limbs(blocks: blocks))
    var columns = Columns()
    columns.add(number, times: Factor(lanes: powers + 128))
    columns.carried.store(to: sum)
  }

  /// A number in each lane.
  private struct Limbs {
    var l0, l1, l2: Vector

    /// A number in the lane of the first block, zero in the others.
    @inline(__always)
    init(_ number: UnsafePointer<UInt64>) {
      l0 = first(number[0])
      l1 = first(number[1])
      l2 = first(number[2])
    }

    /// Eight blocks and 2¹²⁸: limbs below 2⁴⁴, 2⁴⁴ and 2⁴¹.
    @inline(__always)
    init(blocks: UnsafeRawPointer) {
      let front = blocks.loadUnaligned(as: Vector.self)
      let back = blocks.loadUnaligned(fromByteOffset: 64, as: Vector.self)
      // The lower and the upper halves of blocks 0, 4, 1, 5, 2, 6, 3 and 7.
      let low = _mm512_unpacklo_epi64(front, back)
      let high = _mm512_unpackhi_epi64(front, back)
      l0 = _mm512_and_si512(low, mask44)
      l1 = _mm512_and_si512(_mm512_or_si512(right(low, 44), left(high, 20)), mask44)
      l2 = _mm512_or_si512(right(high, 24), Vector(repeating: 1 &<< 40))
    }

    @inline(__always)
    init(_ l0: Vector, _ l1: Vector, _ l2: Vector) { (self.l0, self.l1, self.l2) = (l0, l1, l2) }

    @inline(__always)
    mutating func add(_ other: Limbs) {
      l0 = plus(l0, other.l0)
      l1 = plus(l1, other.l1)
      l2 = plus(l2, other.l2)
    }

    /// Stores the sum of all lanes in three limbs.
    @inline(__always)
    func store(to number: UnsafeMutablePointer<UInt64>) {
      let mask44: UInt64 = 1 &<< 44 &- 1
      // Below 2⁴⁷, 2⁴⁷ and 2⁴⁵ + 2¹⁵: carries are below 2⁴.
      let sum1 = total(l1) &+ total(l0) &>> 44
      let sum2 = total(l2) &+ sum1 &>> 44
      let sum0 = total(l0) & mask44 &+ 5 &* (sum2 &>> 42)
      number[0] = sum0 & mask44
      number[1] = sum1 & mask44 &+ sum0 &>> 44
      number[2] = sum2 & (1 &<< 42 &- 1)
    }
  }

  /// Sums of one or two products: the lower and the upper 52 bits of each column.
  private struct Columns {
    private var low0 = Vector(repeating: 0)
    private var low1 = Vector(repeating: 0)
    private var low2 = Vector(repeating: 0)
    private var high0 = Vector(repeating: 0)
    private var high1 = Vector(repeating: 0)
    private var high2 = Vector(repeating: 0)

    /// Limbs of the number are below 2⁴⁶, 2⁴⁶ and 2⁴⁴, those of the factor below 2⁴⁴, 2⁴⁴ and
    /// 2⁴² + 1, and twenty times the upper ones below 2⁴⁹ and 2⁴⁷: all of them have 52 bits. Six lower
    /// halves are below 2⁵⁵. Six upper ones are below 4 · 2⁹³⁻⁵² + 2 · 2⁹⁰⁻⁵² < 2⁴⁴, those
    /// of the last column, which has no factor of 20, below 2⁴⁰.
    @inline(__always)
    mutating func add(_ x: Limbs, times r: Factor) {
      low0 = low(low(low(low0, x.l2, r.twenty1), x.l1, r.twenty2), x.l0, r.l0)
      high0 = high(high(high(high0, x.l2, r.twenty1), x.l1, r.twenty2), x.l0, r.l0)
      low1 = low(low(low(low1, x.l2, r.twenty2), x.l1, r.l0), x.l0, r.l1)
      high1 = high(high(high(high1, x.l2, r.twenty2), x.l1, r.l0), x.l0, r.l1)
      low2 = low(low(low(low2, x.l2, r.l0), x.l1, r.l1), x.l0, r.l2)
      high2 = high(high(high(high2, x.l2, r.l0), x.l1, r.l1), x.l0, r.l2)
    }

    /// The number with limbs below 2⁴⁴, 2⁴⁴ and 2⁴² + 2¹².
    var carried: Limbs {
      @inline(__always) get {
        // An upper half is worth 2⁵², which is 2⁸ in the next column: columns are below 2⁵⁵ + 2⁵².
        let column1 = plus(low1, left(high0, 8))
        let column2 = plus(low2, left(high1, 8))
        // What is above 2¹³⁰ is below 2⁵⁰ + 2¹⁴, five times that below 2⁵³.
        let back = plus(left(high2, 10), right(column2, 42))
        let column0 = plus(low0, plus(back, left(back, 2)))
        // Carries are below 2¹².
        let sum1 = plus(column1, right(column0, 44))
        return Limbs(
          _mm512_and_si512(column0, mask44), _mm512_and_si512(sum1, mask44),
          plus(_mm512_and_si512(column2, Vector(repeating: 1 &<< 42 &- 1)), right(sum1, 44)))
      }
    }
  }

  /// What is multiplied by: limbs, and twenty times the upper ones, since 2¹³² is 20.
  private struct Factor {
    let l0, l1, l2, twenty1, twenty2: Vector

    /// The same number for all lanes: five words.
    @inline(__always)
    init(everywhere words: UnsafeRawPointer) {
      l0 = Factor.word(words, 0)
      l1 = Factor.word(words, 1)
      l2 = Factor.word(words, 2)
      twenty1 = Factor.word(words, 3)
      twenty2 = Factor.word(words, 4)
    }

    /// A number for each lane: five vectors.
    @inline(__always)
    init(lanes vectors: UnsafeRawPointer) {
      l0 = Factor.vector(vectors, 0)
      l1 = Factor.vector(vectors, 1)
      l2 = Factor.vector(vectors, 2)
      twenty1 = Factor.vector(vectors, 3)
      twenty2 = Factor.vector(vectors, 4)
    }

    @inline(__always)
    private static func word(_ words: UnsafeRawPointer, _ index: Int) -> Vector {
      Vector(repeating: words.loadUnaligned(fromByteOffset: 8 &* index, as: Int64.self))
    }

    @inline(__always)
    private static func vector(_ vectors: UnsafeRawPointer, _ index: Int) -> Vector {
      vectors.loadUnaligned(fromByteOffset: 64 &* index, as: Vector.self)
    }
  }

  private var mask44: Vector {
    @inline(__always) get { Vector(repeating: 1 &<< 44 &- 1) }
  }

  /// The word in the lane of the first block, zero in the others.
  @inline(__always)
  private func first(_ word: UInt64) -> Vector { Vector(Int64(bitPattern: word), 0, 0, 0, 0, 0, 0, 0) }

  @inline(__always)
  private func total(_ x: Vector) -> UInt64 {
    UInt64(bitPattern: (x[0] &+ x[1]) &+ (x[2] &+ x[3]) &+ ((x[4] &+ x[5]) &+ (x[6] &+ x[7])))
  }

  @inline(__always)
  private func plus(_ x: Vector, _ y: Vector) -> Vector { _mm512_add_epi64(x, y) }

  /// The sum and the lower 52 bits of a product.
  @inline(__always)
  private func low(_ sum: Vector, _ x: Vector, _ y: Vector) -> Vector { _mm512_madd52lo_epu64(sum, x, y) }

  /// The sum and the upper 52 bits of a product.
  @inline(__always)
  private func high(_ sum: Vector, _ x: Vector, _ y: Vector) -> Vector { _mm512_madd52hi_epu64(sum, x, y) }

  @inline(__always)
  private func right(_ x: Vector, _ count: UInt32) -> Vector { _mm512_srli_epi64(x, count) }

  @inline(__always)
  private func left(_ x: Vector, _ count: UInt32) -> Vector { _mm512_slli_epi64(x, count) }
#endif
