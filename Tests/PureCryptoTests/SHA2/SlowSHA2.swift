/// SHA-2 straight from FIPS 180-4: whole message padded first, one loop per step, nothing shared with the module.
///
/// The constants are recomputed from their definition, so that no table is typed twice.
enum SlowSHA2 {
  private static let cubeRoots = firstPrimes(80).map(fractionOfCubeRoot)
  private static let squareRoots = firstPrimes(16).map(fractionOfSquareRoot)

  static func sha256(_ message: [UInt8]) -> [UInt8] {
    let k = cubeRoots.prefix(64).map { UInt32(truncatingIfNeeded: $0 >> 32) }
    var h = squareRoots.prefix(8).map { UInt32(truncatingIfNeeded: $0 >> 32) }
    for block in padded(message, blockByteCount: 64) {
      var w = (0..<16).map { t in (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[4 * t + $1]) } }
      for t in 16..<64 {
        let s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ (w[t - 15] >> 3)
        let s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ (w[t - 2] >> 10)
        w.append(s1 &+ w[t - 7] &+ s0 &+ w[t - 16])
      }
      var v = h
      for t in 0..<64 {
        let s1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25)
        let s0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22)
        step(&v, s0: s0, s1: s1, k: k[t], w: w[t])
      }
      h = zip(h, v).map { $0 &+ $1 }
    }
    return h.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
  }

  static func sha512(_ message: [UInt8]) -> [UInt8] {
    sha512(message, initial: Array(squareRoots.prefix(8)))
  }

  static func sha384(_ message: [UInt8]) -> [UInt8] {
    Array(sha512(message, initial: Array(squareRoots.suffix(8))).prefix(48))
  }

  private static func sha512(_ message: [UInt8], initial: [UInt64]) -> [UInt8] {
    let k = cubeRoots
    var h = initial
    for block in padded(message, blockByteCount: 128) {
      var w = (0..<16).map { t in (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64(block[8 * t + $1]) } }
      for t in 16..<80 {
        let s0 = rotr(w[t - 15], 1) ^ rotr(w[t - 15], 8) ^ (w[t - 15] >> 7)
        let s1 = rotr(w[t - 2], 19) ^ rotr(w[t - 2], 61) ^ (w[t - 2] >> 6)
        w.append(s1 &+ w[t - 7] &+ s0 &+ w[t - 16])
      }
      var v = h
      for t in 0..<80 {
        let s1 = rotr(v[4], 14) ^ rotr(v[4], 18) ^ rotr(v[4], 41)
        let s0 = rotr(v[0], 28) ^ rotr(v[0], 34) ^ rotr(v[0], 39)
        step(&v, s0: s0, s1: s1, k: k[t], w: w[t])
      }
      h = zip(h, v).map { $0 &+ $1 }
    }
    return h.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
  }

  private static func step<Word: FixedWidthInteger>(_ v: inout [Word], s0: Word, s1: Word, k: Word, w: Word) {
    let ch = (v[4] & v[5]) ^ (~v[4] & v[6])
    let maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
    let t1 = v[7] &+ s1 &+ ch &+ k &+ w
    v = [t1 &+ s0 &+ maj, v[0], v[1], v[2], v[3] &+ t1, v[4], v[5], v[6]]
  }

  private static func rotr<Word: FixedWidthInteger>(_ x: Word, _ n: Word) -> Word {
    (x >> n) | (x << (Word(Word.bitWidth) - n))
  }

  private static func padded(_ message: [UInt8], blockByteCount: Int) -> [[UInt8]] {
    let lengthByteCount = blockByteCount / 8
    var bytes = message + [0x80]
    while bytes.count % blockByteCount != blockByteCount - lengthByteCount { bytes.append(0) }
    let bitCount = message.count * 8
    bytes += (0..<lengthByteCount).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: bitCount >> (8 * $0)) : 0 }
    return stride(from: 0, to: bytes.count, by: blockByteCount).map { Array(bytes[$0..<($0 + blockByteCount)]) }
  }

  private static func firstPrimes(_ count: Int) -> [UInt64] {
    var primes: [UInt64] = []
    var candidate: UInt64 = 2
    while primes.count < count {
      if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes
  }

  /// ⌊√n · 2⁶⁴⌋ mod 2⁶⁴: the largest x with x² ≤ n · 2¹²⁸, by bisection over 256-bit products.
  private static func fractionOfSquareRoot(_ n: UInt64) -> UInt64 {
    // √n < 2⁵ for n < 1024, so x < 2⁶⁹.
    var x: UInt128 = 0
    for bit in (0..<69).reversed() {
      let candidate = x | (1 << bit)
      let product = candidate.multipliedFullWidth(by: candidate)
      if (product.high, product.low) <= (UInt128(n), 0) { x = candidate }
    }
    return UInt64(truncatingIfNeeded: x)
  }

  /// ⌊∛n · 2⁶⁴⌋ mod 2⁶⁴: the largest x with x³ ≤ n · 2¹⁹², by bisection.
  private static func fractionOfCubeRoot(_ n: UInt64) -> UInt64 {
    // ∛n < 2³ for n < 512, so x < 2⁶⁷; its cube needs limbs.
    var x: UInt128 = 0
    let bound = [UInt32](repeating: 0, count: 6) + limbs(UInt128(n))
    for bit in (0..<67).reversed() {
      let candidate = x | (1 << bit)
      let factor = limbs(candidate)
      if isAtMost(multiply(multiply(factor, factor), factor), bound) { x = candidate }
    }
    return UInt64(truncatingIfNeeded: x)
  }

  /// Four limbs of 32 bits, least significant first.
  private static func limbs(_ x: UInt128) -> [UInt32] {
    (0..<4).map { UInt32(truncatingIfNeeded: x >> UInt128(32 * $0)) }
  }

  private static func multiply(_ x: [UInt32], _ y: [UInt32]) -> [UInt32] {
    var product = [UInt32](repeating: 0, count: x.count + y.count)
    for i in x.indices {
      var carry: UInt64 = 0
      for j in y.indices {
        carry += UInt64(x[i]) * UInt64(y[j]) + UInt64(product[i + j])
        product[i + j] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      product[i + y.count] = UInt32(carry)
    }
    return product
  }

  private static func isAtMost(_ x: [UInt32], _ y: [UInt32]) -> Bool {
    for i in (0..<max(x.count, y.count)).reversed() {
      let a = i < x.count ? x[i] : 0
      let b = i < y.count ? y[i] : 0
      if a != b { return a < b }
    }
    return true
  }
}
