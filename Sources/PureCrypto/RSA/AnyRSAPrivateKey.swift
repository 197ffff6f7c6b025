/// An RSA private key of 2048 to 8192 bits, whatever it is for. Users have it behind a use: see ``RSAPrivateKey``.
///
/// Its integers stay in storage that is wiped when the last copy of the value goes. Descriptions and reflection show
/// the public key only. A key with its prime factors computes about four times faster than one without.
///
/// Source: RFC 8017 §3.2.
@usableFromInline
package struct AnyRSAPrivateKey: Sendable {
  /// n and e.
  package let publicKey: AnyRSAPublicKey

  /// d, as many limbs as n has.
  private let exponent: SecretBytes

  /// What the Chinese remainder theorem needs, if it is known.
  let factors: RSAPrimeFactors?

  /// Takes n and e, and the private integers.
  /// - Throws: `.invalidPrivateKey` when an integer is out of range, or they do not belong together.
  ///
  /// Timing: depends on lengths, and on whether the key is sound.
  @usableFromInline
  init(publicKey: AnyRSAPublicKey, _ numbers: RSAPrivateNumbers) throws(CryptoError) {
    try self.init(publicKey: publicKey, numbers, backend: .preferred)
  }

  /// - Parameter backend: what works with the prime factors.
  init(publicKey: AnyRSAPublicKey, _ numbers: RSAPrivateNumbers, backend: Backend) throws(CryptoError) {
    let count = publicKey.limbCount
    let d = numbers.d
    guard LimbRun.fits(d, byteCount: publicKey.byteCount).declassified else {
      throw CryptoError(.invalidPrivateKey, "the private exponent is longer than the modulus")
    }
    self.publicKey = publicKey
    self.exponent = SecretBytes(count: count &* 8) { bytes in
      guard let limbs = bytes.assumingMemoryBound(to: UInt64.self).baseAddress else { return }
      LimbRun.load(
        limbs, count: count, bigEndian: UnsafeRawBufferPointer(rebasing: d.suffix(publicKey.byteCount)))
    }
    if let given = numbers.factors {
      guard let factors = RSAPrimeFactors(given, modulusBitCount: publicKey.bitCount, backend: backend)
      else {
        throw CryptoError(.invalidPrivateKey, "a prime factor is even, or far from half as long as the modulus")
      }
      self.factors = factors
    } else {
      self.factors = nil
    }
    guard isSound else {
      throw CryptoError(.invalidPrivateKey, "the integers of the private key do not belong together")
    }
  }

  /// Whether d < n, and the integers belong together.
  private var isSound: Bool {
    let isConsistent = publicKey.withModulus { n, _ in
      withExponent { d in
        let isBelow = LimbRun.isLess(d, than: n.limbs, count: n.count)
        guard let factors else { return isBelow }
        return isBelow & factors.areConsistent(n: n.limbs, e: publicKey.exponent, d: d, nCount: n.count)
      }
    }
    guard isConsistent.declassified else { return false }
    guard factors == nil else { return true }
    // Without factors there is nothing to compute with but the key itself: 2^(de) = 2 mod n, or d is another key's.
    let two = [UInt8](repeating: 0, count: publicKey.byteCount &- 1) + [2]
    return two.withUnsafeBytes { two in withPower(of: two) { _ in true } } ?? false
  }

  /// Calls `body` with d, as many limbs as n has.
  @inline(__always)
  func withExponent<Result>(_ body: (UnsafePointer<UInt64>) -> Result) -> Result {
    exponent.withUnsafeBytes { bytes in
      // Never empty: a modulus has at least 32 limbs.
      body(bytes.assumingMemoryBound(to: UInt64.self).baseAddress.unsafelyUnwrapped)
    }
  }

  /// d, most significant byte first, as long as the modulus.
  var exponentBytes: SecretBytes {
    SecretBytes(count: publicKey.byteCount) { bytes in
      withExponent { LimbRun.store($0, count: publicKey.limbCount, bigEndian: bytes) }
    }
  }
}

extension AnyRSAPrivateKey: Redacted {
  /// The kind of key, never its integers.
  @usableFromInline
  package var description: String { "RSAPrivateKey(\(publicKey.bitCount) bits, redacted)" }
}

extension AnyRSAPrivateKey {
  /// Makes a new key with e = 65537 from the system's random number generator. Takes long for long moduli, and varies.
  /// - Parameter bitCount: the length of the modulus: 2048, 3072 or 4096.
  /// - Throws: `.invalidKeyLength` for any other length.
  ///
  /// Timing: the number of candidates varies and says nothing about the primes that are kept; the work on each of these
  /// depends on its length only.
  /// Source: FIPS 186-5 §A.1.3.
  package init(bitCount: Int) throws(CryptoError) {
    guard bitCount == 2048 || bitCount == 3072 || bitCount == 4096 else {
      throw CryptoError(.invalidKeyLength, "a new RSA key has 2048, 3072 or 4096 bits")
    }
    let count = bitCount &>> 7
    let key: AnyRSAPrivateKey? = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 10 &* count) { room in
      defer { wipe(UnsafeMutableRawBufferPointer(room)) }
      guard let p = room.baseAddress else { return nil }
      room.initialize(repeating: 0)
      let q = p + count
      RSAPrimeCandidate.fill(p, count: count)
      // |p − q| > 2^(bitCount/2 − 100): two primes whose highest limbs differ by less than 2, with a chance of
      // 2⁻⁶⁰, are not taken.
      repeat {
        RSAPrimeCandidate.fill(q, count: count)
      } while Mask(p[count &- 1] &- q[count &- 1] &+ 1, isLessThan: 3).declassified
      return AnyRSAPrivateKey(primes: p, q, count: count, room: q + count)
    }
    guard let key else { throw CryptoError(.invalidPrivateKey, "the generated key failed its check") }
    self = key
  }

  /// Derives n, d, dp, dq and qi from two primes of the same length whose product has twice as many bits.
  /// - Parameter room: 8 · count limbs, zero.
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
    // d mod (p − 1) is the inverse of e there.
    for (prime, exponent) in [(p, dp), (q, dq)] {
      exponent.update(from: prime, count: count)
      RSAPrimeCandidate.invertExponent(modulo: exponent, count: count)
    }
    p[0] ^= 1
    q[0] ^= 1
    // q < 2p, since the highest bits of both are set.
    let modulus = MontgomeryModulus(p, count: count)
    scratch.update(from: q, count: count)
    LimbRun.subtractOnce(scratch, high: 0, modulus: p, count: count)
    modulus.inverse(qi, of: scratch)
    let bytes = [(n, 2 &* count), (d, 2 &* count), (p, count), (q, count), (dp, count), (dq, count), (qi, count)]
      .map { limbs, count in
        SecretBytes(count: count &* 8) { LimbRun.store(limbs, count: count, bigEndian: $0) }
      }
    do throws(CryptoError) {
      let exponent = RSAPrimeCandidate.publicExponent
      let publicKey = try bytes[0].withUnsafeBytes { n throws(CryptoError) in
        try withUnsafeBytes(of: exponent.bigEndian) { e throws(CryptoError) in
          try AnyRSAPublicKey(n: n, e: UnsafeRawBufferPointer(rebasing: e[5...]))
        }
      }
      try self.init(
        publicKey: publicKey, d: bytes[1], p: bytes[2], q: bytes[3], dp: bytes[4], dq: bytes[5], qi: bytes[6])
    } catch {
      return nil
    }
  }
}
