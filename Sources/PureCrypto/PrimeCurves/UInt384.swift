/// An integer of 384 bits: six limbs.
struct UInt384: LimbInteger {
  var l0: UInt64
  var l1: UInt64
  var l2: UInt64
  var l3: UInt64
  var l4: UInt64
  var l5: UInt64

  @inline(__always)
  init(_ l0: UInt64, _ l1: UInt64, _ l2: UInt64, _ l3: UInt64, _ l4: UInt64, _ l5: UInt64) {
    self.l0 = l0
    self.l1 = l1
    self.l2 = l2
    self.l3 = l3
    self.l4 = l4
    self.l5 = l5
  }

  static var limbCount: Int { 6 }
  static var zero: UInt384 { UInt384(0, 0, 0, 0, 0, 0) }
}
