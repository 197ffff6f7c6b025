extension RSAPublicKey {
  /// Reads a SubjectPublicKeyInfo or a PKCS #1 RSAPublicKey.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm (id-RSASSA-PSS among them, which restricts the
  ///   key's use), and what ``init(modulus:exponent:)`` throws.
  /// Source: RFC 3279 §2.3.1, RFC 8017 §A.1.1.
  @inlinable
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try RSAPublicKey(der: bytes) }
  }

  @usableFromInline
  init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var outer = DERReader(bytes)
    let contents = try outer.read(.sequence)
    // SPKI begins with an AlgorithmIdentifier, PKCS #1 with n.
    try self.init(pkcs1: contents.isNext(.sequence) ? PublicKeyFile(spki: bytes, .rsa).key : bytes)
  }

  /// RSAPublicKey ::= SEQUENCE { INTEGER modulus, INTEGER publicExponent }.
  init(pkcs1 bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var outer = DERReader(bytes)
    var key = try outer.read(.sequence)
    try outer.finish()
    let modulus = try key.readUnsignedInteger()
    let exponent = try key.readUnsignedInteger()
    try key.finish()
    try self.init(n: modulus, e: exponent)
  }

  /// Reads a `PUBLIC KEY` (SubjectPublicKeyInfo) or an `RSA PUBLIC KEY` (PKCS #1) block.
  /// - Parameter text: one block. Text may stand before it, and only white space after it.
  /// - Throws: `.malformedPEM`, and what ``init(derRepresentation:)`` throws.
  /// Source: RFC 7468 §13.
  public init(pemRepresentation text: String) throws(CryptoError) {
    self = try PEMBlock.withPublicKey(text, labels: [.publicKey, .rsaPublicKey], .rsa) { file throws(CryptoError) in
      try RSAPublicKey(pkcs1: file.key)
    }
  }

  /// SubjectPublicKeyInfo in DER.
  public var derRepresentation: [UInt8] { PublicKeyFile.spki(pkcs1Representation, .rsa) }

  /// A `PUBLIC KEY` block.
  public var pemRepresentation: String { PublicKeyFile.pem(derRepresentation) }

  /// PKCS #1 RSAPublicKey in DER.
  public var pkcs1Representation: [UInt8] {
    var writer = DERWriter(capacity: byteCount &+ 32)
    writer.constructed(.sequence) { key in
      key.unsignedInteger(modulus)
      key.unsignedInteger(publicExponent)
    }
    return writer.bytes
  }
}
