internal import Builtin

/// Zero, but the compiler can't know that.
///
/// A value that is added to it (with `^`, without carries) stays what it is, and the optimiser can't tell any more
/// which values it may have. It rests on one thing: a volatile load. LLVM must carry out each of them and may assume
/// nothing about what it returns, whatever it knows about the memory; it is the load that the standard library's own
/// `VolatileMappedRegister` is made of. On every processor it is one ordinary load from memory that is always cached.
/// It waits for nothing, so that it is done before the value that it protects is there.
///
/// ``Mask`` takes it once for each decision. Loops that are too hot for that take it once for many, and say so.
@inline(__always)
func opaqueZero() -> UInt64 {
  #if _pointerBitWidth(_64)
    return UInt64(Builtin.atomicload_monotonic_volatile_Int64(Builtin.addressof(&zero)))
  #else
    // Two halves: a load of 64 bits at once would be a call.
    let half = UInt64(UInt32(Builtin.atomicload_monotonic_volatile_Int32(Builtin.addressof(&zero))))
    return half | half &<< 32
  #endif
}

/// Never written. A variable, since the compiler puts in the value of a constant; read only, so that threads may share
/// it.
@exclusivity(unchecked)
private nonisolated(unsafe) var zero: UInt64 = 0
