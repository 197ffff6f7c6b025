extension SHA256ChainingValue {
  /// Takes in whole blocks, in portable Swift: the eight working variables and a rolling window of sixteen message
  /// schedule words live in local variables, and all 64 rounds are written out, so that nothing moves between them.
  ///
  /// `blocks` must be readable for 64 · `count` bytes.
  ///
  /// Source: FIPS 180-4 §6.2.2.
  mutating func compressPortable(blocks: UnsafeRawPointer, count: Int) {
    var blocks = blocks
    for _ in 0..<count {
      var w0 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
      var w1 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
      var w2 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      var w3 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
      var w4 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
      var w5 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
      var w6 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 24, as: UInt32.self))
      var w7 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 28, as: UInt32.self))
      var w8 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 32, as: UInt32.self))
      var w9 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 36, as: UInt32.self))
      var w10 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 40, as: UInt32.self))
      var w11 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 44, as: UInt32.self))
      var w12 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 48, as: UInt32.self))
      var w13 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 52, as: UInt32.self))
      var w14 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 56, as: UInt32.self))
      var w15 = UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: 60, as: UInt32.self))
      var a = h0
      var b = h1
      var c = h2
      var d = h3
      var e = h4
      var f = h5
      var g = h6
      var h = h7

      // Rounds 0…15.
      round(a, b, c, &d, e, f, g, &h, 0x428a_2f98, w0)
      round(h, a, b, &c, d, e, f, &g, 0x7137_4491, w1)
      round(g, h, a, &b, c, d, e, &f, 0xb5c0_fbcf, w2)
      round(f, g, h, &a, b, c, d, &e, 0xe9b5_dba5, w3)
      round(e, f, g, &h, a, b, c, &d, 0x3956_c25b, w4)
      round(d, e, f, &g, h, a, b, &c, 0x59f1_11f1, w5)
      round(c, d, e, &f, g, h, a, &b, 0x923f_82a4, w6)
      round(b, c, d, &e, f, g, h, &a, 0xab1c_5ed5, w7)
      round(a, b, c, &d, e, f, g, &h, 0xd807_aa98, w8)
      round(h, a, b, &c, d, e, f, &g, 0x1283_5b01, w9)
      round(g, h, a, &b, c, d, e, &f, 0x2431_85be, w10)
      round(f, g, h, &a, b, c, d, &e, 0x550c_7dc3, w11)
      round(e, f, g, &h, a, b, c, &d, 0x72be_5d74, w12)
      round(d, e, f, &g, h, a, b, &c, 0x80de_b1fe, w13)
      round(c, d, e, &f, g, h, a, &b, 0x9bdc_06a7, w14)
      round(b, c, d, &e, f, g, h, &a, 0xc19b_f174, w15)
      // Rounds 16…31.
      expand(&w0, w1, w9, w14)
      round(a, b, c, &d, e, f, g, &h, 0xe49b_69c1, w0)
      expand(&w1, w2, w10, w15)
      round(h, a, b, &c, d, e, f, &g, 0xefbe_4786, w1)
      expand(&w2, w3, w11, w0)
      round(g, h, a, &b, c, d, e, &f, 0x0fc1_9dc6, w2)
      expand(&w3, w4, w12, w1)
      round(f, g, h, &a, b, c, d, &e, 0x240c_a1cc, w3)
      expand(&w4, w5, w13, w2)
      round(e, f, g, &h, a, b, c, &d, 0x2de9_2c6f, w4)
      expand(&w5, w6, w14, w3)
      round(d, e, f, &g, h, a, b, &c, 0x4a74_84aa, w5)
      expand(&w6, w7, w15, w4)
      round(c, d, e, &f, g, h, a, &b, 0x5cb0_a9dc, w6)
      expand(&w7, w8, w0, w5)
      round(b, c, d, &e, f, g, h, &a, 0x76f9_88da, w7)
      expand(&w8, w9, w1, w6)
      round(a, b, c, &d, e, f, g, &h, 0x983e_5152, w8)
      expand(&w9, w10, w2, w7)
      round(h, a, b, &c, d, e, f, &g, 0xa831_c66d, w9)
      expand(&w10, w11, w3, w8)
      round(g, h, a, &b, c, d, e, &f, 0xb003_27c8, w10)
      expand(&w11, w12, w4, w9)
      round(f, g, h, &a, b, c, d, &e, 0xbf59_7fc7, w11)
      expand(&w12, w13, w5, w10)
      round(e, f, g, &h, a, b, c, &d, 0xc6e0_0bf3, w12)
      expand(&w13, w14, w6, w11)
      round(d, e, f, &g, h, a, b, &c, 0xd5a7_9147, w13)
      expand(&w14, w15, w7, w12)
      round(c, d, e, &f, g, h, a, &b, 0x06ca_6351, w14)
      expand(&w15, w0, w8, w13)
      round(b, c, d, &e, f, g, h, &a, 0x1429_2967, w15)
      // Rounds 32…47.
      expand(&w0, w1, w9, w14)
      round(a, b, c, &d, e, f, g, &h, 0x27b7_0a85, w0)
      expand(&w1, w2, w10, w15)
      round(h, a, b, &c, d, e, f, &g, 0x2e1b_2138, w1)
      expand(&w2, w3, w11, w0)
      round(g, h, a, &b, c, d, e, &f, 0x4d2c_6dfc, w2)
      expand(&w3, w4, w12, w1)
      round(f, g, h, &a, b, c, d, &e, 0x5338_0d13, w3)
      expand(&w4, w5, w13, w2)
      round(e, f, g, &h, a, b, c, &d, 0x650a_7354, w4)
      expand(&w5, w6, w14, w3)
      round(d, e, f, &g, h, a, b, &c, 0x766a_0abb, w5)
      expand(&w6, w7, w15, w4)
      round(c, d, e, &f, g, h, a, &b, 0x81c2_c92e, w6)
      expand(&w7, w8, w0, w5)
      round(b, c, d, &e, f, g, h, &a, 0x9272_2c85, w7)
      expand(&w8, w9, w1, w6)
      round(a, b, c, &d, e, f, g, &h, 0xa2bf_e8a1, w8)
      expand(&w9, w10, w2, w7)
      round(h, a, b, &c, d, e, f, &g, 0xa81a_664b, w9)
      expand(&w10, w11, w3, w8)
      round(g, h, a, &b, c, d, e, &f, 0xc24b_8b70, w10)
      expand(&w11, w12, w4, w9)
      round(f, g, h, &a, b, c, d, &e, 0xc76c_51a3, w11)
      expand(&w12, w13, w5, w10)
      round(e, f, g, &h, a, b, c, &d, 0xd192_e819, w12)
      expand(&w13, w14, w6, w11)
      round(d, e, f, &g, h, a, b, &c, 0xd699_0624, w13)
      expand(&w14, w15, w7, w12)
      round(c, d, e, &f, g, h, a, &b, 0xf40e_3585, w14)
      expand(&w15, w0, w8, w13)
      round(b, c, d, &e, f, g, h, &a, 0x106a_a070, w15)
      // Rounds 48…63.
      expand(&w0, w1, w9, w14)
      round(a, b, c, &d, e, f, g, &h, 0x19a4_c116, w0)
      expand(&w1, w2, w10, w15)
      round(h, a, b, &c, d, e, f, &g, 0x1e37_6c08, w1)
      expand(&w2, w3, w11, w0)
      round(g, h, a, &b, c, d, e, &f, 0x2748_774c, w2)
      expand(&w3, w4, w12, w1)
      round(f, g, h, &a, b, c, d, &e, 0x34b0_bcb5, w3)
      expand(&w4, w5, w13, w2)
      round(e, f, g, &h, a, b, c, &d, 0x391c_0cb3, w4)
      expand(&w5, w6, w14, w3)
      round(d, e, f, &g, h, a, b, &c, 0x4ed8_aa4a, w5)
      expand(&w6, w7, w15, w4)
      round(c, d, e, &f, g, h, a, &b, 0x5b9c_ca4f, w6)
      expand(&w7, w8, w0, w5)
      round(b, c, d, &e, f, g, h, &a, 0x682e_6ff3, w7)
      expand(&w8, w9, w1, w6)
      round(a, b, c, &d, e, f, g, &h, 0x748f_82ee, w8)
      expand(&w9, w10, w2, w7)
      round(h, a, b, &c, d, e, f, &g, 0x78a5_636f, w9)
      expand(&w10, w11, w3, w8)
      round(g, h, a, &b, c, d, e, &f, 0x84c8_7814, w10)
      expand(&w11, w12, w4, w9)
      round(f, g, h, &a, b, c, d, &e, 0x8cc7_0208, w11)
      expand(&w12, w13, w5, w10)
      round(e, f, g, &h, a, b, c, &d, 0x90be_fffa, w12)
      expand(&w13, w14, w6, w11)
      round(d, e, f, &g, h, a, b, &c, 0xa450_6ceb, w13)
      expand(&w14, w15, w7, w12)
      round(c, d, e, &f, g, h, a, &b, 0xbef9_a3f7, w14)
      expand(&w15, w0, w8, w13)
      round(b, c, d, &e, f, g, h, &a, 0xc671_78f2, w15)

      h0 &+= a
      h1 &+= b
      h2 &+= c
      h3 &+= d
      h4 &+= e
      h5 &+= f
      h6 &+= g
      h7 &+= h
      blocks += 64
    }
  }
}

