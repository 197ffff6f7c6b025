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
    // Both begin with a version. Then PKCS #8 has an AlgorithmIdentifier, SEC 1 the key.
    var outer = DERReader(bytes)
    var contents = try outer.read(.sequence)
    _ = try contents.readSmallInteger()
    if contents.isNext(.sequence) {
      try self.init(pkcs8: bytes)
    } else {
      try self.init(sec1: bytes, isCurveRequired: true)
    }
  }

  /// OneAsymmetricKey ::= SEQUENCE { version, AlgorithmIdentifier, OCTET STRING { ECPrivateKey }, [0] attributes OPTIONAL,
  /// [1] IMPLICIT BIT STRING publicKey OPTIONAL }, the last in version 1 (v2) only.
  init(pkcs8 bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var outer = DERReader(bytes)
    var info = try outer.read(.sequence)
    try outer.finish()
    let version = try info.readSmallInteger()
    guard version <= 1 else { throw CryptoError(.malformedDER, "the version is not that of a private key") }
    try info.readP256AlgorithmIdentifier()
    let privateKey = try info.read(.octetString).bytes
    _ = try info.readOptional(.constructed(0))
    let publicKey = version == 1 && info.isNext(.primitive(1)) ? try info.readBitString(.primitive(1)) : nil
    try info.finish()
    try self.init(sec1: privateKey, isCurveRequired: false)
    if let publicKey { try requirePublicKey(publicKey) }
  }

  /// ECPrivateKey ::= SEQUENCE { version 1, OCTET STRING privateKey, [0] ECParameters OPTIONAL, [1] BIT STRING publicKey
  /// OPTIONAL }.
  /// - Parameter isCurveRequired: the parameters may be left out where an AlgorithmIdentifier names the curve.
  init(sec1 bytes: UnsafeRawBufferPointer, isCurveRequired: Bool) throws(CryptoError) {
    var outer = DERReader(bytes)
    var key = try outer.read(.sequence)
    try outer.finish()
    guard try key.readSmallInteger() == 1 else {
      throw CryptoError(.malformedDER, "the version is not that of an elliptic curve private key")
    }
    let d = try key.read(.octetString).bytes
    if var parameters = try key.readOptional(.constructed(0)) {
      try parameters.readP256Parameters()
      try parameters.finish()
    } else if isCurveRequired {
      throw CryptoError(.unsupportedKey, "the curve is not given by name")
    }
    var publicKey: UnsafeRawBufferPointer?
    if var wrapped = try key.readOptional(.constructed(1)) {
      publicKey = try wrapped.readBitString()
      try wrapped.finish()
    }
    try key.finish()
    try self.init(raw: d)
    if let publicKey { try requirePublicKey(publicKey) }
  }

  /// Makes sure that the public key beside the private key is d · G. Otherwise signatures would be made with one key and
  /// announced under another.
  private func requirePublicKey(_ encodedPoint: UnsafeRawBufferPointer) throws(CryptoError) {
    guard try P256PublicKey(encodedPoint: encodedPoint) == publicKey else {
      throw CryptoError(.invalidPrivateKey, "the public key beside the private key belongs to another")
    }
  }

  /// PKCS #8 PrivateKeyInfo in DER, with the public key inside ECPrivateKey: 138 bytes.
  ///
  /// Timing: does not depend on d.
  public var derRepresentation: SecretBytes {
    // 138 bytes in the end; the capacity also covers them while lengths are inserted.
    var writer = DERWriter(capacity: 160)
    writer.constructed(.sequence) { info in
      info.primitive(.integer, [0])
      info.p256AlgorithmIdentifier()
      info.constructed(.octetString) { wrapped in
        wrapped.constructed(.sequence) { key in
          key.primitive(.integer, [1])
          rawRepresentation.withUnsafeBytes { key.primitive(.octetString, $0) }
          key.constructed(.constructed(1)) { $0.bitString(publicKey.x963Representation) }
        }
      }
    }
    return writer.takeSecret()
  }
}
