#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  /// Room for a key prepared for GCM by AES-NI and PCLMULQDQ: 15 round keys, filled up to 256 bytes, then the powers of H.
  package let gcmKeyByteCountAESNI = 256 + HashPowers.byteCount

  /// Prepares a key for GCM.
  /// - Parameter key: 4 · `keyWordCount` readable bytes.
  /// - Parameter keyWordCount: Nk: 4, 6 or 8.
  /// - Parameter memory: room for `gcmKeyByteCountAESNI` bytes on a 16-byte boundary.
  ///
  /// The processor must have AES-NI, PCLMULQDQ and SSE4.1. Timing: depends on `keyWordCount` only.
  package func gcmPrepareAESNI(key: UnsafeRawPointer, keyWordCount: Int, memory: UnsafeMutableRawPointer) {
    aesExpandKeyAESNI(key: key, keyWordCount: keyWordCount, roundKeys: memory)
    let h = encrypt(SIMD2(0, 0), memory, keyWordCount &+ 6)
    HashPowers.prepare(h, into: memory + 256)
  }

  /// GHASH over a byte string filled up to whole blocks, then a block of two lengths in bits.
  package func gcmHashAESNI(
    key: UnsafeRawPointer, bytes: UnsafeRawPointer, count: Int, lengths: SIMD2<UInt64>
  ) -> SIMD2<Int64> {
    let powers = HashPowers(memory: key + 256)
    let y = hash(SIMD2(0, 0), bytes, count, powers)
    var sum = UnreducedProduct()
    sum.add(
      _mm_xor_si128(y, SIMD2(Int64(bitPattern: lengths[1]), Int64(bitPattern: lengths[0]))),
      times: powers[1], folded: powers.folded(1))
    return reverseBytes(sum.reduced)
  }

  /// Encrypts a message and returns its tag.
  /// - Parameter key: what `gcmPrepareAESNI` wrote.
  /// - Parameter roundCount: Nr: 10, 12 or 14.
  /// - Parameter counterBlock: J₀.
  /// - Parameter data: `dataCount` readable bytes that are authenticated only.
  /// - Parameter input: `count` readable bytes.
  /// - Parameter output: room for `count` bytes; the same address as `input` or no overlap.
  ///
  /// The processor must have AES-NI, PCLMULQDQ and SSE4.1. Timing: depends on `roundCount` and the two counts only.
  /// Source: NIST SP 800-38D §7.1.
  package func gcmSealAESNI(
    key: UnsafeRawPointer, roundCount: Int, counterBlock: SIMD2<Int64>,
    data: UnsafeRawPointer, dataCount: Int,
    input: UnsafeRawPointer, output: UnsafeMutableRawPointer, count: Int
  ) -> SIMD2<Int64> {
    process(key, roundCount, counterBlock, data, dataCount, input, output, count, isSealing: true)
  }

  /// Decrypts a message and returns the tag that belongs to its ciphertext. Parameters as for sealing.
  ///
  /// Source: NIST SP 800-38D §7.2.
  package func gcmOpenAESNI(
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
    let powers = HashPowers(memory: key + 256)
    var y = hash(SIMD2(0, 0), data, dataCount, powers)
    var counter = reverseBytes(counterBlock)
    var input = input
    var output = output

    // Eight blocks at a time. The processor overlaps the hash of one eight with the cipher of the next.
    for _ in 0..<(count &>> 7) {
      var blocks = EightBlocks(after: &counter)
      blocks.encrypt(key, roundCount)
      var sum = UnreducedProduct()
      step(blocks.b0, input, output, 0, y, powers, 8, &sum, isSealing)
      step(blocks.b1, input, output, 1, SIMD2(0, 0), powers, 7, &sum, isSealing)
      step(blocks.b2, input, output, 2, SIMD2(0, 0), powers, 6, &sum, isSealing)
      step(blocks.b3, input, output, 3, SIMD2(0, 0), powers, 5, &sum, isSealing)
      step(blocks.b4, input, output, 4, SIMD2(0, 0), powers, 4, &sum, isSealing)
      step(blocks.b5, input, output, 5, SIMD2(0, 0), powers, 3, &sum, isSealing)
      step(blocks.b6, input, output, 6, SIMD2(0, 0), powers, 2, &sum, isSealing)
      step(blocks.b7, input, output, 7, SIMD2(0, 0), powers, 1, &sum, isSealing)
      y = sum.reduced
      input += 128
      output += 128
    }

    // The last 0 to 127 bytes: 0 to 8 blocks, the last perhaps not full, and the block of lengths. J₀ takes the place of the
    // eighth counter block unless that is needed.
    let remaining = count & 127
    var blocks = EightBlocks(after: &counter)
    let tagMask: SIMD2<Int64>
    if remaining > 112 {
      blocks.encrypt(key, roundCount)
      tagMask = encrypt(counterBlock, key, roundCount)
    } else {
      blocks.b7 = counterBlock
      blocks.encrypt(key, roundCount)
      tagMask = blocks.b7
    }
    var exponent = (remaining &+ 15) &>> 4 &+ 1
    var sum = UnreducedProduct()
    for index in 0..<(remaining &>> 4) {
      step(blocks.b0, input, output, index, y, powers, exponent, &sum, isSealing)
      y = SIMD2(0, 0)
      exponent &-= 1
      blocks.shift()
    }
    if remaining & 15 > 0 {
      let offset = remaining & 112
      let text = loadPartial(input + offset, remaining & 15)
      let mask = leadingBytes(remaining & 15)
      let result = _mm_and_si128(_mm_xor_si128(text, blocks.b0), mask)
      storePartial(result, output + offset, remaining & 15)
      let ciphertext = reverseBytes(isSealing ? result : text)
      sum.add(_mm_xor_si128(ciphertext, y), times: powers[exponent], folded: powers.folded(exponent))
      y = SIMD2(0, 0)
    }
    let lengths = SIMD2(Int64(truncatingIfNeeded: count) &<< 3, Int64(truncatingIfNeeded: dataCount) &<< 3)
    sum.add(_mm_xor_si128(lengths, y), times: powers[1], folded: powers.folded(1))
    return _mm_xor_si128(reverseBytes(sum.reduced), tagMask)
  }

  /// Encrypts or decrypts the block at `index` with the keystream block, and adds the ciphertext to the hash.
  @inline(__always)
  private func step(
    _ keystream: SIMD2<Int64>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ index: Int,
    _ y: SIMD2<Int64>, _ powers: HashPowers, _ exponent: Int, _ sum: inout UnreducedProduct, _ isSealing: Bool
  ) {
    let text = input.loadUnaligned(fromByteOffset: 16 &* index, as: SIMD2<Int64>.self)
    let result = _mm_xor_si128(text, keystream)
    output.storeBytes(of: result, toByteOffset: 16 &* index, as: SIMD2<Int64>.self)
    let ciphertext = reverseBytes(isSealing ? result : text)
    sum.add(_mm_xor_si128(ciphertext, y), times: powers[exponent], folded: powers.folded(exponent))
  }

  /// GHASH from `y` on over a byte string filled up to whole blocks.
  @inline(__always)
  private func hash(
    _ y: SIMD2<Int64>, _ bytes: UnsafeRawPointer, _ count: Int, _ powers: HashPowers
  ) -> SIMD2<Int64> {
    var y = y
    var bytes = bytes
    var remaining = count
    while remaining > 0 {
      // Up to eight blocks share one reduction: Y ← (Y ⊕ X₁)·Hⁿ ⊕ X₂·Hⁿ⁻¹ ⊕ … ⊕ Xₙ·H.
      var exponent = remaining >= 128 ? 8 : (remaining &+ 15) &>> 4
      var sum = UnreducedProduct()
      while exponent > 0 {
        let block =
          remaining >= 16 ? bytes.loadUnaligned(as: SIMD2<Int64>.self) : loadPartial(bytes, remaining)
        sum.add(_mm_xor_si128(reverseBytes(block), y), times: powers[exponent], folded: powers.folded(exponent))
        y = SIMD2(0, 0)
        bytes += 16
        remaining &-= 16
        exponent &-= 1
      }
      y = sum.reduced
    }
    return y
  }

  /// The `count` bytes at `bytes`, 1 to 15, followed by zeros.
  @inline(__always)
  private func loadPartial(_ bytes: UnsafeRawPointer, _ count: Int) -> SIMD2<Int64> {
    var block = SIMD2<Int64>(0, 0)
    withUnsafeMutableBytes(of: &block) { $0.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: count)) }
    return block
  }

  /// Stores the first `count` bytes of a block, 1 to 15.
  @inline(__always)
  private func storePartial(_ block: SIMD2<Int64>, _ bytes: UnsafeMutableRawPointer, _ count: Int) {
    withUnsafeBytes(of: block) {
      UnsafeMutableRawBufferPointer(start: bytes, count: count)
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
    }
  }

  /// A mask of all ones in the first `count` bytes, 1 to 15.
  @inline(__always)
  private func leadingBytes(_ count: Int) -> SIMD2<Int64> {
    let bits = 8 &* UInt64(truncatingIfNeeded: count)
    let low: UInt64 = bits >= 64 ? ~0 : (1 &<< bits) &- 1
    let high: UInt64 = bits > 64 ? (1 &<< (bits &- 64)) &- 1 : 0
    return SIMD2(Int64(bitPattern: low), Int64(bitPattern: high))
  }

  /// Encrypts a single block.
  @inline(__always)
  private func encrypt(_ block: SIMD2<Int64>, _ roundKeys: UnsafeRawPointer, _ roundCount: Int) -> SIMD2<Int64> {
    var block = _mm_xor_si128(block, roundKeys.load(as: SIMD2<Int64>.self))
    for round in 1..<roundCount {
      block = _mm_aesenc_si128(block, roundKeys.load(fromByteOffset: 16 &* round, as: SIMD2<Int64>.self))
    }
    return _mm_aesenclast_si128(block, roundKeys.load(fromByteOffset: 16 &* roundCount, as: SIMD2<Int64>.self))
  }

  /// Eight blocks on their way through the cipher.
  private struct EightBlocks {
    var b0, b1, b2, b3, b4, b5, b6, b7: SIMD2<Int64>

    /// The eight counter blocks after `counter`, which is given and left with its bytes reversed: the 32-bit counter is then
    /// the lowest lane, and a lane-wise addition wraps as inc₃₂ does.
    @inline(__always)
    init(after counter: inout SIMD2<Int64>) {
      b0 = reverseBytes(_mm_add_epi32(counter, SIMD2(1, 0)))
      b1 = reverseBytes(_mm_add_epi32(counter, SIMD2(2, 0)))
      b2 = reverseBytes(_mm_add_epi32(counter, SIMD2(3, 0)))
      b3 = reverseBytes(_mm_add_epi32(counter, SIMD2(4, 0)))
      b4 = reverseBytes(_mm_add_epi32(counter, SIMD2(5, 0)))
      b5 = reverseBytes(_mm_add_epi32(counter, SIMD2(6, 0)))
      b6 = reverseBytes(_mm_add_epi32(counter, SIMD2(7, 0)))
      counter = _mm_add_epi32(counter, SIMD2(8, 0))
      b7 = reverseBytes(counter)
    }

    @inline(__always)
    mutating func encrypt(_ roundKeys: UnsafeRawPointer, _ roundCount: Int) {
      let first = roundKeys.load(as: SIMD2<Int64>.self)
      b0 = _mm_xor_si128(b0, first)
      b1 = _mm_xor_si128(b1, first)
      b2 = _mm_xor_si128(b2, first)
      b3 = _mm_xor_si128(b3, first)
      b4 = _mm_xor_si128(b4, first)
      b5 = _mm_xor_si128(b5, first)
      b6 = _mm_xor_si128(b6, first)
      b7 = _mm_xor_si128(b7, first)
      for round in 1..<roundCount {
        let key = roundKeys.load(fromByteOffset: 16 &* round, as: SIMD2<Int64>.self)
        b0 = _mm_aesenc_si128(b0, key)
        b1 = _mm_aesenc_si128(b1, key)
        b2 = _mm_aesenc_si128(b2, key)
        b3 = _mm_aesenc_si128(b3, key)
        b4 = _mm_aesenc_si128(b4, key)
        b5 = _mm_aesenc_si128(b5, key)
        b6 = _mm_aesenc_si128(b6, key)
        b7 = _mm_aesenc_si128(b7, key)
      }
      let last = roundKeys.load(fromByteOffset: 16 &* roundCount, as: SIMD2<Int64>.self)
      b0 = _mm_aesenclast_si128(b0, last)
      b1 = _mm_aesenclast_si128(b1, last)
      b2 = _mm_aesenclast_si128(b2, last)
      b3 = _mm_aesenclast_si128(b3, last)
      b4 = _mm_aesenclast_si128(b4, last)
      b5 = _mm_aesenclast_si128(b5, last)
      b6 = _mm_aesenclast_si128(b6, last)
      b7 = _mm_aesenclast_si128(b7, last)
    }

    /// Moves the next keystream block to the front.
    @inline(__always)
    mutating func shift() {
      b0 = b1
      b1 = b2
      b2 = b3
      b3 = b4
      b4 = b5
      b5 = b6
      b6 = b7
    }
  }
#endif
