#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  // The compression function of Argon2, two rows and then two columns of the matrix at a time, which don't depend on
  // each other.
  //
  // All types of this file are private to it: see GCMVAES.swift.

  private typealias Vector = SIMD4<Int64>

  /// Writes G(X, Y) ⊕ (what is there ∧ `kept`).
  /// - Parameter x: 1024 readable bytes.
  /// - Parameter y: as many.
  /// - Parameter next: 1024 bytes; the same address as `y`, or no overlap.
  /// - Parameter kept: all ones or all zeros.
  /// - Parameter scratch: room for 1024 bytes.
  ///
  /// The processor must have AVX2.
  ///
  /// Timing: depends on nothing.
  /// Source: RFC 9106 §3.5, §3.6.
  package func argon2CompressAVX2(
    x: UnsafeRawPointer, y: UnsafeRawPointer, into next: UnsafeMutableRawPointer, kept: Int64,
    scratch: UnsafeMutableRawPointer
  ) {
    var row = 0
    while row < 1024 {
      // A row is a vector each of a, b, c and d.
      var (a0, b0) = (both(x, y, row), both(x, y, row &+ 32))
      var (c0, d0) = (both(x, y, row &+ 64), both(x, y, row &+ 96))
      var (a1, b1) = (both(x, y, row &+ 128), both(x, y, row &+ 160))
      var (c1, d1) = (both(x, y, row &+ 192), both(x, y, row &+ 224))
      mix(&a0, &b0, &c0, &d0, &a1, &b1, &c1, &d1)
      (b0, c0, d0) = (rotatedBy1(b0), rotatedBy2(c0), rotatedBy3(d0))
      (b1, c1, d1) = (rotatedBy1(b1), rotatedBy2(c1), rotatedBy3(d1))
      mix(&a0, &b0, &c0, &d0, &a1, &b1, &c1, &d1)
      store(a0, scratch, row)
      store(rotatedBy3(b0), scratch, row &+ 32)
      store(rotatedBy2(c0), scratch, row &+ 64)
      store(rotatedBy1(d0), scratch, row &+ 96)
      store(a1, scratch, row &+ 128)
      store(rotatedBy3(b1), scratch, row &+ 160)
      store(rotatedBy2(c1), scratch, row &+ 192)
      store(rotatedBy1(d1), scratch, row &+ 224)
      row &+= 256
    }
    let kept = Vector(kept, kept, kept, kept)
    var column = 0
    while column < 128 {
      // Each half of a vector has a pair of one column: two vectors are a, two b, two c, two d of both.
      var (a0, a1) = (load(scratch, column), load(scratch, column &+ 128))
      var (b0, b1) = (load(scratch, column &+ 256), load(scratch, column &+ 384))
      var (c0, c1) = (load(scratch, column &+ 512), load(scratch, column &+ 640))
      var (d0, d1) = (load(scratch, column &+ 768), load(scratch, column &+ 896))
      mix(&a0, &b0, &c0, &d0, &a1, &b1, &c1, &d1)
      (b0, b1) = (crossed(b0, b1), crossed(b1, b0))
      (d0, d1) = (crossed(d1, d0), crossed(d0, d1))
      mix(&a0, &b0, &c1, &d0, &a1, &b1, &c0, &d1)
      (b0, b1) = (crossed(b1, b0), crossed(b0, b1))
      (d0, d1) = (crossed(d0, d1), crossed(d1, d0))
      finish(a0, x, y, next, kept, column)
      finish(a1, x, y, next, kept, column &+ 128)
      finish(b0, x, y, next, kept, column &+ 256)
      finish(b1, x, y, next, kept, column &+ 384)
      finish(c0, x, y, next, kept, column &+ 512)
      finish(c1, x, y, next, kept, column &+ 640)
      finish(d0, x, y, next, kept, column &+ 768)
      finish(d1, x, y, next, kept, column &+ 896)
      column &+= 32
    }
  }

  /// Z ⊕ X ⊕ Y ⊕ (what is there ∧ `kept`).
  @inline(__always)
  private func finish(
    _ z: Vector, _ x: UnsafeRawPointer, _ y: UnsafeRawPointer, _ next: UnsafeMutableRawPointer, _ kept: Vector,
    _ offset: Int
  ) {
    store(sum(sum(z, both(x, y, offset)), _mm256_and_si256(load(next, offset), kept)), next, offset)
  }

  /// G of BLAKE2b on two states, in whose sums there is a product.
  @inline(__always)
  private func mix(
    _ a0: inout Vector, _ b0: inout Vector, _ c0: inout Vector, _ d0: inout Vector,
    _ a1: inout Vector, _ b1: inout Vector, _ c1: inout Vector, _ d1: inout Vector
  ) {
    (a0, a1) = (sumWithProduct(a0, b0), sumWithProduct(a1, b1))
    (d0, d1) = (right32(sum(d0, a0)), right32(sum(d1, a1)))
    (c0, c1) = (sumWithProduct(c0, d0), sumWithProduct(c1, d1))
    (b0, b1) = (right24(sum(b0, c0)), right24(sum(b1, c1)))
    (a0, a1) = (sumWithProduct(a0, b0), sumWithProduct(a1, b1))
    (d0, d1) = (right16(sum(d0, a0)), right16(sum(d1, a1)))
    (c0, c1) = (sumWithProduct(c0, d0), sumWithProduct(c1, d1))
    (b0, b1) = (right63(sum(b0, c0)), right63(sum(b1, c1)))
  }

  /// x + y + 2 · the product of their lower halves.
  @inline(__always)
  private func sumWithProduct(_ x: Vector, _ y: Vector) -> Vector {
    let product = _mm256_mul_epu32(x, y)
    return _mm256_add_epi64(_mm256_add_epi64(x, y), _mm256_add_epi64(product, product))
  }

  // MARK: - Rotations of lanes

  /// Lane i is what lane i + 1 was.
  @inline(__always)
  private func rotatedBy1(_ x: Vector) -> Vector { Vector(x[1], x[2], x[3], x[0]) }

  @inline(__always)
  private func rotatedBy2(_ x: Vector) -> Vector { Vector(x[2], x[3], x[0], x[1]) }

  @inline(__always)
  private func rotatedBy3(_ x: Vector) -> Vector { Vector(x[3], x[0], x[1], x[2]) }

  /// In each half, the upper word of `x` and the lower one of `y`.
  @inline(__always)
  private func crossed(_ x: Vector, _ y: Vector) -> Vector { Vector(x[1], y[0], x[3], y[2]) }

  // MARK: - Rotations of bits, to the right

  @inline(__always)
  private func right32(_ x: Vector) -> Vector { bytes(x, 0x0302_0100_0706_0504, 0x0b0a_0908_0f0e_0d0c) }

  @inline(__always)
  private func right24(_ x: Vector) -> Vector { bytes(x, 0x0201_0007_0605_0403, 0x0a09_080f_0e0d_0c0b) }

  @inline(__always)
  private func right16(_ x: Vector) -> Vector { bytes(x, 0x0100_0706_0504_0302, 0x0908_0f0e_0d0c_0b0a) }

  @inline(__always)
  private func right63(_ x: Vector) -> Vector { sum(_mm256_srli_epi64(x, 63), _mm256_add_epi64(x, x)) }

  /// Bytes of each half in another order.
  @inline(__always)
  private func bytes(_ x: Vector, _ low: Int64, _ high: Int64) -> Vector {
    _mm256_shuffle_epi8(x, Vector(low, high, low, high))
  }

  // MARK: - Memory

  @inline(__always)
  private func load(_ block: UnsafeRawPointer, _ offset: Int) -> Vector {
    block.loadUnaligned(fromByteOffset: offset, as: Vector.self)
  }

  @inline(__always)
  private func store(_ vector: Vector, _ block: UnsafeMutableRawPointer, _ offset: Int) {
    block.storeBytes(of: vector, toByteOffset: offset, as: Vector.self)
  }

  /// X ⊕ Y.
  @inline(__always)
  private func both(_ x: UnsafeRawPointer, _ y: UnsafeRawPointer, _ offset: Int) -> Vector {
    sum(load(x, offset), load(y, offset))
  }

  /// ⊕.
  @inline(__always)
  private func sum(_ x: Vector, _ y: Vector) -> Vector { _mm256_xor_si256(x, y) }
#endif
