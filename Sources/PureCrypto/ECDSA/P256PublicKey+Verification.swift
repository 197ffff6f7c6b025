extension P256PublicKey {
  /// Whether `signature` is a valid ECDSA signature over SHA-256 of `message` by this key.
  ///
  /// - Parameter signature: of well-formed encoding; r and s may be out of range, which makes it invalid.
  /// - Parameter message: the bytes that were signed, not their digest.
  ///
  /// Timing: depends on key, message and signature, which are public.
  /// Source: FIPS 186-5 §6.4.2.
  @inlinable
  public func isValidSignature(_ signature: P256Signature, for message: some Collection<UInt8>) -> Bool {
    isValidSignature(signature, forDigest: SHA2.SHA256.hash(message))
  }

  /// Whether `signature` is a valid ECDSA signature of the digest by this key.
  ///
  /// Timing: depends on key, digest and signature, which are public.
  /// Source: FIPS 186-5 §6.4.2.
  public func isValidSignature(_ signature: P256Signature, forDigest digest: SHA2.SHA256.Digest) -> Bool {
    signature.isValidVariableTime(Scalar(digest)) { u1, u2 in
      JacobianPoint.doubleMultipleVariableTime(u1, u2, point)
    }
  }
}

extension P256Signature {
  /// FIPS 186-5 §6.4.2.
  /// - Parameter e: the digest mod n.
  /// - Parameter combine: u₁ · G + u₂ · Q.
  @inline(never)
  func isValidVariableTime(_ e: Scalar, _ combine: (_ u1: UInt256, _ u2: UInt256) -> JacobianPoint) -> Bool {
    // 1: 1 ≤ r, s ≤ n − 1. Without this check (0, 0) would be valid for everybody.
    guard (Scalar.isInRange(r) & Scalar.isInRange(s)).declassified else { return false }
    // 4, 5: u₁ = e s⁻¹, u₂ = r s⁻¹
    let inverse = Scalar(reducing: s).invertedVariableTime()
    let u1 = e * inverse
    let u2 = Scalar(reducing: r) * inverse
    // 6: R = u₁ · G + u₂ · Q, not infinity
    let point = combine(u1.integer, u2.integer)
    guard !point.isInfinity.declassified else { return false }
    // 7, 8: valid when x mod n = r, that is when X/Z² is r, or r + n as long as that is below p. Both sides are
    // multiplied by Z², which spares an inversion.
    let zz = point.z.squared
    if (FieldElement(r) * zz - point.x).isZero.declassified { return true }
    guard r.isLess(than: P256Signature.excess).declassified else { return false }
    // r + n < p: the sum of the field elements is the element of the sum.
    return ((FieldElement(r) + FieldElement(Scalar.modulus)) * zz - point.x).isZero.declassified
  }

  /// p − n, below 2¹²⁸.
  private static var excess: UInt256 {
    UInt256(0x0c46_353d_039c_daae, 0x4319_0553_58e8_617b, 0, 0)
  }
}
