#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  // SHA-512 on two blocks at a time, as far as these don't depend on each other: the message schedule of both is made
  // in vectors, two words of each block in a half of its own, between the rounds of the first block. The rounds of the
  // second block read their words from memory. Rounds run on words, whose rotations are RORX.
  //
  // All types of this file are private to it: see GCMVAES.swift.

  private typealias Vector = SIMD4<Int64>

  /// Takes whole blocks into the chaining value of SHA-512.
  /// - Parameter state: H₀ … H₇, eight words in the processor's order.
  /// - Parameter blocks: 128 · `count` readable bytes.
  /// - Parameter constants: K₀ … K₇₉, 640 readable bytes.
  /// - Parameter schedule: room for 1280 bytes, where words of the message schedule stay behind.
  /// - Parameter zero: zero, which the optimiser must not know.
  ///
  /// The processor must have AVX2, BMI1 and BMI2.
  ///
  /// Timing: depends on `count` only.
  package func sha512CompressAVX2(
    state: UnsafeMutablePointer<UInt64>, blocks: UnsafeRawPointer, count: Int, constants: UnsafeRawPointer,
    schedule: UnsafeMutableRawPointer, zero: Int
  ) {
    // Where the optimiser knows that `k` and `now` advance together, it counts in a third register, and there is none
    // left.
    let stride = 64 &+ zero
    var blocks = blocks
    var rest = count
    while rest > 0 {
      // The last block of an odd number is in both halves.
      let second = rest > 1 ? blocks + 128 : blocks
      var w0 = message(blocks, second, 0)
      var w2 = message(blocks, second, 16)
      var w4 = message(blocks, second, 32)
      var w6 = message(blocks, second, 48)
      var w8 = message(blocks, second, 64)
      var w10 = message(blocks, second, 80)
      var w12 = message(blocks, second, 96)
      var w14 = message(blocks, second, 112)
      keep(w0, constants, schedule, 0)
      keep(w2, constants, schedule, 1)
      keep(w4, constants, schedule, 2)
      keep(w6, constants, schedule, 3)
      keep(w8, constants, schedule, 4)
      keep(w10, constants, schedule, 5)
      keep(w12, constants, schedule, 6)
      keep(w14, constants, schedule, 7)
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      var (e, f, g, h) = (state[4], state[5], state[6], state[7])
      var bc = b ^ c
      var sum0: UInt64 = 0
      var now = schedule
      var k = constants + 64
      // Eight rounds and the words sixteen rounds further on. More at once, and the optimiser would put all vectors
      // before all rounds, where nothing runs beside them.
      for _ in 0..<8 {
        let later = now + 256
        k += stride
        expand(&w0, w2, w8, w10, w14)
        keep(w0, k, later, 0)
        step(&a, b, &d, e, f, g, &h, &bc, &sum0, now, 0)
        step(&h, a, &c, d, e, f, &g, &bc, &sum0, now, 8)
        expand(&w2, w4, w10, w12, w0)
        keep(w2, k, later, 1)
        step(&g, h, &b, c, d, e, &f, &bc, &sum0, now, 32)
        step(&f, g, &a, b, c, d, &e, &bc, &sum0, now, 40)
        expand(&w4, w6, w12, w14, w2)
        keep(w4, k, later, 2)
        step(&e, f, &h, a, b, c, &d, &bc, &sum0, now, 64)
        step(&d, e, &g, h, a, b, &c, &bc, &sum0, now, 72)
        expand(&w6, w8, w14, w0, w4)
        keep(w6, k, later, 3)
        step(&c, d, &f, g, h, a, &b, &bc, &sum0, now, 96)
        step(&b, c, &e, f, g, h, &a, &bc, &sum0, now, 104)
        (w0, w2, w4, w6, w8, w10, w12, w14) = (w8, w10, w12, w14, w0, w2, w4, w6)
        now += 128
      }
      eightRounds(&a, &b, &c, &d, &e, &f, &g, &h, &bc, &sum0, now)
      eightRounds(&a, &b, &c, &d, &e, &f, &g, &h, &bc, &sum0, now + 128)
      add(a &+ sum0, b, c, d, e, f, g, h, to: state)
      if rest == 1 { break }
      (a, b, c, d) = (state[0], state[1], state[2], state[3])
      (e, f, g, h) = (state[4], state[5], state[6], state[7])
      bc = b ^ c
      sum0 = 0
      now = schedule + 16
      for _ in 0..<10 {
        eightRounds(&a, &b, &c, &d, &e, &f, &g, &h, &bc, &sum0, now)
        now += 128
      }
      add(a &+ sum0, b, c, d, e, f, g, h, to: state)
      blocks += 256
      rest &-= 2
    }
  }

  // MARK: - Rounds

  /// Adds the variables to the chaining value.
  @inline(__always)
  private func add(
    _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ e: UInt64, _ f: UInt64, _ g: UInt64, _ h: UInt64,
    to state: UnsafeMutablePointer<UInt64>
  ) {
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
    state[5] &+= f
    state[6] &+= g
    state[7] &+= h
  }

  /// Eight rounds by what `keep` left, after which every variable has its name again.
  @inline(__always)
  private func eightRounds(
    _ a: inout UInt64, _ b: inout UInt64, _ c: inout UInt64, _ d: inout UInt64, _ e: inout UInt64, _ f: inout UInt64,
    _ g: inout UInt64, _ h: inout UInt64, _ bc: inout UInt64, _ sum0: inout UInt64, _ now: UnsafeMutableRawPointer
  ) {
    step(&a, b, &d, e, f, g, &h, &bc, &sum0, now, 0)
    step(&h, a, &c, d, e, f, &g, &bc, &sum0, now, 8)
    step(&g, h, &b, c, d, e, &f, &bc, &sum0, now, 32)
    step(&f, g, &a, b, c, d, &e, &bc, &sum0, now, 40)
    step(&e, f, &h, a, b, c, &d, &bc, &sum0, now, 64)
    step(&d, e, &g, h, a, b, &c, &bc, &sum0, now, 72)
    step(&c, d, &f, g, h, a, &b, &bc, &sum0, now, 96)
    step(&b, c, &e, f, g, h, &a, &bc, &sum0, now, 104)
  }

  /// A round. The caller renames the variables instead of moving them: the next e is left in `d`, the next a in `h`,
  /// but for its Σ₀, which is not needed before it is added in the next round.
  /// - Parameter bc: b ⊕ c, which becomes a ⊕ b.
  /// - Parameter sum0: what `a` lacks before, and `h` afterwards.
  @inline(__always)
  private func step(
    _ a: inout UInt64, _ b: UInt64, _ d: inout UInt64, _ e: UInt64, _ f: UInt64, _ g: UInt64, _ h: inout UInt64,
    _ bc: inout UInt64, _ sum0: inout UInt64, _ now: UnsafeMutableRawPointer, _ offset: Int
  ) {
    // The order is that in which results are needed: a round's time is the way from one e to the next. Sums and
    // rotations of their own, where Σ and Ch have nested ones elsewhere, make it shorter.
    a &+= sum0
    h &+= now.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    let part1 = rotated(e, 41) ^ rotated(e, 18)
    // Ch: no bit is in both terms.
    h &+= e & f
    h &+= ~e & g
    h &+= part1 ^ rotated(e, 14)
    let ab = a ^ b
    let part0 = rotated(a, 39) ^ rotated(a, 34)
    d &+= h
    // Maj(a, b, c) = b ⊕ ((a ⊕ b) ∧ (b ⊕ c))
    h &+= b ^ (ab & bc)
    sum0 = part0 ^ rotated(a, 28)
    bc = ab
  }

  /// To the right by 1 to 63 bits.
  @inline(__always)
  private func rotated(_ x: UInt64, _ count: UInt64) -> UInt64 { x &>> count | x &<< (64 &- count) }

  // MARK: - Message schedule

  /// Replaces W(t, t+1) of both blocks by W(t+16, t+17), given W(t+2 …), W(t+8 …), W(t+10 …) and W(t+14 …).
  ///
  /// Wₜ₊₁₆ = σ₁(Wₜ₊₁₄) + Wₜ₊₉ + σ₀(Wₜ₊₁) + Wₜ
  @inline(__always)
  private func expand(_ w: inout Vector, _ w2: Vector, _ w8: Vector, _ w10: Vector, _ w14: Vector) {
    let w1 = Vector(w[1], w2[0], w[3], w2[2])
    let w9 = Vector(w8[1], w10[0], w8[3], w10[2])
    // Eight bits are a permutation of octets.
    let by8 = _mm256_shuffle_epi8(w1, both(0x0007_0605_0403_0201, 0x080f_0e0d_0c0b_0a09))
    let sigma0 = sum(sum(right(w1, 7), sum(right(w1, 1), left(w1, 63))), by8)
    let sigma1 = sum(
      sum(right(w14, 6), sum(right(w14, 19), left(w14, 45))), sum(right(w14, 61), left(w14, 3)))
    w = plus(plus(plus(w, w9), sigma0), sigma1)
  }

  /// Stores W(t, t+1) + K(t, t+1) of both blocks, 32 bytes in all.
  @inline(__always)
  private func keep(_ w: Vector, _ k: UnsafeRawPointer, _ place: UnsafeMutableRawPointer, _ index: Int) {
    let pair = k.loadUnaligned(fromByteOffset: 16 &* index, as: SIMD2<Int64>.self)
    place.storeBytes(of: plus(w, both(pair[0], pair[1])), toByteOffset: 32 &* index, as: Vector.self)
  }

  /// Two words of each block, which are big-endian in memory.
  @inline(__always)
  private func message(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer, _ offset: Int) -> Vector {
    let x = first.loadUnaligned(fromByteOffset: offset, as: SIMD2<Int64>.self)
    let y = second.loadUnaligned(fromByteOffset: offset, as: SIMD2<Int64>.self)
    return _mm256_shuffle_epi8(Vector(x[0], x[1], y[0], y[1]), both(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f))
  }

  /// The same sixteen bytes in both halves.
  @inline(__always)
  private func both(_ low: Int64, _ high: Int64) -> Vector { Vector(low, high, low, high) }

  @inline(__always)
  private func plus(_ x: Vector, _ y: Vector) -> Vector { _mm256_add_epi64(x, y) }

  /// ⊕.
  @inline(__always)
  private func sum(_ x: Vector, _ y: Vector) -> Vector { _mm256_xor_si256(x, y) }

  @inline(__always)
  private func right(_ x: Vector, _ count: Int32) -> Vector { _mm256_srli_epi64(x, count) }

  @inline(__always)
  private func left(_ x: Vector, _ count: Int32) -> Vector { _mm256_slli_epi64(x, count) }
#endif
