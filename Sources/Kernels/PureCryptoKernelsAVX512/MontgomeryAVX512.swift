#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  // Products mod a long odd n without IFMA, in digits of 27 bits that VPMULUDQ multiplies, eight at a time. For RSA's
  // public power: of signatures, and of the values that blind a private one.
  //
  // A number is `registerCount` vectors of eight lanes, digit j + registerCount · l in lane l of vector j: the next
  // digit is in the next vector, and a division by B = 2²⁷ renames vectors and moves one. R = B^digits, and numbers
  // are below 3n on the way in and out, where n < R / 16.
  //
  // Digits are below 2²⁷ + 2¹⁰, not below 2²⁷: carries that run through a whole number are left to the end of
  // a power. A product of two digits is then below 2⁵⁴ + 2³⁹, and 64 bits hold the sum of a thousand.
  //
  // All types of this file are private to it: see GCMVAES.swift.

  private typealias Vector = SIMD8<Int64>

  /// The digits of a number: 76, 114 and 152 for 10, 15 and 19 registers, which is 2052, 3078 and 4104 bits. Lanes
  /// beyond them are zero.
  package func montgomeryDigitCountAVX512(registerCount: Int) -> Int {
    switch registerCount {
    case 10: 76
    case 15: 114
    default: 152
    }
  }

  /// Room for a modulus: n, 2⁻²⁷ mod n and R² mod n, then −n⁻¹ mod 2²⁷ in every lane, then two masks of
  /// lanes.
  ///
  /// The masks come from memory because the optimiser turns constant ones into shuffles.
  package func montgomeryModulusByteCountAVX512(registerCount: Int) -> Int { 3 &* 64 &* registerCount &+ 64 &+ 8 }

  /// Completes a modulus whose first two numbers and whose −n⁻¹ are there, but for R² mod n.
  package func montgomeryPrepareAVX512(modulus: UnsafeMutableRawPointer, registerCount: Int) {
    let masks = modulus + (3 &* 64 &* registerCount &+ 64)
    // The lowest lane of a number, and all but its highest.
    masks.storeBytes(of: 0b0000_0001, as: UInt8.self)
    masks.storeBytes(of: 0b0111_1111, toByteOffset: 1, as: UInt8.self)
  }

  /// Cuts an integer into digits.
  /// - Parameter limbs: `count` limbs; below R.
  package func montgomeryCutAVX512(
    limbs: UnsafePointer<UInt64>, count: Int, digits: UnsafeMutableRawPointer, registerCount: Int
  ) {
    var position = 0
    for lane in 0..<8 {
      for row in 0..<registerCount {
        let limb = position &>> 6
        let shift = UInt64(truncatingIfNeeded: position & 63)
        var digit = limb < count ? limbs[limb] &>> shift : 0
        // Two shifts, because shifting by 64 is undefined here.
        if limb &+ 1 < count { digit |= (limbs[limb &+ 1] &<< 1) &<< (63 &- shift) }
        digits.storeBytes(of: digit & digitMask, toByteOffset: 64 &* row &+ 8 &* lane, as: UInt64.self)
        position &+= digitBitCount
      }
    }
  }

  /// Joins digits to an integer of `count` limbs; what is beyond them is left out.
  package func montgomeryJoinAVX512(
    digits: UnsafeRawPointer, registerCount: Int, limbs: UnsafeMutablePointer<UInt64>, count: Int
  ) {
    for limb in 0..<count { limbs[limb] = 0 }
    var position = 0
    var carry: UInt64 = 0
    for lane in 0..<8 {
      for row in 0..<registerCount {
        let sum = carry &+ digits.loadUnaligned(fromByteOffset: 64 &* row &+ 8 &* lane, as: UInt64.self)
        let digit = sum & digitMask
        carry = sum &>> UInt64(digitBitCount)
        let limb = position &>> 6
        let shift = UInt64(truncatingIfNeeded: position & 63)
        if limb < count { limbs[limb] |= digit &<< shift }
        if limb &+ 1 < count { limbs[limb &+ 1] |= (digit &>> 1) &>> (63 &- shift) }
        position &+= digitBitCount
      }
    }
  }

  /// product ← a · b · R⁻¹ mod n, below 3n.
  /// - Parameter product: may be a or b.
  /// - Parameter registerCount: 10, 15 or 19.
  ///
  /// The processor must have AVX-512 F.
  ///
  /// Timing: depends on `registerCount`.
  @inline(never)
  package func montgomeryProductAVX512(
    product: UnsafeMutableRawPointer, a: UnsafeRawPointer, b: UnsafeRawPointer, modulus: UnsafeRawPointer,
    registerCount: Int
  ) {
    switch registerCount {
    case 10: multiplied(a, b, modulus, Ten.self).store(to: product)
    case 15: multiplied(a, b, modulus, Fifteen.self).store(to: product)
    default: multiplied(a, b, modulus, Nineteen.self).store(to: product)
    }
  }

  /// number ← number², and so on, `times` times, each with R⁻¹. The rest as for a product.
  package func montgomerySquareAVX512(
    number: UnsafeMutableRawPointer, times: Int, modulus: UnsafeRawPointer, registerCount: Int
  ) {
    for _ in 0..<times {
      montgomeryProductAVX512(product: number, a: number, b: number, modulus: modulus, registerCount: registerCount)
    }
  }

  @inline(__always)
  private var digitBitCount: Int { 27 }

  @inline(__always)
  private var digitMask: UInt64 { 0x7ff_ffff }

  /// One product, digit by digit of b: sum ← (sum + a · bᵢ) / B mod n.
  ///
  /// The lowest digit q of the sum is taken off, and q · 2⁻²⁷ mod n added to the quotient: no product with
  /// −n⁻¹ stands between a digit and the next. What remains is below B n + a (B + 1). The last digit is made zero
  /// by Montgomery's multiple of n instead, which leaves less than 2n + a (bᵢ + 1) / B < 3n, since the last digit
  /// bᵢ is below 3B / 16.
  ///
  /// A place of the sum gets two products of digits for each digit of b, at most 304 in all, which are below
  /// 2⁵⁴ + 2³⁹ each; together with a carry below 2³⁷ that is less than 2⁶³.
  @inline(__always)
  private func multiplied<Digits: Registers>(
    _ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ modulus: UnsafeRawPointer, _: Digits.Type
  ) -> Digits {
    let byteCount = 64 &* Digits.count
    let lowestLane = modulus.load(fromByteOffset: 3 &* byteCount &+ 64, as: UInt8.self)
    let lanesBelowTop = modulus.load(fromByteOffset: 3 &* byteCount &+ 65, as: UInt8.self)
    let mask = Vector(repeating: Int64(truncatingIfNeeded: digitMask))

    /// The lowest digits of each lane, one lane down: the highest of a vector's neighbour.
    @inline(__always)
    func above(_ x: Vector) -> Vector {
      _mm512_maskz_permutexvar_epi64(lanesBelowTop, Vector(1, 2, 3, 4, 5, 6, 7, 0), x)
    }
    /// What is carried out of each lane, one lane up.
    @inline(__always)
    func below(_ x: Vector) -> Vector {
      _mm512_maskz_permutexvar_epi64(~lowestLane, Vector(7, 0, 1, 2, 3, 4, 5, 6), x)
    }
    @inline(__always)
    func digit(_ offset: Int) -> Vector {
      Vector(repeating: b.loadUnaligned(fromByteOffset: offset, as: Int64.self))
    }

    var sum = Digits.zero
    sum.add(a, digit(0))
    var row = 1
    var offset = 64
    var lane = 0
    for _ in 1..<montgomeryDigitCountAVX512(registerCount: Digits.count) {
      if row == Digits.count {
        lane &+= 8
        row = 0
        offset = lane
      }
      let lowest = sum.first
      let taken = _mm512_and_si512(Vector(repeating: lowest[0]), mask)
      sum.moveDown(above(lowest))
      sum.add(a, digit(offset))
      sum.first = _mm512_add_epi64(sum.first, _mm512_maskz_srli_epi64(lowestLane, lowest, 27))
      sum.add(modulus + byteCount, taken)
      row &+= 1
      offset &+= 64
    }
    // The last digit.
    let factor = modulus.loadUnaligned(fromByteOffset: 3 &* byteCount, as: Vector.self)
    let multiple = _mm512_and_si512(
      _mm512_mul_epu32(_mm512_and_si512(Vector(repeating: sum.first[0]), mask), factor), mask)
    sum.add(modulus, multiple)
    let lowest = sum.first
    sum.moveDown(above(lowest))
    sum.first = _mm512_add_epi64(sum.first, _mm512_maskz_srli_epi64(lowestLane, lowest, 27))
    // Every place gets what its lower neighbour carries: below 2³⁷ at first, which leaves less than 2²⁷ + 2³⁷,
    // then less than 2¹⁰ + 1. Nothing is carried out of the highest digit.
    for _ in 0..<2 {
      let carry = sum.carry(Vector(repeating: 0))
      sum.first = _mm512_add_epi64(sum.first, below(carry))
    }
    return sum
  }

  // MARK: - Vectors

  /// The vectors of a number, the lowest first. Recursive, so that all of them are registers and no loop is left.
  private protocol Registers {
    static var count: Int { get }
    static var zero: Self { get }
    func store(to memory: UnsafeMutableRawPointer)
    var first: Vector { get set }
    /// Adds the products of the digits of a number in memory and `factor`.
    mutating func add(_ memory: UnsafeRawPointer, _ factor: Vector)
    /// Every vector becomes the next one, and the highest `top`.
    mutating func moveDown(_ top: Vector)
    /// Every vector keeps 27 bits of each place, and adds what the one below carries; the lowest adds `carry`.
    /// - Returns: what is carried out of each lane.
    mutating func carry(_ carry: Vector) -> Vector
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
      first = _mm512_add_epi64(first, _mm512_mul_epu32(memory.loadUnaligned(as: Vector.self), factor))
    }

    @inline(__always)
    mutating func moveDown(_ top: Vector) { first = top }

    @inline(__always)
    mutating func carry(_ carry: Vector) -> Vector {
      let high = _mm512_srli_epi64(first, 27)
      let low = _mm512_and_si512(first, Vector(repeating: Int64(truncatingIfNeeded: digitMask)))
      first = _mm512_add_epi64(low, carry)
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
      high.store(to: memory + 64 &* Low.count)
    }

    @inline(__always)
    var first: Vector {
      get { low.first }
      set { low.first = newValue }
    }

    @inline(__always)
    mutating func add(_ memory: UnsafeRawPointer, _ factor: Vector) {
      low.add(memory, factor)
      high.add(memory + 64 &* Low.count, factor)
    }

    @inline(__always)
    mutating func moveDown(_ top: Vector) {
      low.moveDown(high.first)
      high.moveDown(top)
    }

    @inline(__always)
    mutating func carry(_ carry: Vector) -> Vector { high.carry(low.carry(carry)) }
  }

  private typealias Two = Joined<One, One>
  private typealias Four = Joined<Two, Two>
  private typealias Five = Joined<Four, One>
  private typealias Ten = Joined<Five, Five>
  private typealias Fifteen = Joined<Ten, Five>
  private typealias Nineteen = Joined<Ten, Joined<Five, Four>>
#endif
