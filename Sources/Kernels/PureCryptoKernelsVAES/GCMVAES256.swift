#if HARDWARE_KERNELS && arch(x86_64)
  internal import Builtin
  internal import _Builtin_intrinsics.intel

  // AES-GCM by VAES and VPCLMULQDQ on 256 bits, for processors that have both without AVX-512. All types of this file
  // are private to it: see GCMVAES.swift.

  private typealias Vector = SIMD4<Int64>

  /// Room for a key prepared for GCM by VAES and VPCLMULQDQ on 256 bits: 15 round keys, filled up to 256 bytes, and the
  /// powers of H.
  package let gcmKeyByteCountVAES256 = 256 + LanePowers.byteCount + PairPowers.byteCount

  /// Completes a key for GCM whose round keys are already there.
  /// - Parameter roundCount: Nr: 10, 12 or 14.
  /// - Parameter memory: room for `gcmKeyByteCountVAES256` bytes that starts with Nr + 1 round keys.
  ///
  /// The processor must have AVX2, VAES and VPCLMULQDQ.
  ///
  /// Timing: depends on `roundCount` only.
  package func gcmPrepareVAES256(roundCount: Int, memory: UnsafeMutableRawPointer) {
    let h = encrypt(SIMD2(0, 0), memory, roundCount)
    PairPowers.prepare(h, into: memory + 256 + LanePowers.byteCount)
    LanePowers.prepare(from: pairPowers(memory), into: memory + 256)
  }

  /// GHASH over a byte string filled up to whole blocks, then a block of two lengths in bits.
  package func gcmHashVAES256(
    key: UnsafeRawPointer, bytes: UnsafeRawPointer, count: Int, lengths: SIMD2<UInt64>
  ) -> SIMD2<Int64> {
    let powers = pairPowers(key)
    let y = hash(bytes, count, from: SIMD2(0, 0), powers)
    let last = _mm_xor_si128(y, SIMD2(Int64(bitPattern: lengths[1]), Int64(bitPattern: lengths[0])))
    var sum = Product()
    sum.add(firstLane(last), times: powers[1])
    return reverseBytes(sum.reduced)
  }

  /// Encrypts a message and returns its tag.
  /// - Parameter key: what `gcmPrepareVAES256` completed.
  /// - Parameter roundCount: Nr: 10, 12 or 14.
  /// - Parameter counterBlock: J₀.
  /// - Parameter data: `dataCount` readable bytes that are authenticated only.
  /// - Parameter input: `count` readable bytes.
  /// - Parameter output: room for `count` bytes; the same address as `input` or no overlap.
  ///
  /// The processor must have AVX2, VAES and VPCLMULQDQ.
  ///
  /// Timing: depends on `roundCount` and the two counts.
  /// Source: NIST SP 800-38D §7.1.
  package func gcmSealVAES256(
    key: UnsafeRawPointer, roundCount: Int, counterBlock: SIMD2<Int64>,
    data: UnsafeRawPointer, dataCount: Int,
    input: UnsafeRawPointer, output: UnsafeMutableRawPointer, count: Int
  ) -> SIMD2<Int64> {
    process(key, roundCount, counterBlock, data, dataCount, input, output, count, isSealing: true)
  }

  /// Decrypts a message and returns the tag that belongs to its ciphertext. Parameters as for sealing.
  ///
  /// Source: NIST SP 800-38D §7.2.
  package func gcmOpenVAES256(
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
    let powers = pairPowers(key)
    var y = dataCount > 0 ? hash(data, dataCount, from: SIMD2(0, 0), powers) : SIMD2(0, 0)
    var counters = Counters(after: counterBlock, key)
    let bulkCount = count & ~255
    if bulkCount > 0 {
      // A known number of rounds leaves no branch in the loop, across which the compiler would undo the interleaving.
      switch roundCount {
      case 10: bulk(key, 10, &counters, &y, input, output, bulkCount, isSealing)
      case 14: bulk(key, 14, &counters, &y, input, output, bulkCount, isSealing)
      default: bulk(key, 12, &counters, &y, input, output, bulkCount, isSealing)
      }
    }

    // The last 0 to 255 bytes: 0 to 16 blocks, the last perhaps not full, and the block of lengths. J₀ takes the
    // place of the last two counter blocks unless they are needed.
    var input = input + bulkCount
    var output = output + bulkCount
    var remaining = count & 255
    var blocks = SixteenBlocks(&counters)
    let tagMask: SIMD2<Int64>
    if remaining > 0, remaining <= 224 {
      blocks.b7 = _mm256_xor_si256(firstLane(counterBlock), roundKey(key, 0))
      blocks.encrypt(key, roundCount)
      tagMask = SIMD2(blocks.b7[0], blocks.b7[1])
    } else {
      if remaining > 0 { blocks.encrypt(key, roundCount) }
      tagMask = encrypt(counterBlock, key, roundCount)
    }
    var exponent = (remaining &+ 15) &>> 4 &+ 1
    var sum = Product()
    var earlier = firstLane(y)
    while remaining > 0 {
      let text = remaining >= 32 ? input.loadUnaligned(as: Vector.self) : loadPartial(input, remaining)
      var result = _mm256_xor_si256(text, blocks.b0)
      if remaining >= 32 {
        output.storeBytes(of: result, as: Vector.self)
      } else {
        result = _mm256_and_si256(result, leadingBytes(remaining))
        storePartial(result, output, remaining)
      }
      sum.add(_mm256_xor_si256(reverseBytes(isSealing ? result : text), earlier), times: powers[exponent])
      earlier = Vector(repeating: 0)
      exponent &-= 2
      blocks.shift()
      input += 32
      output += 32
      remaining &-= 32
    }
    let lengths = SIMD2(Int64(truncatingIfNeeded: count) &<< 3, Int64(truncatingIfNeeded: dataCount) &<< 3)
    sum.add(_mm256_xor_si256(firstLane(lengths), earlier), times: powers[1])
    return _mm_xor_si128(reverseBytes(sum.reduced), tagMask)
  }

  /// Sixteen blocks at a time, their cipher interleaved with the hash of sixteen: when sealing, of the sixteen before,
  /// which are read again; when opening, of the same.
  ///
  /// Lane l of the hash takes every second block from the l-th on:
  ///
  ///     Y ← (Y ⊕ X)·H¹⁶ ⊕ X′·H¹⁴ ⊕ … ⊕ X‴·H²
  ///
  /// Only the last sixteen meet the powers of their own places, H¹⁶ … H¹, which makes one hash of the two lanes.
  /// - Parameter count: a positive multiple of 256.
  @inline(__always)
  private func bulk(
    _ key: UnsafeRawPointer, _ roundCount: Int, _ counters: inout Counters, _ y: inout SIMD2<Int64>,
    _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int, _ isSealing: Bool
  ) {
    let lanePowers = LanePowers(memory: key + 256)
    var lanes = firstLane(y)
    var offset = 0
    if isSealing {
      var blocks = SixteenBlocks(&counters)
      for index in 1..<roundCount { blocks.round(key, index) }
      blocks.finish(roundKey(key, roundCount), input, to: output)
      offset = 256
    }
    let end = isSealing ? count : count &- 256
    while offset < end {
      var blocks = SixteenBlocks(&counters)
      let ciphertext = isSealing ? UnsafeRawPointer(output + (offset &- 256)) : input + offset
      lanes = blocks.encrypt(key, roundCount, hashing: ciphertext, lanes, lanePowers)
      blocks.finish(roundKey(key, roundCount), input + offset, to: output + offset)
      offset &+= 256
    }
    let last = isSealing ? UnsafeRawPointer(output + (count &- 256)) : input + (count &- 256)
    let powers = pairPowers(key)
    var sum = Product()
    for index in 0..<8 {
      let block = reverseBytes(last.loadUnaligned(fromByteOffset: 32 &* index, as: Vector.self))
      sum.add(_mm256_xor_si256(block, lanes), times: powers[16 &- 2 &* index])
      lanes = Vector(repeating: 0)
    }
    y = sum.reduced
    if !isSealing {
      var blocks = SixteenBlocks(&counters)
      for index in 1..<roundCount { blocks.round(key, index) }
      blocks.finish(roundKey(key, roundCount), input + offset, to: output + offset)
    }
  }

  /// GHASH from `y` on over a byte string filled up to whole blocks.
  @inline(__always)
  private func hash(
    _ bytes: UnsafeRawPointer, _ count: Int, from y: SIMD2<Int64>, _ powers: PairPowers
  ) -> SIMD2<Int64> {
    var y = y
    var bytes = bytes
    var remaining = count
    while remaining > 0 {
      // Up to sixteen blocks share one reduction: Y ← (Y ⊕ X₁)·Hⁿ ⊕ X₂·Hⁿ⁻¹ ⊕ … ⊕ Xₙ·H.
      var exponent = remaining >= 256 ? 16 : (remaining &+ 15) &>> 4
      var sum = Product()
      var earlier = firstLane(y)
      while exponent > 0 {
        let blocks = remaining >= 32 ? bytes.loadUnaligned(as: Vector.self) : loadPartial(bytes, remaining)
        sum.add(_mm256_xor_si256(reverseBytes(blocks), earlier), times: powers[exponent])
        earlier = Vector(repeating: 0)
        bytes += 32
        remaining &-= 32
        exponent &-= 2
      }
      y = sum.reduced
    }
    return y
  }

  /// The `count` bytes at `bytes`, 1 to 31, followed by zeros.
  @inline(__always)
  private func loadPartial(_ bytes: UnsafeRawPointer, _ count: Int) -> Vector {
    var blocks = Vector(repeating: 0)
    withUnsafeMutableBytes(of: &blocks) { $0.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: count)) }
    return blocks
  }

  /// Stores the first `count` bytes of two blocks, 1 to 31.
  @inline(__always)
  private func storePartial(_ blocks: Vector, _ bytes: UnsafeMutableRawPointer, _ count: Int) {
    withUnsafeBytes(of: blocks) {
      UnsafeMutableRawBufferPointer(start: bytes, count: count)
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
    }
  }

  /// A mask of all ones in the first `count` bytes, 1 to 31.
  @inline(__always)
  private func leadingBytes(_ count: Int) -> Vector {
    let places = Vector(0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908, 0x1716_1514_1312_1110, 0x1F1E_1D1C_1B1A_1918)
    let counts = Vector(repeating: Int64(truncatingIfNeeded: count) &* 0x0101_0101_0101_0101)
    return _mm256_cmpgt_epi8(counts, places)
  }

  // MARK: - AES

  /// The counter blocks after J₀ with the first round key added, eight at a time.
  private struct Counters {
    /// The 32-bit counters of the next eight blocks, every second one in the lower lane: an addition of words wraps
    /// as inc₃₂ does.
    private var numbers: Vector
    /// What is the same in all: J₀ without its counter, and the first round key, in both lanes.
    private let base: Vector

    @inline(__always)
    init(after counterBlock: SIMD2<Int64>, _ roundKeys: UnsafeRawPointer) {
      let number = UInt64(UInt32(truncatingIfNeeded: reverseBytes(counterBlock)[0])) &* 0x1_0000_0001
      numbers = _mm256_add_epi32(
        Vector(repeating: Int64(bitPattern: number)),
        Vector(0x0000_0003_0000_0001, 0x0000_0007_0000_0005, 0x0000_0004_0000_0002, 0x0000_0008_0000_0006))
      let rest = counterBlock[1] & 0xFFFF_FFFF
      base = _mm256_xor_si256(
        Vector(counterBlock[0], rest, counterBlock[0], rest), roundKey(roundKeys, 0))
    }

    @inline(__always)
    mutating func next() -> (Vector, Vector, Vector, Vector) {
      let result = (blocks(0x0001_0203), blocks(0x0405_0607), blocks(0x0809_0A0B), blocks(0x0C0D_0E0F))
      numbers = _mm256_add_epi32(numbers, Vector(repeating: 0x0000_0008_0000_0008))
      return result
    }

    /// Two blocks with the counters from these places in their lanes, highest byte first.
    @inline(__always)
    private func blocks(_ places: Int64) -> Vector {
      let none = Int64(bitPattern: 0x8080_8080_8080_8080)
      let order = places &<< 32 | 0x8080_8080
      return _mm256_xor_si256(_mm256_shuffle_epi8(numbers, Vector(none, order, none, order)), base)
    }
  }

  @inline(__always)
  private func roundKey(_ roundKeys: UnsafeRawPointer, _ round: Int) -> Vector {
    let key = roundKeys.loadUnaligned(fromByteOffset: 16 &* round, as: SIMD2<Int64>.self)
    return Vector(key[0], key[1], key[0], key[1])
  }

  /// Sixteen blocks on their way through the cipher.
  private struct SixteenBlocks {
    var b0, b1, b2, b3, b4, b5, b6, b7: Vector

    /// The next sixteen counter blocks, the first round key added.
    @inline(__always)
    init(_ counters: inout Counters) {
      (b0, b1, b2, b3) = counters.next()
      (b4, b5, b6, b7) = counters.next()
    }

    /// The rounds after the first key, the last one included.
    @inline(__always)
    mutating func encrypt(_ roundKeys: UnsafeRawPointer, _ roundCount: Int) {
      for index in 1..<roundCount { round(roundKeys, index) }
      let key = roundKey(roundKeys, roundCount)
      forEach { _mm256_aesenclast_epi128($0, key) }
    }

    /// All but the last round, and on the side the products of sixteen blocks of ciphertext with powers of H, evenly
    /// spread: the processor looks too few instructions ahead to spread them itself.
    /// - Parameter lanes: the hash so far.
    /// - Returns: the hash with these blocks.
    @inline(__always)
    mutating func encrypt(
      _ roundKeys: UnsafeRawPointer, _ roundCount: Int, hashing ciphertext: UnsafeRawPointer, _ lanes: Vector,
      _ powers: LanePowers
    ) -> Vector {
      var products = SixteenProducts(ciphertext, lanes, powers)
      if roundCount == 10 {
        round(roundKeys, 1)
        products.add(1)
        round(roundKeys, 2)
        products.add(2)
        round(roundKeys, 3)
        products.add(3)
        round(roundKeys, 4)
        products.add(4)
        round(roundKeys, 5)
        products.add(5)
        round(roundKeys, 6)
        products.add(6)
        round(roundKeys, 7)
        products.add(7)
        round(roundKeys, 8)
        products.add(0)
        round(roundKeys, 9)
      } else {
        round(roundKeys, 1)
        products.addLow(1)
        products.addHigh(1)
        round(roundKeys, 2)
        products.addMiddle(1)
        products.addLow(2)
        round(roundKeys, 3)
        products.addHigh(2)
        products.addMiddle(2)
        round(roundKeys, 4)
        products.addLow(3)
        products.addHigh(3)
        round(roundKeys, 5)
        products.addMiddle(3)
        products.addLow(4)
        round(roundKeys, 6)
        products.addHigh(4)
        products.addMiddle(4)
        round(roundKeys, 7)
        products.addLow(5)
        products.addHigh(5)
        round(roundKeys, 8)
        products.addMiddle(5)
        products.addLow(6)
        round(roundKeys, 9)
        products.addHigh(6)
        products.addMiddle(6)
        round(roundKeys, 10)
        products.addLow(7)
        products.addHigh(7)
        round(roundKeys, 11)
        products.addMiddle(7)
        products.addLow(0)
        if roundCount > 12 { round(roundKeys, 12) }
        products.addHigh(0)
        products.addMiddle(0)
        if roundCount > 12 { round(roundKeys, 13) }
      }
      return products.sum.reducedLanes
    }

    @inline(__always)
    mutating func round(_ roundKeys: UnsafeRawPointer, _ index: Int) {
      let key = roundKey(roundKeys, index)
      forEach { _mm256_aesenc_epi128($0, key) }
    }

    @inline(__always)
    private mutating func forEach(_ step: (Vector) -> Vector) {
      (b0, b1, b2, b3) = (step(b0), step(b1), step(b2), step(b3))
      (b4, b5, b6, b7) = (step(b4), step(b5), step(b6), step(b7))
    }

    /// Moves each two blocks to the place of those before.
    @inline(__always)
    mutating func shift() { (b0, b1, b2, b3, b4, b5, b6) = (b1, b2, b3, b4, b5, b6, b7) }

    /// The last round, to whose key 256 bytes are added, so that it gives what is stored.
    @inline(__always)
    func finish(_ key: Vector, _ input: UnsafeRawPointer, to output: UnsafeMutableRawPointer) {
      finish(b0, key, input + 0, output + 0)
      finish(b1, key, input + 32, output + 32)
      finish(b2, key, input + 64, output + 64)
      finish(b3, key, input + 96, output + 96)
      finish(b4, key, input + 128, output + 128)
      finish(b5, key, input + 160, output + 160)
      finish(b6, key, input + 192, output + 192)
      finish(b7, key, input + 224, output + 224)
    }

    @inline(__always)
    private func finish(
      _ block: Vector, _ key: Vector, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
    ) {
      let text = _mm256_xor_si256(input.loadUnaligned(as: Vector.self), key)
      output.storeBytes(of: _mm256_aesenclast_epi128(block, text), as: Vector.self)
    }
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

  /// A product in GF(2)[x] before reduction, or a sum of such products, spread over two lanes.
  ///
  /// Karatsuba's three multiplications, not four: the multiplier is the bottleneck.
  private struct Product {
    private var low = Vector(repeating: 0)
    /// (x₁ ⊕ x₀)(h₁ ⊕ h₀); `low` and `high` are still to be added.
    private var middle = Vector(repeating: 0)
    private var high = Vector(repeating: 0)

    /// Adds the products of two blocks with two powers, lane by lane.
    @inline(__always)
    mutating func add(_ x: Vector, times h: Vector) {
      addLow(x, h)
      addHigh(x, h)
      addMiddle(x, _mm256_xor_si256(h, swapHalves(h)))
    }

    /// The first third of a product.
    @inline(__always)
    mutating func addLow(_ x: Vector, _ h: Vector) { low = _mm256_xor_si256(low, multiplyLow(x, h)) }

    /// The second third.
    @inline(__always)
    mutating func addHigh(_ x: Vector, _ h: Vector) { high = _mm256_xor_si256(high, multiplyHigh(x, h)) }

    /// The last third.
    /// - Parameter folded: h₁ ⊕ h₀ in the lower half of each lane.
    @inline(__always)
    mutating func addMiddle(_ x: Vector, _ folded: Vector) {
      middle = _mm256_xor_si256(middle, multiplyLow(_mm256_xor_si256(x, swapHalves(x)), folded))
    }

    /// The remainder of the sum of both lanes.
    @inline(__always)
    var reduced: SIMD2<Int64> {
      let lanes = reducedLanes
      return _mm_xor_si128(SIMD2(lanes[0], lanes[1]), SIMD2(lanes[2], lanes[3]))
    }

    /// The remainders of the two lanes modulo x¹²⁸ + x⁷ + x² + x + 1, each by itself.
    ///
    /// The lower half of a product belongs to x¹²⁸ … x²⁵⁵. Word by word, from the highest degrees: a word
    /// p there equals p·(1 + x + x² + x⁷) 128 places on, that is p itself and the 128-bit product of p and
    /// 0xc2 · 2⁵⁶.
    @inline(__always)
    var reducedLanes: Vector {
      let m = _mm256_xor_si256(middle, _mm256_xor_si256(low, high))
      let upper = _mm256_xor_si256(high, Vector(m[1], 0, m[3], 0))
      var lower = _mm256_xor_si256(low, Vector(0, m[0], 0, m[2]))
      let polynomial = Vector(repeating: Int64(bitPattern: 0xc200_0000_0000_0000))
      lower = _mm256_xor_si256(swapHalves(lower), multiplyLow(lower, polynomial))
      lower = _mm256_xor_si256(swapHalves(lower), multiplyLow(lower, polynomial))
      return _mm256_xor_si256(upper, lower)
    }
  }

  /// The products of sixteen blocks of ciphertext with powers of H, made a third at a time.
  private struct SixteenProducts {
    private let ciphertext: UnsafeRawPointer
    private let lanes: Vector
    private let powers: LanePowers
    /// The two blocks whose product is under way.
    private var x = Vector(repeating: 0)
    private(set) var sum = Product()

    /// - Parameter lanes: the hash so far.
    @inline(__always)
    init(_ ciphertext: UnsafeRawPointer, _ lanes: Vector, _ powers: LanePowers) {
      (self.ciphertext, self.lanes, self.powers) = (ciphertext, lanes, powers)
    }

    /// Adds the products of two blocks.
    /// - Parameter index: which two; 0 comes last, because only these wait for the hash so far.
    @inline(__always)
    mutating func add(_ index: Int) {
      addLow(index)
      addHigh(index)
      addMiddle(index)
    }

    @inline(__always)
    mutating func addLow(_ index: Int) {
      x = reverseBytes(ciphertext.loadUnaligned(fromByteOffset: 32 &* index, as: Vector.self))
      if index == 0 { x = _mm256_xor_si256(x, lanes) }
      sum.addLow(x, powers[index])
    }

    @inline(__always)
    mutating func addHigh(_ index: Int) { sum.addHigh(x, powers[index]) }

    @inline(__always)
    mutating func addMiddle(_ index: Int) { sum.addMiddle(x, powers.folded(index)) }
  }

  @inline(__always)
  private func pairPowers(_ key: UnsafeRawPointer) -> PairPowers {
    PairPowers(memory: key + 256 + LanePowers.byteCount)
  }

  /// The powers of H one after another: T₁₈ … T₁, 16 bytes each, so that two in a row are one load.
  private struct PairPowers {
    /// With as much as a load may read beyond T₁.
    static let byteCount = 304

    let memory: UnsafeRawPointer

    /// T for H^`exponent` and the one below it, lowest lane first. `exponent` is 1 to 18; what is below T₁ meets
    /// zeros.
    @inline(__always)
    subscript(exponent: Int) -> Vector {
      memory.loadUnaligned(fromByteOffset: 288 &- 16 &* exponent, as: Vector.self)
    }

    /// Writes the powers of H, the encryption of the zero block.
    @inline(__always)
    static func prepare(_ h: SIMD2<Int64>, into memory: UnsafeMutableRawPointer) {
      let t1 = multiplyByInverseOfX(reverseBytes(h))
      let t2 = product(firstLane(t1), firstLane(t1))
      let pair2 = Vector(t2[0], t2[1], t1[0], t1[1])
      let pair4 = product(pair2, inBothLanes(t2))
      let step4 = inBothLanes(pair4)
      let pair6 = product(pair2, step4)
      let pair8 = product(pair4, step4)
      let step8 = inBothLanes(pair8)
      let pair16 = product(pair8, step8)
      store(product(pair2, inBothLanes(pair16)), 18, memory)
      store(pair16, 16, memory)
      store(product(pair6, step8), 14, memory)
      store(product(pair4, step8), 12, memory)
      store(product(pair2, step8), 10, memory)
      store(pair8, 8, memory)
      store(pair6, 6, memory)
      store(pair4, 4, memory)
      store(pair2, 2, memory)
    }

    @inline(__always)
    private static func store(_ pair: Vector, _ exponent: Int, _ memory: UnsafeMutableRawPointer) {
      memory.storeBytes(of: pair, toByteOffset: 288 &- 16 &* exponent, as: Vector.self)
    }

    @inline(__always)
    private static func product(_ x: Vector, _ h: Vector) -> Vector {
      var product = Product()
      product.add(x, times: h)
      return product.reducedLanes
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

  /// The powers that sixteen blocks in two lanes meet, H¹⁶, H¹⁴ … H², each in both lanes, and the sum of its
  /// halves.
  private struct LanePowers {
    static let byteCount = 512

    let memory: UnsafeRawPointer

    /// T for the two blocks with this index.
    @inline(__always)
    subscript(index: Int) -> Vector { memory.loadUnaligned(fromByteOffset: 64 &* index, as: Vector.self) }

    /// The two halves of the same, added.
    @inline(__always)
    func folded(_ index: Int) -> Vector { memory.loadUnaligned(fromByteOffset: 64 &* index &+ 32, as: Vector.self) }

    @inline(__always)
    static func prepare(from powers: PairPowers, into memory: UnsafeMutableRawPointer) {
      for index in 0..<8 {
        let power = inBothLanes(powers[16 &- 2 &* index])
        memory.storeBytes(of: power, toByteOffset: 64 &* index, as: Vector.self)
        memory.storeBytes(
          of: _mm256_xor_si256(power, swapHalves(power)), toByteOffset: 64 &* index &+ 32, as: Vector.self)
      }
    }
  }

  /// The block with its bytes in the opposite order.
  @inline(__always)
  private func reverseBytes(_ block: SIMD2<Int64>) -> SIMD2<Int64> {
    _mm_shuffle_epi8(block, SIMD2<Int64>(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607))
  }

  /// Two blocks, each with its bytes in the opposite order.
  @inline(__always)
  private func reverseBytes(_ blocks: Vector) -> Vector {
    let low: Int64 = 0x0809_0a0b_0c0d_0e0f
    let high: Int64 = 0x0001_0203_0405_0607
    return _mm256_shuffle_epi8(blocks, Vector(low, high, low, high))
  }

  /// The block in the lowest lane, zeros in the other.
  @inline(__always)
  private func firstLane(_ x: SIMD2<Int64>) -> Vector { Vector(x[0], x[1], 0, 0) }

  /// The block of the lowest lane in both.
  @inline(__always)
  private func inBothLanes(_ x: Vector) -> Vector { Vector(x[0], x[1], x[0], x[1]) }

  @inline(__always)
  private func swapHalves(_ x: Vector) -> Vector { Vector(x[1], x[0], x[3], x[2]) }

  /// In each lane, the product of the lower halves.
  @inline(__always)
  private func multiplyLow(_ x: Vector, _ y: Vector) -> Vector {
    var product = x
    product._storage._value = Builtin.int_x86_pclmulqdq_256(x._storage._value, y._storage._value, UInt8(0x00)._value)
    return product
  }

  /// In each lane, the product of the upper halves.
  @inline(__always)
  private func multiplyHigh(_ x: Vector, _ y: Vector) -> Vector {
    var product = x
    product._storage._value = Builtin.int_x86_pclmulqdq_256(x._storage._value, y._storage._value, UInt8(0x11)._value)
    return product
  }
#endif
