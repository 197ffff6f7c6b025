/// What stands in the file of a private key. Keys are views of the bytes that were read.
struct PrivateKeyFile {
  let algorithm: KeyAlgorithm
  /// d of an elliptic curve key, the DER of an RSAPrivateKey, the bytes of a key on Curve25519, or a seed of ML-DSA or
  /// ML-KEM.
  let key: UnsafeRawBufferPointer
  /// The public key in the places where one may stand: inside ECPrivateKey, and in version 2 of PKCS #8.
  private(set) var publicKeys: [UnsafeRawBufferPointer] = []
  /// What stands beside a seed, and must be what it expands to.
  private(set) var expandedKey: UnsafeRawBufferPointer?

  /// Reads PKCS #8, or SEC 1, or PKCS #1 where the algorithm is RSA or may be any. Each begins with a version; then
  /// PKCS #8 has an AlgorithmIdentifier, SEC 1 the key, PKCS #1 the modulus.
  /// - Parameter expected: the only algorithm that is of use, or `nil` for any.
  init(der bytes: UnsafeRawBufferPointer, _ expected: KeyAlgorithm? = nil) throws(CryptoError) {
    var outer = DERReader(bytes)
    var contents = try outer.read(.sequence)
    guard !contents.isNext(.sequence) else {
      try PrivateKeyFile.requireNotEncrypted(bytes)
      throw CryptoError(.malformedDER, "not a private key")
    }
    _ = try contents.readSmallInteger()
    if contents.isNext(.sequence) {
      try self.init(pkcs8: bytes, expected)
    } else if expected == .rsa || expected == nil && contents.isNext(.integer) {
      self.init(pkcs1: bytes)
    } else {
      try self.init(sec1: bytes, named: nil, expected)
    }
  }

  /// OneAsymmetricKey ::= SEQUENCE { version, AlgorithmIdentifier, OCTET STRING privateKey, [0] attributes OPTIONAL,
  /// [1] IMPLICIT BIT STRING publicKey OPTIONAL }, the last in version 1 (v2) only. Beside an Ed25519 key the tag [1]
  /// may also stand around the BIT STRING, as ring 0.16 and older write it.
  ///
  /// Source: RFC 5958 §2, RFC 8410 §7.
  init(pkcs8 bytes: UnsafeRawBufferPointer, _ expected: KeyAlgorithm? = nil) throws(CryptoError) {
    var outer = DERReader(bytes)
    var info = try outer.read(.sequence)
    try outer.finish()
    let version = try info.readSmallInteger()
    guard version <= 1 else { throw CryptoError(.malformedDER, "the version is not that of a private key") }
    let algorithm = try info.readKeyAlgorithm(expected)
    var privateKey = try info.read(.octetString)
    _ = try info.readOptional(.constructed(0))
    var publicKey: UnsafeRawBufferPointer?
    if info.isNext(.primitive(1)) {
      publicKey = try info.readBitString(.primitive(1))
    } else if algorithm == .ed25519, var wrapped = try info.readOptional(.constructed(1)) {
      publicKey = try wrapped.readBitString()
      try wrapped.finish()
    }
    try info.finish()
    guard publicKey == nil || version == 1 else {
      throw CryptoError(.malformedDER, "a public key stands beside the private key, which only version 2 allows")
    }
    switch algorithm {
    case .ec(let curve):
      try self.init(sec1: privateKey.bytes, named: curve)
    case .rsa:
      self.init(pkcs1: privateKey.bytes)
    case .ed25519, .x25519:
      // CurvePrivateKey ::= OCTET STRING (RFC 8410 §7).
      let key = try privateKey.read(.octetString).bytes
      try privateKey.finish()
      self.init(algorithm: algorithm, key: key)
    case .mlDSA, .mlKEM:
      try self.init(seedIn: privateKey, algorithm)
    }
    if let publicKey { publicKeys.append(publicKey) }
  }

  /// ECPrivateKey ::= SEQUENCE { version 1, OCTET STRING privateKey, [0] ECParameters OPTIONAL, [1] BIT STRING
  /// publicKey OPTIONAL }.
  /// - Parameter named: the curve that is named beside the key, for which its parameters may be left out.
  /// Source: RFC 5915 §3.
  init(
    sec1 bytes: UnsafeRawBufferPointer, named: NamedCurve?, _ expected: KeyAlgorithm? = nil
  ) throws(CryptoError) {
    var outer = DERReader(bytes)
    var contents = try outer.read(.sequence)
    try outer.finish()
    guard try contents.readSmallInteger() == 1 else {
      throw CryptoError(.malformedDER, "the version is not that of an elliptic curve private key")
    }
    key = try contents.read(.octetString).bytes
    var curve = named
    if var parameters = try contents.readOptional(.constructed(0)) {
      curve = try parameters.readNamedCurve()
      try parameters.finish()
    }
    guard let curve else { throw CryptoError(.unsupportedKey, "the curve is not given by name") }
    guard named == nil || named == curve else {
      throw CryptoError(.unsupportedKey, "the key names two different curves")
    }
    algorithm = .ec(curve)
    guard expected == nil || expected == algorithm else {
      throw CryptoError(.unsupportedKey, "the key has another algorithm or curve")
    }
    if var wrapped = try contents.readOptional(.constructed(1)) {
      publicKeys.append(try wrapped.readBitString())
      try wrapped.finish()
    }
    try contents.finish()
  }

