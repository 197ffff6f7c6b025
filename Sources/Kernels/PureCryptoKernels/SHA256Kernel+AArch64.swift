#if ARM_KERNELS && arch(arm64)
  internal import Builtin

  /// Takes whole blocks into the chaining value of SHA-256, by the SHA-256 instructions of ARMv8.
  /// - Parameter state: H₀ … H₇, eight words in the processor's order.
  /// - Parameter blocks: 64 · `count` readable bytes.
  ///
  /// The processor must have the instructions.
  ///
  /// Timing: depends on `count` only.
  /// Source: FIPS 180-4 §6.2.2; Arm Architecture Reference Manual, C7.2, "SHA256H", "SHA256H2", "SHA256SU0",
  /// "SHA256SU1".
  @export(interface)
  package func sha256Compress(state: UnsafeMutablePointer<UInt32>, blocks: UnsafeRawPointer, count: Int) {
    let words = UnsafeMutableRawPointer(state)
    var abcd = words.loadUnaligned(as: SIMD4<UInt32>.self)
    var efgh = words.loadUnaligned(fromByteOffset: 16, as: SIMD4<UInt32>.self)
    var blocks = blocks
    for _ in 0..<count {
      let abcdBefore = abcd
      let efghBefore = efgh
      var w0 = loadMessage(blocks)
      var w1 = loadMessage(blocks + 16)
      var w2 = loadMessage(blocks + 32)
      var w3 = loadMessage(blocks + 48)
      rounds(&abcd, &efgh, w0, SIMD4(0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5))
      expand(&w0, w1, w2, w3)
      rounds(&abcd, &efgh, w1, SIMD4(0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5))
      expand(&w1, w2, w3, w0)
      rounds(&abcd, &efgh, w2, SIMD4(0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3))
      expand(&w2, w3, w0, w1)
      rounds(&abcd, &efgh, w3, SIMD4(0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174))
      expand(&w3, w0, w1, w2)
      rounds(&abcd, &efgh, w0, SIMD4(0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc))
      expand(&w0, w1, w2, w3)
      rounds(&abcd, &efgh, w1, SIMD4(0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da))
      expand(&w1, w2, w3, w0)
      rounds(&abcd, &efgh, w2, SIMD4(0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7))
      expand(&w2, w3, w0, w1)
      rounds(&abcd, &efgh, w3, SIMD4(0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967))
      expand(&w3, w0, w1, w2)
      rounds(&abcd, &efgh, w0, SIMD4(0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13))
      expand(&w0, w1, w2, w3)
      rounds(&abcd, &efgh, w1, SIMD4(0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85))
      expand(&w1, w2, w3, w0)
      rounds(&abcd, &efgh, w2, SIMD4(0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3))
      expand(&w2, w3, w0, w1)
      rounds(&abcd, &efgh, w3, SIMD4(0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070))
      expand(&w3, w0, w1, w2)
      rounds(&abcd, &efgh, w0, SIMD4(0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5))
      rounds(&abcd, &efgh, w1, SIMD4(0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3))
      rounds(&abcd, &efgh, w2, SIMD4(0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208))
      rounds(&abcd, &efgh, w3, SIMD4(0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2))
      abcd = sum(abcd, abcdBefore)
      efgh = sum(efgh, efghBefore)
      blocks += 64
    }
    words.storeBytes(of: abcd, as: SIMD4<UInt32>.self)
    words.storeBytes(of: efgh, toByteOffset: 16, as: SIMD4<UInt32>.self)
  }

  /// Four rounds with the message words `w` and four constants: one instruction gives the next A … D, another E …
  /// H.
  @inline(__always)
  private func rounds(
    _ abcd: inout SIMD4<UInt32>, _ efgh: inout SIMD4<UInt32>, _ w: SIMD4<UInt32>, _ k: SIMD4<UInt32>
  ) {
    let wk = sum(w, k)._storage._value
    let before = abcd._storage._value
    abcd._storage._value = Builtin.int_aarch64_crypto_sha256h(before, efgh._storage._value, wk)
    efgh._storage._value = Builtin.int_aarch64_crypto_sha256h2(efgh._storage._value, before, wk)
  }

  /// Replaces W(t … t+3) by W(t+16 … t+19), given W(t+4 …), W(t+8 …) and W(t+12 …).
  ///
  /// Wₜ₊₁₆ = σ₁(Wₜ₊₁₄) + Wₜ₊₉ + σ₀(Wₜ₊₁) + Wₜ: SU0 adds σ₀ of the next word, SU1
  /// the rest.
  @inline(__always)
  private func expand(_ w: inout SIMD4<UInt32>, _ w4: SIMD4<UInt32>, _ w8: SIMD4<UInt32>, _ w12: SIMD4<UInt32>) {
    w._storage._value = Builtin.int_aarch64_crypto_sha256su1(
      Builtin.int_aarch64_crypto_sha256su0(w._storage._value, w4._storage._value), w8._storage._value,
      w12._storage._value)
  }

  @inline(__always)
  private func sum(_ x: SIMD4<UInt32>, _ y: SIMD4<UInt32>) -> SIMD4<UInt32> {
    var result = x
    result._storage._value = Builtin.add_Vec4xInt32(x._storage._value, y._storage._value)
    return result
  }

  /// Four words of the message, which are big-endian in memory.
  @inline(__always)
  private func loadMessage(_ pointer: UnsafeRawPointer) -> SIMD4<UInt32> {
    let words = pointer.loadUnaligned(as: SIMD4<UInt32>.self)
    return SIMD4(words[0].byteSwapped, words[1].byteSwapped, words[2].byteSwapped, words[3].byteSwapped)
  }
#endif
