#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  /// Takes whole blocks into the chaining value of SHA-256, by SHA-NI.
  /// - Parameter state: H₀ … H₇, eight words in the processor's order.
  /// - Parameter blocks: 64 · `count` readable bytes.
  ///
  /// The processor must have SHA-NI and SSE4.1.
  ///
  /// Timing: depends on `count` only.
  /// Source: FIPS 180-4 §6.2.2; Intel, "New Instructions Supporting the Secure Hash Algorithm", 2013.
  @export(interface)
  package func sha256Compress(state: UnsafeMutablePointer<UInt32>, blocks: UnsafeRawPointer, count: Int) {
    // The instructions want the working variables as (F, E, B, A) and (H, G, D, C), the lowest lane first.
    var abef = words(state[5], state[4], state[1], state[0])
    var cdgh = words(state[7], state[6], state[3], state[2])
    var blocks = blocks
    for _ in 0..<count {
      let abefBefore = abef
      let cdghBefore = cdgh
      var w0 = loadMessage(blocks)
      var w1 = loadMessage(blocks + 16)
      var w2 = loadMessage(blocks + 32)
      var w3 = loadMessage(blocks + 48)
      rounds(&abef, &cdgh, w0, 0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5)
      rounds(&abef, &cdgh, w1, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5)
      rounds(&abef, &cdgh, w2, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3)
      rounds(&abef, &cdgh, w3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174)
      expand(&w0, w1, w2, w3)
      rounds(&abef, &cdgh, w0, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc)
      expand(&w1, w2, w3, w0)
      rounds(&abef, &cdgh, w1, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da)
      expand(&w2, w3, w0, w1)
      rounds(&abef, &cdgh, w2, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7)
      expand(&w3, w0, w1, w2)
      rounds(&abef, &cdgh, w3, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967)
      expand(&w0, w1, w2, w3)
      rounds(&abef, &cdgh, w0, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13)
      expand(&w1, w2, w3, w0)
      rounds(&abef, &cdgh, w1, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85)
      expand(&w2, w3, w0, w1)
      rounds(&abef, &cdgh, w2, 0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3)
      expand(&w3, w0, w1, w2)
      rounds(&abef, &cdgh, w3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070)
      expand(&w0, w1, w2, w3)
      rounds(&abef, &cdgh, w0, 0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5)
      expand(&w1, w2, w3, w0)
      rounds(&abef, &cdgh, w1, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3)
      expand(&w2, w3, w0, w1)
      rounds(&abef, &cdgh, w2, 0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208)
      expand(&w3, w0, w1, w2)
      rounds(&abef, &cdgh, w3, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2)
      abef = _mm_add_epi32(abef, abefBefore)
      cdgh = _mm_add_epi32(cdgh, cdghBefore)
      blocks += 64
    }
    let low = unsafeBitCast(abef, to: SIMD4<UInt32>.self)
    let high = unsafeBitCast(cdgh, to: SIMD4<UInt32>.self)
    state[0] = low[3]
    state[1] = low[2]
    state[2] = high[3]
    state[3] = high[2]
    state[4] = low[1]
    state[5] = low[0]
    state[6] = high[1]
    state[7] = high[0]
  }

  /// Four rounds with the message words `w` and four constants.
  @inline(__always)
  private func rounds(
    _ abef: inout SIMD2<Int64>, _ cdgh: inout SIMD2<Int64>, _ w: SIMD2<Int64>,
    _ k0: UInt32, _ k1: UInt32, _ k2: UInt32, _ k3: UInt32
  ) {
    // Two rounds turn (A, B, E, F) into the next (A, B, E, F) and leave the old one as (C, D, G, H): the names swap.
    let sum = _mm_add_epi32(w, words(k0, k1, k2, k3))
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum)
    abef = _mm_sha256rnds2_epu32(abef, cdgh, SIMD2(sum[1], sum[1]))
  }

  /// Replaces W(t … t+3) by W(t+16 … t+19), given W(t+4 …), W(t+8 …) and W(t+12 …).
  ///
  /// Wₜ₊₁₆ = σ₁(Wₜ₊₁₄) + Wₜ₊₉ + σ₀(Wₜ₊₁) + Wₜ: MSG1 adds σ₀ of the next word,
  /// MSG2 adds σ₁.
  @inline(__always)
  private func expand(_ w: inout SIMD2<Int64>, _ w4: SIMD2<Int64>, _ w8: SIMD2<Int64>, _ w12: SIMD2<Int64>) {
    let middle = unsafeBitCast(w8, to: SIMD4<UInt32>.self)
    let later = unsafeBitCast(w12, to: SIMD4<UInt32>.self)
    let w9 = words(middle[1], middle[2], middle[3], later[0])
    w = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w, w4), w9), w12)
  }

  /// Four words of the message, which are big-endian in memory.
  @inline(__always)
  private func loadMessage(_ pointer: UnsafeRawPointer) -> SIMD2<Int64> {
    // The mask reverses the bytes of each word: lane i of it names the byte that goes there.
    let reversal = SIMD2<Int64>(0x0405_0607_0001_0203, 0x0c0d_0e0f_0809_0a0b)
    return _mm_shuffle_epi8(pointer.loadUnaligned(as: SIMD2<Int64>.self), reversal)
  }

  @inline(__always)
  private func words(_ w0: UInt32, _ w1: UInt32, _ w2: UInt32, _ w3: UInt32) -> SIMD2<Int64> {
    unsafeBitCast(SIMD4(w0, w1, w2, w3), to: SIMD2<Int64>.self)
  }
#endif
