/// The extensions of x86-64 by which BoringSSL and OpenSSL choose between ways to compute. Names as in /proc/cpuinfo.
enum ProcessorExtension: String, CaseIterable {
  case bmi1, avx2, bmi2, avx512f, avx512dq, adx, avx512ifma, avx512cd, avx512bw, avx512vl, vaes, vpclmulqdq

  /// Where both libraries keep what CPUID says of it: EBX of leaf 7 in the lower half of a word, ECX in the upper.
  var bit: UInt64 {
    switch self {
    case .bmi1: 1 << 3
    case .avx2: 1 << 5
    case .bmi2: 1 << 8
    case .avx512f: 1 << 16
    case .avx512dq: 1 << 17
    case .adx: 1 << 19
    case .avx512ifma: 1 << 21
    case .avx512cd: 1 << 28
    case .avx512bw: 1 << 30
    case .avx512vl: 1 << 31
    case .vaes: 1 << 41
    case .vpclmulqdq: 1 << 42
    }
  }

  /// Those whose bits are set.
  static func all(in word: UInt64) -> Set<ProcessorExtension> { Set(allCases.filter { word & $0.bit != 0 }) }
}
