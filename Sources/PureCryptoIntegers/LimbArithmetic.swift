// Words of 64 bits, joined by carries. Everything here is a fixed sequence of instructions, whatever the values.
//
// In a module of its own and inlinable, so that it disappears into its callers in debug builds too, which are optimised
// file by file.

/// The bit that an overflow flag stands for: 1 or 0.
///
/// A `Bool` occupies a byte that holds exactly this bit, so copying the byte asks no question. Choosing between 1 and 0
/// by the flag asks one, and compiles to a conditional jump on what may be a secret. The optimiser turns chains of
/// these copies into add-with-carry instructions; a test of the machine code is part of the constant-time evidence.
@inlinable @inline(__always)
public func carryBit(_ overflow: Bool) -> UInt64 {
  UInt64(truncatingIfNeeded: unsafeBitCast(overflow, to: UInt8.self))
}

/// a + b + carry mod 2⁶⁴. Leaves the new carry.
/// - Parameter carry: 0 or 1, before and after: a + b + 1 ≤ 2⁶⁵ − 1, so at most one of the two sums overflows.
@inlinable @inline(__always)
public func add(_ a: UInt64, _ b: UInt64, _ carry: inout UInt64) -> UInt64 {
  let (partial, first) = a.addingReportingOverflow(b)
  let (sum, second) = partial.addingReportingOverflow(carry)
  carry = carryBit(first) | carryBit(second)
  return sum
}

/// a − b − borrow mod 2⁶⁴. Leaves the new borrow.
/// - Parameter borrow: 0 or 1, before and after, for the reason given at ``add(_:_:_:)``.
@inlinable @inline(__always)
public func subtract(_ a: UInt64, _ b: UInt64, _ borrow: inout UInt64) -> UInt64 {
  let (partial, first) = a.subtractingReportingOverflow(b)
  let (difference, second) = partial.subtractingReportingOverflow(borrow)
  borrow = carryBit(first) | carryBit(second)
  return difference
}

/// a · b = low + 2⁶⁴ high.
@inlinable @inline(__always)
public func multiply(_ a: UInt64, _ b: UInt64) -> (low: UInt64, high: UInt64) {
  let product = a.multipliedFullWidth(by: b)
  return (product.low, product.high)
}

/// a · b, for signed words.
@inlinable @inline(__always)
public func multiply(_ a: Int64, _ b: Int64) -> Int128 {
  Int128(truncatingIfNeeded: a) &* Int128(truncatingIfNeeded: b)
}

/// The 62 low bits, a limb of what is divided by 2⁶² at a time.
@inlinable @inline(__always)
public func lowBits62(_ sum: Int128) -> Int64 {
  Int64(truncatingIfNeeded: sum) & 0x3fff_ffff_ffff_ffff
}

/// The low limb of a · b + c + carry. Leaves the high limb in `carry`.
///
/// Nothing is lost: (2⁶⁴ − 1)² + 2 (2⁶⁴ − 1) = 2¹²⁸ − 1.
@inlinable @inline(__always)
public func multiplyAdd(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ carry: inout UInt64) -> UInt64 {
  let sum = UInt128(a) &* UInt128(b) &+ UInt128(c) &+ UInt128(carry)
  carry = UInt64(truncatingIfNeeded: sum &>> 64)
  return UInt64(truncatingIfNeeded: sum)
}
