/// Reads entry `index` of a row of points without showing which: every entry is read, and all but one are masked out.
/// - Parameter row: readable for `count` points.
/// - Parameter index: 1 … count, or 0 for all zeros.
///
/// Timing: depends on `count` only.
@inline(__always)
func maskedLookup(_ row: UnsafePointer<AffinePoint>, count: Int, index: UInt64) -> AffinePoint {
  let wanted = SIMD4<Int32>(repeating: Int32(truncatingIfNeeded: index))
  var number = SIMD4<Int32>.zero
  var x01 = SIMD2<UInt64>.zero
  var x23 = SIMD2<UInt64>.zero
  var y01 = SIMD2<UInt64>.zero
  var y23 = SIMD2<UInt64>.zero
  var entry = UnsafeRawPointer(row)
  var remaining = count
  while remaining > 0 {
    number &+= 1
    // 0 − 1 = −1 is negative, no other difference of numbers up to 2³¹ is: all ones for the entry, else all zeros.
    let isEntry = ((number ^ wanted) &- 1) &>> 31
    let mask = unsafeBitCast(isEntry, to: SIMD2<UInt64>.self)
    x01 |= mask & entry.loadUnaligned(as: SIMD2<UInt64>.self)
    x23 |= mask & entry.loadUnaligned(fromByteOffset: 16, as: SIMD2<UInt64>.self)
    y01 |= mask & entry.loadUnaligned(fromByteOffset: 32, as: SIMD2<UInt64>.self)
    y23 |= mask & entry.loadUnaligned(fromByteOffset: 48, as: SIMD2<UInt64>.self)
    entry += MemoryLayout<AffinePoint>.stride
    remaining &-= 1
  }
  return AffinePoint(
    x: FieldElement(residue: UInt256(x01[0], x01[1], x23[0], x23[1])),
    y: FieldElement(residue: UInt256(y01[0], y01[1], y23[0], y23[1])))
}
