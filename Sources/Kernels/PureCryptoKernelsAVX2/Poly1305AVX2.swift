#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  // Poly1305 on four blocks at a time, each in a lane of its own, in limbs of 26 bits that VPMULUDQ multiplies.
  //
  //     sum ← (sum + blocks) · r⁴
  //
  // for each four blocks; the last meet the powers of their own places, r⁴ … r, which makes one sum of the lanes.
  //
  // All types of this file are private to it: see GCMVAES.swift.

  private typealias Vector = SIMD4<Int64>

  /// Takes in blocks: sum ← (sum + block + 2¹²⁸) · r for each, mod 2¹³⁰ − 5.
  /// - Parameter sum: three limbs, before and after below 2⁴⁴, 2⁴⁴ + 2¹⁰ and 2⁴² + 1.
  /// - Parameter powers: nine words of r⁴, each four times: limbs of 26 bits (the highest may be 2²⁶), and
  ///   five times the upper four. Behind them, nine for each lane, four lanes together: those of r⁴, r², r³ and r.
  ///   At last 2²⁶ − 1.
  /// - Parameter blocks: 64 · `groupCount` readable bytes.
  /// - Parameter groupCount: at least 1.
  /// - Parameter zero: zero.
  ///
  /// The processor must have AVX2.
  ///
  /// Timing: depends on `groupCount` only.
  /// Source: RFC 8439 §2.5.
  package func poly1305AddAVX2(
    sum: UnsafeMutablePointer<UInt64>, powers: UnsafeRawPointer, blocks: UnsafeRawPointer, groupCount: Int,
    zero: Int
  ) {
    var number = Limbs(sum)
    // Where the optimiser knows that a factor has 32 bits, or that it stays the same, it drops or moves the mask that
    // says so, forgets why, and multiplies 64 bits by 64. So a mask comes from memory, and an address depends on zero.
    let mask = Vector(repeating: powers.loadUnaligned(fromByteOffset: 576, as: Int64.self))
    for group in 0..<(groupCount &- 1) {
      number.add(blocks + 64 &* group, mask)
      number.multiply(Factor(powers + (group & zero)))
      number.carry(mask)
    }
    number.add(blocks + 64 &* (groupCount &- 1), mask)
    number.multiply(Factor(powers + 288))
    number.store(to: sum)
  }

  /// A number in each lane, in limbs of 26 bits.
  private struct Limbs {
    var l0, l1, l2, l3, l4: Vector

    /// A number of three limbs in the lane of the first block, zero in the others.
    @inline(__always)
    init(_ number: UnsafePointer<UInt64>) {
      let mask26: UInt64 = 1 &<< 26 &- 1
      let limb0 = number[0]
      let limb1 = number[1] & (1 &<< 44 &- 1)
      // At most 2⁴² + 1.
      let limb2 = number[2] &+ number[1] &>> 44
      l0 = first(limb0 & mask26)
      l1 = first((limb0 &>> 26 | limb1 &<< 18) & mask26)
      l2 = first(limb1 &>> 8 & mask26)
      l3 = first((limb1 &>> 34 | limb2 &<< 10) & mask26)
      l4 = first(limb2 &>> 16)
    }

    /// Adds four blocks and 2¹²⁸.
    @inline(__always)
    mutating func add(_ blocks: UnsafeRawPointer, _ mask: Vector) {
      let front = blocks.loadUnaligned(as: Vector.self)
      let back = blocks.loadUnaligned(fromByteOffset: 32, as: Vector.self)
      // The lower and the upper halves of blocks 0, 2, 1 and 3.
      let low = _mm256_unpacklo_epi64(front, back)
      let high = _mm256_unpackhi_epi64(front, back)
      l0 = plus(l0, _mm256_and_si256(low, mask))
      l1 = plus(l1, _mm256_and_si256(right(low, 26), mask))
      l2 = plus(l2, _mm256_and_si256(_mm256_or_si256(right(low, 52), left(high, 12)), mask))
      l3 = plus(l3, _mm256_and_si256(right(high, 14), mask))
      l4 = plus(l4, _mm256_or_si256(right(high, 40), Vector(repeating: 1 &<< 24)))
    }

    /// Multiplies, and leaves carries for later.
    ///
    /// Limbs are below 2²⁷ + 2¹⁰ before: VPMULUDQ takes 32 bits. Those of the factor are at most 2²⁶, or five
    /// times that, so that columns are below 21 · 2⁵³ + 2⁴⁰ < 2⁵⁸.
    @inline(__always)
    mutating func multiply(_ r: Factor) {
      let c0 = plus(
        plus(plus(times(l0, r.l0), times(l1, r.five4)), plus(times(l2, r.five3), times(l3, r.five2))),
        times(l4, r.five1))
      let c1 = plus(
        plus(plus(times(l0, r.l1), times(l1, r.l0)), plus(times(l2, r.five4), times(l3, r.five3))), times(l4, r.five2))
      let c2 = plus(
        plus(plus(times(l0, r.l2), times(l1, r.l1)), plus(times(l2, r.l0), times(l3, r.five4))), times(l4, r.five3))
      let c3 = plus(
        plus(plus(times(l0, r.l3), times(l1, r.l2)), plus(times(l2, r.l1), times(l3, r.l0))), times(l4, r.five4))
      let c4 = plus(
        plus(plus(times(l0, r.l4), times(l1, r.l3)), plus(times(l2, r.l2), times(l3, r.l1))), times(l4, r.l0))
      (l0, l1, l2, l3, l4) = (c0, c1, c2, c3, c4)
    }

    /// Brings columns below 2⁵⁸ back to limbs below 2²⁶ + 2¹⁰.
    @inline(__always)
    mutating func carry(_ mask: Vector) {
      // Two chains at a time. Carries are below 2³² + 1, and five of the highest below 2³⁵.
      l1 = plus(l1, right(l0, 26))
      l4 = plus(l4, right(l3, 26))
      l0 = _mm256_and_si256(l0, mask)
      l3 = _mm256_and_si256(l3, mask)
      let back = right(l4, 26)
      l2 = plus(l2, right(l1, 26))
      l0 = plus(l0, plus(back, left(back, 2)))
      l1 = _mm256_and_si256(l1, mask)
      l4 = _mm256_and_si256(l4, mask)
      // The carry of l2 is still below 2³³, so that of l3 is below 2⁸; that of l0 is at most 2⁹.
      l3 = plus(l3, right(l2, 26))
      l1 = plus(l1, right(l0, 26))
      l2 = _mm256_and_si256(l2, mask)
      l0 = _mm256_and_si256(l0, mask)
      l4 = plus(l4, right(l3, 26))
      l3 = _mm256_and_si256(l3, mask)
    }

    /// Stores the sum of all lanes, whose columns are below 2⁵⁸, in three limbs.
    @inline(__always)
    func store(to number: UnsafeMutablePointer<UInt64>) {
      let mask26: UInt64 = 1 &<< 26 &- 1
      let mask44: UInt64 = 1 &<< 44 &- 1
      // Sums of lanes are below 2⁶⁰, carries below 2³⁶.
      let c0 = total(l0)
      let c1 = total(l1) &+ c0 &>> 26
      let c2 = total(l2) &+ c1 &>> 26
      let c3 = total(l3) &+ c2 &>> 26
      let c4 = total(l4) &+ c3 &>> 26
      // Below 2³⁹ + 2²⁶, then limbs of 26 bits, the second below 2²⁶ + 2¹⁴.
      let d0 = c0 & mask26 &+ 5 &* (c4 &>> 26)
      let d1 = c1 & mask26 &+ d0 &>> 26
      let bottom = d0 & mask26 &+ d1 &<< 26
      let middle = bottom &>> 44 &+ (c2 & mask26) &<< 8 &+ (c3 & mask26) &<< 34
      number[0] = bottom & mask44
      number[1] = middle & mask44
      number[2] = middle &>> 44 &+ (c4 & mask26) &<< 16
    }
  }

  /// What is multiplied by: limbs of 26 bits, and five times the upper ones, since 2¹³⁰ is 5.
  private struct Factor {
    let l0, l1, l2, l3, l4, five1, five2, five3, five4: Vector

    /// A number for each lane: nine vectors.
    @inline(__always)
    init(_ vectors: UnsafeRawPointer) {
      l0 = Factor.vector(vectors, 0)
      l1 = Factor.vector(vectors, 1)
      l2 = Factor.vector(vectors, 2)
      l3 = Factor.vector(vectors, 3)
      l4 = Factor.vector(vectors, 4)
      five1 = Factor.vector(vectors, 5)
      five2 = Factor.vector(vectors, 6)
      five3 = Factor.vector(vectors, 7)
      five4 = Factor.vector(vectors, 8)
    }

    @inline(__always)
    private static func vector(_ vectors: UnsafeRawPointer, _ index: Int) -> Vector {
      vectors.loadUnaligned(fromByteOffset: 32 &* index, as: Vector.self)
    }
  }

  /// The word in the lane of the first block, zero in the others.
  @inline(__always)
  private func first(_ word: UInt64) -> Vector {
    Vector(Int64(bitPattern: word), 0, 0, 0)
  }

  @inline(__always)
  private func total(_ x: Vector) -> UInt64 {
    UInt64(bitPattern: (x[0] &+ x[1]) &+ (x[2] &+ x[3]))
  }

  @inline(__always)
  private func plus(_ x: Vector, _ y: Vector) -> Vector { _mm256_add_epi64(x, y) }

  /// The products of the lower 32 bits.
  @inline(__always)
  private func times(_ x: Vector, _ y: Vector) -> Vector { _mm256_mul_epu32(x, y) }

  @inline(__always)
  private func right(_ x: Vector, _ count: Int32) -> Vector { _mm256_srli_epi64(x, count) }

  @inline(__always)
  private func left(_ x: Vector, _ count: Int32) -> Vector { _mm256_slli_epi64(x, count) }
#endif
