#if ARM_KERNELS && arch(arm64)
  /// What the processor can do and the operating system lets programs use.
  ///
  /// Every processor of Apple's that runs the systems which the package supports has AES, PMULL and SHA-256, and the
  /// compiler takes them for granted there. Elsewhere the operating system is asked.
  struct CPUFeatures: Sendable {
    /// AESE and its kin, and PMULL.
    let hasAES: Bool
    /// SHA256H and its kin.
    let hasSHA256: Bool
    /// SHA512H and its kin, and EOR3 and its kin for SHA-3, which the compiler may use in the same target.
    let hasSHA512: Bool

    static let current = CPUFeatures()

    #if canImport(Darwin)
      private init() {
        hasAES = true
        hasSHA256 = true
        // The kernel is compiled for Macs and watches only, whose oldest processors have it.
        hasSHA512 = true
      }
    #elseif os(Windows)
      // Source: Microsoft, "IsProcessorFeaturePresent": PF_ARM_V8_CRYPTO_INSTRUCTIONS_AVAILABLE. The kernel for
      // SHA-512 is not compiled for Windows.
      private init() {
        let hasCryptography = IsProcessorFeaturePresent(30) != 0
        hasAES = hasCryptography
        hasSHA256 = hasCryptography
        hasSHA512 = false
      }
    #else
      // Source: Linux, Documentation/arch/arm64/elf_hwcaps.rst. AT_HWCAP is 16: AES bit 3, PMULL bit 4, SHA2 bit 6,
      // SHA3 bit 17, SHA512 bit 21.
      private init() {
        let capabilities = getauxval(16)
        hasAES = capabilities >> 3 & 3 == 3
        hasSHA256 = capabilities >> 6 & 1 == 1
        hasSHA512 = capabilities >> 17 & capabilities >> 21 & 1 == 1
      }
    #endif
  }

  // Declared here, because modules of C libraries lack the one in places and the other's is the whole of Windows. A
  // program without an operating system brings its own.
  #if os(Windows)
    @_extern(c)
    private func IsProcessorFeaturePresent(_ feature: UInt32) -> Int32
  #elseif !canImport(Darwin)
    @_extern(c)
    private func getauxval(_ type: UInt) -> UInt
  #endif
#endif
