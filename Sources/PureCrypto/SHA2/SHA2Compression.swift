/// A word of SHA-2: 32 bits in SHA-256, 64 in SHA-512 and SHA-384, which differ in how far they rotate.
///
/// Σ₀ and Σ₁ are nested rotations:
///
///     (x ⋙ p) ⊕ (x ⋙ q) ⊕ (x ⋙ r) = (((x ⋙ (r−q)) ⊕ x) ⋙ (q−p) ⊕ x) ⋙ p
private protocol SHA2Word: FixedWidthInteger & UnsignedInteger & BitwiseCopyable {
  /// r − q, q − p and p.
  typealias Nested = (Self, Self, Self)
  /// Two rotations and a shift.
  typealias Shifts = (Self, Self, Self)

  static var sum0: Nested { get }
  static var sum1: Nested { get }
  static var sigma0: Shifts { get }
  static var sigma1: Shifts { get }
}

/// Source: FIPS 180-4 §4.1.2.
extension UInt32: SHA2Word {
  /// Σ₀(x) = (x ⋙ 2) ⊕ (x ⋙ 13) ⊕ (x ⋙ 22)
  fileprivate static var sum0: Nested { @inline(__always) get { (9, 11, 2) } }
  /// Σ₁(x) = (x ⋙ 6) ⊕ (x ⋙ 11) ⊕ (x ⋙ 25)
  fileprivate static var sum1: Nested { @inline(__always) get { (14, 5, 6) } }
  /// σ₀(x) = (x ⋙ 7) ⊕ (x ⋙ 18) ⊕ (x ≫ 3)
  fileprivate static var sigma0: Shifts { @inline(__always) get { (7, 18, 3) } }
  /// σ₁(x) = (x ⋙ 17) ⊕ (x ⋙ 19) ⊕ (x ≫ 10)
  fileprivate static var sigma1: Shifts { @inline(__always) get { (17, 19, 10) } }
}

/// Source: FIPS 180-4 §4.1.3.
extension UInt64: SHA2Word {
  /// Σ₀(x) = (x ⋙ 28) ⊕ (x ⋙ 34) ⊕ (x ⋙ 39); Σ₁(x) = (x ⋙ 14) ⊕ (x ⋙ 18) ⊕ (x ⋙ 41)
  fileprivate static var sum0: Nested { @inline(__always) get { (5, 6, 28) } }
  fileprivate static var sum1: Nested { @inline(__always) get { (23, 4, 14) } }
  /// σ₀(x) = (x ⋙ 1) ⊕ (x ⋙ 8) ⊕ (x ≫ 7); σ₁(x) = (x ⋙ 19) ⊕ (x ⋙ 61) ⊕ (x ≫ 6)
  fileprivate static var sigma0: Shifts { @inline(__always) get { (1, 8, 7) } }
  fileprivate static var sigma1: Shifts { @inline(__always) get { (19, 61, 6) } }
}

extension SHA2Word {
  @inline(__always)
  private func rotated(_ count: Self) -> Self {
    (self &>> count) | (self &<< (Self(truncatingIfNeeded: Self.bitWidth) &- count))
  }

  /// Σ₀ or Σ₁ of this word.
  @inline(__always)
  fileprivate func sum(_ by: Nested) -> Self { ((rotated(by.0) ^ self).rotated(by.1) ^ self).rotated(by.2) }

  /// σ₀ or σ₁ of this word.
  @inline(__always)
  fileprivate func sigma(_ by: Shifts) -> Self { rotated(by.0) ^ rotated(by.1) ^ (self &>> by.2) }
}