/// Round t of the compression function. The caller renames the variables instead of moving them: what FIPS 180-4 calls
/// `e` afterwards is left in `d`, what it calls `a` in `h`.
@inline(__always)
private func round(
  _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
  _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32,
  _ k: UInt32, _ w: UInt32
) {
  // Ch(e, f, g) = (e ∧ f) ⊕ (¬e ∧ g) = g ⊕ (e ∧ (f ⊕ g))
  let t1 = h &+ k &+ w &+ sum1(e) &+ (g ^ (e & (f ^ g)))
  // Maj(a, b, c) = b ⊕ ((a ⊕ b) ∧ (b ⊕ c)); the next round's b ⊕ c is this round's a ⊕ b.
  let t2 = sum0(a) &+ (b ^ ((a ^ b) & (b ^ c)))
  d &+= t1
  h = t1 &+ t2
}

/// Wₜ = σ₁(Wₜ₋₂) + Wₜ₋₇ + σ₀(Wₜ₋₁₅) + Wₜ₋₁₆, in place of Wₜ₋₁₆.
@inline(__always)
private func expand(_ w16: inout UInt32, _ w15: UInt32, _ w7: UInt32, _ w2: UInt32) {
  w16 &+= sigma0(w15) &+ w7 &+ sigma1(w2)
}

