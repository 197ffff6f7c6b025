/// How the nonce of an ECDSA signature is made.
public enum ECDSANonceGeneration: Sendable {
  /// RFC 6979 with 32 fresh random bytes as additional data: safe against repeated nonces even when the random number
  /// generator fails, and against fault attacks on repeated digests.
  case hedged
  /// RFC 6979 exactly: the same key and message give the same signature.
  case deterministic
}

/// ECDSA on any of the curves. Signatures are r ‖ s, each as long as n.
///
/// Source: FIPS 186-5 §6.4.
enum ECDSA<Curve: CurveArithmetic> {
  typealias Integer = Curve.Integer
  typealias Scalar = Curve.Scalar

  /// Signs a digest, with nonces from HMAC_DRBG over a hash function.
  ///
  /// Timing: does not depend on the key or the nonce.
  /// Source: FIPS 186-5 §6.4.1, RFC 6979.
  @_specialize(where Curve == P256Curve, Function == SHA2.SHA256)
  static func signature<Function: SHA2Function>(
    _ digest: UnsafeRawBufferPointer, _: Function.Type, d: SecretBytes, nonce: ECDSANonceGeneration
  ) -> [UInt8] {
    let e = scalar(digest)
    let byteCount = Curve.byteCount
    return withUnsafeTemporaryAllocation(byteCount: 2 &* byteCount &+ 32, alignment: 16) { buffer in
      defer { wipe(buffer) }
      // int2octets(d) ‖ bits2octets(digest) ‖ 32 fresh bytes if the nonce is hedged
      d.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount]).copyMemory(from: $0) }
      e.integer.storeBigEndian(to: UnsafeMutableRawBufferPointer(rebasing: buffer[byteCount..<(2 &* byteCount)]))
      var seed = UnsafeRawBufferPointer(rebasing: buffer[..<(2 &* byteCount)])
      if nonce == .hedged {
        SystemRandom.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[(2 &* byteCount)...]))
        seed = UnsafeRawBufferPointer(buffer)
      }
      var generator = HMACDRBG<Function>(seed: seed)
      defer { generator.erase() }
      var isFirst = true
      while true {
        var k = Scalar.candidate { bytes in
          if !isFirst { generator.update() }
          isFirst = false
          generator.generate(into: bytes)
        }
        defer { wipe(&k) }
        // r = 0 or s = 0 has probability 2^(1 − bitCount); the nonce is then useless and known to be.
        if let signature = signature(of: e, d: d, k: k) { return signature }
      }
    }
  }

  /// Signs a digest with a given nonce. For known-answer vectors only: a nonce used twice reveals the key.
  /// - Throws: `.invalidPrivateKey` when k is not as long as n, not between 1 and n − 1, or gives r = 0 or s = 0.
  static func signature(
    _ digest: UnsafeRawBufferPointer, d: SecretBytes, givenNonce k: UnsafeRawBufferPointer
  ) throws(CryptoError) -> [UInt8] {
    guard k.count == Curve.byteCount, Scalar.isInRange(Integer(bigEndian: k)).declassified,
      let signature = signature(of: scalar(digest), d: d, k: Integer(bigEndian: k))
    else { throw CryptoError(.invalidPrivateKey, "the nonce can't be used") }
    return signature
  }

  /// FIPS 186-5 §6.4.1 from step 4 on.
  /// - Parameter k: 1 … n − 1.
  /// - Returns: `nil` when r = 0 or s = 0.
  @_specialize(where Curve == P256Curve)
  private static func signature(of e: Scalar, d: SecretBytes, k: Integer) -> [UInt8]? {
    // 4, 5: R = k · G
    let x = Curve.Multiple.baseMultiple(k).affineX
    // 6, 7: r = x mod n
    let r = Scalar(x.integer)
    // 8: s = k⁻¹ (e + r d) mod n
    var inverse = Scalar(k).inverted
    defer { wipe(&inverse) }
    let s = d.withInteger { d in inverse * (e + r * Scalar(d)) }
    // 10, 11: r and s are about to be published.
    guard (~r.isZero & ~s.isZero).declassified else { return nil }
    let byteCount = Curve.byteCount
    return [UInt8](unsafeUninitializedCapacity: 2 &* byteCount) { buffer, initializedCount in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      r.integer.storeBigEndian(to: UnsafeMutableRawBufferPointer(rebasing: bytes[..<byteCount]))
      s.integer.storeBigEndian(to: UnsafeMutableRawBufferPointer(rebasing: bytes[byteCount..<(2 &* byteCount)]))
      initializedCount = 2 &* byteCount
    }
  }

  /// Whether r ‖ s is a valid signature of a digest.
  /// - Parameter signature: twice as long as n.
  /// - Parameter combine: u₁ · G + u₂ · Q, for the public key Q.
  ///
  /// Source: FIPS 186-5 §6.4.2.
  @inline(__always)
  static func isValidVariableTime(
    _ signature: UnsafeRawBufferPointer, _ digest: UnsafeRawBufferPointer,
    _ combine: (_ u1: Integer, _ u2: Integer) -> Curve.Multiple
  ) -> Bool {
    let r = Integer(bigEndian: UnsafeRawBufferPointer(rebasing: signature[..<Curve.byteCount]))
    let s = Integer(bigEndian: UnsafeRawBufferPointer(rebasing: signature[Curve.byteCount...]))
    // 1: 1 ≤ r, s ≤ n − 1. Without this check (0, 0) would be valid for everybody.
    guard (Scalar.isInRange(r) & Scalar.isInRange(s)).isYesVariableTime else { return false }
    // 4, 5: u₁ = e s⁻¹, u₂ = r s⁻¹
    let inverse = Scalar(s).invertedVariableTime()
    let u1 = scalar(digest) * inverse
    let u2 = Scalar(r) * inverse
    // 6: R = u₁ · G + u₂ · Q, not infinity
    let sum = combine(u1.integer, u2.integer)
    guard !sum.isInfinity.isYesVariableTime else { return false }
    // 7, 8: valid when x mod n = r, that is when x is r, or r + n as long as that is below p.
    if sum.hasAffineX(Curve.Coordinate(r)).isYesVariableTime { return true }
    guard r.isLess(than: Curve.excess).isYesVariableTime else { return false }
    // r + n < p: the sum of the field elements is the element of the sum.
    return sum.hasAffineX(Curve.Coordinate(r) + Curve.Coordinate(Scalar.modulus)).isYesVariableTime
  }

  /// e: the leftmost bits of the digest, as many as n has, as an integer mod n.
  /// Source: FIPS 186-5 §6.4.1 step 2.
  private static func scalar(_ digest: UnsafeRawBufferPointer) -> Scalar { Scalar(Scalar.leftmostBits(of: digest)) }
}
