#if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
  internal import Builtin

  // One name for what x86-64 and AArch64 can both do with a block of 16 bytes, so that a kernel is written once. Every
  // function is inlined; nothing calls what else is compiled here.

  /// The sum of two blocks in GF(2)¹²⁸.
  @inlinable @inline(__always)
  public func addBlocks(_ x: SIMD2<Int64>, _ y: SIMD2<Int64>) -> SIMD2<Int64> {
    var sum = x
    sum._storage._value = Builtin.xor_Vec2xInt64(x._storage._value, y._storage._value)
    return sum
  }

  /// The bits that both blocks have.
  @inlinable @inline(__always)
  public func commonBits(_ x: SIMD2<Int64>, _ y: SIMD2<Int64>) -> SIMD2<Int64> {
    var bits = x
    bits._storage._value = Builtin.and_Vec2xInt64(x._storage._value, y._storage._value)
    return bits
  }

  /// The sums of the four 32-bit words of two blocks, each modulo 2³².
  @inlinable @inline(__always)
  public func addWords(_ x: SIMD2<Int64>, _ y: SIMD2<Int64>) -> SIMD2<Int64> {
    var sum = x
    sum._storage._value = Builtin.bitcast_Vec4xInt32_Vec2xInt64(
      Builtin.add_Vec4xInt32(
        Builtin.bitcast_Vec2xInt64_Vec4xInt32(x._storage._value),
        Builtin.bitcast_Vec2xInt64_Vec4xInt32(y._storage._value)))
    return sum
  }

  /// Each 32-bit word rotated to the right by eight bits.
  @inlinable @inline(__always)
  public func rotateWordsByAByte(_ x: SIMD2<Int64>) -> SIMD2<Int64> {
    let words = Builtin.bitcast_Vec2xInt64_Vec4xInt32(x._storage._value)
    let eight = SIMD4<UInt32>(repeating: 8)._storage._value
    let rest = SIMD4<UInt32>(repeating: 24)._storage._value
    var rotated = x
    rotated._storage._value = Builtin.bitcast_Vec4xInt32_Vec2xInt64(
      Builtin.or_Vec4xInt32(Builtin.lshr_Vec4xInt32(words, eight), Builtin.shl_Vec4xInt32(words, rest)))
    return rotated
  }
#endif
