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
    var outer = DERReader(bytes)
    var info = try outer.read(.sequence)
    try outer.finish()
    try info.readP256AlgorithmIdentifier()
    let point = try info.readBitString()
    try info.finish()
    try self.init(encodedPoint: point)
  }

  /// SubjectPublicKeyInfo in DER, with the uncompressed point: 91 bytes.
  public var derRepresentation: [UInt8] {
    var writer = DERWriter(capacity: 96)
    writer.constructed(.sequence) { info in
      info.p256AlgorithmIdentifier()
      info.bitString(x963Representation)
    }
    return writer.bytes
  }
}

extension DERReader {
  /// Reads AlgorithmIdentifier { id-ecPublicKey, namedCurve secp256r1 }.
  mutating func readP256AlgorithmIdentifier() throws(CryptoError) {
    var identifier = try read(.sequence)
    guard try identifier.readObjectIdentifier(.ecPublicKey) else {
      throw CryptoError(.unsupportedKey, "the key is not an elliptic curve key")
    }
    try identifier.readP256Parameters()
    try identifier.finish()
  }

  /// Reads ECParameters, of which only the named curve is allowed. Source: RFC 5480 §2.1.1.
  mutating func readP256Parameters() throws(CryptoError) {
    guard isNext(.objectIdentifier) else {
      throw CryptoError(.unsupportedKey, "the curve is not given by name")
    }
    guard try readObjectIdentifier(.p256) else {
      throw CryptoError(.unsupportedKey, "the curve is not P-256")
    }
  }
}

extension DERWriter {
  /// AlgorithmIdentifier { id-ecPublicKey, namedCurve secp256r1 }.
  mutating func p256AlgorithmIdentifier() {
    constructed(.sequence) { identifier in
      identifier.objectIdentifier(.ecPublicKey)
      identifier.objectIdentifier(.p256)
    }
  }
}
