#if HARDWARE_KERNELS && arch(x86_64)
  internal import Builtin
  internal import _Builtin_intrinsics.intel

  // Blocks are loaded with their bytes reversed, so that bit k of the 128-bit integer belongs to x¹²⁷⁻ᵏ. Every power of H is
  // held as T = Hᵏ·x⁻¹: the product of such an integer with T has x²⁵⁵⁻ᵏ at bit k, as two whole blocks want it.

  /// A product in GF(2)[x] before reduction, or a sum of such products, spread over four lanes that are still to be added.
  struct WideProduct {
    private var low = SIMD8<Int64>(repeating: 0)
    private var middle = SIMD8<Int64>(repeating: 0)
    private var high = SIMD8<Int64>(repeating: 0)

    /// Adds the products of four blocks with four powers, lane by lane.
    @inline(__always)
    mutating func add(_ x: SIMD8<Int64>, times h: SIMD8<Int64>) {
      low = _mm512_xor_si512(low, multiplyLowLow(x, h))
      middle = _mm512_xor_si512(middle, _mm512_xor_si512(multiplyLowHigh(x, h), multiplyHighLow(x, h)))
      high = _mm512_xor_si512(high, multiplyHighHigh(x, h))
    }

    /// The remainder of the sum of all lanes modulo x¹²⁸ + x⁷ + x² + x + 1.
    ///
    /// The lower half of the product belongs to x¹²⁸ … x²⁵⁵. Word by word, from the highest degrees: a word p there equals
    /// p·(1 + x + x² + x⁷) 128 places on, that is p itself and the 128-bit product of p and 0xc2 · 2⁵⁶.
    @inline(__always)
    var reduced: SIMD2<Int64> {
      let middle = sumOfLanes(middle)
      let upper = _mm_xor_si128(sumOfLanes(high), SIMD2(middle[1], 0))
      var lower = _mm_xor_si128(sumOfLanes(low), SIMD2(0, middle[0]))
      let polynomial = SIMD2<Int64>(Int64(bitPattern: 0xc200_0000_0000_0000), 0)
      lower = _mm_xor_si128(SIMD2(lower[1], lower[0]), multiplyLow(lower, polynomial))
      lower = _mm_xor_si128(SIMD2(lower[1], lower[0]), multiplyLow(lower, polynomial))
      return _mm_xor_si128(upper, lower)
    }

    /// The remainders of the four lanes, each by itself.
    @inline(__always)
    var reducedLanes: SIMD8<Int64> {
      let m = middle
      let upper = _mm512_xor_si512(high, SIMD8(m[1], 0, m[3], 0, m[5], 0, m[7], 0))
      var lower = _mm512_xor_si512(low, SIMD8(0, m[0], 0, m[2], 0, m[4], 0, m[6]))
      let polynomial = SIMD8<Int64>(repeating: Int64(bitPattern: 0xc200_0000_0000_0000))
      lower = _mm512_xor_si512(swapHalves(lower), multiplyLowLow(lower, polynomial))
      lower = _mm512_xor_si512(swapHalves(lower), multiplyLowLow(lower, polynomial))
      return _mm512_xor_si512(upper, lower)
    }
  }

  /// The powers of H in the prepared key: T₂₀ … T₁, 16 bytes each, so that four in a row are one load.
  struct WidePowers {
    static let byteCount = 320

    let memory: UnsafeRawPointer

    /// T for H^`exponent` and the three below it, lowest lane first. `exponent` is 1 to 20; below T₁ there is other memory of
    /// the key, which meets zeros.
    @inline(__always)
    subscript(exponent: Int) -> SIMD8<Int64> {
      memory.loadUnaligned(fromByteOffset: 320 &- 16 &* exponent, as: SIMD8<Int64>.self)
    }

    /// Writes the powers of H, the encryption of the zero block.
    static func prepare(_ h: SIMD2<Int64>, into memory: UnsafeMutableRawPointer) {
      let t1 = multiplyByInverseOfX(reverseBytes(h))
      let t2 = multiply(t1, t1)
      let t3 = multiply(t2, t1)
      let t4 = multiply(t2, t2)
      var powers = SIMD8(t4[0], t4[1], t3[0], t3[1], t2[0], t2[1], t1[0], t1[1])
      let step = SIMD8(t4[0], t4[1], t4[0], t4[1], t4[0], t4[1], t4[0], t4[1])
      memory.storeBytes(of: powers, toByteOffset: 256, as: SIMD8<Int64>.self)
      for quarter in 1..<5 {
        var product = WideProduct()
        product.add(powers, times: step)
        powers = product.reducedLanes
        memory.storeBytes(of: powers, toByteOffset: 256 &- 64 &* quarter, as: SIMD8<Int64>.self)
      }
    }

    @inline(__always)
    private static func multiply(_ x: SIMD2<Int64>, _ h: SIMD2<Int64>) -> SIMD2<Int64> {
      var product = WideProduct()
      product.add(_mm512_zextsi128_si512(x), times: _mm512_zextsi128_si512(h))
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

  /// Four blocks, each with its bytes in the opposite order.
  @inline(__always)
  func reverseBytes(_ blocks: SIMD8<Int64>) -> SIMD8<Int64> {
    let low: Int64 = 0x0809_0a0b_0c0d_0e0f
    let high: Int64 = 0x0001_0203_0405_0607
    return _mm512_shuffle_epi8(blocks, SIMD8(low, high, low, high, low, high, low, high))
  }

  @inline(__always)
  private func swapHalves(_ x: SIMD8<Int64>) -> SIMD8<Int64> {
    SIMD8(x[1], x[0], x[3], x[2], x[5], x[4], x[7], x[6])
  }

  @inline(__always)
  private func sumOfLanes(_ x: SIMD8<Int64>) -> SIMD2<Int64> {
    _mm_xor_si128(
      _mm_xor_si128(SIMD2(x[0], x[1]), SIMD2(x[2], x[3])), _mm_xor_si128(SIMD2(x[4], x[5]), SIMD2(x[6], x[7])))
  }

  /// The product of the lower halves in GF(2)[x].
  @inline(__always)
  private func multiplyLow(_ x: SIMD2<Int64>, _ y: SIMD2<Int64>) -> SIMD2<Int64> {
    var product = x
    product._storage._value = Builtin.int_x86_pclmulqdq(x._storage._value, y._storage._value, UInt8(0x00)._value)
    return product
  }

  /// In each lane, the product of the lower half of `x` and the lower half of `y`.
  @inline(__always)
  private func multiplyLowLow(_ x: SIMD8<Int64>, _ y: SIMD8<Int64>) -> SIMD8<Int64> {
    var product = x
    product._storage._value = Builtin.int_x86_pclmulqdq_512(x._storage._value, y._storage._value, UInt8(0x00)._value)
    return product
  }

  /// In each lane, the product of the lower half of `x` and the upper half of `y`.
  @inline(__always)
  private func multiplyLowHigh(_ x: SIMD8<Int64>, _ y: SIMD8<Int64>) -> SIMD8<Int64> {
    var product = x
    product._storage._value = Builtin.int_x86_pclmulqdq_512(x._storage._value, y._storage._value, UInt8(0x10)._value)
    return product
  }

  /// In each lane, the product of the upper half of `x` and the lower half of `y`.
  @inline(__always)
  private func multiplyHighLow(_ x: SIMD8<Int64>, _ y: SIMD8<Int64>) -> SIMD8<Int64> {
    var product = x
    product._storage._value = Builtin.int_x86_pclmulqdq_512(x._storage._value, y._storage._value, UInt8(0x01)._value)
    return product
  }

  /// In each lane, the product of the upper half of `x` and the upper half of `y`.
  @inline(__always)
  private func multiplyHighHigh(_ x: SIMD8<Int64>, _ y: SIMD8<Int64>) -> SIMD8<Int64> {
    var product = x
    product._storage._value = Builtin.int_x86_pclmulqdq_512(x._storage._value, y._storage._value, UInt8(0x11)._value)
    return product
  }
#endif
