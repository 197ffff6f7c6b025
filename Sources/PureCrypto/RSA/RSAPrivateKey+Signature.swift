extension RSAPrivateKey {
  /// Signs a message.
  /// - Parameter message: the bytes to sign, of any length. Not treated as a secret.
  /// - Parameter padding: how the digest is encoded. PSS takes a fresh random salt as long as the digest.
  /// - Parameter function: the hash function, for instance `SHA2.SHA256.self`.
  /// - Returns: a signature as long as the modulus.
  /// - Throws: `.invalidPrivateKey` when the result did not verify, because the key is not what it seems or the machine
  ///   made a mistake. Nothing of the result is released.
  ///
  /// Timing: depends on the lengths of message and key, not on the private integers.
  /// Source: RFC 8017 §8.1.1, §8.2.1.
  @inlinable
  public func signature<Function: SHA2Function>(
    for message: some Collection<UInt8>, padding: RSASignaturePadding, function: Function.Type
  ) throws(CryptoError) -> [UInt8] {
    try signature(forDigest: Function.hash(message), padding: padding, function: function)
  }

  /// Signs a digest.
  /// - Throws: `.invalidPrivateKey` as ``signature(for:padding:function:)``.
  ///
  /// Timing: depends on the length of the key, not on the private integers.
  /// Source: RFC 8017 §8.1.1, §8.2.1.
  public func signature<Function: SHA2Function>(
    forDigest digest: Function.Digest, padding: RSASignaturePadding, function: Function.Type
  ) throws(CryptoError) -> [UInt8] {
    try signature { encoded in
      switch padding {
      case .pkcs1v15: PKCS1Encoding.encode(digest, into: encoded)
      case .pss:
        let salt = SystemRandom.bytes(count: Function.digestByteCount)
        salt.withUnsafeBytes { salt in
          PSSEncoding.encode(
            digest, salt: salt, function: function, modulusBitCount: publicKey.bitCount, into: encoded)
        }
      }
    }
  }

  /// Signs what `encode` writes, which must be below n: the first byte of both encodings sees to that.
  private func signature(
    of encode: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(CryptoError) -> [UInt8] {
    let signature: [UInt8]? = withUnsafeTemporaryAllocation(byteCount: publicKey.byteCount, alignment: 8) { encoded in
      encode(encoded)
      return withPower(of: UnsafeRawBufferPointer(encoded)) { Array($0) }
    }
    guard let signature else { throw CryptoError(.invalidPrivateKey, "the signature did not verify") }
    return signature
  }
}
