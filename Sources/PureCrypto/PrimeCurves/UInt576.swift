/// An integer of 576 bits: nine limbs, of which integers of 521 bits leave the highest nearly empty.
struct UInt576: LimbInteger {
  var l0: UInt64
  var l1: UInt64
  var l2: UInt64
  var l3: UInt64
  var l4: UInt64
  var l5: UInt64
  var l6: UInt64
  var l7: UInt64
  var l8: UInt64

  @inline(__always)
  init(
    _ l0: UInt64, _ l1: UInt64, _ l2: UInt64, _ l3: UInt64, _ l4: UInt64, _ l5: UInt64, _ l6: UInt64, _ l7: UInt64,
    _ l8: UInt64
  ) {
    self.l0 = l0
    self.l1 = l1
    self.l2 = l2
    self.l3 = l3
    self.l4 = l4
    self.l5 = l5
    self.l6 = l6
    self.l7 = l7
    self.l8 = l8
  }

  static var limbCount: Int { 9 }
  static var zero: UInt576 { UInt576(0, 0, 0, 0, 0, 0, 0, 0, 0) }
}
