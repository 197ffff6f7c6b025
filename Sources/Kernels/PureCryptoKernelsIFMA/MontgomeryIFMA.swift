#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  // Products mod a long odd n, in digits of 52 bits that VPMADD52LUQ and VPMADD52HUQ multiply, eight at a time.
  //
  // A number is `registerCount` vectors of eight lanes, digit j + registerCount · l in lane l of vector j: the next
  // digit is in the next vector, and a division by 2⁵² renames vectors and moves one. A pair is two numbers in the
  // same vectors, the first in lanes 0 to 3 and the second in lanes 4 to 7. E is 52 times the number of digits,
  // R = 2^E, and numbers are below 3n on the way in and out, where n < R / 16.
  //
  // All types of this file are private to it: see GCMVAES.swift.

  private typealias Vector = SIMD8<Int64>

  /// Room for a modulus: n, 2⁻⁵² mod n and R² mod n, then −n⁻¹ mod 2⁵² in every lane, then two masks of
  /// lanes.
  ///
  /// The masks come from memory because the optimiser turns constant ones into shuffles.
  package func montgomeryModulusByteCountIFMA(registerCount: Int) -> Int { 3 &* 64 &* registerCount &+ 64 &+ 8 }

  /// Completes a modulus whose first two numbers and whose −n⁻¹ are there, but for R² mod n.
  package func montgomeryPrepareIFMA(modulus: UnsafeMutableRawPointer, registerCount: Int, isPair: Bool) {
    let masks = modulus + (3 &* 64 &* registerCount &+ 64)
    // The lowest lanes of the numbers, and all but their highest.
    masks.storeBytes(of: isPair ? 0b0001_0001 : 0b0000_0001, as: UInt8.self)
    masks.storeBytes(of: isPair ? 0b0111_0111 : 0b0111_1111, toByteOffset: 1, as: UInt8.self)
  }

  /// Cuts an integer into digits.
  /// - Parameter limbs: `count` limbs; below R.
  /// - Parameter lane: that of the lowest digit: 0, or 4 for the second of a pair.
  /// - Parameter laneCount: 8, or 4 for one of a pair.
  ///
  /// Timing: depends on the counts only.
  package func montgomeryCutIFMA(
    limbs: UnsafePointer<UInt64>, count: Int, digits: UnsafeMutableRawPointer, registerCount: Int, lane: Int,
    laneCount: Int
  ) {
    var position = 0
    for column in 0..<laneCount {
      for row in 0..<registerCount {
        let limb = position &>> 6
        let shift = UInt64(truncatingIfNeeded: position & 63)
        var digit = limb < count ? limbs[limb] &>> shift : 0
        // Two shifts, because shifting by 64 is undefined here.
        if limb &+ 1 < count { digit |= (limbs[limb &+ 1] &<< 1) &<< (63 &- shift) }
        digits.storeBytes(of: digit & digitMask, toByteOffset: 64 &* row &+ 8 &* (lane &+ column), as: UInt64.self)
        position &+= 52
      }
    }
  }

  /// Joins digits to an integer of `count` limbs; what is beyond them is left out. Parameters as for cutting.
  package func montgomeryJoinIFMA(
    digits: UnsafeRawPointer, registerCount: Int, lane: Int, laneCount: Int, limbs: UnsafeMutablePointer<UInt64>,
    count: Int
  ) {
    for limb in 0..<count { limbs[limb] = 0 }
    var position = 0
    for column in 0..<laneCount {
      for row in 0..<registerCount {
        let digit = digits.loadUnaligned(fromByteOffset: 64 &* row &+ 8 &* (lane &+ column), as: UInt64.self)
        let limb = position &>> 6
        let shift = UInt64(truncatingIfNeeded: position & 63)
        if limb < count { limbs[limb] |= digit &<< shift }
        if limb &+ 1 < count { limbs[limb &+ 1] |= (digit &>> 1) &>> (63 &- shift) }
        position &+= 52
      }
    }
  }

  /// product ← a · b · R⁻¹ mod n, below 3n.
  /// - Parameter product: may be a or b.
  /// - Parameter registerCount: 5, 8 or 10.
  ///
  /// The one place where products are written out, a thousand instructions for each length: to call it costs two
  /// nanoseconds of a hundred or more.
  ///
  /// The processor must have AVX-512 F, DQ and IFMA.
  ///
  /// Timing: depends on `registerCount` and `isPair`.
  @inline(never)
  package func montgomeryProductIFMA(
    product: UnsafeMutableRawPointer, a: UnsafeRawPointer, b: UnsafeRawPointer, modulus: UnsafeRawPointer,
    registerCount: Int, isPair: Bool
  ) {
    switch (registerCount, isPair) {
    case (5, false): Product<Five, Single>(a, b, modulus).sum.store(to: product)
    case (8, false): Product<Eight, Single>(a, b, modulus).sum.store(to: product)
    case (10, false): Product<Ten, Single>(a, b, modulus).sum.store(to: product)
    case (5, true): Product<Five, Pair>(a, b, modulus).sum.store(to: product)
    case (8, true): Product<Eight, Pair>(a, b, modulus).sum.store(to: product)
    default: Product<Ten, Pair>(a, b, modulus).sum.store(to: product)
    }
  }

  /// number ← number², and so on, `times` times, each with R⁻¹. The rest as for a product.
  package func montgomerySquareIFMA(
    number: UnsafeMutableRawPointer, times: Int, modulus: UnsafeRawPointer, registerCount: Int, isPair: Bool
  ) {
    for _ in 0..<times {
      montgomeryProductIFMA(
        product: number, a: number, b: number, modulus: modulus, registerCount: registerCount, isPair: isPair)
    }
  }

  /// Room for the table of a power: 32 numbers, and a factor.
  package func montgomeryPowerByteCountIFMA(registerCount: Int) -> Int { 33 &* 64 &* registerCount }

  /// number ← number^first and number^second of a pair, in Montgomery form before and after. Numbers and exponents
  /// are secret.
  /// - Parameter first: `exponentCount` limbs, as `second` has, for the first number of the pair.
  /// - Parameter room: `montgomeryPowerByteCountIFMA` bytes, which hold secrets afterwards.
  ///
  /// From the highest window of five bits down: five squarings, then a multiplication by a power from a table; every
  /// entry of it is read.
  ///
  /// The processor must have AVX-512 F, DQ and IFMA.
  ///
  /// Timing: depends on `registerCount` and `exponentCount`.
  package func montgomeryPowerIFMA(
    number: UnsafeMutableRawPointer, first: UnsafePointer<UInt64>, second: UnsafePointer<UInt64>, exponentCount: Int,
    modulus: UnsafeRawPointer, room: UnsafeMutableRawPointer, registerCount: Int
  ) {
    func multiply(_ product: UnsafeMutableRawPointer, _ a: UnsafeRawPointer, _ b: UnsafeRawPointer) {
      montgomeryProductIFMA(
        product: product, a: a, b: b, modulus: modulus, registerCount: registerCount, isPair: true)
    }
    let byteCount = 64 &* registerCount
    let table = room + byteCount
    // a⁰ = R = R² · 1 · R⁻¹, a¹, and so on.
    table.storeBytes(of: Vector(1, 0, 0, 0, 1, 0, 0, 0), as: Vector.self)
    for row in 1..<registerCount {
      table.storeBytes(of: Vector(repeating: 0), toByteOffset: 64 &* row, as: Vector.self)
    }
    multiply(table, modulus + 2 &* byteCount, table)
    (table + byteCount).copyMemory(from: number, byteCount: byteCount)
    for index in 2..<32 {
      let entry = table + index &* byteCount
      multiply(entry, entry - byteCount, number)
    }
    var position = (64 &* exponentCount &+ 4) / 5 &* 5 &- 5
    montgomerySelectIFMA(
      pair: number, first: first, second: second, exponentCount: exponentCount, position: position, table: table,
      registerCount: registerCount)
    while position > 0 {
      position &-= 5
      for _ in 0..<5 { multiply(number, number, number) }
      montgomerySelectIFMA(
        pair: room, first: first, second: second, exponentCount: exponentCount, position: position, table: table,
        registerCount: registerCount)
      multiply(number, number, room)
    }
  }

  @inline(__always)
  private var digitMask: UInt64 { 0xf_ffff_ffff_ffff }

  /// Five bits of an exponent from `position` on.
  @inline(__always)
  private func window(_ exponent: UnsafePointer<UInt64>, _ count: Int, _ position: Int) -> Int64 {
    let limb = position &>> 6
    let shift = UInt64(truncatingIfNeeded: position & 63)
    var bits = exponent[limb] &>> shift
    if limb &+ 1 < count { bits |= (exponent[limb &+ 1] &<< 1) &<< (63 &- shift) }
    return Int64(truncatingIfNeeded: bits & 31)
  }

  /// Stores the entries of a table that the windows of two exponents choose, as a pair. Every entry is read.
  ///
  /// `package`, because the compiler makes weak code of a private function out of line, which a linker could take for
  /// the whole program (`.ci/check-kernel-symbols`).
  @inline(never)
  package func montgomerySelectIFMA(
    pair: UnsafeMutableRawPointer, first: UnsafePointer<UInt64>, second: UnsafePointer<UInt64>, exponentCount: Int,
    position: Int, table: UnsafeRawPointer, registerCount: Int
  ) {
    let first = window(first, exponentCount, position)
    let second = window(second, exponentCount, position)
    switch registerCount {
    case 5: selected(first, second, table, Five.self).store(to: pair)
    case 8: selected(first, second, table, Eight.self).store(to: pair)
    default: selected(first, second, table, Ten.self).store(to: pair)
    }
  }

  @inline(__always)
  private func selected<Digits: Registers>(
    _ first: Int64, _ second: Int64, _ table: UnsafeRawPointer, _: Digits.Type
  ) -> Digits {
    let windows = Vector(first, first, first, first, second, second, second, second)
    var result = Digits.zero
    for index in 0..<32 {
      // Negative exactly where the two are the same, since both are below 32.
      let difference = _mm512_xor_si512(windows, Vector(repeating: Int64(truncatingIfNeeded: index)))
      let mask = _mm512_srai_epi64(_mm512_sub_epi64(difference, Vector(repeating: 1)), 63)
      result.add(Digits(table + index &* 64 &* Digits.count), mask)
    }
    return result
  }

  // MARK: - Products

  /// One product, digit by digit of b: sum ← (sum + a · bᵢ) / 2⁵² mod n.
  ///
  /// The lowest digit q of the sum is taken off, and q · 2⁻⁵² mod n added to the quotient: no product with
  /// −n⁻¹ stands between a digit and the next. What remains is below 2⁵² n + a. The last digit is made zero by
  /// Montgomery's multiple of n instead, which leaves less than 2n + a (bᵢ + 1) / 2⁵² < 3n, since the last digit
  /// bᵢ is a small one.
  private struct Product<Digits: Registers, Lanes: Layout> {
    /// The products of n so far; those of a as well, where there are too few registers for a second sum.
    var sum = Digits.zero
    /// The products of a so far: two sums that don't wait for each other.
    private var other = Digits.zero
    private let a: Digits
    /// 2⁻⁵² mod n.
    private let inverse: Digits
    private let lowestLanes: UInt8
    private let lanesBelowTop: UInt8
    /// bᵢ, and the digit that was taken off before: their upper halves belong to the next digit.
    private var digit: Vector
    private var quotient = Vector(repeating: 0)

    @inline(__always)
    private static var isSplit: Bool { Digits.count < 10 }

    @inline(__always)
    init(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ modulus: UnsafeRawPointer) {
      let byteCount = 64 &* Digits.count
      self.a = Digits(a)
      inverse = Digits(modulus + byteCount)
      lowestLanes = modulus.load(fromByteOffset: 3 &* byteCount &+ 64, as: UInt8.self)
      lanesBelowTop = modulus.load(fromByteOffset: 3 &* byteCount &+ 65, as: UInt8.self)
      digit = Lanes.digit(b, lane: 0)
      sum.addLow(self.a, digit)
      for row in 1..<Digits.count { step(Lanes.digit(b + 64 &* row, lane: 0)) }
      for lane in 1..<Lanes.count {
        for row in 0..<Digits.count { step(Lanes.digit(b + 64 &* row, lane: lane)) }
      }
      finish(modulus)
    }

    /// Goes on to the digit `next`.
    @inline(__always)
    private mutating func step(_ next: Vector) {
      let lowest = sum.first
      var carry = _mm512_maskz_srli_epi64(lowestLanes, lowest, 52)
      let taken = Lanes.lowest(lowest)
      sum.moveDown(above(lowest))
      if Self.isSplit {
        other.moveDown(Vector(repeating: 0))
        other.addHigh(a, digit)
        other.addLow(a, next)
        carry = _mm512_add_epi64(carry, other.first)
      } else {
        sum.addHigh(a, digit)
        sum.addLow(a, next)
      }
      sum.addHigh(inverse, quotient)
      sum.addLow(inverse, taken)
      sum.first = _mm512_add_epi64(sum.first, carry)
      quotient = taken
      digit = next
    }

    /// The last digit, and carries.
    @inline(__always)
    private mutating func finish(_ modulus: UnsafeRawPointer) {
      let n = Digits(modulus)
      let factor = modulus.loadUnaligned(fromByteOffset: 3 &* 64 &* Digits.count, as: Vector.self)
      let multiple = _mm512_madd52lo_epu64(Vector(repeating: 0), Lanes.lowest(sum.first), factor)
      sum.addLow(n, multiple)
      let lowest = sum.first
      sum.moveDown(above(lowest))
      if Self.isSplit {
        other.moveDown(Vector(repeating: 0))
        sum.add(other)
      }
      sum.first = _mm512_add_epi64(sum.first, _mm512_maskz_srli_epi64(lowestLanes, lowest, 52))
      sum.addHigh(a, digit)
      sum.addHigh(inverse, quotient)
      sum.addHigh(n, multiple)
      // Lane by lane: what is carried out of a lane is far below 2⁵² at first, and 0 or 1 then.
      var carry = sum.carry(Vector(repeating: 0))
      carry = sum.carry(below(carry))
      // A lane full of ones hands a carry on. As a sum of bits: carries into lanes, added to the lanes that hand on,
      // change exactly those that get one. No number has a carry out of its highest lane.
      let ones = _mm512_add_epi64(sum.conjunction, Vector(repeating: 1))
      let carrying = _mm512_test_epi64_mask(carry, Vector(repeating: 1)) &<< 1
      let handingOn = _mm512_test_epi64_mask(ones, Vector(repeating: 1 &<< 52))
      _ = sum.carry(_mm512_maskz_mov_epi64((carrying &+ handingOn) ^ handingOn, Vector(repeating: 1)))
    }

    /// The lowest digits of each lane, one lane down: the highest of a vector's neighbour.
    @inline(__always)
    private func above(_ x: Vector) -> Vector {
      _mm512_maskz_permutexvar_epi64(lanesBelowTop, Vector(1, 2, 3, 4, 5, 6, 7, 0), x)
    }

    /// What was carried out of each lane, one lane up.
    @inline(__always)
    private func below(_ x: Vector) -> Vector {
      _mm512_maskz_permutexvar_epi64(~lowestLanes, Vector(7, 0, 1, 2, 3, 4, 5, 6), x)
    }
  }

  // MARK: - Vectors

  /// Where numbers are in the lanes of their vectors.
  private protocol Layout {
    /// Lanes of a number.
    static var count: Int { get }
    /// The lowest digit of each number in all of its lanes.
    static func lowest(_ x: Vector) -> Vector
    /// One digit of each number in all of its lanes.
    static func digit(_ vector: UnsafeRawPointer, lane: Int) -> Vector
  }

  /// One number in eight lanes.
  private enum Single: Layout {
    @inline(__always)
    static var count: Int { 8 }

    @inline(__always)
    static func lowest(_ x: Vector) -> Vector { Vector(repeating: x[0]) }

    @inline(__always)
    static func digit(_ vector: UnsafeRawPointer, lane: Int) -> Vector {
      Vector(repeating: vector.loadUnaligned(fromByteOffset: 8 &* lane, as: Int64.self))
    }
  }

  /// Two numbers in four lanes each.
  private enum Pair: Layout {
    @inline(__always)
    static var count: Int { 4 }

    @inline(__always)
    static func lowest(_ x: Vector) -> Vector { Vector(x[0], x[0], x[0], x[0], x[4], x[4], x[4], x[4]) }

    @inline(__always)
    static func digit(_ vector: UnsafeRawPointer, lane: Int) -> Vector {
      let first = vector.loadUnaligned(fromByteOffset: 8 &* lane, as: Int64.self)
      let second = vector.loadUnaligned(fromByteOffset: 8 &* lane &+ 32, as: Int64.self)
      return Vector(first, first, first, first, second, second, second, second)
    }
  }

  /// The vectors of a number, the lowest first. Recursive, so that all of them are registers and no loop is left.
  private protocol Registers {
    static var count: Int { get }
    static var zero: Self { get }
    init(_ memory: UnsafeRawPointer)
    func store(to memory: UnsafeMutableRawPointer)
    var first: Vector { get set }
    /// Adds another number, lane by lane.
    mutating func add(_ other: Self)
    /// Adds another number where `mask` has ones.
    mutating func add(_ other: Self, _ mask: Vector)
    /// Adds the lower 52 bits of each product with `factor`.
    mutating func addLow(_ other: Self, _ factor: Vector)
    /// Adds the upper 52 bits of each product with `factor`.
    mutating func addHigh(_ other: Self, _ factor: Vector)
    /// Every vector becomes the next one, and the highest `top`.
    mutating func moveDown(_ top: Vector)
    /// Adds to the lowest vector, and leaves digits of 52 bits.
    /// - Returns: what is carried out of each lane.
    mutating func carry(_ carry: Vector) -> Vector
    /// The digits that a lane has in common: 2⁵² − 1 when it is full of ones.
    var conjunction: Vector { get }
  }

  private struct One: Registers {
    var first: Vector

    @inline(__always)
    static var count: Int { 1 }

    @inline(__always)
    static var zero: One { One(first: Vector(repeating: 0)) }

    @inline(__always)
    init(first: Vector) { self.first = first }

    @inline(__always)
    init(_ memory: UnsafeRawPointer) { first = memory.loadUnaligned(as: Vector.self) }

    @inline(__always)
    func store(to memory: UnsafeMutableRawPointer) { memory.storeBytes(of: first, as: Vector.self) }

    @inline(__always)
    mutating func add(_ other: One) { first = _mm512_add_epi64(first, other.first) }

    @inline(__always)
    mutating func add(_ other: One, _ mask: Vector) {
      first = _mm512_or_si512(first, _mm512_and_si512(other.first, mask))
    }

    @inline(__always)
    mutating func addLow(_ other: One, _ factor: Vector) { first = _mm512_madd52lo_epu64(first, other.first, factor) }

    @inline(__always)
    mutating func addHigh(_ other: One, _ factor: Vector) { first = _mm512_madd52hi_epu64(first, other.first, factor) }

    @inline(__always)
    mutating func moveDown(_ top: Vector) { first = top }

    @inline(__always)
    mutating func carry(_ carry: Vector) -> Vector {
      let sum = _mm512_add_epi64(first, carry)
      first = _mm512_and_si512(sum, Vector(repeating: Int64(truncatingIfNeeded: digitMask)))
      return _mm512_srli_epi64(sum, 52)
    }

    @inline(__always)
    var conjunction: Vector { first }
  }

  private struct Joined<Low: Registers, High: Registers>: Registers {
    private var low: Low
    private var high: High

    @inline(__always)
    static var count: Int { Low.count &+ High.count }

    @inline(__always)
    static var zero: Joined { Joined(low: .zero, high: .zero) }

    @inline(__always)
    private init(low: Low, high: High) {
      self.low = low
      self.high = high
    }

    @inline(__always)
    init(_ memory: UnsafeRawPointer) {
      low = Low(memory)
      high = High(memory + 64 &* Low.count)
    }

    @inline(__always)
    func store(to memory: UnsafeMutableRawPointer) {
      low.store(to: memory)
      high.store(to: memory + 64 &* Low.count)
    }

    @inline(__always)
    var first: Vector {
      get { low.first }
      set { low.first = newValue }
    }

    @inline(__always)
    mutating func add(_ other: Joined) {
      low.add(other.low)
      high.add(other.high)
    }

    @inline(__always)
    mutating func add(_ other: Joined, _ mask: Vector) {
      low.add(other.low, mask)
      high.add(other.high, mask)
    }

    @inline(__always)
    mutating func addLow(_ other: Joined, _ factor: Vector) {
      low.addLow(other.low, factor)
      high.addLow(other.high, factor)
    }

    @inline(__always)
    mutating func addHigh(_ other: Joined, _ factor: Vector) {
      low.addHigh(other.low, factor)
      high.addHigh(other.high, factor)
    }

    @inline(__always)
    mutating func moveDown(_ top: Vector) {
      low.moveDown(high.first)
      high.moveDown(top)
    }

    @inline(__always)
    mutating func carry(_ carry: Vector) -> Vector { high.carry(low.carry(carry)) }

    @inline(__always)
    var conjunction: Vector { _mm512_and_si512(low.conjunction, high.conjunction) }
  }

  private typealias Two = Joined<One, One>
  private typealias Four = Joined<Two, Two>
  private typealias Five = Joined<Two, Joined<Two, One>>
  private typealias Eight = Joined<Four, Four>
  private typealias Ten = Joined<Five, Five>
#endif
