#if HARDWARE_KERNELS && arch(x86_64)
  internal import PureCryptoKernelsAVX512
#elseif ARM_SHA512_KERNELS && arch(arm64)
  internal import PureCryptoKernelsSHA512
#endif

/// How many states of Keccak are permuted at once.
enum KeccakWidth: Sendable {
  case one(KeccakBackend)
  #if HARDWARE_KERNELS && arch(x86_64)
    /// In the lanes of AVX-512, for less time than two take one by one.
    case eight
  #elseif ARM_SHA512_KERNELS && arch(arm64)
    /// In the lanes of ARM's vectors.
    case two
  #endif

  /// The choice for a backend.
  /// - Parameter count: how many states there are to permute, 1 or more.
  init(forStates count: Int, on backend: Backend) {
    #if HARDWARE_KERNELS && arch(x86_64)
      self = count > 1 && backend.hasAVX512 ? .eight : .one(KeccakBackend(backend))
    #elseif ARM_SHA512_KERNELS && arch(arm64)
      self = count > 1 && backend.hasSHA512Instructions ? .two : .one(KeccakBackend(backend))
    #else
      self = .one(KeccakBackend(backend))
    #endif
  }

  /// The number of states.
  var stateCount: Int {
    switch self {
    case .one: 1
    #if HARDWARE_KERNELS && arch(x86_64)
      case .eight: 8
    #elseif ARM_SHA512_KERNELS && arch(arm64)
      case .two: 2
    #endif
    }
  }

  /// Permutes the states in place.
  /// - Parameter states: 25 words of each: the first word of each state, then the second, and so on.
  ///
  /// Timing: depends on nothing.
  func permute(_ states: UnsafeMutablePointer<UInt64>) {
    switch self {
    case .one(let backend): Keccak.permute(states, on: backend)
    #if HARDWARE_KERNELS && arch(x86_64)
      case .eight: Keccak.withRoundConstants { keccakPermuteAVX512(states: states, roundConstants: $0) }
    #elseif ARM_SHA512_KERNELS && arch(arm64)
      case .two: Keccak.withRoundConstants { keccakPermutePair(states: states, roundConstants: $0) }
    #endif
    }
  }
}
