/// The key files of elliptic curves. They differ in the object identifier of the curve only.
///
/// What is returned are views of the bytes that were given.
enum EllipticCurveDER {
  /// The contents of a private key file.
  struct PrivateKey {
    /// d, of the file's length.
    let d: UnsafeRawBufferPointer
    /// The encoded points in the places where a public key may stand: of ECPrivateKey, and of PKCS #8 version 2.
    var publicKeys: [UnsafeRawBufferPointer]
  }

  /// Reads SubjectPublicKeyInfo ::= SEQUENCE { AlgorithmIdentifier, BIT STRING point }.
  static func readPublicKey(
    _ bytes: UnsafeRawBufferPointer, _ curve: DERObjectIdentifier
  ) throws(CryptoError) -> UnsafeRawBufferPointer {
    var outer = DERReader(bytes)
    var info = try outer.read(.sequence)
    try outer.finish()
    try info.readCurveAlgorithmIdentifier(curve)
    let point = try info.readBitString()
    try info.finish()
    return point
  }

  /// Reads PKCS #8 or SEC 1. Both begin with a version; then PKCS #8 has an AlgorithmIdentifier, SEC 1 the key.
  static func readPrivateKey(
    _ bytes: UnsafeRawBufferPointer, _ curve: DERObjectIdentifier
  ) throws(CryptoError) -> PrivateKey {
    var outer = DERReader(bytes)
    var contents = try outer.read(.sequence)
    _ = try contents.readSmallInteger()
    return contents.isNext(.sequence)
      ? try readPKCS8(bytes, curve) : try readSEC1(bytes, curve, isCurveRequired: true)
  }

  /// OneAsymmetricKey ::= SEQUENCE { version, AlgorithmIdentifier, OCTET STRING { ECPrivateKey }, [0] attributes OPTIONAL,
  /// [1] IMPLICIT BIT STRING publicKey OPTIONAL }, the last in version 1 (v2) only.
  static func readPKCS8(
    _ bytes: UnsafeRawBufferPointer, _ curve: DERObjectIdentifier
  ) throws(CryptoError) -> PrivateKey {
    var outer = DERReader(bytes)
    var info = try outer.read(.sequence)
    try outer.finish()
    let version = try info.readSmallInteger()
    guard version <= 1 else { throw CryptoError(.malformedDER, "the version is not that of a private key") }
    try info.readCurveAlgorithmIdentifier(curve)
    let privateKey = try info.read(.octetString).bytes
    _ = try info.readOptional(.constructed(0))
    let publicKey = version == 1 && info.isNext(.primitive(1)) ? try info.readBitString(.primitive(1)) : nil
    try info.finish()
    var contents = try readSEC1(privateKey, curve, isCurveRequired: false)
    if let publicKey { contents.publicKeys.append(publicKey) }
    return contents
  }

  /// ECPrivateKey ::= SEQUENCE { version 1, OCTET STRING privateKey, [0] ECParameters OPTIONAL, [1] BIT STRING publicKey
  /// OPTIONAL }.
  /// - Parameter isCurveRequired: the parameters may be left out where an AlgorithmIdentifier names the curve.
  static func readSEC1(
    _ bytes: UnsafeRawBufferPointer, _ curve: DERObjectIdentifier, isCurveRequired: Bool
  ) throws(CryptoError) -> PrivateKey {
    var outer = DERReader(bytes)
    var key = try outer.read(.sequence)
    try outer.finish()
    guard try key.readSmallInteger() == 1 else {
      throw CryptoError(.malformedDER, "the version is not that of an elliptic curve private key")
    }
    let d = try key.read(.octetString).bytes
    if var parameters = try key.readOptional(.constructed(0)) {
      try parameters.readCurveParameters(curve)
      try parameters.finish()
    } else if isCurveRequired {
      throw CryptoError(.unsupportedKey, "the curve is not given by name")
    }
    var publicKeys: [UnsafeRawBufferPointer] = []
    if var wrapped = try key.readOptional(.constructed(1)) {
      publicKeys.append(try wrapped.readBitString())
      try wrapped.finish()
    }
    try key.finish()
    return PrivateKey(d: d, publicKeys: publicKeys)
  }

  /// SubjectPublicKeyInfo with a point.
  static func publicKey(_ point: [UInt8], _ curve: DERObjectIdentifier) -> [UInt8] {
    var writer = DERWriter(capacity: point.count &+ 32)
    writer.constructed(.sequence) { info in
      info.curveAlgorithmIdentifier(curve)
      info.bitString(point)
    }
    return writer.bytes
  }

  /// PKCS #8 PrivateKeyInfo, with the public key inside ECPrivateKey.
  ///
  /// Timing: does not depend on d.
  static func privateKey(_ d: SecretBytes, _ point: [UInt8], _ curve: DERObjectIdentifier) -> SecretBytes {
    // At most 46 bytes of structure; the capacity also covers them while lengths are inserted.
    var writer = DERWriter(capacity: d.count &+ point.count &+ 64)
    writer.constructed(.sequence) { info in
      info.primitive(.integer, [0])
      info.curveAlgorithmIdentifier(curve)
      info.constructed(.octetString) { wrapped in
        wrapped.constructed(.sequence) { key in
          key.primitive(.integer, [1])
          d.withUnsafeBytes { key.primitive(.octetString, $0) }
          key.constructed(.constructed(1)) { $0.bitString(point) }
        }
      }
    }
    return writer.takeSecret()
  }
}

extension DERReader {
  /// Reads AlgorithmIdentifier { id-ecPublicKey, namedCurve }.
  fileprivate mutating func readCurveAlgorithmIdentifier(_ curve: DERObjectIdentifier) throws(CryptoError) {
    var identifier = try read(.sequence)
    guard try identifier.readObjectIdentifier(.ecPublicKey) else {
      throw CryptoError(.unsupportedKey, "the key is not an elliptic curve key")
    }
    try identifier.readCurveParameters(curve)
    try identifier.finish()
  }

  /// Reads ECParameters, of which only the named curve is allowed. Source: RFC 5480 §2.1.1.
  fileprivate mutating func readCurveParameters(_ curve: DERObjectIdentifier) throws(CryptoError) {
    guard isNext(.objectIdentifier) else {
      throw CryptoError(.unsupportedKey, "the curve is not given by name")
    }
    guard try readObjectIdentifier(curve) else {
      throw CryptoError(.unsupportedKey, "the curve is another one")
    }
  }
}

extension DERWriter {
  /// AlgorithmIdentifier { id-ecPublicKey, namedCurve }.
  fileprivate mutating func curveAlgorithmIdentifier(_ curve: DERObjectIdentifier) {
    constructed(.sequence) { identifier in
      identifier.objectIdentifier(.ecPublicKey)
      identifier.objectIdentifier(curve)
    }
  }
}
