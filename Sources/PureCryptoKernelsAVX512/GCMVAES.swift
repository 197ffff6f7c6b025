#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  /// Room for a key prepared for GCM by VAES and VPCLMULQDQ: 15 round keys, filled up to 256 bytes, the powers of H, and as
  /// much as a load may read beyond them.
  package let gcmKeyByteCountVAES = 256 + WidePowers.byteCount + 48

  /// Completes a key for GCM whose round keys are already there.
  /// - Parameter roundCount: Nr: 10, 12 or 14.
  /// - Parameter memory: room for `gcmKeyByteCountVAES` bytes that starts with Nr + 1 round keys.
  ///
  /// The processor must have AVX-512 F, BW and VL, VAES and VPCLMULQDQ. Timing: depends on `roundCount` only.
  package func gcmPrepareVAES(roundCount: Int, memory: UnsafeMutableRawPointer) {
    let h = encrypt(SIMD2(0, 0), memory, roundCount)
    WidePowers.prepare(h, into: memory + 256)
  }

  /// GHASH over a byte string filled up to whole blocks, then a block of two lengths in bits.
  package func gcmHashVAES(
    key: UnsafeRawPointer, bytes: UnsafeRawPointer, count: Int, lengths: SIMD2<UInt64>
  ) -> SIMD2<Int64> {
    let powers = WidePowers(memory: key + 256)
    let y = hash(bytes, count, powers)
    var sum = WideProduct()
    let last = _mm_xor_si128(y, SIMD2(Int64(bitPattern: lengths[1]), Int64(bitPattern: lengths[0])))
    sum.add(_mm512_zextsi128_si512(last), times: powers[1])
    return reverseBytes(sum.reduced)
  }

  /// Encrypts a message and returns its tag.
  /// - Parameter key: what `gcmPrepareVAES` completed.
  /// - Parameter roundCount: Nr: 10, 12 or 14.
  /// - Parameter counterBlock: J₀.
  /// - Parameter data: `dataCount` readable bytes that are authenticated only.
  /// - Parameter input: `count` readable bytes.
  /// - Parameter output: room for `count` bytes; the same address as `input` or no overlap.
  ///
  /// The processor must have AVX-512 F, BW and VL, VAES and VPCLMULQDQ. Timing: depends on `roundCount` and the two counts.
  /// Source: NIST SP 800-38D §7.1.
  package func gcmSealVAES(
    key: UnsafeRawPointer, roundCount: Int, counterBlock: SIMD2<Int64>,
    data: UnsafeRawPointer, dataCount: Int,
    input: UnsafeRawPointer, output: UnsafeMutableRawPointer, count: Int
  ) -> SIMD2<Int64> {
    process(key, roundCount, counterBlock, data, dataCount, input, output, count, isSealing: true)
  }

  /// Decrypts a message and returns the tag that belongs to its ciphertext. Parameters as for sealing.
  ///
  /// Source: NIST SP 800-38D §7.2.
  package func gcmOpenVAES(
    key: UnsafeRawPointer, roundCount: Int, counterBlock: SIMD2<Int64>,
    data: UnsafeRawPointer, dataCount: Int,
    input: UnsafeRawPointer, output: UnsafeMutableRawPointer, count: Int
  ) -> SIMD2<Int64> {
    process(key, roundCount, counterBlock, data, dataCount, input, output, count, isSealing: false)
  }

  @inline(__always)
  private func process(
    _ key: UnsafeRawPointer, _ roundCount: Int, _ counterBlock: SIMD2<Int64>,
    _ data: UnsafeRawPointer, _ dataCount: Int,
    _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int, isSealing: Bool
  ) -> SIMD2<Int64> {
    let powers = WidePowers(memory: key + 256)
    var y = dataCount > 0 ? hash(data, dataCount, powers) : SIMD2(0, 0)
    var counters = Counters(after: counterBlock)
    var input = input
    var output = output
    var remaining = count

    // Sixteen blocks at a time. The processor overlaps the hash of one sixteen with the cipher of the next.
    while remaining >= 256 {
      var k0 = counters.next()
      var k1 = counters.next()
      var k2 = counters.next()
      var k3 = counters.next()
      encrypt(&k0, &k1, &k2, &k3, key, roundCount)
      var sum = WideProduct()
      step(k0, input, output, 0, _mm512_zextsi128_si512(y), powers[16], &sum, isSealing)
      step(k1, input, output, 64, SIMD8(repeating: 0), powers[12], &sum, isSealing)
      step(k2, input, output, 128, SIMD8(repeating: 0), powers[8], &sum, isSealing)
      step(k3, input, output, 192, SIMD8(repeating: 0), powers[4], &sum, isSealing)
      y = sum.reduced
      input += 256
      output += 256
      remaining &-= 256
    }

    // The last 0 to 255 bytes: 0 to 16 blocks, the last perhaps not full, and the block of lengths.
    var exponent = (remaining &+ 15) &>> 4 &+ 1
    var sum = WideProduct()
    var earlier = _mm512_zextsi128_si512(y)
    var tagMask = counterBlock
    if remaining > 64 {
      var k0 = counters.next()
      var k1 = counters.next()
      var k2 = counters.next()
      var k3 = counters.next()
      encrypt(&k0, &k1, &k2, &k3, key, roundCount)
      tagMask = encrypt(tagMask, key, roundCount)
      step(k0, input, output, 0, earlier, powers[exponent], &sum, isSealing)
      earlier = SIMD8(repeating: 0)
      exponent &-= 4
      partialStep(k1, input, output, 64, remaining, earlier, &exponent, powers, &sum, isSealing)
      if remaining > 128 {
        partialStep(k2, input, output, 128, remaining, earlier, &exponent, powers, &sum, isSealing)
      }
      if remaining > 192 {
        partialStep(k3, input, output, 192, remaining, earlier, &exponent, powers, &sum, isSealing)
      }
    } else if remaining > 0 {
      var k0 = counters.next()
      encrypt(&k0, &tagMask, key, roundCount)
      partialStep(k0, input, output, 0, remaining, earlier, &exponent, powers, &sum, isSealing)
      earlier = SIMD8(repeating: 0)
    } else {
      tagMask = encrypt(tagMask, key, roundCount)
    }
    let lengths = SIMD2(Int64(truncatingIfNeeded: count) &<< 3, Int64(truncatingIfNeeded: dataCount) &<< 3)
    sum.add(_mm512_xor_si512(_mm512_zextsi128_si512(lengths), earlier), times: powers[1])
    return _mm_xor_si128(reverseBytes(sum.reduced), tagMask)
  }

  /// Encrypts or decrypts 64 bytes with the keystream, and adds the ciphertext to the hash.
  @inline(__always)
  private func step(
    _ keystream: SIMD8<Int64>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ offset: Int,
    _ y: SIMD8<Int64>, _ powers: SIMD8<Int64>, _ sum: inout WideProduct, _ isSealing: Bool
  ) {
    let text = input.loadUnaligned(fromByteOffset: offset, as: SIMD8<Int64>.self)
    let result = _mm512_xor_si512(text, keystream)
    output.storeBytes(of: result, toByteOffset: offset, as: SIMD8<Int64>.self)
    sum.add(_mm512_xor_si512(reverseBytes(isSealing ? result : text), y), times: powers)
  }

  /// The same for the 1 to 64 bytes that are left at `offset`. The hash takes them filled up to whole blocks with zeros;
  /// blocks beyond are zero altogether and add nothing, whatever power they meet.
  @inline(__always)
  private func partialStep(
    _ keystream: SIMD8<Int64>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ offset: Int,
    _ remaining: Int, _ y: SIMD8<Int64>, _ exponent: inout Int, _ powers: WidePowers, _ sum: inout WideProduct,
    _ isSealing: Bool
  ) {
    let mask = leadingBytes(remaining &- offset)
    let text = _mm512_maskz_loadu_epi8(mask, input + offset)
    let result = _mm512_maskz_mov_epi8(mask, _mm512_xor_si512(text, keystream))
    _mm512_mask_storeu_epi8(output + offset, mask, result)
    sum.add(_mm512_xor_si512(reverseBytes(isSealing ? result : text), y), times: powers[exponent])
    exponent &-= 4
  }

  /// GHASH over a byte string filled up to whole blocks.
  @inline(__always)
  private func hash(_ bytes: UnsafeRawPointer, _ count: Int, _ powers: WidePowers) -> SIMD2<Int64> {
    var y = SIMD2<Int64>(0, 0)
    var bytes = bytes
    var remaining = count
    while remaining > 0 {
      // Up to sixteen blocks share one reduction: Y ← (Y ⊕ X₁)·Hⁿ ⊕ X₂·Hⁿ⁻¹ ⊕ … ⊕ Xₙ·H.
      var exponent = remaining >= 256 ? 16 : (remaining &+ 15) &>> 4
      var sum = WideProduct()
      var earlier = _mm512_zextsi128_si512(y)
      while exponent > 0 {
        let blocks = _mm512_maskz_loadu_epi8(leadingBytes(remaining), bytes)
        sum.add(_mm512_xor_si512(reverseBytes(blocks), earlier), times: powers[exponent])
        earlier = SIMD8(repeating: 0)
        bytes += 64
        remaining &-= 64
        exponent &-= 4
      }
      y = sum.reduced
    }
    return y
  }

  /// A mask for the first `count` of 64 bytes; all of them if there are more. `count` is at least 1.
  @inline(__always)
  private func leadingBytes(_ count: Int) -> UInt64 {
    count >= 64 ? ~0 : (1 &<< UInt64(truncatingIfNeeded: count)) &- 1
  }

  /// The counter blocks after J₀, four at a time.
  private struct Counters {
    /// The next four, with their bytes reversed: each 32-bit counter is then the lowest lane of its block, and a lane-wise
    /// addition wraps as inc₃₂ does.
    private var blocks: SIMD8<Int64>

    @inline(__always)
    init(after counterBlock: SIMD2<Int64>) {
      let block = reverseBytes(counterBlock)
      let four = SIMD8(block[0], block[1], block[0], block[1], block[0], block[1], block[0], block[1])
      blocks = _mm512_add_epi32(four, SIMD8(1, 0, 2, 0, 3, 0, 4, 0))
    }

    @inline(__always)
    mutating func next() -> SIMD8<Int64> {
      let result = reverseBytes(blocks)
      blocks = _mm512_add_epi32(blocks, SIMD8(4, 0, 4, 0, 4, 0, 4, 0))
      return result
    }
  }

  @inline(__always)
  private func roundKey(_ roundKeys: UnsafeRawPointer, _ round: Int) -> SIMD8<Int64> {
    _mm512_broadcast_i32x4(roundKeys.loadUnaligned(fromByteOffset: 16 &* round, as: SIMD2<Int64>.self))
  }

  /// Encrypts sixteen blocks.
  @inline(__always)
  private func encrypt(
    _ b0: inout SIMD8<Int64>, _ b1: inout SIMD8<Int64>, _ b2: inout SIMD8<Int64>, _ b3: inout SIMD8<Int64>,
    _ roundKeys: UnsafeRawPointer, _ roundCount: Int
  ) {
    let first = roundKey(roundKeys, 0)
    b0 = _mm512_xor_si512(b0, first)
    b1 = _mm512_xor_si512(b1, first)
    b2 = _mm512_xor_si512(b2, first)
    b3 = _mm512_xor_si512(b3, first)
    for round in 1..<roundCount {
      let key = roundKey(roundKeys, round)
      b0 = _mm512_aesenc_epi128(b0, key)
      b1 = _mm512_aesenc_epi128(b1, key)
      b2 = _mm512_aesenc_epi128(b2, key)
      b3 = _mm512_aesenc_epi128(b3, key)
    }
    let last = roundKey(roundKeys, roundCount)
    b0 = _mm512_aesenclast_epi128(b0, last)
    b1 = _mm512_aesenclast_epi128(b1, last)
    b2 = _mm512_aesenclast_epi128(b2, last)
    b3 = _mm512_aesenclast_epi128(b3, last)
  }

  /// Encrypts four blocks and a single one.
  @inline(__always)
  private func encrypt(
    _ blocks: inout SIMD8<Int64>, _ block: inout SIMD2<Int64>, _ roundKeys: UnsafeRawPointer, _ roundCount: Int
  ) {
    blocks = _mm512_xor_si512(blocks, roundKey(roundKeys, 0))
    block = _mm_xor_si128(block, roundKeys.loadUnaligned(as: SIMD2<Int64>.self))
    for round in 1..<roundCount {
      blocks = _mm512_aesenc_epi128(blocks, roundKey(roundKeys, round))
      block = _mm_aesenc_si128(block, roundKeys.loadUnaligned(fromByteOffset: 16 &* round, as: SIMD2<Int64>.self))
    }
    blocks = _mm512_aesenclast_epi128(blocks, roundKey(roundKeys, roundCount))
    block = _mm_aesenclast_si128(
      block, roundKeys.loadUnaligned(fromByteOffset: 16 &* roundCount, as: SIMD2<Int64>.self))
  }

  /// Encrypts a single block.
  @inline(__always)
  private func encrypt(_ block: SIMD2<Int64>, _ roundKeys: UnsafeRawPointer, _ roundCount: Int) -> SIMD2<Int64> {
    var block = _mm_xor_si128(block, roundKeys.loadUnaligned(as: SIMD2<Int64>.self))
    for round in 1..<roundCount {
      block = _mm_aesenc_si128(block, roundKeys.loadUnaligned(fromByteOffset: 16 &* round, as: SIMD2<Int64>.self))
    }
    return _mm_aesenclast_si128(
      block, roundKeys.loadUnaligned(fromByteOffset: 16 &* roundCount, as: SIMD2<Int64>.self))
  }
#endif
