/// An element of the field of integers mod p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1, over which P-256 is defined.
///
/// Montgomery form: `residue` = a · R mod p for the element a, with R = 2²⁵⁶. Invariant: `residue` < p, so that an element
/// has one representation and is zero exactly when its limbs are.
///
/// Timing: no operation depends on the values, except where its name says so.
/// Source: SP 800-186 §3.2.1.3; P. Montgomery, "Modular Multiplication without Trial Division", 1985.
struct FieldElement: Sendable, Hashable, BitwiseCopyable {
  /// a · R mod p.
  var residue: UInt256

  /// Takes a · R mod p, already below p.
  @inline(__always)
  init(residue: UInt256) {
    self.residue = residue
  }

  /// p.
  @inline(__always)
  static var modulus: UInt256 {
    UInt256(0xffff_ffff_ffff_ffff, 0x0000_0000_ffff_ffff, 0x0000_0000_0000_0000, 0xffff_ffff_0000_0001)
  }

  static var zero: FieldElement { FieldElement(residue: .zero) }

  /// R mod p = 2²⁵⁶ − p.
  static var one: FieldElement {
    FieldElement(
      residue: UInt256(0x0000_0000_0000_0001, 0xffff_ffff_0000_0000, 0xffff_ffff_ffff_ffff, 0x0000_0000_ffff_fffe))
  }

  /// R² mod p, which takes an integer to Montgomery form: a · R² · R⁻¹ = a · R.
  private static var radixSquared: FieldElement {
    FieldElement(
      residue: UInt256(0x0000_0000_0000_0003, 0xffff_fffb_ffff_ffff, 0xffff_ffff_ffff_fffe, 0x0000_0004_ffff_fffd))
  }
}

extension FieldElement {
  /// The element `integer` mod p, for any integer below 2²⁵⁶.
  init(_ integer: UInt256) {
    // The first factor is reduced; the second need not be.
    self = .radixSquared * FieldElement(residue: integer)
  }

  /// Reads 32 bytes, most significant first.
  /// - Parameter bytes: readable for 32 bytes.
  /// - Returns: the integer mod p, and whether it was below p.
  static func decode(_ bytes: UnsafeRawPointer) -> (element: FieldElement, isCanonical: Mask) {
    let integer = UInt256(bigEndian: bytes)
    return (FieldElement(integer), integer.isLess(than: modulus))
  }

  /// The integer below p: a · R · R⁻¹.
  var integer: UInt256 {
    FieldElement.reduce(residue, .zero)
  }
}

extension FieldElement {
  /// a + b mod p.
  @inline(__always)
  static func + (a: FieldElement, b: FieldElement) -> FieldElement {
    FieldElement(residue: .sum(a.residue, b.residue, modulus: modulus))
  }

  /// a − b mod p.
  @inline(__always)
  static func - (a: FieldElement, b: FieldElement) -> FieldElement {
    FieldElement(residue: .difference(a.residue, b.residue, modulus: modulus))
  }

  /// −a mod p.
  @inline(__always)
  static prefix func - (a: FieldElement) -> FieldElement { .zero - a }

  /// 2a mod p.
  @inline(__always)
  var doubled: FieldElement { self + self }

  /// a / 2 mod p: a is even, or a + p is.
  @inline(__always)
  var halved: FieldElement {
    let a = residue
    let p = FieldElement.modulus
    let odd = 0 &- (a.l0 & 1)
    var carry: UInt64 = 0
    let s0 = add(a.l0, p.l0 & odd, &carry)
    let s1 = add(a.l1, p.l1 & odd, &carry)
    let s2 = add(a.l2, p.l2 & odd, &carry)
    let s3 = add(a.l3, p.l3 & odd, &carry)
    // a + p < 2p, so half of it is below p; the carry is its bit 256.
    return FieldElement(
      residue: UInt256(
        s0 &>> 1 | s1 &<< 63, s1 &>> 1 | s2 &<< 63, s2 &>> 1 | s3 &<< 63, s3 &>> 1 | carry &<< 63))
  }

  /// Whether the element is zero.
  @inline(__always)
  var isZero: Mask { residue.isZero }

  /// `first` for yes, `second` for no.
  @inline(__always)
  static func select(_ mask: Mask, _ first: FieldElement, _ second: FieldElement) -> FieldElement {
    FieldElement(residue: .select(mask, first.residue, second.residue))
  }

  /// −a for yes, a for no.
  @inline(__always)
  func negated(if mask: Mask) -> FieldElement {
    .select(mask, -self, self)
  }
}
