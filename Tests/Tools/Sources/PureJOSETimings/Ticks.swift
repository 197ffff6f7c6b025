#if arch(x86_64)
  import Builtin
#endif

/// The processor's time stamp, read when all instructions before are done, and before any after begins.
@inline(__always)
func ticks() -> UInt64 {
  #if arch(x86_64)
    Builtin.int_x86_sse2_lfence()
    let count = UInt64(Builtin.int_x86_rdtsc())
    Builtin.int_x86_sse2_lfence()
    return count
  #else
    let (seconds, attoseconds) = origin.duration(to: .now).components
    return UInt64(seconds) &* 1_000_000_000 &+ UInt64(attoseconds) / 1_000_000_000
  #endif
}

#if !arch(x86_64)
  private let origin = ContinuousClock.now
#endif
