extension CurvePublicKey {
  /// Whether `signature` is a valid ECDSA signature of the digest by this key.
  ///
  /// Timing: depends on key, digest and signature, which are public.
  /// Source: FIPS 186-5 §6.4.2.
  func isValidSignature(_ signature: CurveSignature<Curve>, forDigest digest: some SHA2Digest) -> Bool {
    typealias Scalar = Curve.Scalar
    typealias Coordinate = Residue<Curve.Field>
    let (r, s) = (signature.r, signature.s)
    // 1: 1 ≤ r, s ≤ n − 1. Without this check (0, 0) would be valid for everybody.
    guard (Scalar.isInRange(r) & Scalar.isInRange(s)).declassified else { return false }
    // 4, 5: u₁ = e s⁻¹, u₂ = r s⁻¹
    let inverse = Scalar(s).inverted
    let u1 = Scalar(digest: digest) * inverse
    let u2 = Scalar(r) * inverse
    // 6: R = u₁ · G + u₂ · Q, not infinity
    let sum = ProjectivePoint.doubleMultipleVariableTime(u1.integer, u2.integer, point)
    guard !sum.isInfinity.declassified else { return false }
    // 7, 8: valid when x mod n = r, that is when X/Z is r, or r + n as long as that is below p. Both sides are multiplied by Z,
    // which spares an inversion.
    if (Coordinate(r) * sum.z - sum.x).isZero.declassified { return true }
    guard r.isLess(than: Curve.excess).declassified else { return false }
    // r + n < p: the sum of the field elements is the element of the sum.
    return ((Coordinate(r) + Coordinate(Curve.Order.modulus)) * sum.z - sum.x).isZero.declassified
  }
}
