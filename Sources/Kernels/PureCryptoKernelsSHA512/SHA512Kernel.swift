#if ARM_SHA512_KERNELS && arch(arm64)
  internal import Builtin

  /// Takes whole blocks into the chaining value of SHA-512, by the SHA-512 instructions of ARMv8.2.
  /// - Parameter state: H₀ … H₇, eight words in the processor's order.
  /// - Parameter blocks: 128 · `count` readable bytes.
  ///
  /// The processor must have the instructions.
  ///
  /// Timing: depends on `count` only.
  /// Source: FIPS 180-4 §6.4.2; Arm Architecture Reference Manual, C7.2, "SHA512H", "SHA512H2", "SHA512SU0",
  /// "SHA512SU1".
  @export(interface)
  package func sha512Compress(state: UnsafeMutablePointer<UInt64>, blocks: UnsafeRawPointer, count: Int) {
    let words = UnsafeMutableRawPointer(state)
    var ab = words.loadUnaligned(as: SIMD2<UInt64>.self)
    var cd = words.loadUnaligned(fromByteOffset: 16, as: SIMD2<UInt64>.self)
    var ef = words.loadUnaligned(fromByteOffset: 32, as: SIMD2<UInt64>.self)
    var gh = words.loadUnaligned(fromByteOffset: 48, as: SIMD2<UInt64>.self)
    var blocks = blocks
    for _ in 0..<count {
      let (abBefore, cdBefore, efBefore, ghBefore) = (ab, cd, ef, gh)
      var w0 = loadMessage(blocks)
      var w1 = loadMessage(blocks + 16)
      var w2 = loadMessage(blocks + 32)
      var w3 = loadMessage(blocks + 48)
      var w4 = loadMessage(blocks + 64)
      var w5 = loadMessage(blocks + 80)
      var w6 = loadMessage(blocks + 96)
      var w7 = loadMessage(blocks + 112)
      // Rounds 0…15.
      rounds(ab, &cd, ef, &gh, w0, SIMD2(0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd))
      expand(&w0, w1, w4, w5, w7)
      rounds(gh, &ab, cd, &ef, w1, SIMD2(0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc))
      expand(&w1, w2, w5, w6, w0)
      rounds(ef, &gh, ab, &cd, w2, SIMD2(0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019))
      expand(&w2, w3, w6, w7, w1)
      rounds(cd, &ef, gh, &ab, w3, SIMD2(0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118))
      expand(&w3, w4, w7, w0, w2)
      rounds(ab, &cd, ef, &gh, w4, SIMD2(0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe))
      expand(&w4, w5, w0, w1, w3)
      rounds(gh, &ab, cd, &ef, w5, SIMD2(0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2))
      expand(&w5, w6, w1, w2, w4)
      rounds(ef, &gh, ab, &cd, w6, SIMD2(0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1))
      expand(&w6, w7, w2, w3, w5)
      rounds(cd, &ef, gh, &ab, w7, SIMD2(0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694))
      expand(&w7, w0, w3, w4, w6)
      // Rounds 16…31.
      rounds(ab, &cd, ef, &gh, w0, SIMD2(0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3))
      expand(&w0, w1, w4, w5, w7)
      rounds(gh, &ab, cd, &ef, w1, SIMD2(0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65))
      expand(&w1, w2, w5, w6, w0)
      rounds(ef, &gh, ab, &cd, w2, SIMD2(0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483))
      expand(&w2, w3, w6, w7, w1)
      rounds(cd, &ef, gh, &ab, w3, SIMD2(0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5))
      expand(&w3, w4, w7, w0, w2)
      rounds(ab, &cd, ef, &gh, w4, SIMD2(0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210))
      expand(&w4, w5, w0, w1, w3)
      rounds(gh, &ab, cd, &ef, w5, SIMD2(0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4))
      expand(&w5, w6, w1, w2, w4)
      rounds(ef, &gh, ab, &cd, w6, SIMD2(0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725))
      expand(&w6, w7, w2, w3, w5)
      rounds(cd, &ef, gh, &ab, w7, SIMD2(0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70))
      expand(&w7, w0, w3, w4, w6)
      // Rounds 32…47.
      rounds(ab, &cd, ef, &gh, w0, SIMD2(0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926))
      expand(&w0, w1, w4, w5, w7)
      rounds(gh, &ab, cd, &ef, w1, SIMD2(0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df))
      expand(&w1, w2, w5, w6, w0)
      rounds(ef, &gh, ab, &cd, w2, SIMD2(0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8))
      expand(&w2, w3, w6, w7, w1)
      rounds(cd, &ef, gh, &ab, w3, SIMD2(0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b))
      expand(&w3, w4, w7, w0, w2)
      rounds(ab, &cd, ef, &gh, w4, SIMD2(0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001))
      expand(&w4, w5, w0, w1, w3)
      rounds(gh, &ab, cd, &ef, w5, SIMD2(0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30))
      expand(&w5, w6, w1, w2, w4)
      rounds(ef, &gh, ab, &cd, w6, SIMD2(0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910))
      expand(&w6, w7, w2, w3, w5)
      rounds(cd, &ef, gh, &ab, w7, SIMD2(0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8))
      expand(&w7, w0, w3, w4, w6)
      // Rounds 48…63.
      rounds(ab, &cd, ef, &gh, w0, SIMD2(0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53))
      expand(&w0, w1, w4, w5, w7)
      rounds(gh, &ab, cd, &ef, w1, SIMD2(0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8))
      expand(&w1, w2, w5, w6, w0)
      rounds(ef, &gh, ab, &cd, w2, SIMD2(0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb))
      expand(&w2, w3, w6, w7, w1)
      rounds(cd, &ef, gh, &ab, w3, SIMD2(0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3))
      expand(&w3, w4, w7, w0, w2)
      rounds(ab, &cd, ef, &gh, w4, SIMD2(0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60))
      expand(&w4, w5, w0, w1, w3)
      rounds(gh, &ab, cd, &ef, w5, SIMD2(0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec))
      expand(&w5, w6, w1, w2, w4)
      rounds(ef, &gh, ab, &cd, w6, SIMD2(0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9))
      expand(&w6, w7, w2, w3, w5)
      rounds(cd, &ef, gh, &ab, w7, SIMD2(0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b))
      expand(&w7, w0, w3, w4, w6)
      // Rounds 64…79.
      rounds(ab, &cd, ef, &gh, w0, SIMD2(0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207))
      rounds(gh, &ab, cd, &ef, w1, SIMD2(0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178))
      rounds(ef, &gh, ab, &cd, w2, SIMD2(0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6))
      rounds(cd, &ef, gh, &ab, w3, SIMD2(0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b))
      rounds(ab, &cd, ef, &gh, w4, SIMD2(0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493))
      rounds(gh, &ab, cd, &ef, w5, SIMD2(0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c))
      rounds(ef, &gh, ab, &cd, w6, SIMD2(0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a))
      rounds(cd, &ef, gh, &ab, w7, SIMD2(0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817))
      ab = sum(ab, abBefore)
      cd = sum(cd, cdBefore)
      ef = sum(ef, efBefore)
      gh = sum(gh, ghBefore)
      blocks += 128
    }
    words.storeBytes(of: ab, as: SIMD2<UInt64>.self)
    words.storeBytes(of: cd, toByteOffset: 16, as: SIMD2<UInt64>.self)
    words.storeBytes(of: ef, toByteOffset: 32, as: SIMD2<UInt64>.self)
    words.storeBytes(of: gh, toByteOffset: 48, as: SIMD2<UInt64>.self)
  }

  /// Two rounds with the message words `w` and two constants. The caller renames the variables instead of moving them:
  /// the next (A, B) is left in `gh`, the next (E, F) in `cd`.
  @inline(__always)
  private func rounds(
    _ ab: SIMD2<UInt64>, _ cd: inout SIMD2<UInt64>, _ ef: SIMD2<UInt64>, _ gh: inout SIMD2<UInt64>,
    _ w: SIMD2<UInt64>, _ k: SIMD2<UInt64>
  ) {
    // The instructions take the later of two rounds from the lower half.
    let wk = sum(w, k)
    var t1 = sum(SIMD2(wk[1], wk[0]), gh)
    t1._storage._value = Builtin.int_aarch64_crypto_sha512h(
      t1._storage._value, SIMD2(ef[1], gh[0])._storage._value, SIMD2(cd[1], ef[0])._storage._value)
    gh._storage._value = Builtin.int_aarch64_crypto_sha512h2(
      t1._storage._value, cd._storage._value, ab._storage._value)
    cd = sum(cd, t1)
  }

  /// Replaces W(t, t+1) by W(t+16, t+17), given W(t+2 …), W(t+8 …), W(t+10 …) and W(t+14 …).
  ///
  /// Wₜ₊₁₆ = σ₁(Wₜ₊₁₄) + Wₜ₊₉ + σ₀(Wₜ₊₁) + Wₜ: SU0 adds σ₀ of the next word, SU1
  /// the rest.
  @inline(__always)
  private func expand(
    _ w: inout SIMD2<UInt64>, _ w2: SIMD2<UInt64>, _ w8: SIMD2<UInt64>, _ w10: SIMD2<UInt64>, _ w14: SIMD2<UInt64>
  ) {
    w._storage._value = Builtin.int_aarch64_crypto_sha512su1(
      Builtin.int_aarch64_crypto_sha512su0(w._storage._value, w2._storage._value), w14._storage._value,
      SIMD2(w8[1], w10[0])._storage._value)
  }

  @inline(__always)
  private func sum(_ x: SIMD2<UInt64>, _ y: SIMD2<UInt64>) -> SIMD2<UInt64> {
    var result = x
    result._storage._value = Builtin.add_Vec2xInt64(x._storage._value, y._storage._value)
    return result
  }

  /// Two words of the message, which are big-endian in memory.
  @inline(__always)
  private func loadMessage(_ pointer: UnsafeRawPointer) -> SIMD2<UInt64> {
    let words = pointer.loadUnaligned(as: SIMD2<UInt64>.self)
    return SIMD2(words[0].byteSwapped, words[1].byteSwapped)
  }
#endif
