internal import PureCryptoIntegers

/// An integer of 384 bits: six limbs.
struct UInt384: LimbInteger {
  private var low: UInt256
  private var l4: UInt64
  private var l5: UInt64

  @inline(__always)
  init(_ l0: UInt64, _ l1: UInt64, _ l2: UInt64, _ l3: UInt64, _ l4: UInt64, _ l5: UInt64) {
    low = UInt256(l0, l1, l2, l3)
    (self.l4, self.l5) = (l4, l5)
  }

  static var limbCount: Int { 6 }
  static var zero: UInt384 { UInt384(0, 0, 0, 0, 0, 0) }
}

/// An integer of 576 bits: nine limbs; integers of 521 bits leave the highest nearly empty.
struct UInt576: LimbInteger {
  private var low: UInt256
  private var middle: UInt256
  private var l8: UInt64

  @inline(__always)
  init(
    _ l0: UInt64, _ l1: UInt64, _ l2: UInt64, _ l3: UInt64, _ l4: UInt64, _ l5: UInt64, _ l6: UInt64, _ l7: UInt64,
    _ l8: UInt64
  ) {
    low = UInt256(l0, l1, l2, l3)
    middle = UInt256(l4, l5, l6, l7)
    self.l8 = l8
  }

  static var limbCount: Int { 9 }
  static var zero: UInt576 { UInt576(0, 0, 0, 0, 0, 0, 0, 0, 0) }
}