/// Round t of the compression function. The caller renames the variables instead of moving them: what FIPS 180-4 calls
/// `e` afterwards is left in `d`, what it calls `a` in `h`.
///
/// - Parameter k: the constant of SHA-512. That of SHA-256 is its upper half: both are the first bits behind the point
///   of the cube root of the same prime.
@inline(__always)
private func step<Word: SHA2Word>(
  _ a: Word, _ b: Word, _ c: Word, _ d: inout Word, _ e: Word, _ f: Word, _ g: Word, _ h: inout Word,
  _ k: UInt64, _ w: Word
) {
  let k = Word(truncatingIfNeeded: k &>> UInt64(64 &- Word.bitWidth))
  // Ch(e, f, g) = (e ∧ f) ⊕ (¬e ∧ g) = g ⊕ (e ∧ (f ⊕ g))
  let t1 = h &+ k &+ w &+ e.sum(Word.sum1) &+ (g ^ (e & (f ^ g)))
  // Maj(a, b, c) = b ⊕ ((a ⊕ b) ∧ (b ⊕ c)); the next round's b ⊕ c is this round's a ⊕ b.
  let t2 = a.sum(Word.sum0) &+ (b ^ ((a ^ b) & (b ^ c)))
  d &+= t1
  h = t1 &+ t2
}

/// Wₜ = σ₁(Wₜ₋₂) + Wₜ₋₇ + σ₀(Wₜ₋₁₅) + Wₜ₋₁₆, in place of Wₜ₋₁₆.
@inline(__always)
private func expand<Word: SHA2Word>(_ w16: inout Word, _ w15: Word, _ w7: Word, _ w2: Word) {
  w16 &+= w15.sigma(Word.sigma0) &+ w7 &+ w2.sigma(Word.sigma1)
}

