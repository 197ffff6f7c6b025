extension P256PrivateKey {
  /// Reads a PKCS #8 PrivateKeyInfo or a SEC 1 ECPrivateKey.
  /// - Parameter bytes: strict DER, nothing after it. A public key inside, in either place where one may stand, must
  ///   belong to the private key.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm or curve, `.invalidPrivateKey` when d is not 32
  ///   bytes, is out of range or belongs to another public key, `.invalidPublicKey`.
  ///
  /// Timing: depends on the structure, not on d.
  /// Source: RFC 5958 §2, RFC 5915 §3, SEC 1 §C.4.
  @inlinable
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try P256PrivateKey(der: bytes) }
  }

  /// Reads a PKCS #8 PrivateKeyInfo or a SEC 1 ECPrivateKey from secret storage.
  /// - Throws: as the initializer that takes a collection.
  ///
  /// Timing: depends on the structure, not on d.
  public init(derRepresentation bytes: SecretBytes) throws(CryptoError) {
    self = try bytes.withUnsafeBytes { bytes throws(CryptoError) in try P256PrivateKey(der: bytes) }
  }

  @usableFromInline
  init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    try self.init(EllipticCurveDER.readPrivateKey(bytes, .p256))
  }

  /// Takes a key file's private key, to which the public keys beside it must belong. Otherwise signatures would be made with one key
  /// and announced under another.
  init(_ contents: EllipticCurveDER.PrivateKey) throws(CryptoError) {
    try self.init(raw: contents.d)
    for encodedPoint in contents.publicKeys {
      guard try P256PublicKey(encodedPoint: encodedPoint) == publicKey else {
        throw CryptoError(.invalidPrivateKey, "the public key beside the private key belongs to another")
      }
    }
  }

  /// PKCS #8 PrivateKeyInfo in DER, with the public key inside ECPrivateKey: 138 bytes.
  ///
  /// Timing: does not depend on d.
  public var derRepresentation: SecretBytes {
    EllipticCurveDER.privateKey(rawRepresentation, publicKey.x963Representation, .p256)
  }
}
