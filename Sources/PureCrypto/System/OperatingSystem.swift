// The one file of the libraries that calls the C library: the standard library has neither a wall clock nor a way to
// read the environment. Targets without an operating system don't have this file's functions.
#if !hasFeature(Embedded)
  #if canImport(Darwin)
    internal import Darwin
  #elseif canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #elseif canImport(Android)
    internal import Android
  #elseif canImport(WASILibc)
    internal import WASILibc
  #elseif canImport(ucrt)
    internal import ucrt
  #endif

  /// What the operating system knows.
  package enum OperatingSystem {
    /// The wall clock, in seconds since 1970-01-01T00:00:00Z without leap seconds; 0 if it can't be read.
    package static var secondsSince1970: Double {
      var time = timespec()
      // Windows has no clock_gettime, and WASI's clocks are macros that Swift can't see.
      #if os(Windows) || os(WASI)
        guard timespec_get(&time, TIME_UTC) == TIME_UTC else { return 0 }
      #else
        guard clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
      #endif
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The value of an environment variable, or nil if it is not set.
    package static func environmentVariable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }
    }
  }
#endif