/// Takes one block into the eight words of a chaining value, which are the working variables as well: all rounds are
/// written out, and a rolling window of sixteen words of the message schedule lives in local variables, so that nothing
/// moves between them.
///
/// `block` must be readable for 16 words.
///
/// Source: FIPS 180-4 §6.2.2 and §6.4.2.
@inline(__always)
private func takeIn<Word: SHA2Word>(
  _ block: UnsafeRawPointer, _ a: inout Word, _ b: inout Word, _ c: inout Word, _ d: inout Word,
  _ e: inout Word, _ f: inout Word, _ g: inout Word, _ h: inout Word
) {
  let size = MemoryLayout<Word>.size
  var w0 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 0 &* size, as: Word.self))
  var w1 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 1 &* size, as: Word.self))
  var w2 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 2 &* size, as: Word.self))
  var w3 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 3 &* size, as: Word.self))
  var w4 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 4 &* size, as: Word.self))
  var w5 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 5 &* size, as: Word.self))
  var w6 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 6 &* size, as: Word.self))
  var w7 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 7 &* size, as: Word.self))
  var w8 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 8 &* size, as: Word.self))
  var w9 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 9 &* size, as: Word.self))
  var w10 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 10 &* size, as: Word.self))
  var w11 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 11 &* size, as: Word.self))
  var w12 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 12 &* size, as: Word.self))
  var w13 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 13 &* size, as: Word.self))
  var w14 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 14 &* size, as: Word.self))
  var w15 = Word(bigEndian: block.loadUnaligned(fromByteOffset: 15 &* size, as: Word.self))
  // Rounds 0…15.
  step(a, b, c, &d, e, f, g, &h, 0x428a_2f98_d728_ae22, w0)
  step(h, a, b, &c, d, e, f, &g, 0x7137_4491_23ef_65cd, w1)
  step(g, h, a, &b, c, d, e, &f, 0xb5c0_fbcf_ec4d_3b2f, w2)
  step(f, g, h, &a, b, c, d, &e, 0xe9b5_dba5_8189_dbbc, w3)
  step(e, f, g, &h, a, b, c, &d, 0x3956_c25b_f348_b538, w4)
  step(d, e, f, &g, h, a, b, &c, 0x59f1_11f1_b605_d019, w5)
  step(c, d, e, &f, g, h, a, &b, 0x923f_82a4_af19_4f9b, w6)
  step(b, c, d, &e, f, g, h, &a, 0xab1c_5ed5_da6d_8118, w7)
  step(a, b, c, &d, e, f, g, &h, 0xd807_aa98_a303_0242, w8)
  step(h, a, b, &c, d, e, f, &g, 0x1283_5b01_4570_6fbe, w9)
  step(g, h, a, &b, c, d, e, &f, 0x2431_85be_4ee4_b28c, w10)
  step(f, g, h, &a, b, c, d, &e, 0x550c_7dc3_d5ff_b4e2, w11)
  step(e, f, g, &h, a, b, c, &d, 0x72be_5d74_f27b_896f, w12)
  step(d, e, f, &g, h, a, b, &c, 0x80de_b1fe_3b16_96b1, w13)
  step(c, d, e, &f, g, h, a, &b, 0x9bdc_06a7_25c7_1235, w14)
  step(b, c, d, &e, f, g, h, &a, 0xc19b_f174_cf69_2694, w15)
  // Rounds 16…31.
  expand(&w0, w1, w9, w14)
  step(a, b, c, &d, e, f, g, &h, 0xe49b_69c1_9ef1_4ad2, w0)
  expand(&w1, w2, w10, w15)
  step(h, a, b, &c, d, e, f, &g, 0xefbe_4786_384f_25e3, w1)
  expand(&w2, w3, w11, w0)
  step(g, h, a, &b, c, d, e, &f, 0x0fc1_9dc6_8b8c_d5b5, w2)
  expand(&w3, w4, w12, w1)
  step(f, g, h, &a, b, c, d, &e, 0x240c_a1cc_77ac_9c65, w3)
  expand(&w4, w5, w13, w2)
  step(e, f, g, &h, a, b, c, &d, 0x2de9_2c6f_592b_0275, w4)
  expand(&w5, w6, w14, w3)
  step(d, e, f, &g, h, a, b, &c, 0x4a74_84aa_6ea6_e483, w5)
  expand(&w6, w7, w15, w4)
  step(c, d, e, &f, g, h, a, &b, 0x5cb0_a9dc_bd41_fbd4, w6)
  expand(&w7, w8, w0, w5)
  step(b, c, d, &e, f, g, h, &a, 0x76f9_88da_8311_53b5, w7)
  expand(&w8, w9, w1, w6)
  step(a, b, c, &d, e, f, g, &h, 0x983e_5152_ee66_dfab, w8)
  expand(&w9, w10, w2, w7)
  step(h, a, b, &c, d, e, f, &g, 0xa831_c66d_2db4_3210, w9)
  expand(&w10, w11, w3, w8)
  step(g, h, a, &b, c, d, e, &f, 0xb003_27c8_98fb_213f, w10)
  expand(&w11, w12, w4, w9)
  step(f, g, h, &a, b, c, d, &e, 0xbf59_7fc7_beef_0ee4, w11)
  expand(&w12, w13, w5, w10)
  step(e, f, g, &h, a, b, c, &d, 0xc6e0_0bf3_3da8_8fc2, w12)
  expand(&w13, w14, w6, w11)
  step(d, e, f, &g, h, a, b, &c, 0xd5a7_9147_930a_a725, w13)
  expand(&w14, w15, w7, w12)
  step(c, d, e, &f, g, h, a, &b, 0x06ca_6351_e003_826f, w14)
  expand(&w15, w0, w8, w13)
  step(b, c, d, &e, f, g, h, &a, 0x1429_2967_0a0e_6e70, w15)
  // Rounds 32…47.
  expand(&w0, w1, w9, w14)
  step(a, b, c, &d, e, f, g, &h, 0x27b7_0a85_46d2_2ffc, w0)
  expand(&w1, w2, w10, w15)
  step(h, a, b, &c, d, e, f, &g, 0x2e1b_2138_5c26_c926, w1)
  expand(&w2, w3, w11, w0)
  step(g, h, a, &b, c, d, e, &f, 0x4d2c_6dfc_5ac4_2aed, w2)
  expand(&w3, w4, w12, w1)
  step(f, g, h, &a, b, c, d, &e, 0x5338_0d13_9d95_b3df, w3)
  expand(&w4, w5, w13, w2)
  step(e, f, g, &h, a, b, c, &d, 0x650a_7354_8baf_63de, w4)
  expand(&w5, w6, w14, w3)
  step(d, e, f, &g, h, a, b, &c, 0x766a_0abb_3c77_b2a8, w5)
  expand(&w6, w7, w15, w4)
  step(c, d, e, &f, g, h, a, &b, 0x81c2_c92e_47ed_aee6, w6)
  expand(&w7, w8, w0, w5)
  step(b, c, d, &e, f, g, h, &a, 0x9272_2c85_1482_353b, w7)
  expand(&w8, w9, w1, w6)
  step(a, b, c, &d, e, f, g, &h, 0xa2bf_e8a1_4cf1_0364, w8)
  expand(&w9, w10, w2, w7)
  step(h, a, b, &c, d, e, f, &g, 0xa81a_664b_bc42_3001, w9)
  expand(&w10, w11, w3, w8)
  step(g, h, a, &b, c, d, e, &f, 0xc24b_8b70_d0f8_9791, w10)
  expand(&w11, w12, w4, w9)
  step(f, g, h, &a, b, c, d, &e, 0xc76c_51a3_0654_be30, w11)
  expand(&w12, w13, w5, w10)
  step(e, f, g, &h, a, b, c, &d, 0xd192_e819_d6ef_5218, w12)
  expand(&w13, w14, w6, w11)
  step(d, e, f, &g, h, a, b, &c, 0xd699_0624_5565_a910, w13)
  expand(&w14, w15, w7, w12)
  step(c, d, e, &f, g, h, a, &b, 0xf40e_3585_5771_202a, w14)
  expand(&w15, w0, w8, w13)
  step(b, c, d, &e, f, g, h, &a, 0x106a_a070_32bb_d1b8, w15)
  // Rounds 48…63.
  expand(&w0, w1, w9, w14)
  step(a, b, c, &d, e, f, g, &h, 0x19a4_c116_b8d2_d0c8, w0)
  expand(&w1, w2, w10, w15)
  step(h, a, b, &c, d, e, f, &g, 0x1e37_6c08_5141_ab53, w1)
  expand(&w2, w3, w11, w0)
  step(g, h, a, &b, c, d, e, &f, 0x2748_774c_df8e_eb99, w2)
  expand(&w3, w4, w12, w1)
  step(f, g, h, &a, b, c, d, &e, 0x34b0_bcb5_e19b_48a8, w3)
  expand(&w4, w5, w13, w2)
  step(e, f, g, &h, a, b, c, &d, 0x391c_0cb3_c5c9_5a63, w4)
  expand(&w5, w6, w14, w3)
  step(d, e, f, &g, h, a, b, &c, 0x4ed8_aa4a_e341_8acb, w5)
  expand(&w6, w7, w15, w4)
  step(c, d, e, &f, g, h, a, &b, 0x5b9c_ca4f_7763_e373, w6)
  expand(&w7, w8, w0, w5)
  step(b, c, d, &e, f, g, h, &a, 0x682e_6ff3_d6b2_b8a3, w7)
  expand(&w8, w9, w1, w6)
  step(a, b, c, &d, e, f, g, &h, 0x748f_82ee_5def_b2fc, w8)
  expand(&w9, w10, w2, w7)
  step(h, a, b, &c, d, e, f, &g, 0x78a5_636f_4317_2f60, w9)
  expand(&w10, w11, w3, w8)
  step(g, h, a, &b, c, d, e, &f, 0x84c8_7814_a1f0_ab72, w10)
  expand(&w11, w12, w4, w9)
  step(f, g, h, &a, b, c, d, &e, 0x8cc7_0208_1a64_39ec, w11)
  expand(&w12, w13, w5, w10)
  step(e, f, g, &h, a, b, c, &d, 0x90be_fffa_2363_1e28, w12)
  expand(&w13, w14, w6, w11)
  step(d, e, f, &g, h, a, b, &c, 0xa450_6ceb_de82_bde9, w13)
  expand(&w14, w15, w7, w12)
  step(c, d, e, &f, g, h, a, &b, 0xbef9_a3f7_b2c6_7915, w14)
  expand(&w15, w0, w8, w13)
  step(b, c, d, &e, f, g, h, &a, 0xc671_78f2_e372_532b, w15)
  if Word.bitWidth == 64 {
    // Rounds 64…79.
    expand(&w0, w1, w9, w14)
    step(a, b, c, &d, e, f, g, &h, 0xca27_3ece_ea26_619c, w0)
    expand(&w1, w2, w10, w15)
    step(h, a, b, &c, d, e, f, &g, 0xd186_b8c7_21c0_c207, w1)
    expand(&w2, w3, w11, w0)
    step(g, h, a, &b, c, d, e, &f, 0xeada_7dd6_cde0_eb1e, w2)
    expand(&w3, w4, w12, w1)
    step(f, g, h, &a, b, c, d, &e, 0xf57d_4f7f_ee6e_d178, w3)
    expand(&w4, w5, w13, w2)
    step(e, f, g, &h, a, b, c, &d, 0x06f0_67aa_7217_6fba, w4)
    expand(&w5, w6, w14, w3)
    step(d, e, f, &g, h, a, b, &c, 0x0a63_7dc5_a2c8_98a6, w5)
    expand(&w6, w7, w15, w4)
    step(c, d, e, &f, g, h, a, &b, 0x113f_9804_bef9_0dae, w6)
    expand(&w7, w8, w0, w5)
    step(b, c, d, &e, f, g, h, &a, 0x1b71_0b35_131c_471b, w7)
    expand(&w8, w9, w1, w6)
    step(a, b, c, &d, e, f, g, &h, 0x28db_77f5_2304_7d84, w8)
    expand(&w9, w10, w2, w7)
    step(h, a, b, &c, d, e, f, &g, 0x32ca_ab7b_40c7_2493, w9)
    expand(&w10, w11, w3, w8)
    step(g, h, a, &b, c, d, e, &f, 0x3c9e_be0a_15c9_bebc, w10)
    expand(&w11, w12, w4, w9)
    step(f, g, h, &a, b, c, d, &e, 0x431d_67c4_9c10_0d4c, w11)
    expand(&w12, w13, w5, w10)
    step(e, f, g, &h, a, b, c, &d, 0x4cc5_d4be_cb3e_42b6, w12)
    expand(&w13, w14, w6, w11)
    step(d, e, f, &g, h, a, b, &c, 0x597f_299c_fc65_7e2a, w13)
    expand(&w14, w15, w7, w12)
    step(c, d, e, &f, g, h, a, &b, 0x5fcb_6fab_3ad6_faec, w14)
    expand(&w15, w0, w8, w13)
    step(b, c, d, &e, f, g, h, &a, 0x6c44_198c_4a47_5817, w15)
  }
}

