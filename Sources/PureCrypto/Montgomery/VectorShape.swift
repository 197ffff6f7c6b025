#if HARDWARE_KERNELS && arch(x86_64)
  internal import PureCryptoKernelsAVX2
  internal import PureCryptoKernelsAVX512
  internal import PureCryptoKernelsIFMA

  /// How integers of one length are laid out in vector registers.
  struct VectorShape: Sendable {
    /// What multiplies digits.
    enum Multiplier: Sendable {
      /// VPMULUDQ on 256 bits.
      case avx2
      /// VPMULUDQ on 512 bits.
      case avx512
      /// VPMADD52LUQ and VPMADD52HUQ on 512 bits.
      case ifma
    }

    let multiplier: Multiplier
    /// 9, 14, 18, 28 or 36 of AVX2; 10, 15 or 19 of AVX-512; 5, 8 or 10 of IFMA.
    let registerCount: Int
    /// Whether there are two integers: in the same registers of IFMA, one after the other of AVX2. None of AVX-512.
    let isPair: Bool

    /// The shape for integers of this many bits, four bits more included; `nil` if they are too long, or the backend
    /// doesn't multiply vectors.
    ///
    /// A product of a and b is below 2n + a b / R, with little more: from a, b < 2.4 n and n < R / 16 follows the same
    /// for the product. From n > R / 8 on, products would grow from one to the next.
    static func fitting(bitCount: Int, isPair: Bool, backend: Backend) -> VectorShape? {
      let multiplier: Multiplier
      let registerCounts: [Int]
      switch (backend, isPair) {
      case (.avx512ifma, _): (multiplier, registerCounts) = (.ifma, [5, 8, 10])
      case (.avx512, false): (multiplier, registerCounts) = (.avx512, [10, 15, 19])
      case (.avx512, true), (.avx2, true), (.avx2vaes, true): (multiplier, registerCounts) = (.avx2, [9, 14, 18])
      case (.avx2, false), (.avx2vaes, false): (multiplier, registerCounts) = (.avx2, [18, 28, 36])
      default: return nil
      }
      let shapes = registerCounts.map { VectorShape(multiplier: multiplier, registerCount: $0, isPair: isPair) }
      return shapes.first { bitCount &+ 4 <= $0.radixBitCount }
    }

    /// The bits of a digit.
    var digitBitCount: Int {
      switch multiplier {
      case .avx2: 29
      case .avx512: 27
      case .ifma: 52
      }
    }

    /// The lanes of an integer.
    var laneCount: Int {
      switch multiplier {
      case .avx2: 4
      case .avx512: 8
      case .ifma: isPair ? 4 : 8
      }
    }

    /// The exponent of R = 2^(`digitBitCount` · number of digits).
    var radixBitCount: Int {
      let digitCount =
        switch multiplier {
        case .avx2: montgomeryDigitCountAVX2(registerCount: registerCount)
        case .avx512: montgomeryDigitCountAVX512(registerCount: registerCount)
        case .ifma: laneCount &* registerCount
        }
      return digitBitCount &* digitCount
    }

    /// The bytes of a register.
    var vectorByteCount: Int { multiplier == .avx2 ? 32 : 64 }

    /// The bytes of a number, or a pair in the same registers.
    var numberByteCount: Int { vectorByteCount &* registerCount }

    /// The bytes that a product needs beside its numbers.
    var roomByteCount: Int {
      multiplier == .avx2 ? montgomeryRoomByteCountAVX2(registerCount: registerCount) : 0
    }

    /// The bytes of a prepared modulus, or both of a pair.
    var byteCount: Int {
      let byteCount =
        switch multiplier {
        case .avx2: (isPair ? 2 : 1) &* montgomeryModulusByteCountAVX2(registerCount: registerCount)
        case .avx512: montgomeryModulusByteCountAVX512(registerCount: registerCount)
        case .ifma: montgomeryModulusByteCountIFMA(registerCount: registerCount)
        }
      return (byteCount &+ 15) & ~15
    }

    /// That of each integer of a pair, where they don't share registers.
    var single: VectorShape { VectorShape(multiplier: multiplier, registerCount: registerCount, isPair: false) }
  }
#endif
