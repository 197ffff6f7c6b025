/// X25519 and Ed25519 share the structure of their key files; only the object identifier differs.
///
/// Source: RFC 8410.
private enum Curve25519DER {
  /// SubjectPublicKeyInfo ::= SEQUENCE { SEQUENCE { identifier }, BIT STRING key }.
  static func readPublicKey(
    _ bytes: UnsafeRawBufferPointer, _ identifier: DERObjectIdentifier
  ) throws(CryptoError) -> UnsafeRawBufferPointer {
    var outer = DERReader(bytes)
    var info = try outer.read(.sequence)
    try outer.finish()
    try readAlgorithm(&info, identifier)
    let key = try info.readBitString()
    try info.finish()
    return key
  }

  /// OneAsymmetricKey ::= SEQUENCE { version, SEQUENCE { identifier }, OCTET STRING { OCTET STRING key }, [0] attributes
  /// OPTIONAL, [1] IMPLICIT BIT STRING publicKey OPTIONAL }, the last in version 1 (v2) only.
  static func readPrivateKey(
    _ bytes: UnsafeRawBufferPointer, _ identifier: DERObjectIdentifier
  ) throws(CryptoError) -> (key: UnsafeRawBufferPointer, publicKey: UnsafeRawBufferPointer?) {
    var outer = DERReader(bytes)
    var info = try outer.read(.sequence)
    try outer.finish()
    let version = try info.readSmallInteger()
    guard version <= 1 else { throw CryptoError(.malformedDER, "the version is not that of a private key") }
    try readAlgorithm(&info, identifier)
    var wrapped = try info.read(.octetString)
    let key = try wrapped.read(.octetString).bytes
    try wrapped.finish()
    _ = try info.readOptional(.constructed(0))
    let publicKey = version == 1 && info.isNext(.primitive(1)) ? try info.readBitString(.primitive(1)) : nil
    try info.finish()
    return (key, publicKey)
  }

  private static func readAlgorithm(
    _ info: inout DERReader, _ identifier: DERObjectIdentifier
  ) throws(CryptoError) {
    var algorithm = try info.read(.sequence)
    guard try algorithm.readObjectIdentifier(identifier) else {
      throw CryptoError(.unsupportedKey, "the key is of another algorithm")
    }
    try algorithm.finish()
  }

  static func publicKey(_ key: [UInt8], _ identifier: DERObjectIdentifier) -> [UInt8] {
    var writer = DERWriter(capacity: 48)
    writer.constructed(.sequence) { info in
      info.constructed(.sequence) { $0.objectIdentifier(identifier) }
      info.bitString(key)
    }
    return writer.bytes
  }

  static func privateKey(_ key: SecretBytes, _ identifier: DERObjectIdentifier) -> SecretBytes {
    // 48 bytes in the end; the capacity also covers them while lengths are inserted.
    var writer = DERWriter(capacity: 64)
    writer.constructed(.sequence) { info in
      info.primitive(.integer, [0])
      info.constructed(.sequence) { $0.objectIdentifier(identifier) }
      info.constructed(.octetString) { wrapped in
        key.withUnsafeBytes { wrapped.primitive(.octetString, $0) }
      }
    }
    return writer.takeSecret()
  }
}

extension DERObjectIdentifier {
  /// 1.3.101.110, id-X25519. Source: RFC 8410 §3.
  package static let x25519 = DERObjectIdentifier(contents: [0x2b, 0x65, 0x6e])
  /// 1.3.101.112, id-Ed25519. Source: RFC 8410 §3.
  package static let ed25519 = DERObjectIdentifier(contents: [0x2b, 0x65, 0x70])
}

extension X25519PublicKey {
  /// Reads a SubjectPublicKeyInfo.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm, `.invalidPublicKey`.
  /// Source: RFC 8410 §4.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      try X25519PublicKey(raw: Curve25519DER.readPublicKey(bytes, .x25519))
    }
  }

  /// SubjectPublicKeyInfo in DER: 44 bytes.
  public var derRepresentation: [UInt8] { Curve25519DER.publicKey(rawRepresentation, .x25519) }
}

extension X25519PrivateKey {
  /// Reads a PKCS #8 PrivateKeyInfo.
  /// - Parameter bytes: strict DER, nothing after it. A public key inside must belong to the private key.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm, `.invalidPrivateKey`, `.invalidPublicKey`.
  ///
  /// Timing: depends on the structure, not on the key.
  /// Source: RFC 8410 §7.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      let (key, publicKey) = try Curve25519DER.readPrivateKey(bytes, .x25519)
      let privateKey = try X25519PrivateKey(rawRepresentation: SecretBytes(copying: key))
      if let publicKey, try X25519PublicKey(raw: publicKey) != privateKey.publicKey {
        throw CryptoError(.invalidPrivateKey, "the public key beside the private key belongs to another")
      }
      return privateKey
    }
  }

  /// PKCS #8 PrivateKeyInfo in DER: 48 bytes.
  public var derRepresentation: SecretBytes { Curve25519DER.privateKey(rawRepresentation, .x25519) }
}

extension Ed25519PublicKey {
  /// Reads a SubjectPublicKeyInfo.
  /// - Parameter bytes: strict DER, nothing after it.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm, `.invalidPublicKey`.
  /// Source: RFC 8410 §4.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      try Ed25519PublicKey(raw: Curve25519DER.readPublicKey(bytes, .ed25519))
    }
  }

  /// SubjectPublicKeyInfo in DER: 44 bytes.
  public var derRepresentation: [UInt8] { Curve25519DER.publicKey(rawRepresentation, .ed25519) }
}

extension Ed25519PrivateKey {
  /// Reads a PKCS #8 PrivateKeyInfo.
  /// - Parameter bytes: strict DER, nothing after it. A public key inside must belong to the private key.
  /// - Throws: `.malformedDER`, `.unsupportedKey` for another algorithm, `.invalidPrivateKey`, `.invalidPublicKey`.
  ///
  /// Timing: depends on the structure, not on the key.
  /// Source: RFC 8410 §7.
  public init(derRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in
      let (key, publicKey) = try Curve25519DER.readPrivateKey(bytes, .ed25519)
      let privateKey = try Ed25519PrivateKey(rawRepresentation: SecretBytes(copying: key))
      if let publicKey, try Ed25519PublicKey(raw: publicKey) != privateKey.publicKey {
        throw CryptoError(.invalidPrivateKey, "the public key beside the private key belongs to another")
      }
      return privateKey
    }
  }

  /// PKCS #8 PrivateKeyInfo in DER: 48 bytes.
  public var derRepresentation: SecretBytes { Curve25519DER.privateKey(rawRepresentation, .ed25519) }
}
