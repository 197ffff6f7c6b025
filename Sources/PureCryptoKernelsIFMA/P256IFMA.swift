#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  // Sums of multiples of points of P-256, eight at a time: each lane of a vector has a point of its own.
  //
  // Coordinates are five digits of 52 bits, in Montgomery form with R = 2²⁶⁰, and below 2.1 p between operations. A comb table has rows of
  // multiples of 2^(width · row) times a point, with signed digits; lane l takes care of `stepCount` rows from stepCount · l on.
  //
  // All types of this file are private to it: see GCMVAES.swift.

  private typealias Vector = SIMD8<Int64>

  /// The bytes of a comb table: for each step and each column eight vectors, the limbs of x and of y in Montgomery form with R = 2²⁶⁰, of
  /// the rows of the eight lanes.
  package func p256CombByteCountIFMA(stepCount: Int, width: Int) -> Int { stepCount &* (512 &<< (width &- 1)) }

  /// k · G for a secret k.
  /// - Parameter result: room for 15 words: the digits of X, Y and Z in Jacobian coordinates, in Montgomery form with R = 2²⁵⁶, below 2p.
  /// - Parameter k: four limbs, from 1 to n − 1.
  /// - Parameter table: the base point's, of 43 rows of 6 bits.
  ///
  /// The processor must have AVX-512 F, DQ and IFMA. Timing: does not depend on k.
  package func p256BaseMultipleIFMA(
    result: UnsafeMutablePointer<UInt64>, k: UnsafePointer<UInt64>, table: UnsafeRawPointer
  ) {
    var sum = Point()
    p256AddMultipleIFMA(sum: &sum, k: k, table: table, stepCount: 6, width: 6)
    p256SumOfLanesIFMA(result: result, sum: &sum)
  }

  /// u₁ · G + u₂ · Q, all of it public, unless an exceptional case of the formulas came up on the way: Z is 0 then.
  /// - Parameter keyTable: that of Q, of 52 rows of 5 bits.
  package func p256DoubleMultipleIFMA(
    result: UnsafeMutablePointer<UInt64>, u1: UnsafePointer<UInt64>, u2: UnsafePointer<UInt64>,
    baseTable: UnsafeRawPointer, keyTable: UnsafeRawPointer
  ) {
    var sum = Point()
    p256AddMultipleIFMA(sum: &sum, k: u1, table: baseTable, stepCount: 6, width: 6)
    p256AddMultipleIFMA(sum: &sum, k: u2, table: keyTable, stepCount: 7, width: 5)
    p256SumOfLanesIFMA(result: result, sum: &sum)
  }

  /// A signed digit of Booth's form: bits width · row − 1 to width · row + width − 1, of which the lowest is added and the highest counts
  /// negatively.
  @inline(__always)
  private func digit(_ k: UnsafePointer<UInt64>, row: Int, width: Int) -> Int64 {
    let position = width &* row &- 1
    guard position < 256 else { return 0 }
    let word: UInt64
    if position < 0 {
      word = k[0] &<< 1
    } else {
      let limb = position &>> 6
      let shift = UInt64(truncatingIfNeeded: position & 63)
      // In two steps, since a shift by 64 is none.
      word = k[limb] &>> shift | (limb < 3 ? (k[limb &+ 1] &<< 1) &<< (63 &- shift) : 0)
    }
    let bits = Int64(truncatingIfNeeded: word & (2 &<< UInt64(truncatingIfNeeded: width) &- 1))
    return (bits &+ 1) &>> 1 &- (bits &>> Int64(truncatingIfNeeded: width)) &<< Int64(truncatingIfNeeded: width)
  }

  /// Points in Jacobian coordinates, one in each lane.
  private struct Point {
    private var x = Element()
    private var y = Element()
    private var z = Element()
    /// −1 where nothing was added, so that the coordinates mean nothing.
    private var isEmpty = Vector(repeating: -1)

    @inline(__always)
    init() {}

    /// Adds an affine point, except where `isZero` is −1.
    @inline(__always)
    mutating func add(_ x2: Element, _ y2: Element, _ isZero: Vector) {
      let zz = z.squared
      let h = x2 * zz - x
      let r = y2 * (zz * z) - y
      let hh = h.squared
      let hhh = hh * h
      let v = x * hh
      let x3 = r.squared.minus(hhh, v)
      let y3 = r * (v - x3) - y * hhh
      let z3 = z * h
      x = .select(isZero, x, .select(isEmpty, x2, x3))
      y = .select(isZero, y, .select(isEmpty, y2, y3))
      z = .select(isZero, z, .select(isEmpty, .one, z3))
      isEmpty = _mm512_and_si512(isEmpty, isZero)
    }

    /// The sum of all lanes, in lane 0.
    @inline(__always)
    mutating func fold() {
      for _ in 0..<3 {
        add(lanesAbove)
        // The sums of pairs are in even lanes: they move together.
        self = evenLanes
      }
    }

    @inline(__always)
    mutating func add(_ q: Point) {
      let zz1 = z.squared
      let zz2 = q.z.squared
      let u1 = x * zz2
      let s1 = y * (zz2 * q.z)
      let h = q.x * zz1 - u1
      let r = q.y * (zz1 * z) - s1
      let hh = h.squared
      let hhh = hh * h
      let v = u1 * hh
      let x3 = r.squared.minus(hhh, v)
      let y3 = r * (v - x3) - s1 * hhh
      let z3 = (z * q.z) * h
      x = .select(q.isEmpty, x, .select(isEmpty, q.x, x3))
      y = .select(q.isEmpty, y, .select(isEmpty, q.y, y3))
      z = .select(q.isEmpty, z, .select(isEmpty, q.z, z3))
      isEmpty = _mm512_and_si512(isEmpty, q.isEmpty)
    }

    private var lanesAbove: Point {
      @inline(__always) get { permuted(Vector(1, 2, 3, 4, 5, 6, 7, 0)) }
    }

    private var evenLanes: Point {
      @inline(__always) get { permuted(Vector(0, 2, 4, 6, 0, 2, 4, 6)) }
    }

    @inline(__always)
    private func permuted(_ lanes: Vector) -> Point {
      var point = Point()
      point.x = x.permuted(lanes)
      point.y = y.permuted(lanes)
      point.z = z.permuted(lanes)
      point.isEmpty = _mm512_permutexvar_epi64(lanes, isEmpty)
      return point
    }

    /// The coordinates of lane 0.
    @inline(__always)
    func store(to result: UnsafeMutablePointer<UInt64>) {
      (x * .shorterRadix).storeLowest(to: result)
      (y * .shorterRadix).storeLowest(to: result + 5)
      (z.erased(where: isEmpty) * .shorterRadix).storeLowest(to: result + 10)
    }
  }

  // Out of line: with all products inlined this file takes longer to compile than the other kernels together. Not private, and through
  // pointers, so that they are the same functions whether files or whole modules are compiled.

  /// Adds a multiple of a table's point to the sum of the lanes.
  @inline(never)
  package func p256AddMultipleIFMA(
    sum: UnsafeMutableRawPointer, k: UnsafePointer<UInt64>, table: UnsafeRawPointer, stepCount: Int, width: Int
  ) {
    var point = sum.load(as: Point.self)
    let columnCount = 1 &<< (width &- 1)
    var digits = (Vector(repeating: 0), Vector(repeating: 0), Vector(repeating: 0))
    for step in 0..<stepCount {
      p256DigitsIFMA(digits: &digits, k: k, step: step, stepCount: stepCount, width: width)
      let (magnitude, isNegative, isZero) = digits
      let entry = selected(magnitude, table + step &* columnCount &* 512, columnCount)
      point.add(entry.x, entry.y.negated(where: isNegative), isZero)
    }
    sum.storeBytes(of: point, as: Point.self)
  }

  /// The digits of one step: their magnitudes, then −1 in the lanes where they are negative, then −1 where they are 0.
  ///
  /// Where a compiler knew that a mask has two values, it made masked loads of selections.
  @inline(never)
  package func p256DigitsIFMA(
    digits: UnsafeMutableRawPointer, k: UnsafePointer<UInt64>, step: Int, stepCount: Int, width: Int
  ) {
    let signed = Vector(
      digit(k, row: step, width: width), digit(k, row: stepCount &+ step, width: width),
      digit(k, row: 2 &* stepCount &+ step, width: width), digit(k, row: 3 &* stepCount &+ step, width: width),
      digit(k, row: 4 &* stepCount &+ step, width: width), digit(k, row: 5 &* stepCount &+ step, width: width),
      digit(k, row: 6 &* stepCount &+ step, width: width), digit(k, row: 7 &* stepCount &+ step, width: width))
    let isNegative = _mm512_srai_epi64(signed, 63)
    let magnitude = _mm512_sub_epi64(_mm512_xor_si512(signed, isNegative), isNegative)
    digits.storeBytes(of: magnitude, as: Vector.self)
    digits.storeBytes(of: isNegative, toByteOffset: 64, as: Vector.self)
    let isZero = _mm512_srai_epi64(_mm512_sub_epi64(magnitude, Vector(repeating: 1)), 63)
    digits.storeBytes(of: isZero, toByteOffset: 128, as: Vector.self)
  }

  /// The sum of the points of all lanes, as ``p256BaseMultipleIFMA(result:k:table:)`` returns it.
  @inline(never)
  package func p256SumOfLanesIFMA(result: UnsafeMutablePointer<UInt64>, sum: UnsafeRawPointer) {
    var point = sum.load(as: Point.self)
    point.fold()
    point.store(to: result)
  }

  /// a · b mod p in each lane, all three of them five vectors.
  @inline(never)
  package func p256ProductIFMA(product: UnsafeMutableRawPointer, a: UnsafeRawPointer, b: UnsafeRawPointer) {
    product.storeBytes(of: .product(a.load(as: Element.self), b.load(as: Element.self)), as: Element.self)
  }

  /// a² mod p in each lane.
  @inline(never)
  package func p256SquareIFMA(square: UnsafeMutableRawPointer, a: UnsafeRawPointer) {
    square.storeBytes(of: a.load(as: Element.self).square, as: Element.self)
  }

  /// The entries of one step that the lanes ask for, zeros for 0. All of them are read.
  @inline(__always)
  private func selected(
    _ magnitude: Vector, _ entries: UnsafeRawPointer, _ columnCount: Int
  ) -> (x: Element, y: Element) {
    var (x0, x1, x2, x3) = (Vector(repeating: 0), Vector(repeating: 0), Vector(repeating: 0), Vector(repeating: 0))
    var (y0, y1, y2, y3) = (Vector(repeating: 0), Vector(repeating: 0), Vector(repeating: 0), Vector(repeating: 0))
    var number = Vector(repeating: 0)
    var entry = entries
    for _ in 0..<columnCount {
      number = _mm512_add_epi64(number, Vector(repeating: 1))
      // Negative exactly where the two are the same, since both are small.
      let difference = _mm512_xor_si512(magnitude, number)
      let mask = _mm512_srai_epi64(_mm512_sub_epi64(difference, Vector(repeating: 1)), 63)
      x0 = _mm512_or_si512(x0, _mm512_and_si512(mask, entry.loadUnaligned(as: Vector.self)))
      x1 = _mm512_or_si512(x1, _mm512_and_si512(mask, entry.loadUnaligned(fromByteOffset: 64, as: Vector.self)))
      x2 = _mm512_or_si512(x2, _mm512_and_si512(mask, entry.loadUnaligned(fromByteOffset: 128, as: Vector.self)))
      x3 = _mm512_or_si512(x3, _mm512_and_si512(mask, entry.loadUnaligned(fromByteOffset: 192, as: Vector.self)))
      y0 = _mm512_or_si512(y0, _mm512_and_si512(mask, entry.loadUnaligned(fromByteOffset: 256, as: Vector.self)))
      y1 = _mm512_or_si512(y1, _mm512_and_si512(mask, entry.loadUnaligned(fromByteOffset: 320, as: Vector.self)))
      y2 = _mm512_or_si512(y2, _mm512_and_si512(mask, entry.loadUnaligned(fromByteOffset: 384, as: Vector.self)))
      y3 = _mm512_or_si512(y3, _mm512_and_si512(mask, entry.loadUnaligned(fromByteOffset: 448, as: Vector.self)))
      entry += 512
    }
    return (Element(x0, x1, x2, x3), Element(y0, y1, y2, y3))
  }

  // MARK: - The field

  /// Integers mod p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1, one in each lane.
  private struct Element {
    private var d0, d1, d2, d3, d4: Vector

    /// 0
    @inline(__always)
    init() {
      d0 = Vector(repeating: 0)
      d1 = Vector(repeating: 0)
      d2 = Vector(repeating: 0)
      d3 = Vector(repeating: 0)
      d4 = Vector(repeating: 0)
    }

    @inline(__always)
    private init(_ d0: Vector, _ d1: Vector, _ d2: Vector, _ d3: Vector, _ d4: Vector) {
      self.d0 = d0
      self.d1 = d1
      self.d2 = d2
      self.d3 = d3
      self.d4 = d4
    }

    /// Of limbs of 64 bits.
    @inline(__always)
    init(_ x0: Vector, _ x1: Vector, _ x2: Vector, _ x3: Vector) {
      d0 = low(x0)
      d1 = low(_mm512_or_si512(_mm512_srli_epi64(x0, 52), _mm512_slli_epi64(x1, 12)))
      d2 = low(_mm512_or_si512(_mm512_srli_epi64(x1, 40), _mm512_slli_epi64(x2, 24)))
      d3 = low(_mm512_or_si512(_mm512_srli_epi64(x2, 28), _mm512_slli_epi64(x3, 36)))
      d4 = _mm512_srli_epi64(x3, 16)
    }

    /// 1 in Montgomery form: 2²⁶⁰ mod p = 2²²⁸ − 2¹⁹⁶ − 2¹⁰⁰ + 2⁴ and so on.
    static var one: Element {
      @inline(__always) get {
        Element(
          Vector(repeating: 0x10), Vector(repeating: 0xf_0000_0000_0000), Vector(repeating: 0xf_ffff_ffff_ffff),
          Vector(repeating: 0xf_feff_ffff_ffff), Vector(repeating: 0xf_ffff))
      }
    }

    /// 2²⁵⁶ mod p, as an integer: what takes Montgomery's form to R = 2²⁵⁶.
    static var shorterRadix: Element {
      @inline(__always) get {
        Element(
          Vector(repeating: 1), Vector(repeating: 0xf_f000_0000_0000), Vector(repeating: 0xf_ffff_ffff_ffff),
          Vector(repeating: 0xf_ffef_ffff_ffff), Vector(repeating: 0xffff))
      }
    }

    /// The columns of a product, reduced.
    @inline(__always)
    private init(
      columns c0: Vector, _ c1: Vector, _ c2: Vector, _ c3: Vector, _ c4: Vector, _ c5: Vector, _ c6: Vector,
      _ c7: Vector, _ c8: Vector, _ c9: Vector
    ) {
      var (c1, c2, c3, c4, c5, c6, c7, c8, c9) = (c1, c2, c3, c4, c5, c6, c7, c8, c9)
      // p = −1 mod 2⁵²: the lowest digit is how often p is to be added, and p + 1 is what that adds above it.
      Element.take(c0, &c1, &c2, &c3, &c4, &c5)
      Element.take(c1, &c2, &c3, &c4, &c5, &c6)
      Element.take(c2, &c3, &c4, &c5, &c6, &c7)
      Element.take(c3, &c4, &c5, &c6, &c7, &c8)
      Element.take(c4, &c5, &c6, &c7, &c8, &c9)
      self.init(c5, c6, c7, c8, c9)
      carryUnsigned()
    }

    @inline(__always)
    private static func take(
      _ q: Vector, _ c1: inout Vector, _ c2: inout Vector, _ c3: inout Vector, _ c4: inout Vector, _ c5: inout Vector
    ) {
      // p + 1 = 2⁴⁴ · 2⁵² + 2³⁶ · 2¹⁵⁶ + (2⁴⁸ − 2¹⁶) · 2²⁰⁸
      let (p1, p3, p4) = (
        Vector(repeating: 1 &<< 44), Vector(repeating: 1 &<< 36), Vector(repeating: 0xffff_ffff_0000)
      )
      c1 = _mm512_add_epi64(_mm512_madd52lo_epu64(c1, q, p1), _mm512_srli_epi64(q, 52))
      c2 = _mm512_madd52hi_epu64(c2, q, p1)
      c3 = _mm512_madd52lo_epu64(c3, q, p3)
      c4 = _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(c4, q, p3), q, p4)
      c5 = _mm512_madd52hi_epu64(c5, q, p4)
    }

    @inline(__always)
    private mutating func carryUnsigned() {
      d1 = _mm512_add_epi64(d1, _mm512_srli_epi64(d0, 52))
      d2 = _mm512_add_epi64(d2, _mm512_srli_epi64(d1, 52))
      d3 = _mm512_add_epi64(d3, _mm512_srli_epi64(d2, 52))
      d4 = _mm512_add_epi64(d4, _mm512_srli_epi64(d3, 52))
      d0 = low(d0)
      d1 = low(d1)
      d2 = low(d2)
      d3 = low(d3)
    }

    /// Of digits that may be negative, of an integer from −8p to 8p: between p and 2.1 p.
    @inline(__always)
    private mutating func reduce() {
      // As many p as the highest digit says, less one, so that nothing goes below zero.
      let t = _mm512_sub_epi64(_mm512_srai_epi64(d4, 48), Vector(repeating: 1))
      d0 = _mm512_add_epi64(d0, t)
      d1 = _mm512_sub_epi64(d1, _mm512_slli_epi64(t, 44))
      d3 = _mm512_sub_epi64(d3, _mm512_slli_epi64(t, 36))
      d4 = _mm512_add_epi64(_mm512_sub_epi64(d4, _mm512_slli_epi64(t, 48)), _mm512_slli_epi64(t, 16))
      d1 = _mm512_add_epi64(d1, _mm512_srai_epi64(d0, 52))
      d2 = _mm512_add_epi64(d2, _mm512_srai_epi64(d1, 52))
      d3 = _mm512_add_epi64(d3, _mm512_srai_epi64(d2, 52))
      d4 = _mm512_add_epi64(d4, _mm512_srai_epi64(d3, 52))
      d0 = low(d0)
      d1 = low(d1)
      d2 = low(d2)
      d3 = low(d3)
    }

    @inline(__always)
    static func - (a: Element, b: Element) -> Element {
      var difference = Element(
        _mm512_sub_epi64(a.d0, b.d0), _mm512_sub_epi64(a.d1, b.d1), _mm512_sub_epi64(a.d2, b.d2),
        _mm512_sub_epi64(a.d3, b.d3), _mm512_sub_epi64(a.d4, b.d4))
      difference.reduce()
      return difference
    }

    /// a − b − 2c
    @inline(__always)
    func minus(_ b: Element, _ c: Element) -> Element {
      var result = Element(
        _mm512_sub_epi64(_mm512_sub_epi64(d0, b.d0), _mm512_slli_epi64(c.d0, 1)),
        _mm512_sub_epi64(_mm512_sub_epi64(d1, b.d1), _mm512_slli_epi64(c.d1, 1)),
        _mm512_sub_epi64(_mm512_sub_epi64(d2, b.d2), _mm512_slli_epi64(c.d2, 1)),
        _mm512_sub_epi64(_mm512_sub_epi64(d3, b.d3), _mm512_slli_epi64(c.d3, 1)),
        _mm512_sub_epi64(_mm512_sub_epi64(d4, b.d4), _mm512_slli_epi64(c.d4, 1)))
      result.reduce()
      return result
    }

    /// −a where the mask is −1.
    @inline(__always)
    func negated(where mask: Vector) -> Element {
      var result = Element(
        _mm512_sub_epi64(_mm512_xor_si512(d0, mask), mask), _mm512_sub_epi64(_mm512_xor_si512(d1, mask), mask),
        _mm512_sub_epi64(_mm512_xor_si512(d2, mask), mask), _mm512_sub_epi64(_mm512_xor_si512(d3, mask), mask),
        _mm512_sub_epi64(_mm512_xor_si512(d4, mask), mask))
      result.reduce()
      return result
    }

    /// `first` where the mask is −1, else `second`.
    @inline(__always)
    static func select(_ mask: Vector, _ first: Element, _ second: Element) -> Element {
      Element(
        chosen(mask, first.d0, second.d0), chosen(mask, first.d1, second.d1), chosen(mask, first.d2, second.d2),
        chosen(mask, first.d3, second.d3), chosen(mask, first.d4, second.d4))
    }

    /// 0 where the mask is −1.
    @inline(__always)
    func erased(where mask: Vector) -> Element { .select(mask, Element(), self) }

    @inline(__always)
    func permuted(_ lanes: Vector) -> Element {
      Element(
        _mm512_permutexvar_epi64(lanes, d0), _mm512_permutexvar_epi64(lanes, d1), _mm512_permutexvar_epi64(lanes, d2),
        _mm512_permutexvar_epi64(lanes, d3), _mm512_permutexvar_epi64(lanes, d4))
    }

    @inline(__always)
    func storeLowest(to digits: UnsafeMutablePointer<UInt64>) {
      digits[0] = UInt64(bitPattern: d0[0])
      digits[1] = UInt64(bitPattern: d1[0])
      digits[2] = UInt64(bitPattern: d2[0])
      digits[3] = UInt64(bitPattern: d3[0])
      digits[4] = UInt64(bitPattern: d4[0])
    }

    @inline(__always)
    static func * (a: Element, b: Element) -> Element {
      var result = Element()
      var (a, b) = (a, b)
      p256ProductIFMA(product: &result, a: &a, b: &b)
      return result
    }

    var squared: Element {
      @inline(__always) get {
        var result = Element()
        var a = self
        p256SquareIFMA(square: &result, a: &a)
        return result
      }
    }

    @inline(__always)
    fileprivate static func product(_ a: Element, _ b: Element) -> Element {
      var l0 = Vector(repeating: 0), l1 = Vector(repeating: 0), l2 = Vector(repeating: 0), l3 = Vector(repeating: 0),
        l4 = Vector(repeating: 0)
      var l5 = Vector(repeating: 0), l6 = Vector(repeating: 0), l7 = Vector(repeating: 0), l8 = Vector(repeating: 0)
      var h1 = Vector(repeating: 0), h2 = Vector(repeating: 0), h3 = Vector(repeating: 0), h4 = Vector(repeating: 0),
        h5 = Vector(repeating: 0)
      var h6 = Vector(repeating: 0), h7 = Vector(repeating: 0), h8 = Vector(repeating: 0), h9 = Vector(repeating: 0)
      row(a.d0, b, &l0, &l1, &l2, &l3, &l4, &h1, &h2, &h3, &h4, &h5)
      row(a.d1, b, &l1, &l2, &l3, &l4, &l5, &h2, &h3, &h4, &h5, &h6)
      row(a.d2, b, &l2, &l3, &l4, &l5, &l6, &h3, &h4, &h5, &h6, &h7)
      row(a.d3, b, &l3, &l4, &l5, &l6, &l7, &h4, &h5, &h6, &h7, &h8)
      row(a.d4, b, &l4, &l5, &l6, &l7, &l8, &h5, &h6, &h7, &h8, &h9)
      return Element(
        columns: l0, _mm512_add_epi64(l1, h1), _mm512_add_epi64(l2, h2), _mm512_add_epi64(l3, h3),
        _mm512_add_epi64(l4, h4), _mm512_add_epi64(l5, h5), _mm512_add_epi64(l6, h6), _mm512_add_epi64(l7, h7),
        _mm512_add_epi64(l8, h8), h9)
    }

    @inline(__always)
    private static func row(
      _ a: Vector, _ b: Element, _ l0: inout Vector, _ l1: inout Vector, _ l2: inout Vector, _ l3: inout Vector,
      _ l4: inout Vector, _ h1: inout Vector, _ h2: inout Vector, _ h3: inout Vector, _ h4: inout Vector,
      _ h5: inout Vector
    ) {
      l0 = _mm512_madd52lo_epu64(l0, a, b.d0)
      l1 = _mm512_madd52lo_epu64(l1, a, b.d1)
      l2 = _mm512_madd52lo_epu64(l2, a, b.d2)
      l3 = _mm512_madd52lo_epu64(l3, a, b.d3)
      l4 = _mm512_madd52lo_epu64(l4, a, b.d4)
      h1 = _mm512_madd52hi_epu64(h1, a, b.d0)
      h2 = _mm512_madd52hi_epu64(h2, a, b.d1)
      h3 = _mm512_madd52hi_epu64(h3, a, b.d2)
      h4 = _mm512_madd52hi_epu64(h4, a, b.d3)
      h5 = _mm512_madd52hi_epu64(h5, a, b.d4)
    }

    fileprivate var square: Element {
      @inline(__always) get {
        // dᵢdⱼ for i < j, twice.
        let zero = Vector(repeating: 0)
        let c1 = _mm512_madd52lo_epu64(zero, d0, d1)
        let c2 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(zero, d0, d2), d0, d1)
        let l3 = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(zero, d0, d3), d1, d2)
        let h3 = _mm512_madd52hi_epu64(zero, d0, d2)
        let l4 = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(zero, d0, d4), d1, d3)
        let h4 = _mm512_madd52hi_epu64(_mm512_madd52hi_epu64(zero, d0, d3), d1, d2)
        let l5 = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(zero, d1, d4), d2, d3)
        let h5 = _mm512_madd52hi_epu64(_mm512_madd52hi_epu64(zero, d0, d4), d1, d3)
        let l6 = _mm512_madd52lo_epu64(zero, d2, d4)
        let h6 = _mm512_madd52hi_epu64(_mm512_madd52hi_epu64(zero, d1, d4), d2, d3)
        let c7 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(zero, d3, d4), d2, d4)
        let c8 = _mm512_madd52hi_epu64(zero, d3, d4)
        return Element(
          columns: _mm512_madd52lo_epu64(zero, d0, d0),
          _mm512_madd52hi_epu64(_mm512_slli_epi64(c1, 1), d0, d0),
          _mm512_madd52lo_epu64(_mm512_slli_epi64(c2, 1), d1, d1),
          _mm512_madd52hi_epu64(_mm512_slli_epi64(_mm512_add_epi64(l3, h3), 1), d1, d1),
          _mm512_madd52lo_epu64(_mm512_slli_epi64(_mm512_add_epi64(l4, h4), 1), d2, d2),
          _mm512_madd52hi_epu64(_mm512_slli_epi64(_mm512_add_epi64(l5, h5), 1), d2, d2),
          _mm512_madd52lo_epu64(_mm512_slli_epi64(_mm512_add_epi64(l6, h6), 1), d3, d3),
          _mm512_madd52hi_epu64(_mm512_slli_epi64(c7, 1), d3, d3),
          _mm512_madd52lo_epu64(_mm512_slli_epi64(c8, 1), d4, d4),
          _mm512_madd52hi_epu64(zero, d4, d4))
      }
    }
  }

  /// The lowest 52 bits of each lane.
  @inline(__always)
  private func low(_ x: Vector) -> Vector { _mm512_and_si512(x, Vector(repeating: 0xf_ffff_ffff_ffff)) }

  /// a where the mask is −1, b where it is 0.
  @inline(__always)
  private func chosen(_ mask: Vector, _ a: Vector, _ b: Vector) -> Vector {
    _mm512_or_si512(_mm512_and_si512(mask, a), _mm512_andnot_si512(mask, b))
  }
#endif
