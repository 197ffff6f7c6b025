#if ARM_KERNELS && arch(arm64)
  internal import Builtin

  // AESE adds its key before SubBytes and ShiftRows, AESENC after MixColumns. A key of zeros makes a round of the
  // latter kind from the former; the compiler takes the addition that came before into AESE.
  //
  // Source: Arm Architecture Reference Manual, C7.2, "AESE", "AESMC", "PMULL".

  /// A round of AES: SubBytes, ShiftRows, MixColumns, AddRoundKey.
  @inlinable @inline(__always)
  public func aesRound(_ block: SIMD2<Int64>, _ roundKey: SIMD2<Int64>) -> SIMD2<Int64> {
    var mixed = block
    mixed._storage._value = Builtin.bitcast_Vec16xInt8_Vec2xInt64(
      Builtin.int_aarch64_crypto_aesmc(
        Builtin.int_aarch64_crypto_aese(
          Builtin.bitcast_Vec2xInt64_Vec16xInt8(block._storage._value), SIMD16<UInt8>(repeating: 0)._storage._value)))
    return addBlocks(mixed, roundKey)
  }

  /// The last round of AES, without MixColumns.
  @inlinable @inline(__always)
  public func aesLastRound(_ block: SIMD2<Int64>, _ roundKey: SIMD2<Int64>) -> SIMD2<Int64> {
    var substituted = block
    substituted._storage._value = Builtin.bitcast_Vec16xInt8_Vec2xInt64(
      Builtin.int_aarch64_crypto_aese(
        Builtin.bitcast_Vec2xInt64_Vec16xInt8(block._storage._value), SIMD16<UInt8>(repeating: 0)._storage._value))
    return addBlocks(substituted, roundKey)
  }

  /// A round of the equivalent inverse cipher: InvShiftRows, InvSubBytes, InvMixColumns, AddRoundKey.
  @inlinable @inline(__always)
  public func aesInverseRound(_ block: SIMD2<Int64>, _ roundKey: SIMD2<Int64>) -> SIMD2<Int64> {
    var mixed = block
    mixed._storage._value = Builtin.bitcast_Vec16xInt8_Vec2xInt64(
      Builtin.int_aarch64_crypto_aesimc(
        Builtin.int_aarch64_crypto_aesd(
          Builtin.bitcast_Vec2xInt64_Vec16xInt8(block._storage._value), SIMD16<UInt8>(repeating: 0)._storage._value)))
    return addBlocks(mixed, roundKey)
  }

  /// The last round of the equivalent inverse cipher, without InvMixColumns.
  @inlinable @inline(__always)
  public func aesInverseLastRound(_ block: SIMD2<Int64>, _ roundKey: SIMD2<Int64>) -> SIMD2<Int64> {
    var substituted = block
    substituted._storage._value = Builtin.bitcast_Vec16xInt8_Vec2xInt64(
      Builtin.int_aarch64_crypto_aesd(
        Builtin.bitcast_Vec2xInt64_Vec16xInt8(block._storage._value), SIMD16<UInt8>(repeating: 0)._storage._value))
    return addBlocks(substituted, roundKey)
  }

  /// InvMixColumns alone, which makes a round key one of the equivalent inverse cipher.
  @inlinable @inline(__always)
  public func aesInverseMixColumns(_ block: SIMD2<Int64>) -> SIMD2<Int64> {
    var mixed = block
    mixed._storage._value = Builtin.bitcast_Vec16xInt8_Vec2xInt64(
      Builtin.int_aarch64_crypto_aesimc(Builtin.bitcast_Vec2xInt64_Vec16xInt8(block._storage._value)))
    return mixed
  }

  /// The block with its bytes in the opposite order.
  @inlinable @inline(__always)
  public func reverseBytes(_ block: SIMD2<Int64>) -> SIMD2<Int64> {
    SIMD2(block[1].byteSwapped, block[0].byteSwapped)
  }

  /// The block with the bytes of each 32-bit word in the opposite order.
  @inlinable @inline(__always)
  public func reverseBytesOfWords(_ block: SIMD2<Int64>) -> SIMD2<Int64> {
    let words = unsafeBitCast(block, to: SIMD4<UInt32>.self)
    return unsafeBitCast(
      SIMD4(words[0].byteSwapped, words[1].byteSwapped, words[2].byteSwapped, words[3].byteSwapped),
      to: SIMD2<Int64>.self)
  }

  /// The product of the lower halves in GF(2)[x].
  @inlinable @inline(__always)
  public func multiplyLow(_ x: SIMD2<Int64>, _ y: SIMD2<Int64>) -> SIMD2<Int64> {
    var product = x
    product._storage._value = Builtin.bitcast_Vec16xInt8_Vec2xInt64(
      Builtin.int_aarch64_neon_pmull64(x[0]._value, y[0]._value))
    return product
  }

  /// The product of the upper halves in GF(2)[x].
  @inlinable @inline(__always)
  public func multiplyHigh(_ x: SIMD2<Int64>, _ y: SIMD2<Int64>) -> SIMD2<Int64> {
    var product = x
    product._storage._value = Builtin.bitcast_Vec16xInt8_Vec2xInt64(
      Builtin.int_aarch64_neon_pmull64(x[1]._value, y[1]._value))
    return product
  }
#endif
