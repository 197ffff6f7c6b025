#if HARDWARE_KERNELS && arch(x86_64)
  internal import PureCryptoKernelsAVX512
  internal import PureCryptoKernelsIFMA

  /// How integers of one length are laid out in vector registers.
  struct VectorShape: Sendable {
    /// The bits of a digit: 52, which IFMA multiplies, or 27 without it.
    let digitBitCount: Int
    /// 5, 8 or 10 of 52-bit digits; 10, 15 or 19 of 27-bit ones.
    let registerCount: Int
    /// Whether two integers share the registers. Of 52-bit digits only.
    let isPair: Bool

    /// The shape for integers of this many bits, four bits more included; `nil` if they are too long, or the backend
    /// doesn't multiply vectors.
    ///
    /// A product of a and b is below 2n + a b / R, with little more: from a, b < 2.4 n and n < R / 16 follows the same
    /// for the product. From n > R / 8 on, products would grow from one to the next.
    static func fitting(bitCount: Int, isPair: Bool, backend: Backend) -> VectorShape? {
      let shapes: [VectorShape]
      switch (backend, isPair) {
      case (.avx512ifma, _):
        shapes = [5, 8, 10].map { VectorShape(digitBitCount: 52, registerCount: $0, isPair: isPair) }
      case (.avx512, false):
        shapes = [10, 15, 19].map { VectorShape(digitBitCount: 27, registerCount: $0, isPair: false) }
      default: return nil
      }
      return shapes.first { bitCount &+ 4 <= $0.radixBitCount }
    }

    /// Whether IFMA multiplies.
    var isIFMA: Bool { digitBitCount == 52 }

    /// The lanes of an integer.
    var laneCount: Int { isPair ? 4 : 8 }

    /// The exponent of R = 2^(`digitBitCount` · number of digits).
    var radixBitCount: Int {
      digitBitCount
        &* (isIFMA ? laneCount &* registerCount : montgomeryDigitCountAVX512(registerCount: registerCount))
    }

    /// The bytes of a number, or a pair.
    var numberByteCount: Int { 64 &* registerCount }

    /// The bytes of a prepared modulus.
    var byteCount: Int {
      let byteCount =
        isIFMA
        ? montgomeryModulusByteCountIFMA(registerCount: registerCount)
        : montgomeryModulusByteCountAVX512(registerCount: registerCount)
      return (byteCount &+ 15) & ~15
    }
  }
#endif
