extension P256PrivateKey {
  /// The shared secret Z of elliptic curve Diffie-Hellman: the x-coordinate of d · Q.
  /// - Parameter publicKey: of the other party, validated when it was made.
  /// - Returns: 32 bytes, most significant first, leading zeros kept. To be fed to a key derivation function, never
  ///   used as a key itself.
  /// - Throws: `.invalidPublicKey` if the product is infinity, which a validated key can't bring about.
  ///
  /// Timing: does not depend on the private key or on Z.
  /// Source: SP 800-56A §5.7.1.2, RFC 7518 §4.6.
  public func sharedSecret(with publicKey: P256PublicKey) throws(CryptoError) -> SecretBytes {
    var product = withScalar { d in JacobianPoint.multiple(d, of: publicKey.point) }
    defer { wipe(&product) }
    guard !product.isInfinity.declassified else {
      throw CryptoError(.invalidPublicKey, "the shared secret is the point at infinity")
    }
    var z = product.affineX.integer
    defer { wipe(&z) }
    return SecretBytes(count: UInt256.byteCount) { bytes in
      if let start = bytes.baseAddress { z.storeBigEndian(to: start) }
    }
  }
}