  /// ML-DSA-44-PrivateKey, ML-KEM-768-PrivateKey and their kin ::= CHOICE { seed [0] IMPLICIT OCTET STRING,
  /// expandedKey OCTET STRING, both SEQUENCE { seed OCTET STRING, expandedKey OCTET STRING } }.
  ///
  /// Source: RFC 9881 §6, RFC 9935 §6.
  private init(seedIn choice: DERReader, _ algorithm: KeyAlgorithm) throws(CryptoError) {
    var choice = choice
    guard !choice.isNext(.octetString) else {
      throw CryptoError(
        .unsupportedKey, "the key of ML-DSA or ML-KEM is in the expanded form alone: write it with its seed again")
    }
    var expanded: UnsafeRawBufferPointer?
    let seed: UnsafeRawBufferPointer
    if var both = try choice.readOptional(.sequence) {
      seed = try both.read(.octetString).bytes
      expanded = try both.read(.octetString).bytes
      try both.finish()
    } else {
      seed = try choice.read(.primitive(0)).bytes
    }
    try choice.finish()
    self.init(algorithm: algorithm, key: seed)
    expandedKey = expanded
  }

  /// Takes the DER of an RSAPrivateKey.
  init(pkcs1 bytes: UnsafeRawBufferPointer) {
    self.init(algorithm: .rsa, key: bytes)
  }

  private init(algorithm: KeyAlgorithm, key: UnsafeRawBufferPointer) {
    self.algorithm = algorithm
    self.key = key
  }

  /// Requires that the public keys in the file are the private key's own. Otherwise signatures would be made with one
  /// key and announced under another.
  func requirePublicKeys<Key: Equatable>(
    _ own: Key, reading read: (UnsafeRawBufferPointer) throws(CryptoError) -> Key
  ) throws(CryptoError) {
    for encoded in publicKeys {
      guard try read(encoded) == own else {
        throw CryptoError(.invalidPrivateKey, "the public key beside the private key belongs to another")
      }
    }
  }

  /// Requires that an expanded key beside the seed is what the seed expands to. Of one that was damaged, or chosen with
  /// care, signatures and secrets would tell of the one in the seed.
  ///
  /// Timing: depends on whether there is one, and whether it is the same.
  func requireExpandedKey(_ own: @autoclosure () -> SecretBytes) throws(CryptoError) {
    guard let expandedKey else { return }
    guard own().withUnsafeBytes({ ConstantTime.equal($0, expandedKey) }) else {
      throw CryptoError(.invalidPrivateKey, "the expanded key beside the seed is not what the seed expands to")
    }
  }

  /// Names what can't be read: EncryptedPrivateKeyInfo ::= SEQUENCE { AlgorithmIdentifier, OCTET STRING }.
  ///
  /// Source: RFC 5958 §3.
  static func requireNotEncrypted(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var outer = DERReader(bytes)
    var info = try outer.read(.sequence)
    _ = try info.read(.sequence)
    guard info.isNext(.octetString) else { return }
    throw encrypted
  }

  static var encrypted: CryptoError {
    CryptoError(
      .unsupportedKey, "the private key is encrypted: read it with its password (JWK encryptedPEMRepresentation)")
  }

  /// PKCS #8 PrivateKeyInfo, version 1.
  /// - Parameter byteCount: at least what `writeKey` writes, so that the buffer never moves and leaves no copy of the
  ///   key behind.
  static func pkcs8(
    _ algorithm: KeyAlgorithm, byteCount: Int, _ writeKey: (inout DERWriter) -> Void
  ) -> SecretBytes {
    // The capacity also covers the structure, of less than 64 bytes, while lengths are inserted.
    var writer = DERWriter(capacity: byteCount &+ 64)
    writer.constructed(.sequence) { info in
      info.primitive(.integer, [0])
      info.algorithmIdentifier(algorithm)
      info.constructed(.octetString, writeKey)
    }
    return writer.takeSecret()
  }

  /// PKCS #8 PrivateKeyInfo of ML-DSA or ML-KEM, with the seed alone.
  /// Source: RFC 9881 §6, RFC 9935 §6.
  static func pkcs8(_ algorithm: KeyAlgorithm, seed: SecretBytes) -> SecretBytes {
    pkcs8(algorithm, byteCount: seed.count) { wrapped in
      seed.withUnsafeBytes { wrapped.primitive(.primitive(0), $0) }
    }
  }

  /// A `PRIVATE KEY` block.
  ///
  /// Timing: does not depend on the key.
  static func pem(_ der: SecretBytes) -> String { PEMBlock(label: .privateKey, contents: der).text }
}
