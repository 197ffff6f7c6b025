internal import Builtin

/// One bit of every byte of eight AES blocks: 16 byte positions by 8 blocks.
///
/// Byte 4r + c of the slice belongs to row r and column c of the state; its bit b belongs to block b. A row of all
/// eight blocks is thus one 32-bit lane, and moving along a column is a rotation of lanes, one instruction on SSE2 and
/// NEON.
struct BlockSlice: BitSlice {
  var bits: SIMD2<UInt64>

  @inline(__always)
  init(_ bits: SIMD2<UInt64>) { self.bits = bits }

  @inline(__always)
  static func ^ (lhs: BlockSlice, rhs: BlockSlice) -> BlockSlice {
    var result = lhs
    result.bits._storage._value = Builtin.xor_Vec2xInt64(lhs.bits._storage._value, rhs.bits._storage._value)
    return result
  }

  @inline(__always)
  static func & (lhs: BlockSlice, rhs: BlockSlice) -> BlockSlice {
    var result = lhs
    result.bits._storage._value = Builtin.and_Vec2xInt64(lhs.bits._storage._value, rhs.bits._storage._value)
    return result
  }

  /// Shifts each half to the right.
  @inline(__always)
  static func &>> (lhs: BlockSlice, count: UInt64) -> BlockSlice {
    var result = lhs
    result.bits._storage._value = Builtin.lshr_Vec2xInt64(
      lhs.bits._storage._value, SIMD2(repeating: count)._storage._value)
    return result
  }

  /// Shifts each half to the left.
  @inline(__always)
  static func &<< (lhs: BlockSlice, count: UInt64) -> BlockSlice {
    var result = lhs
    result.bits._storage._value = Builtin.shl_Vec2xInt64(
      lhs.bits._storage._value, SIMD2(repeating: count)._storage._value)
    return result
  }

  /// The slice whose row r, column c is this one's row r + 1, column c + `columns`.
  @inline(__always)
  func nextRow(columns: UInt32) -> BlockSlice {
    let rows = unsafeBitCast(bits, to: SIMD4<UInt32>.self)
    return BlockSlice(rows: SIMD4(rows[1], rows[2], rows[3], rows[0]), rotatedBy: columns)
  }

  /// The slice whose row r, column c is this one's row r + 2, column c + `columns`.
  @inline(__always)
  func overnextRow(columns: UInt32) -> BlockSlice {
    let rows = unsafeBitCast(bits, to: SIMD4<UInt32>.self)
    return BlockSlice(rows: SIMD4(rows[2], rows[3], rows[0], rows[1]), rotatedBy: columns)
  }

  /// Rotates all rows by `columns`, 0 to 3: column c becomes column c + `columns`.
  @inline(__always)
  private init(rows: SIMD4<UInt32>, rotatedBy columns: UInt32) {
    switch columns {
    case 0: self.init(unsafeBitCast(rows, to: SIMD2<UInt64>.self))
    case 2: self.init(BlockSlice.swapHalves(rows, evenRows: true))
    default:
      var rotated = rows
      rotated._storage._value = Builtin.or_Vec4xInt32(
        Builtin.lshr_Vec4xInt32(rows._storage._value, SIMD4(repeating: 8 &* columns)._storage._value),
        Builtin.shl_Vec4xInt32(rows._storage._value, SIMD4(repeating: 32 &- 8 &* columns)._storage._value))
      self.init(unsafeBitCast(rotated, to: SIMD2<UInt64>.self))
    }
  }

  /// The slice with rows 1 and 3 rotated by two columns, which is ShiftRows applied twice.
  @inline(__always)
  var shiftedTwice: BlockSlice {
    BlockSlice(BlockSlice.swapHalves(unsafeBitCast(bits, to: SIMD4<UInt32>.self), evenRows: false))
  }

  /// Swaps the 16-bit halves of rows 1 and 3, and of rows 0 and 2 if asked: a shuffle of words instead of shifts.
  @inline(__always)
  private static func swapHalves(_ rows: SIMD4<UInt32>, evenRows: Bool) -> SIMD2<UInt64> {
    let h = unsafeBitCast(rows, to: SIMD8<UInt16>.self)
    let swapped =
      evenRows
      ? SIMD8(h[1], h[0], h[3], h[2], h[5], h[4], h[7], h[6])
      : SIMD8(h[0], h[1], h[3], h[2], h[4], h[5], h[7], h[6])
    return unsafeBitCast(swapped, to: SIMD2<UInt64>.self)
  }
}
