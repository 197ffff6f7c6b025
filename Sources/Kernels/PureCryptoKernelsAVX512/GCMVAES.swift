#if HARDWARE_KERNELS && arch(x86_64)
  internal import Builtin
  internal import _Builtin_intrinsics.intel

  // All types of this file are private to it, and small functions are inlined: what the compiler would emit for others
  // (value witnesses, copies for specialisation) are weak symbols, which the linker could let code of other targets
  // share although they contain instructions that not every processor has. One file holds it all, because a debug build
  // emits those of internal types too, for tests.

  /// Room for a key prepared for GCM by VAES and VPCLMULQDQ: 15 round keys, filled up to 256 bytes, the powers of H,
  /// and as much as a load may read beyond them.
  package let gcmKeyByteCountVAES = 256 + WidePowers.byteCount + 48

  /// Completes a key for GCM whose round keys are already there.
  /// - Parameter roundCount: Nr: 10, 12 or 14.
  /// - Parameter memory: room for `gcmKeyByteCountVAES` bytes that starts with Nr + 1 round keys.
  ///
  /// The processor must have AVX-512 F, BW and VL, VAES and VPCLMULQDQ.
  ///
  /// Timing: depends on `roundCount` only.
  package func gcmPrepareVAES(roundCount: Int, memory: UnsafeMutableRawPointer) {
    let h = encrypt(SIMD2(0, 0), memory, roundCount)
    WidePowers.prepare(h, into: memory + 256)
  }

  /// GHASH over a byte string filled up to whole blocks, then a block of two lengths in bits.
  package func gcmHashVAES(
    key: UnsafeRawPointer, bytes: UnsafeRawPointer, count: Int, lengths: SIMD2<UInt64>
  ) -> SIMD2<Int64> {
    let powers = WidePowers(memory: key + 256)
    let y = hash(bytes, count, from: SIMD2(0, 0), powers)
    var sum = WideProduct()
    let last = _mm_xor_si128(y, SIMD2(Int64(bitPattern: lengths[1]), Int64(bitPattern: lengths[0])))
    sum.add(firstLane(last), times: powers[1])
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
  /// The processor must have AVX-512 F, BW and VL, VAES and VPCLMULQDQ.
  ///
  /// Timing: depends on `roundCount` and the two counts.
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
    var y = dataCount > 0 ? hash(data, dataCount, from: SIMD2(0, 0), powers) : SIMD2(0, 0)
    var counters = Counters(after: counterBlock)
    let bulkCount = count & ~255
    if bulkCount > 0 {
      // A known number of rounds leaves no branch in the loop, across which the compiler would undo the interleaving.
      switch roundCount {
      case 10: bulk(key, 10, &counters, &y, powers, input, output, bulkCount, isSealing)
      case 14: bulk(key, 14, &counters, &y, powers, input, output, bulkCount, isSealing)
      default: bulk(key, 12, &counters, &y, powers, input, output, bulkCount, isSealing)
      }
    }

    // The last 0 to 255 bytes: 0 to 16 blocks, the last perhaps not full, and the block of lengths.
    let input = input + bulkCount
    let output = output + bulkCount
    let remaining = count & 255
    var exponent = (remaining &+ 15) &>> 4 &+ 1
    var sum = WideProduct()
    var earlier = firstLane(y)
    var tagMask = counterBlock
    if remaining > 64 {
      var k = SixteenBlocks(&counters)
      k.encrypt(key, roundCount)
      tagMask = encrypt(tagMask, key, roundCount)
      partialStep(k.b0, input, output, 0, remaining, earlier, &exponent, powers, &sum, isSealing)
      earlier = SIMD8(repeating: 0)
      partialStep(k.b1, input, output, 64, remaining, earlier, &exponent, powers, &sum, isSealing)
      if remaining > 128 {
        partialStep(k.b2, input, output, 128, remaining, earlier, &exponent, powers, &sum, isSealing)
      }
      if remaining > 192 {
        partialStep(k.b3, input, output, 192, remaining, earlier, &exponent, powers, &sum, isSealing)
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
    sum.add(_mm512_xor_si512(firstLane(lengths), earlier), times: powers[1])
    return _mm_xor_si128(reverseBytes(sum.reduced), tagMask)
  }

  /// Sixteen blocks at a time, their cipher interleaved with the hash of sixteen before.
  ///
  /// Lane l of the hash takes every fourth block from the l-th on:
  ///
  ///     Y ← (Y ⊕ X)·H¹⁶ ⊕ X′·H¹² ⊕ X″·H⁸ ⊕ X‴·H⁴
  ///
  /// Only the last sixteen meet the powers of their own places, H¹⁶ … H¹, which makes one hash of the four lanes.
  /// - Parameter count: a positive multiple of 256.
  @inline(__always)
  private func bulk(
    _ key: UnsafeRawPointer, _ roundCount: Int, _ counters: inout Counters, _ y: inout SIMD2<Int64>,
    _ powers: WidePowers, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int,
    _ isSealing: Bool
  ) {
    var lanes = firstLane(y)
    var ciphertext = process(&counters, key, roundCount, input, output, isSealing)
    var offset = 256
    let lanePowers = LanePowers(powers)
    if count >= 2048 {
      doubleBulk(key, roundCount, &counters, &lanes, &ciphertext, &offset, lanePowers, input, output, count, isSealing)
    }
    while offset < count {
      var blocks = SixteenBlocks(&counters)
      let text = SixteenBlocks(input + offset)
      var sum = WideKaratsubaProduct()
      blocks.start(key)
      blocks.encrypt(key, roundCount, hashing: ciphertext, lanes, lanePowers, &sum)
      lanes = sum.reducedLanes
      blocks.add(text)
      blocks.store(to: output + offset)
      ciphertext = isSealing ? blocks : text
      offset &+= 256
    }
    var sum = WideProduct()
    sum.add(_mm512_xor_si512(reverseBytes(ciphertext.b0), lanes), times: powers[16])
    sum.add(reverseBytes(ciphertext.b1), times: powers[12])
    sum.add(reverseBytes(ciphertext.b2), times: powers[8])
    sum.add(reverseBytes(ciphertext.b3), times: powers[4])
    y = sum.reduced
  }

  /// The middle of a long message: twice sixteen blocks at a time, which share one reduction.
  ///
  /// The hash stays 512 bytes behind the cipher. At 256 the processor, which starts what is oldest, would let the
  /// cipher wait for the hash of what has only just been encrypted.
  /// - Parameter ciphertext: the sixteen blocks before `offset`, not hashed yet, before and after.
  /// - Parameter offset: 256; afterwards less than 512 bytes are left until `count`, which is at least 2048.
  @inline(__always)
  private func doubleBulk(
    _ key: UnsafeRawPointer, _ roundCount: Int, _ counters: inout Counters, _ lanes: inout SIMD8<Int64>,
    _ ciphertext: inout SixteenBlocks, _ offset: inout Int, _ lanePowers: LanePowers, _ input: UnsafeRawPointer,
    _ output: UnsafeMutableRawPointer, _ count: Int, _ isSealing: Bool
  ) {
    let higherPowers = LanePowers(sixteenAbove: lanePowers)
    var earlier = ciphertext
    ciphertext = process(&counters, key, roundCount, input + offset, output + offset, isSealing)
    offset &+= 256
    let end = offset &+ (count &- offset) & ~511
    while offset < end {
      var sum = WideKaratsubaProduct()
      var text = SixteenBlocks(input + offset)
      var blocks = SixteenBlocks(&counters)
      blocks.start(key)
      // Ciphertext that was just written is read again, which leaves the registers to the cipher.
      if isSealing { earlier = SixteenBlocks(output + (offset &- 512)) }
      blocks.encrypt(key, roundCount, hashing: earlier, lanes, higherPowers, &sum)
      blocks.add(text)
      blocks.store(to: output + offset)
      earlier = isSealing ? blocks : text

      blocks = SixteenBlocks(&counters)
      blocks.start(key)
      text = SixteenBlocks(input + (offset &+ 256))
      if isSealing { ciphertext = SixteenBlocks(output + (offset &- 256)) }
      blocks.encrypt(key, roundCount, hashing: ciphertext, SIMD8(repeating: 0), lanePowers, &sum)
      lanes = sum.reducedLanes
      blocks.add(text)
      blocks.store(to: output + (offset &+ 256))
      ciphertext = isSealing ? blocks : text
      offset &+= 512
    }
    var sum = WideKaratsubaProduct()
    sum.add(earlier, lanes, times: lanePowers)
    lanes = sum.reducedLanes
  }

  /// Encrypts or decrypts sixteen blocks without hashing any.
  /// - Returns: their ciphertext.
  @inline(__always)
  private func process(
    _ counters: inout Counters, _ key: UnsafeRawPointer, _ roundCount: Int, _ input: UnsafeRawPointer,
    _ output: UnsafeMutableRawPointer, _ isSealing: Bool
  ) -> SixteenBlocks {
    var blocks = SixteenBlocks(&counters)
    let text = SixteenBlocks(input)
    blocks.encrypt(key, roundCount)
    blocks.add(text)
    blocks.store(to: output)
    return isSealing ? blocks : text
  }

  /// Encrypts or decrypts up to 64 bytes of those that are left at `offset`, and adds the ciphertext to the hash,
  /// filled up to whole blocks with zeros. Blocks beyond are zero altogether and add nothing, whatever power they meet.
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

  /// GHASH from `y` on over a byte string filled up to whole blocks.
  @inline(__always)
  private func hash(
    _ bytes: UnsafeRawPointer, _ count: Int, from y: SIMD2<Int64>, _ powers: WidePowers
  ) -> SIMD2<Int64> {
    var y = y
    var bytes = bytes
    var remaining = count
    while remaining > 0 {
      // Up to sixteen blocks share one reduction: Y ← (Y ⊕ X₁)·Hⁿ ⊕ X₂·Hⁿ⁻¹ ⊕ … ⊕ Xₙ·H.
      var exponent = remaining >= 256 ? 16 : (remaining &+ 15) &>> 4
      var sum = WideProduct()
      var earlier = firstLane(y)
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
    /// The next four, with their bytes reversed: each 32-bit counter is then the lowest lane of its block, and a
    /// lane-wise addition wraps as inc₃₂ does.
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

  /// Sixteen blocks on their way through the cipher.
  private struct SixteenBlocks {
    var b0, b1, b2, b3: SIMD8<Int64>

    @inline(__always)
    init(_ b0: SIMD8<Int64>, _ b1: SIMD8<Int64>, _ b2: SIMD8<Int64>, _ b3: SIMD8<Int64>) {
      (self.b0, self.b1, self.b2, self.b3) = (b0, b1, b2, b3)
    }

    /// The next sixteen counter blocks.
    @inline(__always)
    init(_ counters: inout Counters) {
      b0 = counters.next()
      b1 = counters.next()
      b2 = counters.next()
      b3 = counters.next()
    }

    /// The 256 bytes at `bytes`.
    @inline(__always)
    init(_ bytes: UnsafeRawPointer) {
      b0 = bytes.loadUnaligned(as: SIMD8<Int64>.self)
      b1 = bytes.loadUnaligned(fromByteOffset: 64, as: SIMD8<Int64>.self)
      b2 = bytes.loadUnaligned(fromByteOffset: 128, as: SIMD8<Int64>.self)
      b3 = bytes.loadUnaligned(fromByteOffset: 192, as: SIMD8<Int64>.self)
    }

    @inline(__always)
    mutating func encrypt(_ roundKeys: UnsafeRawPointer, _ roundCount: Int) {
      start(roundKeys)
      // Written out: a loop over the rounds would end in a branch that the processor predicts badly.
      round(roundKeys, 1)
      round(roundKeys, 2)
      round(roundKeys, 3)
      round(roundKeys, 4)
      round(roundKeys, 5)
      round(roundKeys, 6)
      round(roundKeys, 7)
      finish(roundKeys, roundCount)
    }

    /// The rounds after `start`, and on the side the products of sixteen blocks of ciphertext with powers of H.
    /// - Parameter lanes: the hash so far, or zeros.
    @inline(__always)
    mutating func encrypt(
      _ roundKeys: UnsafeRawPointer, _ roundCount: Int, hashing ciphertext: SixteenBlocks, _ lanes: SIMD8<Int64>,
      _ powers: LanePowers, _ sum: inout WideKaratsubaProduct
    ) {
      round(roundKeys, 1)
      sum.add(reverseBytes(ciphertext.b1), times: powers.h1, folded: powers.folded1)
      round(roundKeys, 2)
      round(roundKeys, 3)
      sum.add(reverseBytes(ciphertext.b2), times: powers.h2, folded: powers.folded2)
      round(roundKeys, 4)
      round(roundKeys, 5)
      sum.add(reverseBytes(ciphertext.b3), times: powers.h3, folded: powers.folded3)
      round(roundKeys, 6)
      round(roundKeys, 7)
      // Last, because only this one waits for the hash so far.
      sum.add(_mm512_xor_si512(reverseBytes(ciphertext.b0), lanes), times: powers.h0, folded: powers.folded0)
      finish(roundKeys, roundCount)
    }

    /// Adds other blocks to these.
    @inline(__always)
    mutating func add(_ other: SixteenBlocks) {
      b0 = _mm512_xor_si512(b0, other.b0)
      b1 = _mm512_xor_si512(b1, other.b1)
      b2 = _mm512_xor_si512(b2, other.b2)
      b3 = _mm512_xor_si512(b3, other.b3)
    }

    @inline(__always)
    func store(to output: UnsafeMutableRawPointer) {
      output.storeBytes(of: b0, as: SIMD8<Int64>.self)
      output.storeBytes(of: b1, toByteOffset: 64, as: SIMD8<Int64>.self)
      output.storeBytes(of: b2, toByteOffset: 128, as: SIMD8<Int64>.self)
      output.storeBytes(of: b3, toByteOffset: 192, as: SIMD8<Int64>.self)
    }

    /// Adds the first round key.
    @inline(__always)
    mutating func start(_ roundKeys: UnsafeRawPointer) {
      let key = roundKey(roundKeys, 0)
      b0 = _mm512_xor_si512(b0, key)
      b1 = _mm512_xor_si512(b1, key)
      b2 = _mm512_xor_si512(b2, key)
      b3 = _mm512_xor_si512(b3, key)
    }

    @inline(__always)
    private mutating func round(_ roundKeys: UnsafeRawPointer, _ index: Int) {
      let key = roundKey(roundKeys, index)
      b0 = _mm512_aesenc_epi128(b0, key)
      b1 = _mm512_aesenc_epi128(b1, key)
      b2 = _mm512_aesenc_epi128(b2, key)
      b3 = _mm512_aesenc_epi128(b3, key)
    }

    /// The rounds from the eighth on.
    @inline(__always)
    private mutating func finish(_ roundKeys: UnsafeRawPointer, _ roundCount: Int) {
      round(roundKeys, 8)
      round(roundKeys, 9)
      if roundCount > 10 {
        round(roundKeys, 10)
        round(roundKeys, 11)
        if roundCount > 12 {
          round(roundKeys, 12)
          round(roundKeys, 13)
        }
      }
      let last = roundKey(roundKeys, roundCount)
      b0 = _mm512_aesenclast_epi128(b0, last)
      b1 = _mm512_aesenclast_epi128(b1, last)
      b2 = _mm512_aesenclast_epi128(b2, last)
      b3 = _mm512_aesenclast_epi128(b3, last)
    }
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

  // MARK: - GHASH

  // Blocks are loaded with their bytes reversed, so that bit k of the 128-bit integer belongs to x¹²⁷⁻ᵏ. Every
  // power of H is held as T = Hᵏ·x⁻¹: the product of such an integer with T has x²⁵⁵⁻ᵏ at bit k, as two
  // whole blocks want it.

  /// A product in GF(2)[x] before reduction, or a sum of such products, spread over four lanes that are still to be
  /// added.
  private struct WideProduct {
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
    /// The lower half of the product belongs to x¹²⁸ … x²⁵⁵. Word by word, from the highest degrees: a word
    /// p there equals p·(1 + x + x² + x⁷) 128 places on, that is p itself and the 128-bit product of p and
    /// 0xc2 · 2⁵⁶.
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
    var reducedLanes: SIMD8<Int64> { reduceLanes(low, middle, high) }
  }

  /// The same sum as Karatsuba makes it: one multiplication fewer for two additions more, which pays where the
  /// multiplier is the bottleneck and the folded powers are at hand.
  private struct WideKaratsubaProduct {
    private var low = SIMD8<Int64>(repeating: 0)
    /// (x₁ ⊕ x₀)(h₁ ⊕ h₀); `low` and `high` are still to be added.
    private var middle = SIMD8<Int64>(repeating: 0)
    private var high = SIMD8<Int64>(repeating: 0)

    /// Adds the products of four blocks with four powers, lane by lane.
    /// - Parameter folded: h₁ ⊕ h₀ in the lower half of each lane.
    @inline(__always)
    mutating func add(_ x: SIMD8<Int64>, times h: SIMD8<Int64>, folded: SIMD8<Int64>) {
      low = _mm512_xor_si512(low, multiplyLowLow(x, h))
      high = _mm512_xor_si512(high, multiplyHighHigh(x, h))
      middle = _mm512_xor_si512(middle, multiplyLowLow(_mm512_xor_si512(x, swapHalves(x)), folded))
    }

    /// Adds the products of sixteen blocks, the hash so far added to the first four, with the powers of a whole chunk.
    @inline(__always)
    mutating func add(_ blocks: SixteenBlocks, _ lanes: SIMD8<Int64>, times powers: LanePowers) {
      add(_mm512_xor_si512(reverseBytes(blocks.b0), lanes), times: powers.h0, folded: powers.folded0)
      add(reverseBytes(blocks.b1), times: powers.h1, folded: powers.folded1)
      add(reverseBytes(blocks.b2), times: powers.h2, folded: powers.folded2)
      add(reverseBytes(blocks.b3), times: powers.h3, folded: powers.folded3)
    }

    /// The remainders of the four lanes, each by itself.
    @inline(__always)
    var reducedLanes: SIMD8<Int64> {
      reduceLanes(low, _mm512_xor_si512(middle, _mm512_xor_si512(low, high)), high)
    }
  }

  /// The remainders of four products, as `WideProduct.reduced` takes one.
  @inline(__always)
  private func reduceLanes(_ low: SIMD8<Int64>, _ m: SIMD8<Int64>, _ high: SIMD8<Int64>) -> SIMD8<Int64> {
    let upper = _mm512_xor_si512(high, SIMD8(m[1], 0, m[3], 0, m[5], 0, m[7], 0))
    var lower = _mm512_xor_si512(low, SIMD8(0, m[0], 0, m[2], 0, m[4], 0, m[6]))
    let polynomial = SIMD8<Int64>(repeating: Int64(bitPattern: 0xc200_0000_0000_0000))
    lower = _mm512_xor_si512(swapHalves(lower), multiplyLowLow(lower, polynomial))
    lower = _mm512_xor_si512(swapHalves(lower), multiplyLowLow(lower, polynomial))
    return _mm512_xor_si512(upper, lower)
  }

  /// The powers of H in the prepared key: T₂₀ … T₁, 16 bytes each, so that four in a row are one load.
  private struct WidePowers {
    static let byteCount = 320

    let memory: UnsafeRawPointer

    /// T for H^`exponent` and the three below it, lowest lane first. `exponent` is 1 to 20; below T₁ there is other
    /// memory of the key, which meets zeros.
    @inline(__always)
    subscript(exponent: Int) -> SIMD8<Int64> {
      memory.loadUnaligned(fromByteOffset: 320 &- 16 &* exponent, as: SIMD8<Int64>.self)
    }

    /// T for H^`exponent` in every lane. `exponent` is 1 to 20.
    @inline(__always)
    func everywhere(_ exponent: Int) -> SIMD8<Int64> {
      _mm512_broadcast_i32x4(memory.loadUnaligned(fromByteOffset: 320 &- 16 &* exponent, as: SIMD2<Int64>.self))
    }

    /// Writes the powers of H, the encryption of the zero block.
    @inline(__always)
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
      product.add(firstLane(x), times: firstLane(h))
      return product.reduced
    }

    /// A shift by one place to the left; x⁰, leaving at the top, returns as x⁻¹ = x¹²⁷ + x⁶ + x + 1.
    @inline(__always)
    private static func multiplyByInverseOfX(_ x: SIMD2<Int64>) -> SIMD2<Int64> {
      let low = UInt64(bitPattern: x[0])
      let high = UInt64(bitPattern: x[1])
      // The bit itself, moved to the places of x⁻¹: nothing is selected.
      let leaving = high &>> 63
      return SIMD2(
        Int64(bitPattern: (low &<< 1) | leaving),
        Int64(
          bitPattern: ((high &<< 1) | (low &>> 63)) ^ (leaving &<< 63) ^ (leaving &<< 62) ^ (leaving &<< 57)))
    }
  }

  /// The powers that sixteen blocks in four lanes meet, each in every lane: H¹⁶, H¹², H⁸ and H⁴, or those
  /// sixteen above them.
  private struct LanePowers {
    let h0, h1, h2, h3: SIMD8<Int64>
    /// The two halves of the same, added.
    let folded0, folded1, folded2, folded3: SIMD8<Int64>

    /// H¹⁶, H¹², H⁸, H⁴.
    @inline(__always)
    init(_ powers: WidePowers) {
      self.init(powers.everywhere(16), powers.everywhere(12), powers.everywhere(8), powers.everywhere(4))
    }

    /// H³², H²⁸, H²⁴, H²⁰: the lower ones times H¹⁶, in one multiplication.
    @inline(__always)
    init(sixteenAbove low: LanePowers) {
      var product = WideProduct()
      product.add(
        SIMD8(low.h0[0], low.h0[1], low.h1[0], low.h1[1], low.h2[0], low.h2[1], low.h3[0], low.h3[1]), times: low.h0)
      let p = product.reducedLanes
      self.init(
        SIMD8(p[0], p[1], p[0], p[1], p[0], p[1], p[0], p[1]), SIMD8(p[2], p[3], p[2], p[3], p[2], p[3], p[2], p[3]),
        SIMD8(p[4], p[5], p[4], p[5], p[4], p[5], p[4], p[5]), SIMD8(p[6], p[7], p[6], p[7], p[6], p[7], p[6], p[7]))
    }

    @inline(__always)
    private init(_ h0: SIMD8<Int64>, _ h1: SIMD8<Int64>, _ h2: SIMD8<Int64>, _ h3: SIMD8<Int64>) {
      (self.h0, self.h1, self.h2, self.h3) = (h0, h1, h2, h3)
      folded0 = _mm512_xor_si512(h0, swapHalves(h0))
      folded1 = _mm512_xor_si512(h1, swapHalves(h1))
      folded2 = _mm512_xor_si512(h2, swapHalves(h2))
      folded3 = _mm512_xor_si512(h3, swapHalves(h3))
    }
  }

  /// The block with its bytes in the opposite order.
  @inline(__always)
  private func reverseBytes(_ block: SIMD2<Int64>) -> SIMD2<Int64> {
    _mm_shuffle_epi8(block, SIMD2<Int64>(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607))
  }

  /// Four blocks, each with its bytes in the opposite order.
  @inline(__always)
  private func reverseBytes(_ blocks: SIMD8<Int64>) -> SIMD8<Int64> {
    let low: Int64 = 0x0809_0a0b_0c0d_0e0f
    let high: Int64 = 0x0001_0203_0405_0607
    return _mm512_shuffle_epi8(blocks, SIMD8(low, high, low, high, low, high, low, high))
  }

  /// The block in the lowest lane, zeros in the others.
  @inline(__always)
  private func firstLane(_ x: SIMD2<Int64>) -> SIMD8<Int64> {
    SIMD8(x[0], x[1], 0, 0, 0, 0, 0, 0)
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
