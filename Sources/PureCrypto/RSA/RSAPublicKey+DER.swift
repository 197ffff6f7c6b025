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
    if contents.isNext(.sequence) { try self.init(spki: bytes) } else { try self.init(pkcs1: bytes) }
  }

  /// SubjectPublicKeyInfo ::= SEQUENCE { AlgorithmIdentifier, BIT STRING { RSAPublicKey } }.
  init(spki bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var outer = DERReader(bytes)
    var info = try outer.read(.sequence)
    try outer.finish()
    try info.readRSAAlgorithmIdentifier()
    let key = try info.readBitString()
    try info.finish()
    try self.init(pkcs1: key)
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

  /// SubjectPublicKeyInfo in DER.
  public var derRepresentation: [UInt8] {
    var writer = DERWriter(capacity: byteCount &+ 64)
    writer.constructed(.sequence) { info in
      info.rsaAlgorithmIdentifier()
      info.bitString(pkcs1Representation)
    }
    return writer.bytes
  }

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

extension DERObjectIdentifier {
  /// 1.2.840.113549.1.1.1, rsaEncryption. Source: RFC 3279 §2.3.1.
  package static let rsaEncryption = DERObjectIdentifier(
    contents: [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01])
}

extension DERReader {
  /// Reads AlgorithmIdentifier { rsaEncryption, NULL }.
  mutating func readRSAAlgorithmIdentifier() throws(CryptoError) {
    var identifier = try read(.sequence)
    guard try identifier.readObjectIdentifier(.rsaEncryption) else {
      throw CryptoError(.unsupportedKey, "the key is not an RSA key")
    }
    try identifier.read(.null).finish()
    try identifier.finish()
  }
}

extension DERWriter {
  /// AlgorithmIdentifier { rsaEncryption, NULL }.
  mutating func rsaAlgorithmIdentifier() {
    constructed(.sequence) { identifier in
      identifier.objectIdentifier(.rsaEncryption)
      identifier.primitive(.null, [])
    }
  }
}
