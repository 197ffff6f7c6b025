#if HARDWARE_KERNELS && arch(x86_64) || ARM_KERNELS && arch(arm64)
  internal import PureCryptoInstructions

  // All types of this file are private to it, and small functions are inlined: what the compiler would emit for others
  // (value witnesses, copies for specialisation) are weak symbols, which the linker could let code of other targets
  // share although they contain instructions that not every processor has.

  /// Room for a key prepared for GCM: 15 round keys, filled up to 256 bytes, then the powers of H.
  package let gcmKeyByteCount = 256 + HashPowers.byteCount

  /// Prepares a key for GCM.
  /// - Parameter key: 4 · `keyWordCount` readable bytes.
  /// - Parameter keyWordCount: Nk: 4, 6 or 8.
  /// - Parameter memory: room for `gcmKeyByteCount` bytes on a 16-byte boundary.
  ///
  /// The processor must have AES-NI, PCLMULQDQ and SSE4.1, or AES and PMULL of ARMv8.
  ///
  /// Timing: depends on `keyWordCount` only.
  @export(interface)
  package func gcmPrepare(key: UnsafeRawPointer, keyWordCount: Int, memory: UnsafeMutableRawPointer) {
    aesExpandKey(key: key, keyWordCount: keyWordCount, roundKeys: memory)
    let h = encrypt(SIMD2(0, 0), memory, keyWordCount &+ 6)
    HashPowers.prepare(h, into: memory + 256)
  }

  /// GHASH over a byte string filled up to whole blocks, then a block of two lengths in bits.
  @export(interface)
  package func gcmHash(
    key: UnsafeRawPointer, bytes: UnsafeRawPointer, count: Int, lengths: SIMD2<UInt64>
  ) -> SIMD2<Int64> {
    let powers = HashPowers(memory: key + 256)
    let y = hash(SIMD2(0, 0), bytes, count, powers)
    var sum = UnreducedProduct()
    sum.add(
      addBlocks(y, SIMD2(Int64(bitPattern: lengths[1]), Int64(bitPattern: lengths[0]))),
      times: powers[1], folded: powers.folded(1))
    return reverseBytes(sum.reduced)
  }

  /// Encrypts a message and returns its tag.
  /// - Parameter key: what `gcmPrepare` wrote.
  /// - Parameter roundCount: Nr: 10, 12 or 14.
  /// - Parameter counterBlock: J₀.
  /// - Parameter data: `dataCount` readable bytes that are authenticated only.
  /// - Parameter input: `count` readable bytes.
  /// - Parameter output: room for `count` bytes; the same address as `input` or no overlap.
  ///
  /// The processor must have AES-NI, PCLMULQDQ and SSE4.1, or AES and PMULL of ARMv8.
  ///
  /// Timing: depends on `roundCount` and the two counts only.
  /// Source: NIST SP 800-38D §7.1.
  @export(interface)
  package func gcmSeal(
    key: UnsafeRawPointer, roundCount: Int, counterBlock: SIMD2<Int64>,
    data: UnsafeRawPointer, dataCount: Int,
    input: UnsafeRawPointer, output: UnsafeMutableRawPointer, count: Int
  ) -> SIMD2<Int64> {
    process(key, roundCount, counterBlock, data, dataCount, input, output, count, isSealing: true)
  }

  /// Decrypts a message and returns the tag that belongs to its ciphertext. Parameters as for sealing.
  ///
  /// Source: NIST SP 800-38D §7.2.
  @export(interface)
  package func gcmOpen(
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
    var counter = reverseBytesOfWords(counterBlock)
    let bulkCount = count & ~127
    if bulkCount > 0 {
      // A known number of rounds leaves no branch in the loop, across which the compiler would undo the interleaving.
      switch roundCount {
      case 10: bulk(key, 10, &counter, &y, powers, input, output, bulkCount, isSealing)
      case 14: bulk(key, 14, &counter, &y, powers, input, output, bulkCount, isSealing)
      default: bulk(key, 12, &counter, &y, powers, input, output, bulkCount, isSealing)
      }
    }
    let input = input + bulkCount
    let output = output + bulkCount

    // The last 0 to 127 bytes: 0 to 8 blocks, the last perhaps not full, and the block of lengths. J₀ takes the place
    // of the eighth counter block unless that is needed.
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
      let result = commonBits(addBlocks(text, blocks.b0), mask)
      storePartial(result, output + offset, remaining & 15)
      let ciphertext = reverseBytes(isSealing ? result : text)
      sum.add(addBlocks(ciphertext, y), times: powers[exponent], folded: powers.folded(exponent))
      y = SIMD2(0, 0)
    }
    let lengths = SIMD2(Int64(truncatingIfNeeded: count) &<< 3, Int64(truncatingIfNeeded: dataCount) &<< 3)
    sum.add(addBlocks(lengths, y), times: powers[1], folded: powers.folded(1))
    return addBlocks(reverseBytes(sum.reduced), tagMask)
  }

  /// Eight blocks at a time, their cipher interleaved with the hash of eight: when sealing, of the eight before, which
  /// are read again; when opening, of the same.
  /// - Parameter count: a positive multiple of 128.
  @inline(__always)
  private func bulk(
    _ key: UnsafeRawPointer, _ roundCount: Int, _ counter: inout SIMD2<Int64>, _ y: inout SIMD2<Int64>,
    _ powers: HashPowers, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int, _ isSealing: Bool
  ) {
    var offset = 0
    if isSealing {
      var blocks = EightBlocks(after: &counter)
      blocks.encrypt(key, roundCount)
      blocks.add(input, to: output)
      offset = 128
    }
    while offset < count {
      var blocks = EightBlocks(after: &counter)
      var sum = UnreducedProduct()
      let ciphertext = isSealing ? UnsafeRawPointer(output + (offset &- 128)) : input + offset
      blocks.encrypt(key, roundCount, hashing: ciphertext, y, powers, &sum)
      y = sum.reduced
      blocks.add(input + offset, to: output + offset)
      offset &+= 128
    }
    if isSealing {
      let ciphertext = UnsafeRawPointer(output + (count &- 128))
      var sum = UnreducedProduct()
      sum.add(blockAt: ciphertext, 0, y, times: 8, powers)
      sum.add(blockAt: ciphertext, 1, SIMD2(0, 0), times: 7, powers)
      sum.add(blockAt: ciphertext, 2, SIMD2(0, 0), times: 6, powers)
      sum.add(blockAt: ciphertext, 3, SIMD2(0, 0), times: 5, powers)
      sum.add(blockAt: ciphertext, 4, SIMD2(0, 0), times: 4, powers)
      sum.add(blockAt: ciphertext, 5, SIMD2(0, 0), times: 3, powers)
      sum.add(blockAt: ciphertext, 6, SIMD2(0, 0), times: 2, powers)
      sum.add(blockAt: ciphertext, 7, SIMD2(0, 0), times: 1, powers)
      y = sum.reduced
    }
  }

  /// Encrypts or decrypts the block at `index` with the keystream block, and adds the ciphertext to the hash.
  @inline(__always)
  private func step(
    _ keystream: SIMD2<Int64>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ index: Int,
    _ y: SIMD2<Int64>, _ powers: HashPowers, _ exponent: Int, _ sum: inout UnreducedProduct, _ isSealing: Bool
  ) {
    let text = input.loadUnaligned(fromByteOffset: 16 &* index, as: SIMD2<Int64>.self)
    let result = addBlocks(text, keystream)
    output.storeBytes(of: result, toByteOffset: 16 &* index, as: SIMD2<Int64>.self)
    let ciphertext = reverseBytes(isSealing ? result : text)
    sum.add(addBlocks(ciphertext, y), times: powers[exponent], folded: powers.folded(exponent))
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
        sum.add(addBlocks(reverseBytes(block), y), times: powers[exponent], folded: powers.folded(exponent))
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
    var block = addBlocks(block, roundKeys.load(as: SIMD2<Int64>.self))
    for round in 1..<roundCount {
      block = aesRound(block, roundKeys.load(fromByteOffset: 16 &* round, as: SIMD2<Int64>.self))
    }
    return aesLastRound(block, roundKeys.load(fromByteOffset: 16 &* roundCount, as: SIMD2<Int64>.self))
  }

  /// Eight blocks on their way through the cipher.
  private struct EightBlocks {
    var b0, b1, b2, b3, b4, b5, b6, b7: SIMD2<Int64>

    /// The eight counter blocks after `counter`, which is given and left with the bytes of its words reversed: the
    /// 32-bit counter is then the highest lane, and a lane-wise addition wraps as inc₃₂ does.
    @inline(__always)
    init(after counter: inout SIMD2<Int64>) {
      b0 = reverseBytesOfWords(addWords(counter, SIMD2(0, 1 &<< 32)))
      b1 = reverseBytesOfWords(addWords(counter, SIMD2(0, 2 &<< 32)))
      b2 = reverseBytesOfWords(addWords(counter, SIMD2(0, 3 &<< 32)))
      b3 = reverseBytesOfWords(addWords(counter, SIMD2(0, 4 &<< 32)))
      b4 = reverseBytesOfWords(addWords(counter, SIMD2(0, 5 &<< 32)))
      b5 = reverseBytesOfWords(addWords(counter, SIMD2(0, 6 &<< 32)))
      b6 = reverseBytesOfWords(addWords(counter, SIMD2(0, 7 &<< 32)))
      counter = addWords(counter, SIMD2(0, 8 &<< 32))
      b7 = reverseBytesOfWords(counter)
    }

    @inline(__always)
    mutating func encrypt(_ roundKeys: UnsafeRawPointer, _ roundCount: Int) {
      start(roundKeys)
      for index in 1..<roundCount { round(roundKeys, index) }
      finish(roundKeys, roundCount)
    }

    /// The same, and on the side the products of eight blocks of ciphertext with powers of H.
    /// - Parameter ciphertext: 128 readable bytes.
    /// - Parameter y: the hash so far.
    @inline(__always)
    mutating func encrypt(
      _ roundKeys: UnsafeRawPointer, _ roundCount: Int, hashing ciphertext: UnsafeRawPointer, _ y: SIMD2<Int64>,
      _ powers: HashPowers, _ sum: inout UnreducedProduct
    ) {
      start(roundKeys)
      // Written out: a loop over the rounds could not be interleaved with anything.
      round(roundKeys, 1)
      sum.add(blockAt: ciphertext, 0, y, times: 8, powers)
      round(roundKeys, 2)
      sum.add(blockAt: ciphertext, 1, SIMD2(0, 0), times: 7, powers)
      round(roundKeys, 3)
      sum.add(blockAt: ciphertext, 2, SIMD2(0, 0), times: 6, powers)
      round(roundKeys, 4)
      sum.add(blockAt: ciphertext, 3, SIMD2(0, 0), times: 5, powers)
      round(roundKeys, 5)
      sum.add(blockAt: ciphertext, 4, SIMD2(0, 0), times: 4, powers)
      round(roundKeys, 6)
      sum.add(blockAt: ciphertext, 5, SIMD2(0, 0), times: 3, powers)
      round(roundKeys, 7)
      sum.add(blockAt: ciphertext, 6, SIMD2(0, 0), times: 2, powers)
      round(roundKeys, 8)
      sum.add(blockAt: ciphertext, 7, SIMD2(0, 0), times: 1, powers)
      round(roundKeys, 9)
      if roundCount > 10 {
        round(roundKeys, 10)
        round(roundKeys, 11)
      }
      if roundCount > 12 {
        round(roundKeys, 12)
        round(roundKeys, 13)
      }
      finish(roundKeys, roundCount)
    }

    @inline(__always)
    private mutating func start(_ roundKeys: UnsafeRawPointer) {
      let key = roundKeys.load(as: SIMD2<Int64>.self)
      b0 = addBlocks(b0, key)
      b1 = addBlocks(b1, key)
      b2 = addBlocks(b2, key)
      b3 = addBlocks(b3, key)
      b4 = addBlocks(b4, key)
      b5 = addBlocks(b5, key)
      b6 = addBlocks(b6, key)
      b7 = addBlocks(b7, key)
    }

    @inline(__always)
    private mutating func round(_ roundKeys: UnsafeRawPointer, _ index: Int) {
      let key = roundKeys.load(fromByteOffset: 16 &* index, as: SIMD2<Int64>.self)
      b0 = aesRound(b0, key)
      b1 = aesRound(b1, key)
      b2 = aesRound(b2, key)
      b3 = aesRound(b3, key)
      b4 = aesRound(b4, key)
      b5 = aesRound(b5, key)
      b6 = aesRound(b6, key)
      b7 = aesRound(b7, key)
    }

    @inline(__always)
    private mutating func finish(_ roundKeys: UnsafeRawPointer, _ roundCount: Int) {
      let key = roundKeys.load(fromByteOffset: 16 &* roundCount, as: SIMD2<Int64>.self)
      b0 = aesLastRound(b0, key)
      b1 = aesLastRound(b1, key)
      b2 = aesLastRound(b2, key)
      b3 = aesLastRound(b3, key)
      b4 = aesLastRound(b4, key)
      b5 = aesLastRound(b5, key)
      b6 = aesLastRound(b6, key)
      b7 = aesLastRound(b7, key)
    }

    /// Adds the 128 bytes at `input` and writes the result.
    @inline(__always)
    func add(_ input: UnsafeRawPointer, to output: UnsafeMutableRawPointer) {
      add(b0, input, output, 0)
      add(b1, input, output, 1)
      add(b2, input, output, 2)
      add(b3, input, output, 3)
      add(b4, input, output, 4)
      add(b5, input, output, 5)
      add(b6, input, output, 6)
      add(b7, input, output, 7)
    }

    @inline(__always)
    private func add(
      _ keystream: SIMD2<Int64>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ index: Int
    ) {
      let text = input.loadUnaligned(fromByteOffset: 16 &* index, as: SIMD2<Int64>.self)
      output.storeBytes(of: addBlocks(text, keystream), toByteOffset: 16 &* index, as: SIMD2<Int64>.self)
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

  // Blocks are loaded with their bytes reversed, so that bit k of the 128-bit integer belongs to x¹²⁷⁻ᵏ. Every
  // power of H is held as T = Hᵏ·x⁻¹: the product of such an integer with T has x²⁵⁵⁻ᵏ at bit k, as two
  // whole blocks want it.

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
      low = addBlocks(low, multiplyLow(x, h))
      high = addBlocks(high, multiplyHigh(x, h))
      middle = addBlocks(middle, multiplyLow(addBlocks(x, SIMD2(x[1], x[0])), folded))
    }

    /// Adds the product of a block of ciphertext, to which `y` is added before, and a power of H.
    @inline(__always)
    mutating func add(
      blockAt bytes: UnsafeRawPointer, _ index: Int, _ y: SIMD2<Int64>, times exponent: Int, _ powers: HashPowers
    ) {
      let block = bytes.loadUnaligned(fromByteOffset: 16 &* index, as: SIMD2<Int64>.self)
      add(addBlocks(reverseBytes(block), y), times: powers[exponent], folded: powers.folded(exponent))
    }

    /// The remainder modulo x¹²⁸ + x⁷ + x² + x + 1.
    ///
    /// The lower half of the product belongs to x¹²⁸ … x²⁵⁵. Word by word, from the highest degrees: a word
    /// p there equals p·(1 + x + x² + x⁷) 128 places on, that is p itself and the 128-bit product of p and
    /// 0xc2 · 2⁵⁶.
    @inline(__always)
    var reduced: SIMD2<Int64> {
      let middle = addBlocks(middle, addBlocks(low, high))
      let upper = addBlocks(high, SIMD2(middle[1], 0))
      var lower = addBlocks(low, SIMD2(0, middle[0]))
      let polynomial = SIMD2<Int64>(Int64(bitPattern: 0xc200_0000_0000_0000), 0)
      lower = addBlocks(SIMD2(lower[1], lower[0]), multiplyLow(lower, polynomial))
      lower = addBlocks(SIMD2(lower[1], lower[0]), multiplyLow(lower, polynomial))
      return addBlocks(upper, lower)
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
      addBlocks(power, SIMD2(power[1], power[0]))
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
#endif
