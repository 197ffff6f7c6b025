/// A signed integer on five limbs of 62 bits: l0 + 2⁶² l1 + 2¹²⁴ l2 + 2¹⁸⁶ l3 + 2²⁴⁸ l4.
///
/// Invariant between operations: l0 … l3 are in 0 …< 2⁶², and l4 carries the sign. The two spare bits of each
/// word take up sums of products before they are carried on.
public struct Limbs62: Sendable, BitwiseCopyable {
  /// The lowest 62 bits.
  public var l0: Int64
  /// Bits 62 … 123.
  public var l1: Int64
  /// Bits 124 … 185.
  public var l2: Int64
  /// Bits 186 … 247.
  public var l3: Int64
  /// Bits from 248 on, and the sign.
  public var l4: Int64

  /// 2⁶² − 1.
  @inlinable @inline(__always)
  public static var mask: Int64 { 0x3fff_ffff_ffff_ffff }

  /// l0 + 2⁶² l1 + 2¹²⁴ l2 + 2¹⁸⁶ l3 + 2²⁴⁸ l4.
  @inlinable @inline(__always)
  public init(_ l0: Int64, _ l1: Int64, _ l2: Int64, _ l3: Int64, _ l4: Int64) {
    (self.l0, self.l1, self.l2, self.l3, self.l4) = (l0, l1, l2, l3, l4)
  }

  /// Cuts 4 · 64 bits anew: 62, 62, 62, 62, 8.
  @inlinable @inline(__always)
  public init(_ a: UInt256) {
    self.l0 = Int64(truncatingIfNeeded: a.l0) & Limbs62.mask
    self.l1 = Int64(truncatingIfNeeded: a.l0 &>> 62 | a.l1 &<< 2) & Limbs62.mask
    self.l2 = Int64(truncatingIfNeeded: a.l1 &>> 60 | a.l2 &<< 4) & Limbs62.mask
    self.l3 = Int64(truncatingIfNeeded: a.l2 &>> 58 | a.l3 &<< 6) & Limbs62.mask
    self.l4 = Int64(truncatingIfNeeded: a.l3 &>> 56)
  }

  /// The integer, if it is in 0 …< 2²⁵⁶.
  @inlinable @inline(__always)
  public var unsigned: UInt256 {
    let w0 = UInt64(bitPattern: l0)
    let w1 = UInt64(bitPattern: l1)
    let w2 = UInt64(bitPattern: l2)
    let w3 = UInt64(bitPattern: l3)
    let w4 = UInt64(bitPattern: l4)
    return UInt256(w0 | w1 &<< 62, w1 &>> 2 | w2 &<< 60, w2 &>> 4 | w3 &<< 58, w3 &>> 6 | w4 &<< 56)
  }

  /// Whether the integer is zero. For public integers.
  @inlinable @inline(__always)
  public var isZeroVariableTime: Bool { l0 | l1 | l2 | l3 | l4 == 0 }

  /// ±a + (m or 0), carried.
  /// - Parameter negation: −1 to take −a, 0 to take a.
  /// - Parameter addition: −1 to add m, 0 not to. It is added before the negation.
  @inlinable @inline(__always)
  public func adding(_ m: Limbs62, if addition: Int64, thenNegatingIf negation: Int64) -> Limbs62 {
    // (x ^ −1) + 1 = −x. Each limb stays within ±2⁶³: limbs of a and m are below 2⁶².
    let r0 = ((l0 &+ m.l0 & addition) ^ negation) &- negation
    let r1 = ((l1 &+ m.l1 & addition) ^ negation) &- negation &+ r0 &>> 62
    let r2 = ((l2 &+ m.l2 & addition) ^ negation) &- negation &+ r1 &>> 62
    let r3 = ((l3 &+ m.l3 & addition) ^ negation) &- negation &+ r2 &>> 62
    let r4 = ((l4 &+ m.l4 & addition) ^ negation) &- negation &+ r3 &>> 62
    return Limbs62(r0 & Limbs62.mask, r1 & Limbs62.mask, r2 & Limbs62.mask, r3 & Limbs62.mask, r4)
  }
}