extension SHA256ChainingValue {
  /// Takes in whole blocks, in portable Swift. `blocks` must be readable for 64 · `count` bytes.
  mutating func compressPortable(blocks: UnsafeRawPointer, count: Int) {
    for index in 0..<count {
      var (a, b, c, d, e, f, g, h) = (h0, h1, h2, h3, h4, h5, h6, h7)
      takeIn(blocks + index &<< 6, &a, &b, &c, &d, &e, &f, &g, &h)
      (h0, h1, h2, h3) = (h0 &+ a, h1 &+ b, h2 &+ c, h3 &+ d)
      (h4, h5, h6, h7) = (h4 &+ e, h5 &+ f, h6 &+ g, h7 &+ h)
    }
  }
}

extension SHA512ChainingValue {
  /// Takes in whole blocks, in portable Swift. `blocks` must be readable for 128 · `count` bytes.
  mutating func compressPortable(blocks: UnsafeRawPointer, count: Int) {
    for index in 0..<count {
      var (a, b, c, d, e, f, g, h) = (h0, h1, h2, h3, h4, h5, h6, h7)
      takeIn(blocks + index &<< 7, &a, &b, &c, &d, &e, &f, &g, &h)
      (h0, h1, h2, h3) = (h0 &+ a, h1 &+ b, h2 &+ c, h3 &+ d)
      (h4, h5, h6, h7) = (h4 &+ e, h5 &+ f, h6 &+ g, h7 &+ h)
    }
  }
}
