#if HARDWARE_KERNELS && arch(x86_64)
  internal import Builtin
  internal import _Builtin_intrinsics.intel

  // Blocks are loaded with their bytes reversed, so that bit k of the 128-bit integer belongs to x¹²⁷⁻ᵏ. Every power of H is
  // held as T = Hᵏ·x⁻¹: the product of such an integer with T has x²⁵⁵⁻ᵏ at bit k, as two whole blocks want it.

  /// A product in GF(2)[x] before reduction, or a sum of such products: 256 bits as Karatsuba leaves them.
  ///
  /// `middle` is the sum of (x₁ ⊕ x₀)(h₁ ⊕ h₀); `low` and `high` are still to be added to it.
  struct UnreducedProduct {
    var low = SIMD2<Int64>(0, 0)
    var middle = SIMD2<Int64>(0, 0)
    var high = SIMD2<Int64>(0, 0)

    /// Adds `x` · `h`.
    /// - Parameter folded: h₁ ⊕ h₀ in the lower half.
    @inline(__always)
    mutating func add(_ x: SIMD2<Int64>, times h: SIMD2<Int64>, folded: SIMD2<Int64>) {
      low = _mm_xor_si128(low, multiplyLow(x, h))
      high = _mm_xor_si128(high, multiplyHigh(x, h))
      middle = _mm_xor_si128(middle, multiplyLow(_mm_xor_si128(x, SIMD2(x[1], x[0])), folded))
    }

    /// The remainder modulo x¹²⁸ + x⁷ + x² + x + 1.
    ///
    /// The lower half of the product belongs to x¹²⁸ … x²⁵⁵. Word by word, from the highest degrees: a word p there equals
    /// p·(1 + x + x² + x⁷) 128 places on, that is p itself and the 128-bit product of p and 0xc2 · 2⁵⁶.
    @inline(__always)
    var reduced: SIMD2<Int64> {
      let middle = _mm_xor_si128(middle, _mm_xor_si128(low, high))
      let upper = _mm_xor_si128(high, SIMD2(middle[1], 0))
      var lower = _mm_xor_si128(low, SIMD2(0, middle[0]))
      let polynomial = SIMD2<Int64>(Int64(bitPattern: 0xc200_0000_0000_0000), 0)
      lower = _mm_xor_si128(SIMD2(lower[1], lower[0]), multiplyLow(lower, polynomial))
      lower = _mm_xor_si128(SIMD2(lower[1], lower[0]), multiplyLow(lower, polynomial))
      return _mm_xor_si128(upper, lower)
    }
  }

  /// The powers of H in the prepared key: T₁ … T₉, then their halves folded, 16 bytes each.
  struct HashPowers {
    static let byteCount = 288

    let memory: UnsafeRawPointer

    /// T for H^`exponent`, 1 to 9.
    @inline(__always)
    subscript(exponent: Int) -> SIMD2<Int64> {
      memory.load(fromByteOffset: 16 &* exponent &- 16, as: SIMD2<Int64>.self)
    }

    /// The two halves of the same, added, in the lower half.
    @inline(__always)
    func folded(_ exponent: Int) -> SIMD2<Int64> {
      memory.load(fromByteOffset: 128 &+ 16 &* exponent, as: SIMD2<Int64>.self)
    }

    /// Writes the powers of H, the encryption of the zero block.
    static func prepare(_ h: SIMD2<Int64>, into memory: UnsafeMutableRawPointer) {
      let t1 = multiplyByInverseOfX(reverseBytes(h))
      let t2 = multiply(t1, t1)
      let t3 = multiply(t2, t1)
      let t4 = multiply(t2, t2)
      store(t1, 1, memory)
      store(t2, 2, memory)
      store(t3, 3, memory)
      store(t4, 4, memory)
      store(multiply(t4, t1), 5, memory)
      store(multiply(t4, t2), 6, memory)
      store(multiply(t4, t3), 7, memory)
      let t8 = multiply(t4, t4)
      store(t8, 8, memory)
      store(multiply(t8, t1), 9, memory)
    }

    @inline(__always)
    private static func store(_ power: SIMD2<Int64>, _ exponent: Int, _ memory: UnsafeMutableRawPointer) {
      memory.storeBytes(of: power, toByteOffset: 16 &* exponent &- 16, as: SIMD2<Int64>.self)
      memory.storeBytes(of: fold(power), toByteOffset: 128 &+ 16 &* exponent, as: SIMD2<Int64>.self)
    }

    @inline(__always)
    private static func fold(_ power: SIMD2<Int64>) -> SIMD2<Int64> {
      _mm_xor_si128(power, SIMD2(power[1], power[0]))
    }

    @inline(__always)
    private static func multiply(_ x: SIMD2<Int64>, _ h: SIMD2<Int64>) -> SIMD2<Int64> {
      var product = UnreducedProduct()
      product.add(x, times: h, folded: fold(h))
      return product.reduced
    }

    /// A shift by one place to the left; x⁰, leaving at the top, returns as x⁻¹ = x¹²⁷ + x⁶ + x + 1.
    @inline(__always)
    private static func multiplyByInverseOfX(_ x: SIMD2<Int64>) -> SIMD2<Int64> {
      let low = UInt64(bitPattern: x[0])
      let high = UInt64(bitPattern: x[1])
      let leaving = 0 &- (high &>> 63)
      return SIMD2(
        Int64(bitPattern: (low &<< 1) ^ (leaving & 1)),
        Int64(bitPattern: ((high &<< 1) | (low &>> 63)) ^ (leaving & 0xc200_0000_0000_0000)))
    }
  }

  /// The block with its bytes in the opposite order.
  @inline(__always)
  func reverseBytes(_ block: SIMD2<Int64>) -> SIMD2<Int64> {
    _mm_shuffle_epi8(block, SIMD2<Int64>(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607))
  }

  /// The product of the lower halves in GF(2)[x].
  @inline(__always)
  private func multiplyLow(_ x: SIMD2<Int64>, _ y: SIMD2<Int64>) -> SIMD2<Int64> {
    var product = x
    product._storage._value = Builtin.int_x86_pclmulqdq(x._storage._value, y._storage._value, UInt8(0x00)._value)
    return product
  }

  /// The product of the upper halves in GF(2)[x].
  @inline(__always)
  private func multiplyHigh(_ x: SIMD2<Int64>, _ y: SIMD2<Int64>) -> SIMD2<Int64> {
    var product = x
    product._storage._value = Builtin.int_x86_pclmulqdq(x._storage._value, y._storage._value, UInt8(0x11)._value)
    return product
  }
#endif
