#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  // ChaCha20 on eight blocks at a time: word i of block j is lane j of vector i, and rounds have no step between lanes.
  // There are no more registers than vectors, so that a few of these lie in memory by turns.
  //
  // All types of this file are private to it: see GCMVAES.swift.

  private typealias Vector = SIMD4<Int64>

  /// Output = input ⊕ keystream, 8 blocks of 64 bytes at a time.
  /// - Parameter block: the first block: sixteen words; `counter` takes the place of their counter.
  /// - Parameter counter: the number of the first block. Numbers wrap at 2³², which callers leave to lanes that they
  ///   don't use.
  /// - Parameter input: 512 · `batchCount` readable bytes.
  /// - Parameter output: as many; the same address as `input` or no overlap.
  ///
  /// The processor must have AVX2.
  ///
  /// Timing: depends on `batchCount` only.
  /// Source: RFC 8439 §2.3, 2.4.
  package func chacha20AddAVX2(
    block: UnsafePointer<UInt32>, counter: UInt32, input: UnsafeRawPointer, output: UnsafeMutableRawPointer,
    batchCount: Int
  ) {
    var (input, output) = (input, output)
    let steps = Vector(
      0x0000_0001_0000_0000, 0x0000_0003_0000_0002, 0x0000_0005_0000_0004, 0x0000_0007_0000_0006)
    let by16 = both(0x0504_0706_0100_0302, 0x0d0c_0f0e_0908_0b0a)
    let by8 = both(0x0605_0407_0201_0003, 0x0e0d_0c0f_0a09_080b)
    var counters = sum(everywhere(counter), steps)
    for _ in 0..<batchCount {
      var (x0, x1, x2, x3) = (everywhere(block[0]), everywhere(block[1]), everywhere(block[2]), everywhere(block[3]))
      var (x4, x5, x6, x7) = (everywhere(block[4]), everywhere(block[5]), everywhere(block[6]), everywhere(block[7]))
      var (x8, x9, x10, x11) = (
        everywhere(block[8]), everywhere(block[9]), everywhere(block[10]), everywhere(block[11])
      )
      var (x12, x13, x14, x15) = (counters, everywhere(block[13]), everywhere(block[14]), everywhere(block[15]))
      for _ in 0..<10 {
        quarterRound(&x0, &x4, &x8, &x12, by16, by8)
        quarterRound(&x1, &x5, &x9, &x13, by16, by8)
        quarterRound(&x2, &x6, &x10, &x14, by16, by8)
        quarterRound(&x3, &x7, &x11, &x15, by16, by8)
        quarterRound(&x0, &x5, &x10, &x15, by16, by8)
        quarterRound(&x1, &x6, &x11, &x12, by16, by8)
        quarterRound(&x2, &x7, &x8, &x13, by16, by8)
        quarterRound(&x3, &x4, &x9, &x14, by16, by8)
      }
      x0 = sum(x0, everywhere(block[0]))
      x1 = sum(x1, everywhere(block[1]))
      x2 = sum(x2, everywhere(block[2]))
      x3 = sum(x3, everywhere(block[3]))
      x4 = sum(x4, everywhere(block[4]))
      x5 = sum(x5, everywhere(block[5]))
      x6 = sum(x6, everywhere(block[6]))
      x7 = sum(x7, everywhere(block[7]))
      x8 = sum(x8, everywhere(block[8]))
      x9 = sum(x9, everywhere(block[9]))
      x10 = sum(x10, everywhere(block[10]))
      x11 = sum(x11, everywhere(block[11]))
      x12 = sum(x12, counters)
      x13 = sum(x13, everywhere(block[13]))
      x14 = sum(x14, everywhere(block[14]))
      x15 = sum(x15, everywhere(block[15]))
      transpose(&x0, &x1, &x2, &x3)
      transpose(&x4, &x5, &x6, &x7)
      transpose(&x8, &x9, &x10, &x11)
      transpose(&x12, &x13, &x14, &x15)
      addHalves(x0, x4, input, output)
      addHalves(x8, x12, input + 32, output + 32)
      addHalves(x1, x5, input + 64, output + 64)
      addHalves(x9, x13, input + 96, output + 96)
      addHalves(x2, x6, input + 128, output + 128)
      addHalves(x10, x14, input + 160, output + 160)
      addHalves(x3, x7, input + 192, output + 192)
      addHalves(x11, x15, input + 224, output + 224)
      counters = sum(counters, everywhere(8))
      input += 512
      output += 512
    }
  }

  /// Source: RFC 8439 §2.1.
  @inline(__always)
  private func quarterRound(
    _ a: inout Vector, _ b: inout Vector, _ c: inout Vector, _ d: inout Vector, _ by16: Vector, _ by8: Vector
  ) {
    a = sum(a, b)
    d = _mm256_shuffle_epi8(_mm256_xor_si256(d, a), by16)
    c = sum(c, d)
    b = rotated(_mm256_xor_si256(b, c), 12)
    a = sum(a, b)
    d = _mm256_shuffle_epi8(_mm256_xor_si256(d, a), by8)
    c = sum(c, d)
    b = rotated(_mm256_xor_si256(b, c), 7)
  }

  /// Of four words of 8 blocks, makes vectors with all four of two blocks each: those of blocks k, k + 4 are in
  /// the k-th.
  @inline(__always)
  private func transpose(_ a: inout Vector, _ b: inout Vector, _ c: inout Vector, _ d: inout Vector) {
    let ab0 = _mm256_unpacklo_epi32(a, b)
    let ab1 = _mm256_unpackhi_epi32(a, b)
    let cd0 = _mm256_unpacklo_epi32(c, d)
    let cd1 = _mm256_unpackhi_epi32(c, d)
    a = _mm256_unpacklo_epi64(ab0, cd0)
    b = _mm256_unpackhi_epi64(ab0, cd0)
    c = _mm256_unpacklo_epi64(ab1, cd1)
    d = _mm256_unpackhi_epi64(ab1, cd1)
  }

  /// Output = input ⊕ half of each of two blocks, which lie 256 bytes apart.
  @inline(__always)
  private func addHalves(
    _ a: Vector, _ b: Vector, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
  ) {
    add(SIMD4(a[0], a[1], b[0], b[1]), input, output, 0)
    add(SIMD4(a[2], a[3], b[2], b[3]), input, output, 256)
  }

  @inline(__always)
  private func add(
    _ keystream: Vector, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ offset: Int
  ) {
    let sum = _mm256_xor_si256(keystream, input.loadUnaligned(fromByteOffset: offset, as: Vector.self))
    output.storeBytes(of: sum, toByteOffset: offset, as: Vector.self)
  }

  @inline(__always)
  private func sum(_ x: Vector, _ y: Vector) -> Vector { _mm256_add_epi32(x, y) }

  /// The word in every lane.
  @inline(__always)
  private func everywhere(_ word: UInt32) -> Vector { _mm256_set1_epi32(Int32(bitPattern: word)) }

  /// To the left by 1 to 31 bits.
  @inline(__always)
  private func rotated(_ x: Vector, _ count: Int32) -> Vector {
    _mm256_or_si256(_mm256_slli_epi32(x, count), _mm256_srli_epi32(x, 32 &- count))
  }

  /// The same sixteen bytes in both halves.
  @inline(__always)
  private func both(_ low: Int64, _ high: Int64) -> Vector { SIMD4(low, high, low, high) }
#endif