@inline(__always)
private func rotate(_ x: UInt32, _ count: UInt32) -> UInt32 {
  (x &>> count) | (x &<< (32 &- count))
}

// Σ₀ and Σ₁ as nested rotations: (x ⋙ p) ⊕ (x ⋙ q) ⊕ (x ⋙ r) = (((x ⋙ (r−q)) ⊕ x) ⋙ (q−p) ⊕ x) ⋙ p.

/// Σ₀(x) = (x ⋙ 2) ⊕ (x ⋙ 13) ⊕ (x ⋙ 22)
@inline(__always)
private func sum0(_ x: UInt32) -> UInt32 {
  rotate(rotate(rotate(x, 9) ^ x, 11) ^ x, 2)
}

/// Σ₁(x) = (x ⋙ 6) ⊕ (x ⋙ 11) ⊕ (x ⋙ 25)
@inline(__always)
private func sum1(_ x: UInt32) -> UInt32 {
  rotate(rotate(rotate(x, 14) ^ x, 5) ^ x, 6)
}

/// σ₀(x) = (x ⋙ 7) ⊕ (x ⋙ 18) ⊕ (x ≫ 3)
@inline(__always)
private func sigma0(_ x: UInt32) -> UInt32 {
  rotate(x, 7) ^ rotate(x, 18) ^ (x &>> 3)
}

/// σ₁(x) = (x ⋙ 17) ⊕ (x ⋙ 19) ⊕ (x ≫ 10)
@inline(__always)
private func sigma1(_ x: UInt32) -> UInt32 {
  rotate(x, 17) ^ rotate(x, 19) ^ (x &>> 10)
}
