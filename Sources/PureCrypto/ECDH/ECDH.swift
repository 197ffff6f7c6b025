/// Elliptic curve Diffie-Hellman on any of the curves.
enum ECDH<Curve: CurveArithmetic> {
  /// The shared secret Z: the x-coordinate of d · Q, as long as p, most significant byte first.
  /// - Throws: `.invalidPublicKey` if the product is infinity, which a validated key can't bring about.
  ///
  /// Timing: does not depend on the private key or on Z.
  /// Source: SP 800-56A §5.7.1.2.
  static func sharedSecret(_ d: SecretBytes, _ q: CurvePoint<Curve>) throws(CryptoError) -> SharedSecret {
    var product = d.withInteger { d in Curve.Multiple.multiple(d, of: q) }
    defer { wipe(&product) }
    guard !product.isInfinity.declassified else {
      throw CryptoError(.invalidPublicKey, "the shared secret is the point at infinity")
    }
    var z = product.affineX.integer
    defer { wipe(&z) }
    return SharedSecret(SecretBytes(count: Curve.byteCount) { z.storeBigEndian(to: $0) })
  }
}
