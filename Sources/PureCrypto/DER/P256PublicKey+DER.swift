extension P256PublicKey {
  /// Reads a SubjectPublicKeyInfo.
  /// - Parameter bytes: strict DER, nothing after it. The curve must be named; parameters written out are refused, since
  ///   they would let an attacker choose the base point. The point may be compressed or not.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm or curve, `.invalidPublicKey`.
  /// Source: RFC 5280 §4.1.2.7, RFC 5480 §2.
  @inlinable
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try P256PublicKey(der: bytes) }
  }

  @usableFromInline
  init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    try self.init(encodedPoint: EllipticCurveDER.readPublicKey(bytes, .p256))
  }

  /// SubjectPublicKeyInfo in DER, with the uncompressed point: 91 bytes.
  public var derRepresentation: [UInt8] { EllipticCurveDER.publicKey(x963Representation, .p256) }
}
