extension CurvePrivateKey {
  /// Signs a digest with ECDSA, with nonces from HMAC_DRBG over the digest's function.
  ///
  /// Timing: does not depend on the key or the nonce.
  /// Source: FIPS 186-5 §6.4.1, RFC 6979.
  func signature<Function: SHA2Function>(
    forDigest digest: Function.Digest, of function: Function.Type, nonce: P256PrivateKey.NonceGeneration
  ) -> CurveSignature<Curve> {
    let e = Scalar(digest: digest)
    let byteCount = Curve.byteCount
    return withUnsafeTemporaryAllocation(byteCount: 2 &* byteCount &+ 32, alignment: 16) { buffer in
      defer { wipe(buffer) }
      // int2octets(d) ‖ bits2octets(digest) ‖ 32 fresh bytes if the nonce is hedged
      withScalar { d in d.storeBigEndian(to: UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount])) }
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
        if let signature = signature(of: e, k: k) { return signature }
      }
    }
  }

  /// Signs a digest with a given nonce. For known-answer vectors only: a nonce used twice reveals the key.
  /// - Throws: `.invalidPrivateKey` when k is not between 1 and n − 1, or gives r = 0 or s = 0.
  func signature(
    forDigest digest: some SHA2Digest, givenNonce k: UnsafeRawBufferPointer
  ) throws(CryptoError) -> CurveSignature<Curve> {
    let integer = Curve.Integer(bigEndian: k)
    guard k.count == Curve.byteCount, Scalar.isInRange(integer).declassified,
      let signature = signature(of: Scalar(digest: digest), k: integer)
    else { throw CryptoError(.invalidPrivateKey, "the nonce can't be used") }
    return signature
  }

  /// FIPS 186-5 §6.4.1 from step 4 on.
  /// - Parameter k: 1 … n − 1.
  /// - Returns: `nil` when r = 0 or s = 0.
  private func signature(of e: Scalar, k: Curve.Integer) -> CurveSignature<Curve>? {
    // 4, 5: R = k · G
    let x = ProjectivePoint<Curve>.baseMultiple(k).affineX
    // 6, 7: r = x mod n
    let r = Scalar(x.integer)
    // 8: s = k⁻¹ (e + r d) mod n
    var inverse = Scalar(k).inverted
    defer { wipe(&inverse) }
    let s = withScalar { d in inverse * (e + r * Scalar(d)) }
    // 10, 11: r and s are about to be published.
    guard (~r.isZero & ~s.isZero).declassified else { return nil }
    return CurveSignature(r: r.integer, s: s.integer)
  }
}

extension Residue {
  /// e: the leftmost bits of the digest, as many as n has, as an integer mod n. Source: FIPS 186-5 §6.4.1 step 2.
  init(digest: some SHA2Digest) {
    self = digest.withUnsafeBytes { Residue(Residue.leftmostBits(of: $0)) }
  }
}
