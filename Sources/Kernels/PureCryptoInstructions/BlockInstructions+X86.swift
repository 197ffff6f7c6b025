#if HARDWARE_KERNELS && arch(x86_64)
  internal import Builtin

  // Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, "AESENC", "PCLMULQDQ", "PSHUFB".

  /// A round of AES: SubBytes, ShiftRows, MixColumns, AddRoundKey.
  @inlinable @inline(__always)
  public func aesRound(_ block: SIMD2<Int64>, _ roundKey: SIMD2<Int64>) -> SIMD2<Int64> {
    var result = block
    result._storage._value = Builtin.int_x86_aesni_aesenc(block._storage._value, roundKey._storage._value)
    return result
  }

  /// The last round of AES, without MixColumns.
  @inlinable @inline(__always)
  public func aesLastRound(_ block: SIMD2<Int64>, _ roundKey: SIMD2<Int64>) -> SIMD2<Int64> {
    var result = block
    result._storage._value = Builtin.int_x86_aesni_aesenclast(block._storage._value, roundKey._storage._value)
    return result
  }

  /// A round of the equivalent inverse cipher: InvShiftRows, InvSubBytes, InvMixColumns, AddRoundKey.
  @inlinable @inline(__always)
  public func aesInverseRound(_ block: SIMD2<Int64>, _ roundKey: SIMD2<Int64>) -> SIMD2<Int64> {
    var result = block
    result._storage._value = Builtin.int_x86_aesni_aesdec(block._storage._value, roundKey._storage._value)
    return result
  }

  /// The last round of the equivalent inverse cipher, without InvMixColumns.
  @inlinable @inline(__always)
  public func aesInverseLastRound(_ block: SIMD2<Int64>, _ roundKey: SIMD2<Int64>) -> SIMD2<Int64> {
    var result = block
    result._storage._value = Builtin.int_x86_aesni_aesdeclast(block._storage._value, roundKey._storage._value)
    return result
  }

  /// InvMixColumns alone, which makes a round key one of the equivalent inverse cipher.
  @inlinable @inline(__always)
  public func aesInverseMixColumns(_ block: SIMD2<Int64>) -> SIMD2<Int64> {
    var result = block
    result._storage._value = Builtin.int_x86_aesni_aesimc(block._storage._value)
    return result
  }

  /// The block with its bytes in the opposite order.
  @inlinable @inline(__always)
  public func reverseBytes(_ block: SIMD2<Int64>) -> SIMD2<Int64> {
    shuffle(block, SIMD2(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607))
  }

  /// The block with the bytes of each 32-bit word in the opposite order.
  @inlinable @inline(__always)
  public func reverseBytesOfWords(_ block: SIMD2<Int64>) -> SIMD2<Int64> {
    shuffle(block, SIMD2(0x0405_0607_0001_0203, 0x0c0d_0e0f_0809_0a0b))
  }

  /// Byte i of the result is the byte of the block that byte i of `order` names.
  @inlinable @inline(__always)
  public func shuffle(_ block: SIMD2<Int64>, _ order: SIMD2<Int64>) -> SIMD2<Int64> {
    var result = block
    result._storage._value = Builtin.bitcast_Vec16xInt8_Vec2xInt64(
      Builtin.int_x86_ssse3_pshuf_b_128(
        Builtin.bitcast_Vec2xInt64_Vec16xInt8(block._storage._value),
        Builtin.bitcast_Vec2xInt64_Vec16xInt8(order._storage._value)))
    return result
  }

  /// The product of the lower halves in GF(2)[x].
  @inlinable @inline(__always)
  public func multiplyLow(_ x: SIMD2<Int64>, _ y: SIMD2<Int64>) -> SIMD2<Int64> {
    var product = x
    product._storage._value = Builtin.int_x86_pclmulqdq(x._storage._value, y._storage._value, UInt8(0x00)._value)
    return product
  }

  /// The product of the upper halves in GF(2)[x].
  @inlinable @inline(__always)
  public func multiplyHigh(_ x: SIMD2<Int64>, _ y: SIMD2<Int64>) -> SIMD2<Int64> {
    var product = x
    product._storage._value = Builtin.int_x86_pclmulqdq(x._storage._value, y._storage._value, UInt8(0x11)._value)
    return product
  }
#endif
