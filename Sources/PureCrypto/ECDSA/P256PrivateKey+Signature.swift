extension P256PrivateKey {
  /// How the nonce of a signature is made.
  public enum NonceGeneration: Sendable {
    /// RFC 6979 with 32 fresh random bytes as additional data: safe against repeated nonces even when the random number
    /// generator fails, and against fault attacks on repeated digests.
    case hedged
    /// RFC 6979 exactly: the same key and message give the same signature.
    case deterministic
  }

  /// Signs a message with ECDSA over SHA-256.
  /// - Parameter message: the bytes to sign, of any length.
  /// - Parameter nonce: how the nonce is made.
  ///
  /// Timing: depends on the length of the message only. The message is not treated as a secret.
  /// Source: FIPS 186-5 §6.4.1, RFC 6979.
  @inlinable
  public func signature(
    for message: some Collection<UInt8>, nonce: NonceGeneration = .hedged
  ) -> P256Signature {
    signature(forDigest: SHA2.SHA256.hash(message), nonce: nonce)
  }

  /// Signs a digest with ECDSA.
  /// - Parameter digest: of the message. Not treated as a secret.
  /// - Parameter nonce: how the nonce is made.
  ///
  /// Timing: does not depend on the key or the nonce.
  /// Source: FIPS 186-5 §6.4.1, RFC 6979.
  public func signature(forDigest digest: SHA2.SHA256.Digest, nonce: NonceGeneration = .hedged) -> P256Signature {
    signature(forDigest: digest, of: SHA2.SHA256.self, nonce: nonce)
  }

  /// Signs a digest of any function, which also makes the nonce. JOSE has SHA-256 only; others are for vectors.
  package func signature<Function: SHA2Function>(
    forDigest digest: Function.Digest, of function: Function.Type, nonce: NonceGeneration
  ) -> P256Signature {
    let e = Scalar(digest)
    return withUnsafeTemporaryAllocation(byteCount: 96, alignment: 16) { buffer in
      defer { wipe(buffer) }
      let seed = seed(in: buffer, e: e, nonce: nonce)
      var generator = HMACDRBG<Function>(seed: seed)
      defer { generator.erase() }
      var isFirst = true
      while true {
        var k = Scalar.random { bytes in
          if !isFirst { generator.update() }
          isFirst = false
          generator.generate(into: bytes)
        }
        defer { wipe(&k) }
        // r = 0 or s = 0 has probability 2⁻²⁵⁵; the nonce is then useless and known to be.
        if let signature = signature(of: e, k: k) { return signature }
      }
    }
  }

  /// Writes d ‖ e, and 32 fresh bytes if the nonce is hedged.
  /// - Parameter buffer: 96 bytes.
  private func seed(
    in buffer: UnsafeMutableRawBufferPointer, e: Scalar, nonce: NonceGeneration
  ) -> UnsafeRawBufferPointer {
    if let start = buffer.baseAddress {
      withScalar { d in d.storeBigEndian(to: start) }
      e.integer.storeBigEndian(to: start + 32)
    }
    switch nonce {
    case .deterministic:
      return UnsafeRawBufferPointer(rebasing: buffer[..<64])
    case .hedged:
      SystemRandom.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[64...]))
      return UnsafeRawBufferPointer(buffer)
    }
  }

  /// Signs a digest with a given nonce. For known-answer vectors only: a nonce used twice reveals the key.
  /// - Parameter k: 32 bytes, most significant first.
  /// - Throws: `.invalidPrivateKey` when k is not between 1 and n − 1, or gives r = 0 or s = 0.
  package func signature<Function: SHA2Function>(
    forDigest digest: Function.Digest, of function: Function.Type = SHA2.SHA256.self,
    givenNonce k: some Collection<UInt8>
  ) throws(CryptoError) -> P256Signature {
    let signature: P256Signature? = withContiguousBytes(k) { k in
      guard k.count == 32, let start = k.baseAddress else { return nil }
      let k = UInt256(bigEndian: start)
      return Scalar.isInRange(k).declassified ? self.signature(of: Scalar(digest), k: k) : nil
    }
    guard let signature else { throw CryptoError(.invalidPrivateKey, "the nonce can't be used") }
    return signature
  }

  /// FIPS 186-5 §6.4.1 from step 4 on.
  /// - Parameter k: 1 … n − 1.
  /// - Returns: `nil` when r = 0 or s = 0.
  private func signature(of e: Scalar, k: UInt256) -> P256Signature? {
    // 4, 5: R = k · G
    let x = JacobianPoint.baseMultiple(k).affineX
    // 6, 7: r = x mod n
    let r = Scalar(reducing: x.integer)
    // 8: s = k⁻¹ (e + r d) mod n
    var inverse = Scalar(reducing: k).inverted
    defer { wipe(&inverse) }
    let s = withScalar { d in inverse * (e + r * Scalar(reducing: d)) }
    // 10, 11: r and s are about to be published.
    guard (~r.isZero & ~s.isZero).declassified else { return nil }
    return P256Signature(r: r.integer, s: s.integer)
  }
}

extension Scalar {
  /// e: the leftmost 256 bits of the digest, of which every function has as many, as an integer mod n.
  /// Source: FIPS 186-5 §6.4.1 step 2.
  init(_ digest: some SHA2Digest) {
    self = digest.withUnsafeBytes { bytes in
      Scalar(reducing: bytes.baseAddress.map { UInt256(bigEndian: $0) } ?? .zero)
    }
  }
}
