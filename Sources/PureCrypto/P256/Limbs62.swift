/// A signed integer on five limbs of 62 bits: l0 + 2⁶² l1 + 2¹²⁴ l2 + 2¹⁸⁶ l3 + 2²⁴⁸ l4.
///
/// Invariant between operations: l0 … l3 are in 0 …< 2⁶², and l4 carries the sign. The two spare bits of each word take up
/// sums of products before they are carried on.
struct Limbs62: Sendable, BitwiseCopyable {
  var l0: Int64
  var l1: Int64
  var l2: Int64
  var l3: Int64
  var l4: Int64

  /// 2⁶² − 1.
  @inline(__always)
  static var mask: Int64 { 0x3fff_ffff_ffff_ffff }

  @inline(__always)
  init(_ l0: Int64, _ l1: Int64, _ l2: Int64, _ l3: Int64, _ l4: Int64) {
    self.l0 = l0
    self.l1 = l1
    self.l2 = l2
    self.l3 = l3
    self.l4 = l4
  }

  /// Cuts 4 · 64 bits anew: 62, 62, 62, 62, 8.
  @inline(__always)
  init(_ a: UInt256) {
    self.l0 = Int64(truncatingIfNeeded: a.l0) & Limbs62.mask
    self.l1 = Int64(truncatingIfNeeded: a.l0 &>> 62 | a.l1 &<< 2) & Limbs62.mask
    self.l2 = Int64(truncatingIfNeeded: a.l1 &>> 60 | a.l2 &<< 4) & Limbs62.mask
    self.l3 = Int64(truncatingIfNeeded: a.l2 &>> 58 | a.l3 &<< 6) & Limbs62.mask
    self.l4 = Int64(truncatingIfNeeded: a.l3 &>> 56)
  }

  /// The integer, if it is in 0 …< 2²⁵⁶.
  @inline(__always)
  var unsigned: UInt256 {
    let w0 = UInt64(bitPattern: l0)
    let w1 = UInt64(bitPattern: l1)
    let w2 = UInt64(bitPattern: l2)
    let w3 = UInt64(bitPattern: l3)
    let w4 = UInt64(bitPattern: l4)
    return UInt256(w0 | w1 &<< 62, w1 &>> 2 | w2 &<< 60, w2 &>> 4 | w3 &<< 58, w3 &>> 6 | w4 &<< 56)
  }

  /// −1 for a negative integer, else 0.
  @inline(__always)
  var sign: Int64 { l4 &>> 63 }

  /// Whether the integer is zero. For public integers.
  @inline(__always)
  var isZeroVariableTime: Bool { l0 | l1 | l2 | l3 | l4 == 0 }

  /// ±a + (m or 0), carried.
  /// - Parameter negation: −1 to take −a, 0 to take a.
  /// - Parameter addition: −1 to add m, 0 not to. It is added before the negation.
  @inline(__always)
  func adding(_ m: Limbs62, if addition: Int64, thenNegatingIf negation: Int64) -> Limbs62 {
    // (x ^ −1) + 1 = −x. Each limb stays within ±2⁶³: limbs of a and m are below 2⁶².
    let r0 = ((l0 &+ m.l0 & addition) ^ negation) &- negation
    let r1 = ((l1 &+ m.l1 & addition) ^ negation) &- negation &+ r0 &>> 62
    let r2 = ((l2 &+ m.l2 & addition) ^ negation) &- negation &+ r1 &>> 62
    let r3 = ((l3 &+ m.l3 & addition) ^ negation) &- negation &+ r2 &>> 62
    let r4 = ((l4 &+ m.l4 & addition) ^ negation) &- negation &+ r3 &>> 62
    return Limbs62(r0 & Limbs62.mask, r1 & Limbs62.mask, r2 & Limbs62.mask, r3 & Limbs62.mask, r4)
  }
}
