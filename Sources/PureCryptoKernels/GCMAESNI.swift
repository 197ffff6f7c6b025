#if HARDWARE_KERNELS && arch(x86_64)
  internal import Builtin
  internal import _Builtin_intrinsics.intel

  // All types of this file are private to it, and small functions are inlined: what the compiler would emit for others (value
  // witnesses, copies for specialisation) are weak symbols, which the linker could let code of other targets share although
  // they contain instructions that not every processor has.

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

  // MARK: - GHASH

  // Blocks are loaded with their bytes reversed, so that bit k of the 128-bit integer belongs to x¹²⁷⁻ᵏ. Every power of H is
  // held as T = Hᵏ·x⁻¹: the product of such an integer with T has x²⁵⁵⁻ᵏ at bit k, as two whole blocks want it.

  /// A product in GF(2)[x] before reduction, or a sum of such products: 256 bits as Karatsuba leaves them.
  ///
  /// `middle` is the sum of (x₁ ⊕ x₀)(h₁ ⊕ h₀); `low` and `high` are still to be added to it.
  private struct UnreducedProduct {
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
  private struct HashPowers {
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
    @inline(__always)
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
      // The bit itself, moved to the places of x⁻¹: nothing is selected.
      let leaving = high &>> 63
      return SIMD2(
        Int64(bitPattern: (low &<< 1) | leaving),
        Int64(
          bitPattern: ((high &<< 1) | (low &>> 63)) ^ (leaving &<< 63) ^ (leaving &<< 62) ^ (leaving &<< 57)))
    }
  }

  /// The block with its bytes in the opposite order.
  @inline(__always)
  private func reverseBytes(_ block: SIMD2<Int64>) -> SIMD2<Int64> {
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
