// The one file that calls the C library: the standard library has no wall clock.
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#elseif canImport(ucrt)
  import ucrt
#endif

enum SystemTime {
  /// The system's wall clock. A clock that can't be read shows 1970, at which every token is not yet valid or too young to exist.
  static func now() -> NumericDate {
    var time = timespec()
    #if os(Windows)
      guard timespec_get(&time, TIME_UTC) == TIME_UTC else { return NumericDate(0) }
    #else
      guard clock_gettime(CLOCK_REALTIME, &time) == 0 else { return NumericDate(0) }
    #endif
    return NumericDate(0).advanced(by: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
  }
}
