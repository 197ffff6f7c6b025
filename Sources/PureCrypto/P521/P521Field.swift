/// p = 2⁵²¹ − 1, over which P-521 is defined. R = 1: a residue is its own representative.
///
/// Source: SP 800-186 §3.2.1.5.
enum P521Field: PrimeModulus {
  static var modulus: UInt576 { UInt576(~0, ~0, ~0, ~0, ~0, ~0, ~0, ~0, 0x1ff) }
  static var bitCount: Int { 521 }
  static var negatedInverse: UInt64 { 1 }
  static var one: UInt576 { UInt576(1, 0, 0, 0, 0, 0, 0, 0, 0) }
  static var radixSquared: UInt576 { one }

  /// r ← t mod p, for t = low + 2⁵²¹ high with low < 2⁵²¹: since 2⁵²¹ ≡ 1, t ≡ low + high.
  ///
  /// - low ≤ p. The product of two integers below p is at most (p − 1)² < 2⁵²¹ (p − 1), and any integer of 576 bits is below
  ///   2⁵²¹ · 2⁵⁵, so high < p. Together they are below 2p, and one subtraction completes the reduction.
  /// - 521 = 8 · 64 + 9: limb i of high is made of the upper 55 bits of limb i + 8 and the lower 9 of limb i + 9.
  @inline(__always)
  static func reduce(_ r: LimbRun.MutableLimbs, _ t: LimbRun.MutableLimbs) {
    var carry: UInt64 = 0
    for index in 0..<8 {
      r[index] = add(t[index], t[index &+ 8] &>> 9 | t[index &+ 9] &<< 55, &carry)
    }
    r[8] = add(t[8] & 0x1ff, t[16] &>> 9 | t[17] &<< 55, &carry)
    modulus.withLimbs { LimbRun.subtractOnce(r, high: 0, modulus: $0, count: 9) }
  }
}
