#if HARDWARE_KERNELS && arch(x86_64)
  internal import PureCryptoKernelsAVX2
#endif

/// The compression function G of Argon2, from two blocks of 1024 bytes to one.
///
/// A block is a matrix of 8 × 8 pairs of words. P, a round of BLAKE2b in which sums have a product beside them, mixes
/// the sixteen words of each row and then of each column of R = X ⊕ Y; the result is Z ⊕ R.
///
/// Timing: depends on nothing.
/// Source: RFC 9106 §3.5, §3.6.
struct Argon2Compression {
  /// Room for a block.
  let scratch: UnsafeMutableRawPointer
  let backend: Backend

  /// Writes G(X, Y), or adds it to what is there.
  /// - Parameter next: may be `y`.
  func compress(
    _ x: UnsafeRawPointer, _ y: UnsafeRawPointer, into next: UnsafeMutableRawPointer, keepsOld: Bool
  ) {
    #if HARDWARE_KERNELS && arch(x86_64)
      if backend.hasAVX2AndBMI2 {
        return argon2CompressAVX2(x: x, y: y, into: next, kept: keepsOld ? -1 : 0, scratch: scratch)
      }
    #endif
    let z = scratch.assumingMemoryBound(to: UInt64.self)
    for index in 0..<128 { z[index] = Self.word(x, index) ^ Self.word(y, index) }
    for row in 0..<8 { Self.permute(z + 16 &* row, stride: 2) }
    for column in 0..<8 { Self.permute(z + 2 &* column, stride: 16) }
    let kept: UInt64 = keepsOld ? ~0 : 0
    for index in 0..<128 {
      let word = z[index] ^ Self.word(x, index) ^ Self.word(y, index) ^ Self.word(next, index) & kept
      next.storeBytes(of: word.littleEndian, toByteOffset: 8 &* index, as: UInt64.self)
    }
  }

  @inline(__always)
  private static func word(_ block: UnsafeRawPointer, _ index: Int) -> UInt64 {
    UInt64(littleEndian: block.load(fromByteOffset: 8 &* index, as: UInt64.self))
  }

  /// P on sixteen words: eight pairs, `stride` words apart.
  @inline(__always)
  private static func permute(_ v: UnsafeMutablePointer<UInt64>, stride: Int) {
    var (v0, v1, v2, v3) = (v[0], v[1], v[stride], v[stride &+ 1])
    var (v4, v5, v6, v7) = (v[2 &* stride], v[2 &* stride &+ 1], v[3 &* stride], v[3 &* stride &+ 1])
    var (v8, v9, v10, v11) = (v[4 &* stride], v[4 &* stride &+ 1], v[5 &* stride], v[5 &* stride &+ 1])
    var (v12, v13, v14, v15) = (v[6 &* stride], v[6 &* stride &+ 1], v[7 &* stride], v[7 &* stride &+ 1])
    mix(&v0, &v4, &v8, &v12)
    mix(&v1, &v5, &v9, &v13)
    mix(&v2, &v6, &v10, &v14)
    mix(&v3, &v7, &v11, &v15)
    mix(&v0, &v5, &v10, &v15)
    mix(&v1, &v6, &v11, &v12)
    mix(&v2, &v7, &v8, &v13)
    mix(&v3, &v4, &v9, &v14)
    (v[0], v[1], v[stride], v[stride &+ 1]) = (v0, v1, v2, v3)
    (v[2 &* stride], v[2 &* stride &+ 1], v[3 &* stride], v[3 &* stride &+ 1]) = (v4, v5, v6, v7)
    (v[4 &* stride], v[4 &* stride &+ 1], v[5 &* stride], v[5 &* stride &+ 1]) = (v8, v9, v10, v11)
    (v[6 &* stride], v[6 &* stride &+ 1], v[7 &* stride], v[7 &* stride &+ 1]) = (v12, v13, v14, v15)
  }

  @inline(__always)
  private static func mix(_ a: inout UInt64, _ b: inout UInt64, _ c: inout UInt64, _ d: inout UInt64) {
    a = sumWithProduct(a, b)
    d = rotated(d ^ a, 32)
    c = sumWithProduct(c, d)
    b = rotated(b ^ c, 24)
    a = sumWithProduct(a, b)
    d = rotated(d ^ a, 16)
    c = sumWithProduct(c, d)
    b = rotated(b ^ c, 63)
  }

  /// x + y + 2 · the product of their lower halves.
  @inline(__always)
  private static func sumWithProduct(_ x: UInt64, _ y: UInt64) -> UInt64 {
    x &+ y &+ ((x & 0xffff_ffff) &* (y & 0xffff_ffff)) &<< 1
  }

  /// To the right by 1 to 63 bits.
  @inline(__always)
  private static func rotated(_ x: UInt64, _ count: UInt64) -> UInt64 { x &>> count | x &<< (64 &- count) }
}
