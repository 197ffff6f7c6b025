extension RSAPrivateKey {
  /// Makes a new key with e = 65537 from the system's random number generator. Takes a second or more for long moduli.
  /// - Parameter bitCount: the length of the modulus: 2048, 3072 or 4096.
  /// - Throws: `.invalidKeyLength` for any other length.
  ///
  /// Timing: the number of candidates varies and says nothing about the primes that are kept; the work on each of these
  /// depends on its length only.
  /// Source: FIPS 186-5 §A.1.3.
  public init(bitCount: Int) throws(CryptoError) {
    guard bitCount == 2048 || bitCount == 3072 || bitCount == 4096 else {
      throw CryptoError(.invalidKeyLength, "a new RSA key has 2048, 3072 or 4096 bits")
    }
    let count = bitCount &>> 7
    let key: RSAPrivateKey? = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 14 &* count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let p = room.baseAddress else { return nil }
      room.initialize(repeating: 0)
      let q = p + count
      RSAPrimeCandidate.fill(p, count: count)
      // |p − q| > 2^(bitCount/2 − 100): two primes whose highest limbs agree, with a chance of 2⁻⁶², are not taken.
      repeat {
        RSAPrimeCandidate.fill(q, count: count)
      } while Mask(
        p[count &- 1], equals: q[count &- 1]
      ).declassified
      return RSAPrivateKey(primes: p, q, count: count, room: q + count)
    }
    guard let key else { throw CryptoError(.invalidPrivateKey, "the new key is not sound") }
    self = key
  }

  /// Derives n, d, dp, dq and qi from two primes of the same length whose product has twice as many bits.
  /// - Parameter room: 12 · count limbs, zero.
  private init?(
    primes p: UnsafeMutablePointer<UInt64>, _ q: UnsafeMutablePointer<UInt64>, count: Int,
    room: UnsafeMutablePointer<UInt64>
  ) {
    let n = room
    let d = n + 2 &* count
    let dp = d + 2 &* count
    let dq = dp + count
    let qi = dq + count
    let scratch = qi + count
    LimbRun.product(n, p, aCount: count, q, bCount: count)
    // The modulus is about to be published.
    for index in 0..<(2 &* count) { n[index] = declassified(n[index], bitCount: 64) }
    // φ = (p − 1)(q − 1). The primes are odd: subtracting 1 clears their lowest bits.
    p[0] ^= 1
    q[0] ^= 1
    LimbRun.product(d, p, aCount: count, q, bCount: count)
    RSAPrimeCandidate.invertExponent(modulo: d, count: 2 &* count)
    LimbRun.remainder(dp, d, aCount: 2 &* count, modulus: p, count: count)
    LimbRun.remainder(dq, d, aCount: 2 &* count, modulus: q, count: count)
    p[0] ^= 1
    q[0] ^= 1
    RSAPrimeCandidate.invert(qi, q, modulo: p, count: count, room: scratch)
    let bytes = [(n, 2 &* count), (d, 2 &* count), (p, count), (q, count), (dp, count), (dq, count), (qi, count)]
      .map { limbs, count in
        SecretBytes(count: count &* 8) { LimbRun.store(limbs, count: count, bigEndian: $0) }
      }
    do throws(CryptoError) {
      let exponent = RSAPrimeCandidate.publicExponent
      let publicKey = try bytes[0].withUnsafeBytes { n throws(CryptoError) in
        try withUnsafeBytes(of: exponent.bigEndian) { e throws(CryptoError) in
          try RSAPublicKey(n: n, e: UnsafeRawBufferPointer(rebasing: e[5...]))
        }
      }
      try self.init(
        publicKey: publicKey, d: bytes[1], p: bytes[2], q: bytes[3], dp: bytes[4], dq: bytes[5], qi: bytes[6])
    } catch {
      return nil
    }
  }
}
