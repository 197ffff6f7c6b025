#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  // ChaCha20 on sixteen blocks at a time: word i of block j is lane j of vector i, and rounds have no step between
  // lanes. The sixteen vectors, and what is added to them at the end, stay in the 32 registers.
  //
  // All types of this file are private to it: see GCMVAES.swift.

  private typealias Vector = SIMD8<Int64>

  /// Output = input ⊕ keystream, 16 blocks of 64 bytes at a time.
  /// - Parameter block: the first block: sixteen words; `counter` takes the place of their counter.
  /// - Parameter counter: the number of the first block. Numbers wrap at 2³², which callers leave to lanes that they
  ///   don't use.
  /// - Parameter input: 1024 · `batchCount` readable bytes.
  /// - Parameter output: as many; the same address as `input` or no overlap.
  ///
  /// The processor must have AVX-512 F.
  ///
  /// Timing: depends on `batchCount` only.
  /// Source: RFC 8439 §2.3, 2.4.
  package func chacha20AddAVX512(
    block: UnsafePointer<UInt32>, counter: UInt32, input: UnsafeRawPointer, output: UnsafeMutableRawPointer,
    batchCount: Int
  ) {
    var (input, output) = (input, output)
    let steps = Vector(
      0x0000_0001_0000_0000, 0x0000_0003_0000_0002, 0x0000_0005_0000_0004, 0x0000_0007_0000_0006,
      0x0000_0009_0000_0008, 0x0000_000b_0000_000a, 0x0000_000d_0000_000c, 0x0000_000f_0000_000e)
    var counters = sum(everywhere(counter), steps)
    for _ in 0..<batchCount {
      var (x0, x1, x2, x3) = (everywhere(block[0]), everywhere(block[1]), everywhere(block[2]), everywhere(block[3]))
      var (x4, x5, x6, x7) = (everywhere(block[4]), everywhere(block[5]), everywhere(block[6]), everywhere(block[7]))
      var (x8, x9, x10, x11) = (
        everywhere(block[8]), everywhere(block[9]), everywhere(block[10]), everywhere(block[11])
      )
      var (x12, x13, x14, x15) = (counters, everywhere(block[13]), everywhere(block[14]), everywhere(block[15]))
      for _ in 0..<10 {
        quarterRound(&x0, &x4, &x8, &x12)
        quarterRound(&x1, &x5, &x9, &x13)
        quarterRound(&x2, &x6, &x10, &x14)
        quarterRound(&x3, &x7, &x11, &x15)
        quarterRound(&x0, &x5, &x10, &x15)
        quarterRound(&x1, &x6, &x11, &x12)
        quarterRound(&x2, &x7, &x8, &x13)
        quarterRound(&x3, &x4, &x9, &x14)
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
      addBlocks(x0, x4, x8, x12, input, output)
      addBlocks(x1, x5, x9, x13, input + 64, output + 64)
      addBlocks(x2, x6, x10, x14, input + 128, output + 128)
      addBlocks(x3, x7, x11, x15, input + 192, output + 192)
      counters = sum(counters, everywhere(16))
      input += 1024
      output += 1024
    }
  }

  /// Source: RFC 8439 §2.1.
  @inline(__always)
  private func quarterRound(
    _ a: inout Vector, _ b: inout Vector, _ c: inout Vector, _ d: inout Vector
  ) {
    a = sum(a, b)
    d = rotated(_mm512_xor_si512(d, a), 16)
    c = sum(c, d)
    b = rotated(_mm512_xor_si512(b, c), 12)
    a = sum(a, b)
    d = rotated(_mm512_xor_si512(d, a), 8)
    c = sum(c, d)
    b = rotated(_mm512_xor_si512(b, c), 7)
  }

  /// Of four words of 16 blocks, makes vectors with all four of four blocks each: those of blocks k, k + 4 and so on
  /// are in the k-th.
  @inline(__always)
  private func transpose(_ a: inout Vector, _ b: inout Vector, _ c: inout Vector, _ d: inout Vector) {
    let ab0 = _mm512_unpacklo_epi32(a, b)
    let ab1 = _mm512_unpackhi_epi32(a, b)
    let cd0 = _mm512_unpacklo_epi32(c, d)
    let cd1 = _mm512_unpackhi_epi32(c, d)
    a = _mm512_unpacklo_epi64(ab0, cd0)
    b = _mm512_unpackhi_epi64(ab0, cd0)
    c = _mm512_unpacklo_epi64(ab1, cd1)
    d = _mm512_unpackhi_epi64(ab1, cd1)
  }

  /// Output = input ⊕ four whole blocks, which lie 256 bytes apart.
  @inline(__always)
  private func addBlocks(
    _ a: Vector, _ b: Vector, _ c: Vector, _ d: Vector, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer
  ) {
    let ab0 = SIMD8(a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3])
    let ab1 = SIMD8(a[4], a[5], a[6], a[7], b[4], b[5], b[6], b[7])
    let cd0 = SIMD8(c[0], c[1], c[2], c[3], d[0], d[1], d[2], d[3])
    let cd1 = SIMD8(c[4], c[5], c[6], c[7], d[4], d[5], d[6], d[7])
    // Of pairs of words: 0, 1, 4, 5 and 2, 3, 6, 7 of both.
    add(SIMD8(ab0[0], ab0[1], ab0[4], ab0[5], cd0[0], cd0[1], cd0[4], cd0[5]), input, output, 0)
    add(SIMD8(ab0[2], ab0[3], ab0[6], ab0[7], cd0[2], cd0[3], cd0[6], cd0[7]), input, output, 256)
    add(SIMD8(ab1[0], ab1[1], ab1[4], ab1[5], cd1[0], cd1[1], cd1[4], cd1[5]), input, output, 512)
    add(SIMD8(ab1[2], ab1[3], ab1[6], ab1[7], cd1[2], cd1[3], cd1[6], cd1[7]), input, output, 768)
  }

  @inline(__always)
  private func add(
    _ keystream: Vector, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ offset: Int
  ) {
    let sum = _mm512_xor_si512(keystream, input.loadUnaligned(fromByteOffset: offset, as: Vector.self))
    output.storeBytes(of: sum, toByteOffset: offset, as: Vector.self)
  }

  @inline(__always)
  private func sum(_ x: Vector, _ y: Vector) -> Vector { _mm512_add_epi32(x, y) }

  /// The word in every lane.
  @inline(__always)
  private func everywhere(_ word: UInt32) -> Vector { _mm512_set1_epi32(Int32(bitPattern: word)) }

  /// To the left by 1 to 31 bits. The optimiser finds VPROLD with a constant count.
  @inline(__always)
  private func rotated(_ x: Vector, _ count: UInt32) -> Vector { _mm512_rolv_epi32(x, everywhere(count)) }
#endif
