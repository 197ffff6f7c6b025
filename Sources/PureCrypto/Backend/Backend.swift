/// Which instructions the primitives run on. Chosen once when a key or a hash is made, then a case of this type.
///
/// Kernels for another architecture are further cases here, chosen by a `CPUFeatures` of their own.
package enum Backend: String, Sendable, CustomStringConvertible {
  /// Portable Swift for every processor.
  case portable
  #if HARDWARE_KERNELS && arch(x86_64)
    /// AES-NI and PCLMULQDQ, with SHA-NI where the processor has it.
    case aesni
    /// The same, RSA on the multiplier of AVX2, base64 on its permutations, SHA-512 on its vectors and the
    /// rotations of BMI2, and Keccak on the rotations of BMI2.
    case avx2
    /// The same, and AES-GCM by VAES and VPCLMULQDQ on 256 bits, for processors that have both without AVX-512.
    case avx2vaes
    /// VAES and VPCLMULQDQ on 512 bits and the permutations of VBMI, with SHA-NI where the processor has it. Every
    /// processor that has the first two with AVX-512 has the third. RSA's public power on the multiplier of AVX-512
    /// F, its private power on that of AVX2. Keccak on eight states at once, for ML-DSA and ML-KEM.
    case avx512
    /// The same, and all of RSA and P-256 on the multiplier of AVX-512 IFMA.
    case avx512ifma
  #elseif ARM_KERNELS && arch(arm64)
    /// AES and PMULL of ARMv8, with its SHA-256, SHA-512 and SHA-3 where the processor has them.
    case neon
  #endif

  /// Every backend that this build and this machine have, slowest first.
  package static let available: [Backend] = {
    #if HARDWARE_KERNELS && arch(x86_64)
      let features = CPUFeatures.current
      return [.portable] + (features.hasAESNI ? [.aesni] : []) + (features.hasAVX2 ? [.avx2] : [])
        + (features.hasVAES256 ? [.avx2vaes] : [])
        + (features.hasVAES512 ? [.avx512] : []) + (features.hasIFMA512 ? [.avx512ifma] : [])
    #elseif ARM_KERNELS && arch(arm64)
      return CPUFeatures.current.hasAES ? [.portable, .neon] : [.portable]
    #else
      return [.portable]
    #endif
  }()

  /// The backend that keys and hashes take unless told otherwise: the fastest there is, or the one that the environment
  /// variable `PUREJOSE_BACKEND` names (`portable`, `aesni`, `avx2`, `avx2vaes`, `avx512`, `avx512ifma`, `neon`), if
  /// the machine has it. Read once.
  package static let preferred: Backend = {
    #if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64) && !hasFeature(Embedded)
      if let name = OperatingSystem.environmentVariable("PUREJOSE_BACKEND"), let wanted = Backend(rawValue: name),
        available.contains(wanted)
      {
        return wanted
      }
    #endif
    return available.last ?? .portable
  }()

  /// Whether SHA-256 runs on the processor's instructions for it.
  package var hasSHA256Instructions: Bool {
    #if HARDWARE_KERNELS && arch(x86_64)
      return self != .portable && CPUFeatures.current.hasSHANI
    #elseif ARM_KERNELS && arch(arm64)
      return self != .portable && CPUFeatures.current.hasSHA256
    #else
      return false
    #endif
  }

  /// Whether SHA-512 and SHA-384 run on the processor's instructions for them, and Keccak on two states by those for
  /// SHA-3.
  package var hasSHA512Instructions: Bool {
    #if ARM_SHA512_KERNELS && arch(arm64)
      return self != .portable && CPUFeatures.current.hasSHA512
    #else
      return false
    #endif
  }

  /// Whether products of long integers run on AVX-512 IFMA.
  var hasIFMA: Bool {
    #if HARDWARE_KERNELS && arch(x86_64)
      return self == .avx512ifma
    #else
      return false
    #endif
  }

  #if HARDWARE_KERNELS && arch(x86_64)
    /// Whether base64 runs on the permutations of AVX-512 VBMI, and Keccak on eight states in the registers of AVX-512.
    var hasAVX512: Bool { self == .avx512 || self == .avx512ifma }

    /// Whether SHA-512 and Argon2id run on AVX2, and Keccak on one state on BMI2: backends above have both.
    var hasAVX2AndBMI2: Bool { self != .portable && self != .aesni }

    /// Whether base64 runs on the permutations of AVX2.
    var hasAVX2: Bool { self == .avx2 || self == .avx2vaes }
  #endif

  /// The name, as in `PUREJOSE_BACKEND`.
  package var description: String { rawValue }
}
