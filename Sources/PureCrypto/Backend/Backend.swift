/// Which instructions the symmetric primitives run on. Chosen once when a key or a hash is made, then a case of this type.
///
/// Kernels for another architecture are further cases here, chosen by a `CPUFeatures` of their own.
package enum Backend: String, Sendable, CustomStringConvertible {
  /// Portable Swift for every processor.
  case portable
  #if HARDWARE_KERNELS && arch(x86_64)
    /// AES-NI and PCLMULQDQ, with SHA-NI where the processor has it.
    case aesni
    /// VAES and VPCLMULQDQ on 512 bits, with SHA-NI where the processor has it.
    case avx512
  #endif

  /// Every backend that this build and this machine have, slowest first.
  package static let available: [Backend] = {
    #if HARDWARE_KERNELS && arch(x86_64)
      let features = CPUFeatures.current
      return [.portable] + (features.hasAESNI ? [.aesni] : []) + (features.hasVAES512 ? [.avx512] : [])
    #else
      return [.portable]
    #endif
  }()

  /// The backend that keys and hashes take unless told otherwise: the fastest there is, or the one that the environment
  /// variable `PUREJOSE_BACKEND` names (`portable`, `aesni`, `avx512`), if the machine has it. Read once.
  package static let preferred: Backend = {
    #if HARDWARE_KERNELS && arch(x86_64)
      if let name = OperatingSystem.environmentVariable("PUREJOSE_BACKEND"), let wanted = Backend(rawValue: name),
        available.contains(wanted)
      {
        return wanted
      }
    #endif
    return available.last ?? .portable
  }()

  /// Whether SHA-256 runs on SHA-NI.
  package var hasSHANI: Bool {
    #if HARDWARE_KERNELS && arch(x86_64)
      return self != .portable && CPUFeatures.current.hasSHANI
    #else
      return false
    #endif
  }

  /// The name, as in `PUREJOSE_BACKEND`.
  package var description: String { rawValue }
}
