#if HARDWARE_KERNELS && arch(x86_64)
  internal import PureCryptoKernelsAVX2
#endif

/// How Keccak permutes a single state.
enum KeccakBackend: Sendable {
  case portable
  #if HARDWARE_KERNELS && arch(x86_64)
    /// By the rotations of BMI2 and the AND-NOT of BMI1.
    case bmi2
  #endif

  /// The choice for a backend: the processor's instructions if both have them.
  init(_ backend: Backend) {
    #if HARDWARE_KERNELS && arch(x86_64)
      self = backend.hasAVX2AndBMI2 ? .bmi2 : .portable
    #else
      self = .portable
    #endif
  }

  /// The choice for the preferred backend.
  #if HARDWARE_KERNELS && arch(x86_64)
    static let preferred = KeccakBackend(.preferred)
  #else
    @inline(__always)
    static var preferred: KeccakBackend { .portable }
  #endif
}

extension Keccak {
  /// Permutes a state in place.
  /// - Parameter lanes: 25 words.
  @inline(__always)
  static func permute(_ lanes: UnsafeMutablePointer<UInt64>, on backend: KeccakBackend) {
    switch backend {
    case .portable: permutePortable(lanes)
    #if HARDWARE_KERNELS && arch(x86_64)
      case .bmi2: withRoundConstants { keccakPermuteBMI2(lanes: lanes, roundConstants: $0) }
    #endif
    }
  }
}
