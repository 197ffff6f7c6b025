#if HARDWARE_KERNELS && arch(x86_64)
  internal import Builtin
  internal import _Builtin_intrinsics.intel.cpuid

  /// What the processor can do and the operating system lets programs use.
  ///
  /// This code is compiled for the plainest x86-64, since it runs before anything is known.
  ///
  /// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, "CPUID" (tables 3-8 and
  /// following), and volume 1, §13.3 and §15.2 on XGETBV and the state that the operating system saves.
  struct CPUFeatures: Sendable {
    /// AESENC and its kin, PCLMULQDQ, and SSE4.1 with SSSE3.
    let hasAESNI: Bool
    /// SHA256RNDS2 and its kin, and SSE4.1.
    let hasSHANI: Bool
    /// What `hasAESNI` says with AVX2, BMI1 and BMI2, and the operating system saves registers of 256 bits.
    let hasAVX2: Bool
    /// The same with VAES and VPCLMULQDQ.
    let hasVAES256: Bool
    /// The same with AVX-512 F, BW, VL and VBMI, and the operating system saves all of their registers.
    let hasVAES512: Bool
    /// The same with AVX-512 DQ and IFMA.
    let hasIFMA512: Bool

    static let current = CPUFeatures()

    private init() {
      // Leaf 1, ECX: PCLMULQDQ bit 1, SSSE3 bit 9, SSE4.1 bit 19, AES-NI bit 25, OSXSAVE bit 27.
      let leaf1 = Self.cpuid(1)
      // Leaf 7, EBX: BMI1 bit 3, AVX2 bit 5, BMI2 bit 8, AVX512F bit 16, AVX512DQ bit 17, AVX512IFMA bit 21, SHA bit
      // 29, AVX512BW bit 30, AVX512VL bit 31. ECX: AVX512_VBMI bit 1, VAES bit 9, VPCLMULQDQ bit 10.
      let leaf7 = Self.cpuid(7)
      let hasSSE41 = Self.hasBits(leaf1.ecx, 9, 19)
      hasAESNI = hasSSE41 && Self.hasBits(leaf1.ecx, 1, 25)
      hasSHANI = hasSSE41 && Self.hasBits(leaf7.ebx, 29)
      // XCR0: SSE bit 1, AVX bit 2, opmask bit 5, upper halves of ZMM0–15 bit 6, ZMM16–31 bit 7. XGETBV needs
      // OSXSAVE.
      let saved = Self.hasBits(leaf1.ecx, 27) ? Self.extendedControlRegister0 : 0
      hasAVX2 = hasAESNI && Self.hasBits(saved, 1, 2) && Self.hasBits(leaf7.ebx, 3, 5, 8)
      hasVAES256 = hasAVX2 && Self.hasBits(leaf7.ecx, 9, 10)
      hasVAES512 =
        hasVAES256 && Self.hasBits(saved, 5, 6, 7) && Self.hasBits(leaf7.ebx, 16, 30, 31)
        && Self.hasBits(leaf7.ecx, 1)
      hasIFMA512 = hasVAES512 && Self.hasBits(leaf7.ebx, 17, 21)
    }

    /// A leaf, subleaf 0; all zero if the processor doesn't have it.
    private static func cpuid(_ leaf: UInt32) -> (ebx: UInt32, ecx: UInt32) {
      var eax: UInt32 = 0
      var ebx: UInt32 = 0
      var ecx: UInt32 = 0
      var edx: UInt32 = 0
      guard __get_cpuid_count(leaf, 0, &eax, &ebx, &ecx, &edx) == 1 else { return (0, 0) }
      return (ebx, ecx)
    }

    private static var extendedControlRegister0: UInt32 {
      UInt32(truncatingIfNeeded: UInt64(Builtin.int_x86_xgetbv(UInt32(0)._value)))
    }

    private static func hasBits(_ word: UInt32, _ bits: UInt32...) -> Bool {
      bits.allSatisfy { word >> $0 & 1 == 1 }
    }
  }
#endif
