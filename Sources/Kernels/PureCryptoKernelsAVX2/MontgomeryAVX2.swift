#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  // Products mod a long odd n with AVX2 alone, in digits of 29 bits that VPMULUDQ multiplies, four at a time. For all
  // of RSA, where there is nothing better.
  //
  // A number is `registerCount` vectors of four lanes, digit j + registerCount · l in lane l of vector j: the next
  // digit is in the next vector, and a division by B = 2²⁹ renames vectors and moves one. R = B^digits, and numbers
  // are below 3n on the way in and out, where n < R / 16. Lanes beyond the digits are zero then.
  //
  // Digits are below 2²⁹ + 2⁷, not below 2²⁹: carries that run through a number are left to the end of a
  // power. A product of two digits is below 2⁵⁸ + 2³⁷, so 64 bits hold the sum of 63 and a carry below 2³⁶.
  // Each digit of b adds three to a place at most: one of n, and of a one, or in a square, where two digits
  // are multiplied once for both orders, one that is doubled. So what is beyond 29 bits is carried on after
  // every `blockCount` = 18 digits: 54 products, three in the highest place, which keeps what it has, and one
  // that makes the last digit zero.
  //
  // All types of this file are private to it: see GCMVAES.swift.

  private typealias Vector = SIMD4<Int64>

  /// The digits of a number, a multiple of 18: 36, 54, 72, 108 and 144 for 9, 14, 18, 28 and 36 registers, which is
  /// 1044, 1566, 2088, 3132 and 4176 bits.
  package func montgomeryDigitCountAVX2(registerCount: Int) -> Int {
    blockCount &* blockNumber(registerCount)
  }

  /// Room for a modulus: n, 2⁻²⁹ mod n and R² mod n, then −n⁻¹ mod 2²⁹ in every lane, then
  /// zeros and a mask of the lowest lane.
  ///
  /// The zeros come from memory and are added to factors: where the optimiser knows that a factor has 32 bits it drops
  /// the mask that says so, forgets why, and multiplies 64 bits by 64.
  package func montgomeryModulusByteCountAVX2(registerCount: Int) -> Int { 3 &* 32 &* registerCount &+ 96 }

  /// Completes a modulus whose first two numbers and whose −n⁻¹ are there, but for R² mod n.
  package func montgomeryPrepareAVX2(modulus: UnsafeMutableRawPointer, registerCount: Int) {
    store(Vector(repeating: 0), modulus, 3 &* registerCount &+ 1)
    store(Vector(-1, 0, 0, 0), modulus, 3 &* registerCount &+ 2)
  }

  /// Room for a product: its sum, and a vector more.
  package func montgomeryRoomByteCountAVX2(registerCount: Int) -> Int { 32 &* registerCount &+ 32 }

  /// Cuts an integer into digits.
  /// - Parameter limbs: `count` limbs; below R.
  ///
  /// Timing: depends on the counts only.
  package func montgomeryCutAVX2(
    limbs: UnsafePointer<UInt64>, count: Int, digits: UnsafeMutableRawPointer, registerCount: Int
  ) {
    var position = 0
    for lane in 0..<4 {
      for row in 0..<registerCount {
        let limb = position &>> 6
        let shift = UInt64(truncatingIfNeeded: position & 63)
        var digit = limb < count ? limbs[limb] &>> shift : 0
        // Two shifts, because shifting by 64 is undefined here.
        if limb &+ 1 < count { digit |= (limbs[limb &+ 1] &<< 1) &<< (63 &- shift) }
        digits.storeBytes(of: digit & digitMask, toByteOffset: 32 &* row &+ 8 &* lane, as: UInt64.self)
        position &+= 29
      }
    }
  }

  /// Joins digits to an integer of `count` limbs; what is beyond them is left out.
  ///
  /// Timing: depends on the counts only.
  package func montgomeryJoinAVX2(
    digits: UnsafeRawPointer, registerCount: Int, limbs: UnsafeMutablePointer<UInt64>, count: Int
  ) {
    for limb in 0..<count { limbs[limb] = 0 }
    var position = 0
    var carry: UInt64 = 0
    for lane in 0..<4 {
      for row in 0..<registerCount {
        let sum = carry &+ digits.loadUnaligned(fromByteOffset: 32 &* row &+ 8 &* lane, as: UInt64.self)
        let digit = sum & digitMask
        carry = sum &>> 29
        let limb = position &>> 6
        let shift = UInt64(truncatingIfNeeded: position & 63)
        if limb < count { limbs[limb] |= digit &<< shift }
        if limb &+ 1 < count { limbs[limb &+ 1] |= (digit &>> 1) &>> (63 &- shift) }
        position &+= 29
      }
    }
  }

  /// product ← a · b · R⁻¹ mod n, below 3n.
  /// - Parameter product: may be a or b.
  /// - Parameter room: `montgomeryRoomByteCountAVX2` bytes, which hold secrets afterwards.
  /// - Parameter registerCount: 9, 14, 18, 28 or 36.
  ///
  /// The processor must have AVX2.
  ///
  /// Timing: depends on `registerCount`.
  @inline(never)
  package func montgomeryProductAVX2(
    product: UnsafeMutableRawPointer, a: UnsafeRawPointer, b: UnsafeRawPointer, modulus: UnsafeRawPointer,
    room: UnsafeMutableRawPointer, registerCount: Int
  ) {
    if registerCount == 9 {
      montgomeryShortProductAVX2(product: product, a: a, b: b, modulus: modulus)
    } else {
      montgomeryLongProductAVX2(
        product: product, a: a, b: b, modulus: modulus, room: room, registerCount: registerCount)
    }
  }

  /// number ← number², and so on, `times` times, each with R⁻¹. The rest as for a product.
  @inline(never)
  package func montgomerySquareAVX2(
    number: UnsafeMutableRawPointer, times: Int, modulus: UnsafeRawPointer, room: UnsafeMutableRawPointer,
    registerCount: Int
  ) {
    for _ in 0..<times {
      if registerCount == 9 {
        montgomeryShortSquareAVX2(number: number, modulus: modulus)
      } else {
        montgomeryLongSquareAVX2(number: number, modulus: modulus, room: room, registerCount: registerCount)
      }
    }
  }

  /// Room for a power: that of a product, a factor and a table of 32 numbers.
  package func montgomeryPowerByteCountAVX2(registerCount: Int) -> Int {
    montgomeryRoomByteCountAVX2(registerCount: registerCount) &+ 33 &* 32 &* registerCount
  }

  /// number ← number^exponent, in Montgomery form before and after. Number and exponent are secret.
  /// - Parameter exponent: `exponentCount` limbs.
  /// - Parameter room: `montgomeryPowerByteCountAVX2` bytes, which hold secrets afterwards.
  /// - Parameter registerCount: 9, 14 or 18.
  ///
  /// From the highest window of five bits down: five squarings, then a multiplication by a power from a table; every
  /// entry of it is read.
  ///
  /// The processor must have AVX2.
  ///
  /// Timing: depends on `registerCount` and `exponentCount`.
  package func montgomeryPowerAVX2(
    number: UnsafeMutableRawPointer, exponent: UnsafePointer<UInt64>, exponentCount: Int, modulus: UnsafeRawPointer,
    room: UnsafeMutableRawPointer, registerCount: Int
  ) {
    let byteCount = 32 &* registerCount
    let factor = room + montgomeryRoomByteCountAVX2(registerCount: registerCount)
    let table = factor + byteCount
    func multiply(_ product: UnsafeMutableRawPointer, _ a: UnsafeRawPointer, _ b: UnsafeRawPointer) {
      montgomeryProductAVX2(
        product: product, a: a, b: b, modulus: modulus, room: room, registerCount: registerCount)
    }
    // a⁰ = R = R² · 1 · R⁻¹, a¹, and so on.
    table.storeBytes(of: Vector(1, 0, 0, 0), as: Vector.self)
    for row in 1..<registerCount {
      table.storeBytes(of: Vector(repeating: 0), toByteOffset: 32 &* row, as: Vector.self)
    }
    multiply(table, modulus + 2 &* byteCount, table)
    (table + byteCount).copyMemory(from: number, byteCount: byteCount)
    for index in 2..<32 {
      let entry = table + index &* byteCount
      multiply(entry, entry - byteCount, number)
    }
    var position = (64 &* exponentCount &+ 4) / 5 &* 5 &- 5
    montgomerySelectAVX2(
      number: number, exponent: exponent, exponentCount: exponentCount, position: position, table: table,
      registerCount: registerCount)
    while position > 0 {
      position &-= 5
      montgomerySquareAVX2(number: number, times: 5, modulus: modulus, room: room, registerCount: registerCount)
      montgomerySelectAVX2(
        number: factor, exponent: exponent, exponentCount: exponentCount, position: position, table: table,
        registerCount: registerCount)
      multiply(number, number, factor)
    }
  }

  /// Stores the entry of a table that five bits of an exponent from `position` on choose. Every entry is read.
  ///
  /// `package`, as the products below, because the compiler makes weak code of a private function out of line, which a
  /// linker could take for the whole program (`.ci/check-kernel-symbols`).
  @inline(never)
  package func montgomerySelectAVX2(
    number: UnsafeMutableRawPointer, exponent: UnsafePointer<UInt64>, exponentCount: Int, position: Int,
    table: UnsafeRawPointer, registerCount: Int
  ) {
    let limb = position &>> 6
    let shift = UInt64(truncatingIfNeeded: position & 63)
    var bits = exponent[limb] &>> shift
    if limb &+ 1 < exponentCount { bits |= (exponent[limb &+ 1] &<< 1) &<< (63 &- shift) }
    let window = Vector(repeating: Int64(truncatingIfNeeded: bits & 31))
    let byteCount = 32 &* registerCount
    if registerCount == 14 {
      selected(window, table, byteCount, Seven.self).store(to: number)
      selected(window, table + 224, byteCount, Seven.self).store(to: number + 224)
    } else {
      selected(window, table, byteCount, Nine.self).store(to: number)
      if registerCount == 18 { selected(window, table + 288, byteCount, Nine.self).store(to: number + 288) }
    }
  }

  /// A run of vectors of the entry that the window names.
  @inline(__always)
  private func selected<Digits: Registers>(
    _ window: Vector, _ table: UnsafeRawPointer, _ byteCount: Int, _: Digits.Type
  ) -> Digits {
    var result = Digits.zero
    for index in 0..<32 {
      let mask = _mm256_cmpeq_epi64(window, Vector(repeating: Int64(truncatingIfNeeded: index)))
      result.add(table + index &* byteCount, under: mask)
    }
    return result
  }

  // MARK: - Steps

  @inline(__always)
  private var digitMask: UInt64 { 0x1fff_ffff }

  @inline(__always)
  private var mask: Vector { Vector(repeating: 0x1fff_ffff) }

  /// The highest place of a sum keeps what it would carry: there is nothing above it.
  @inline(__always)
  private var highestMask: Vector { Vector(0x1fff_ffff, 0x1fff_ffff, 0x1fff_ffff, -1) }

  /// The digits between two carries.
  @inline(__always)
  private var blockCount: Int { 18 }

  /// How many groups of that many digits a number has.
  @inline(__always)
  private func blockNumber(_ registerCount: Int) -> Int { 4 &* registerCount / blockCount }

  /// The lowest digits of each lane, one lane down: the highest of a vector's neighbour.
  @inline(__always)
  private func above(_ x: Vector) -> Vector { Vector(x[1], x[2], x[3], 0) }

  /// What is carried out of each lane, one lane up.
  @inline(__always)
  private func below(_ x: Vector) -> Vector { Vector(0, x[0], x[1], x[2]) }

  /// The lowest digit of a number, in every lane.
  @inline(__always)
  private func lowestDigit(_ x: Vector) -> Vector { _mm256_and_si256(Vector(repeating: x[0]), mask) }

  /// What the lowest place carries, in its lane. The mask comes from memory, because a constant one becomes a move
  /// that valgrind can't decode.
  @inline(__always)
  private func lowestCarry(_ x: Vector, _ lowestLane: Vector) -> Vector {
    _mm256_and_si256(_mm256_srli_epi64(x, 29), lowestLane)
  }

  @inline(__always)
  private func plus(_ x: Vector, _ y: Vector) -> Vector { _mm256_add_epi64(x, y) }

  @inline(__always)
  private func times(_ x: Vector, _ y: Vector) -> Vector { _mm256_mul_epu32(x, y) }

  @inline(__always)
  private func load(_ memory: UnsafeRawPointer, _ row: Int) -> Vector {
    memory.loadUnaligned(fromByteOffset: 32 &* row, as: Vector.self)
  }

  @inline(__always)
  private func store(_ x: Vector, _ memory: UnsafeMutableRawPointer, _ row: Int) {
    memory.storeBytes(of: x, toByteOffset: 32 &* row, as: Vector.self)
  }

  @inline(__always)
  private func digit(_ b: UnsafeRawPointer, row: Int, lane: Int) -> Vector {
    Vector(repeating: b.loadUnaligned(fromByteOffset: 32 &* row &+ 8 &* lane, as: Int64.self))
  }

  /// The multiple of n that makes the lowest digit zero.
  @inline(__always)
  private func multiple(_ x: Vector, _ modulus: UnsafeRawPointer, _ registerCount: Int) -> Vector {
    _mm256_and_si256(times(lowestDigit(x), load(modulus, 3 &* registerCount)), mask)
  }

  // MARK: - Nine registers

  /// A product whose sum stays in registers. As `montgomeryProductAVX2`.
  @inline(never)
  package func montgomeryShortProductAVX2(
    product: UnsafeMutableRawPointer, a: UnsafeRawPointer, b: UnsafeRawPointer, modulus: UnsafeRawPointer
  ) {
    shortProduct(a, b, modulus, isSquare: false).store(to: product)
  }

  /// A square whose sum stays in registers. As `montgomeryProductAVX2`.
  @inline(never)
  package func montgomeryShortSquareAVX2(number: UnsafeMutableRawPointer, modulus: UnsafeRawPointer) {
    shortProduct(number, number, modulus, isSquare: true).store(to: number)
  }

  /// One product, digit by digit of b: sum ← sum / B + a · bᵢ mod n.
  ///
  /// The lowest digit q of the sum is taken off, and q · 2⁻²⁹ mod n added to the quotient: no product with
  /// −n⁻¹ stands between a digit and the next. That adds less than B n; the divisions that follow leave
  /// of it less than n of the last q, n / B of the one before, and so on. At the end the lowest digit is
  /// made zero by Montgomery's multiple of n instead, which adds less than n to the quotient. With a · b /
  /// R < 9n / 16 that is less than 3n.
  ///
  /// In a square, a digit in row r is multiplied by its own row, and twice by the rows beyond: the rows below have
  /// done the same to it. Neither digit of a product is above the product's place, so a place is complete before it
  /// is taken off.
  @inline(__always)
  private func shortProduct(
    _ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ modulus: UnsafeRawPointer, isSquare: Bool
  ) -> Nine {
    let inverse = modulus + 32 &* Nine.count
    let lowestLane = load(modulus, 3 &* Nine.count &+ 2)
    var sum = Nine.zero

    @inline(__always)
    func step(_ row: Int, _ lane: Int) {
      let factor = digit(b, row: row, lane: lane)
      let lowest = sum.first
      let taken = lowestDigit(lowest)
      sum.moveDown(above(lowest))
      if isSquare {
        sum.addSquare(a, factor, plus(factor, factor), row: row)
      } else {
        sum.add(a, factor)
      }
      sum.first = plus(sum.first, lowestCarry(lowest, lowestLane))
      sum.add(inverse, taken)
    }

    for lane in 0..<4 {
      step(0, lane)
      step(1, lane)
      step(2, lane)
      step(3, lane)
      step(4, lane)
      step(5, lane)
      step(6, lane)
      step(7, lane)
      step(8, lane)
      if lane == 1 { sum.carry() }
    }
    sum.add(modulus, multiple(sum.first, modulus, Nine.count))
    let lowest = sum.first
    sum.moveDown(above(lowest))
    sum.first = plus(sum.first, lowestCarry(lowest, lowestLane))
    // A place carries less than 2³⁵ at first, which leaves less than 2²⁹ + 2³⁵, then less than 2⁷.
    sum.carry()
    sum.carry()
    return sum
  }

  // MARK: - Longer numbers

  /// A product whose sum is in memory. As `montgomeryProductAVX2`.
  @inline(never)
  package func montgomeryLongProductAVX2(
    product: UnsafeMutableRawPointer, a: UnsafeRawPointer, b: UnsafeRawPointer, modulus: UnsafeRawPointer,
    room: UnsafeMutableRawPointer, registerCount: Int
  ) {
    longProduct(a, b, modulus, room, registerCount, isSquare: false)
    product.copyMemory(from: room, byteCount: 32 &* registerCount)
  }

  /// A square whose sum is in memory. As `montgomeryProductAVX2`.
  @inline(never)
  package func montgomeryLongSquareAVX2(
    number: UnsafeMutableRawPointer, modulus: UnsafeRawPointer, room: UnsafeMutableRawPointer, registerCount: Int
  ) {
    longProduct(number, number, modulus, room, registerCount, isSquare: true)
    number.copyMemory(from: room, byteCount: 32 &* registerCount)
  }

  /// As `shortProduct`, two digits at a time, so that each vector of the sum is read and written for four products.
  /// - Parameter count: the number of registers. Even, so that both digits have the same lane.
  @inline(__always)
  private func longProduct(
    _ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ modulus: UnsafeRawPointer, _ sum: UnsafeMutableRawPointer,
    _ count: Int, isSquare: Bool
  ) {
    let inverse = modulus + 32 &* count
    let zeros = load(modulus, 3 &* count &+ 1)
    let lowestLane = load(modulus, 3 &* count &+ 2)
    for row in 0...count { store(Vector(repeating: 0), sum, row) }
    var row = 0
    var lane = 0
    for _ in 0..<(blockNumber(count)) {
      for _ in 0..<(blockCount / 2) {
        let one = plus(digit(b, row: row, lane: lane), zeros)
        let other = plus(digit(b, row: row &+ 1, lane: lane), zeros)
        let lowest = load(sum, 0)
        let taken = plus(lowestDigit(lowest), zeros)
        // The highest vector of the first quotient, but for its products, and the lowest one.
        store(above(lowest), sum, count)
        var middle = plus(plus(load(sum, 1), lowestCarry(lowest, lowestLane)), times(load(inverse, 0), taken))
        if !isSquare || row == 0 { middle = plus(middle, times(load(a, 0), one)) }
        let step = Step(
          sum: sum, inverse: inverse, a: a, taken: taken, takenNext: plus(lowestDigit(middle), zeros))
        var highest = plus(above(middle), times(load(inverse, count &- 1), step.takenNext))
        if isSquare {
          // A digit is multiplied with its own row, and twice with the rows beyond.
          let double = plus(one, one)
          let otherDouble = plus(other, other)
          step.divide(0..<max(0, row &- 1), nil, nil)
          if row > 0 { step.divide((row &- 1)..<row, one, nil) }
          step.divide(row..<(row &+ 1), double, nil)
          if row &+ 2 < count {
            step.divide((row &+ 1)..<(row &+ 2), double, other)
            step.divide((row &+ 2)..<(count &- 1), double, otherDouble)
            highest = plus(highest, times(load(a, count &- 1), otherDouble))
          } else {
            highest = plus(highest, times(load(a, count &- 1), other))
          }
        } else {
          step.divide(0..<(count &- 1), one, other)
          highest = plus(highest, times(load(a, count &- 1), other))
        }
        store(plus(load(sum, 0), lowestCarry(middle, lowestLane)), sum, 0)
        store(highest, sum, count &- 1)
        row &+= 2
        if row == count {
          row = 0
          lane &+= 1
        }
      }
      carry(sum, count)
    }
    let lowest = load(sum, 0)
    let multiple = multiple(lowest, modulus, count)
    let zeroed = plus(lowest, times(load(modulus, 0), multiple))
    for row in 0..<(count &- 1) {
      store(plus(load(sum, row &+ 1), times(load(modulus, row &+ 1), multiple)), sum, row)
    }
    store(above(zeroed), sum, count &- 1)
    store(plus(load(sum, 0), lowestCarry(zeroed, lowestLane)), sum, 0)
    carry(sum, count)
    carry(sum, count)
  }

  /// What is beyond 29 bits of each place of a sum in memory goes to the next place.
  @inline(__always)
  private func carry(_ sum: UnsafeMutableRawPointer, _ count: Int) {
    let highest = load(sum, count &- 1)
    var carried = below(_mm256_srli_epi64(highest, 29))
    for row in 0..<(count &- 1) {
      let x = load(sum, row)
      store(plus(_mm256_and_si256(x, mask), carried), sum, row)
      carried = _mm256_srli_epi64(x, 29)
    }
    store(plus(_mm256_and_si256(highest, highestMask), carried), sum, count &- 1)
  }

  /// Two digits that are taken off.
  private struct Step {
    let sum: UnsafeMutableRawPointer
    let inverse: UnsafeRawPointer
    let a: UnsafeRawPointer
    let taken: Vector
    let takenNext: Vector

    /// sum ← sum / B² in some vectors, with the products of n, and those of a where there is a factor.
    @inline(__always)
    func divide(_ rows: Range<Int>, _ factor: Vector?, _ nextFactor: Vector?) {
      var row = rows.lowerBound
      while row < rows.upperBound {
        var x = plus(load(sum, row &+ 2), times(load(inverse, row &+ 1), taken))
        var y = times(load(inverse, row), takenNext)
        if let factor { x = plus(x, times(load(a, row &+ 1), factor)) }
        if let nextFactor { y = plus(y, times(load(a, row), nextFactor)) }
        store(plus(x, y), sum, row)
        row &+= 1
      }
    }
  }

  // MARK: - Vectors

  /// A run of vectors, the lowest first. Recursive, so that all of them are registers and no loop is left.
  private protocol Registers {
    static var count: Int { get }
    static var zero: Self { get }
    func store(to memory: UnsafeMutableRawPointer)
    var first: Vector { get set }
    /// Adds the products of the digits of a number in memory and `factor`.
    mutating func add(_ memory: UnsafeRawPointer, _ factor: Vector)
    /// Adds the products of a row and `factor`, and those of the rows beyond and `double`.
    mutating func addSquare(_ memory: UnsafeRawPointer, _ factor: Vector, _ double: Vector, row: Int)
    /// Adds what is in memory where `mask` has ones; there is nothing else there.
    mutating func add(_ memory: UnsafeRawPointer, under mask: Vector)
    /// Every vector becomes the next one, and the highest `top`.
    mutating func moveDown(_ top: Vector)
    /// Every vector keeps `kept` of each place, the highest `keptOfHighest`, and adds what the one below carries; the
    /// lowest adds `carry`.
    /// - Returns: what is carried out of each lane.
    mutating func carry(_ carry: Vector, _ kept: Vector, _ keptOfHighest: Vector) -> Vector
  }

  extension Registers {
    /// What is beyond 29 bits of each place goes to the next place.
    @inline(__always)
    fileprivate mutating func carry() {
      let carried = carry(Vector(repeating: 0), mask, highestMask)
      first = plus(first, below(carried))
    }
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
    func store(to memory: UnsafeMutableRawPointer) { memory.storeBytes(of: first, as: Vector.self) }

    @inline(__always)
    mutating func add(_ memory: UnsafeRawPointer, _ factor: Vector) {
      first = plus(first, times(load(memory, 0), factor))
    }

    @inline(__always)
    mutating func addSquare(_ memory: UnsafeRawPointer, _ factor: Vector, _ double: Vector, row: Int) {
      if row <= 0 { add(memory, row == 0 ? factor : double) }
    }

    @inline(__always)
    mutating func add(_ memory: UnsafeRawPointer, under mask: Vector) {
      first = _mm256_or_si256(first, _mm256_and_si256(load(memory, 0), mask))
    }

    @inline(__always)
    mutating func moveDown(_ top: Vector) { first = top }

    @inline(__always)
    mutating func carry(_ carry: Vector, _: Vector, _ keptOfHighest: Vector) -> Vector {
      let high = _mm256_srli_epi64(first, 29)
      first = plus(_mm256_and_si256(first, keptOfHighest), carry)
      return high
    }
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
    func store(to memory: UnsafeMutableRawPointer) {
      low.store(to: memory)
      high.store(to: memory + 32 &* Low.count)
    }

    @inline(__always)
    var first: Vector {
      get { low.first }
      set { low.first = newValue }
    }

    @inline(__always)
    mutating func add(_ memory: UnsafeRawPointer, _ factor: Vector) {
      low.add(memory, factor)
      high.add(memory + 32 &* Low.count, factor)
    }

    @inline(__always)
    mutating func addSquare(_ memory: UnsafeRawPointer, _ factor: Vector, _ double: Vector, row: Int) {
      low.addSquare(memory, factor, double, row: row)
      high.addSquare(memory + 32 &* Low.count, factor, double, row: row &- Low.count)
    }

    @inline(__always)
    mutating func add(_ memory: UnsafeRawPointer, under mask: Vector) {
      low.add(memory, under: mask)
      high.add(memory + 32 &* Low.count, under: mask)
    }

    @inline(__always)
    mutating func moveDown(_ top: Vector) {
      low.moveDown(high.first)
      high.moveDown(top)
    }

    @inline(__always)
    mutating func carry(_ carry: Vector, _ kept: Vector, _ keptOfHighest: Vector) -> Vector {
      high.carry(low.carry(carry, kept, kept), kept, keptOfHighest)
    }
  }

  private typealias Two = Joined<One, One>
  private typealias Three = Joined<Two, One>
  private typealias Four = Joined<Two, Two>
  private typealias Seven = Joined<Four, Three>
  private typealias Nine = Joined<Seven, Two>
#endif
