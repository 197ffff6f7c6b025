import PureCrypto

/// A key that encrypts for its owner with exactly one key management algorithm.
public struct EncryptionKey: Sendable {
  package indirect enum Material: Sendable {
    case publicKey(PublicKey)
    case direct(DirectKey)
    case wrapping(KeyEncryptionKey)
  }

  package let material: Material

  /// The one key management algorithm the key is for.
  public let algorithm: KeyManagementAlgorithm

  /// The key's name, written as `kid` of what is encrypted for it, if it has one.
  public let keyID: String?

  /// What both sides know beside the key, of HPKE.
  let agreement: HPKEAgreement

  /// The key of a JWK, which may be public, private or symmetric.
  ///
  /// Whatever is wrong, ``JOSEError/fault`` blames the caller. Of a JWK that came in a message, judge by the code.
  ///
  /// - Parameters:
  ///   - jwk: the receiver's key. Of a private one only the public half is kept. Its `kid` becomes ``keyID``.
  ///   - algorithm: the algorithm to bind the key to. Needed if the JWK's `alg` names none; if it has one, they must
  ///     agree. A symmetric key's `alg` may be `dir` or the content encryption algorithm that the key is for.
  /// - Throws: ``ErrorCode/keyMismatch`` if `alg`, `use`, `key_ops`, `kty` or `crv` do not fit,
  ///   ``ErrorCode/keyInvalid`` if a symmetric key has no length of a content encryption key,
  ///   ``ErrorCode/algorithmUnsupported`` if the JWK's `alg` is not implemented.
  public init(_ jwk: JWK, algorithm: KeyManagementAlgorithm? = nil) throws(JOSEError) {
    self = try JOSEError.byCaller { () throws(JOSEError) in try EncryptionKey(receiver: jwk, algorithm: algorithm) }
  }

  private init(receiver jwk: JWK, algorithm: KeyManagementAlgorithm?) throws(JOSEError) {
    self.algorithm = try jwk.keyManagementAlgorithm(given: algorithm)
    (self.keyID, agreement) = (jwk.keyID, HPKEAgreement())
    switch jwk.material {
    case .publicKey(let key):
      try jwk.requirePublicOperation(of: self.algorithm)
      material = .publicKey(key)
    case .privateKey(let key):
      try jwk.requirePublicOperation(of: self.algorithm)
      material = .publicKey(key.publicKey)
    case .octets(let octets):
      material = try jwk.symmetricMaterial(octets, algorithm: self.algorithm, isNamed: algorithm != nil, encrypts: true)
    }
  }

  /// A public key in PEM (SPKI).
  ///
  /// - Throws: as ``JWK/init(pemRepresentation:keyID:)`` and ``init(_:algorithm:)``.
  public init(
    pemRepresentation text: String, algorithm: KeyManagementAlgorithm, keyID: String? = nil
  ) throws(JOSEError) {
    try self.init(JWK(pemRepresentation: text, keyID: keyID), algorithm: algorithm)
  }

  /// A password for PBES2, as the octets of its UTF-8 text. A password is a weak key: use it only where nothing else
  /// can be shared.
  ///
  /// Timing: depends on the password's length and on nothing else of it. Encrypting takes as long as the iterations do.
  /// - Parameters:
  ///   - password: not empty, and taken octet by octet: both sides must write the same characters in the same Unicode
  ///     form.
  ///   - algorithm: one of the three PBES2 algorithms.
  ///   - iterationCount: `p2c` of what is encrypted; nil takes 8192, which every library opens that is known to have a
  ///     limit. Where people choose the password, ask for what OWASP recommends (600 000 with SHA-256, 210 000 with
  ///     SHA-512), and see to it that other libraries accept as much.
  ///   - keyID: written as `kid` of what is encrypted; nil for none.
  ///   - limits: those of the receiver, whose least and greatest `p2c` hold here as well: 1000 and 600 000 by default.
  /// - Throws: ``ErrorCode/callerMisuse`` if the algorithm is not one with a password or `iterationCount` is out of
  ///   range, ``ErrorCode/keyInvalid`` if the password is empty.
  public init(
    password: some Collection<UInt8>, algorithm: KeyManagementAlgorithm, iterationCount: Int? = nil,
    keyID: String? = nil, limits: Limits = .default
  ) throws(JOSEError) {
    guard algorithm.row.wrapping == .password else {
      throw JOSEError(.callerMisuse, "the algorithm is not one with a password, as PBES2-HS256+A128KW is", name: "alg")
    }
    guard PasswordKey.isWritable(iterationCount ?? PasswordKey.defaultIterationCount, limits) else {
      throw JOSEError(
        .callerMisuse,
        "a password takes 1000 to 600 000 iterations, unless the limits given here allow others", name: "p2c")
    }
    guard !password.isEmpty else {
      throw JOSEError(.keyInvalid, "the password is empty: the setting that it comes from has nothing in it", name: "k")
    }
    let key = try KeyEncryptionKey(
      SecretBytes(copying: password), algorithm: algorithm, iterationCount: iterationCount)
    self.init(.wrapping(key), algorithm: algorithm, keyID: keyID)
  }

  /// A public key on P-256 for ECDH-ES, as 65 octets `04 ‖ X ‖ Y`.
  ///
  /// - Throws: ``ErrorCode/keyInvalid`` if the octets are not a point of the curve.
  public init(ecdhESX963Representation octets: some Collection<UInt8>, keyID: String? = nil) throws(JOSEError) {
    guard let key = try? P256PublicKey(x963Representation: octets) else {
      throw JOSEError(.keyInvalid, "the octets are not an uncompressed point of P-256")
    }
    self.init(.publicKey(.ec(.p256(key))), algorithm: .ecdhES, keyID: keyID)
  }

  package init(_ material: Material, algorithm: KeyManagementAlgorithm, keyID: String?) {
    self.init(material, algorithm: algorithm, keyID: keyID, agreement: HPKEAgreement())
  }

  init(_ material: Material, algorithm: KeyManagementAlgorithm, keyID: String?, agreement: HPKEAgreement) {
    (self.material, self.algorithm, self.keyID, self.agreement) = (material, algorithm, keyID, agreement)
  }

  /// The public point as 65 octets `04 ‖ X ‖ Y`, or nil for a key that is not on P-256.
  package var x963Representation: [UInt8]? {
    guard case .publicKey(.ec(.p256(let key))) = material else { return nil }
    return key.x963Representation
  }

  /// The curve of a key for agreement.
  var curve: Curve? {
    guard case .publicKey(let key) = material else { return nil }
    return key.curve
  }

  /// The key as a JWK, or nil for a symmetric key, which has no public part.
  public var publicJWK: JWK? {
    guard case .publicKey(let key) = material else { return nil }
    return JWK(.publicKey(key), keyID: keyID, algorithm: algorithm.name, use: "enc")
  }
}

extension JWK {
  /// The octets of a symmetric key, made ready for its algorithm.
  ///
  /// - Parameter isNamed: whether the caller named the algorithm, without which no password is taken.
  func symmetricMaterial(
    _ octets: SecretBytes, algorithm bound: KeyManagementAlgorithm, isNamed: Bool, encrypts: Bool
  ) throws(JOSEError) -> EncryptionKey.Material {
    guard let wrapping = bound.row.wrapping else {
      try requireAllowed(encrypts ? .encrypt : .decrypt, algorithmNames: DirectKey.algorithmNames(octets))
      return .direct(try DirectKey(octets, algorithmName: algorithm))
    }
    guard isNamed || wrapping != .password else {
      throw JOSEError(.keyMismatch, "encryption with a password must be enabled by naming the algorithm", name: "alg")
    }
    let operation: KeyOperation =
      switch wrapping {
      case .aesKeyWrap: encrypts ? .wrapKey : .unwrapKey
      case .aesGCM: encrypts ? .encryptKey : .decryptKey
      case .password: .deriveWrappingKey
      }
    try requireAllowed(operation, algorithmNames: [bound.name])
    return .wrapping(try KeyEncryptionKey(octets, algorithm: bound))
  }

  /// The one key management algorithm that this key is for, from its own `alg` or from the caller, never from a token.
  func keyManagementAlgorithm(given: KeyManagementAlgorithm?) throws(JOSEError) -> KeyManagementAlgorithm {
    let bound: KeyManagementAlgorithm
    if let given {
      bound = given
    } else if let algorithm {
      if let named = KeyManagementAlgorithm(name: algorithm) {
        bound = named
      } else if ContentEncryptionAlgorithm(name: algorithm) != nil {
        bound = .dir
      } else if SignatureAlgorithm(name: algorithm) != nil {
        throw JOSEError(.keyMismatch, "the key is for signatures: encryption takes another", name: "alg")
      } else {
        throw JOSEError(.algorithmUnsupported, "the key's algorithm is not an implemented JWE algorithm", name: "alg")
      }
    } else {
      guard curve?.isForAgreement ?? true else {
        throw JOSEError(.keyMismatch, "the key is for signatures: encryption takes one on P-256 or X25519", name: "crv")
      }
      throw JOSEError(
        .keyMismatch, "the key names no algorithm and the caller gave none: give it as algorithm:", name: "alg")
    }
    guard bound.takes(self) else {
      throw JOSEError(.keyMismatch, "the key's type and curve must be the algorithm's", name: "kty")
    }
    if let use, WireName(use) != "enc" {
      throw JOSEError(
        .keyMismatch, "the key's use (sig or enc) is not the one needed here: signatures take sig, encryption enc",
        name: "use")
    }
    if keyType != .oct, let algorithm, WireName(algorithm) != bound.name {
      throw JOSEError(
        .keyMismatch, "the key's own alg names another algorithm than the one asked for: a key serves one", name: "alg")
    }
    return bound
  }

  /// Requires that `key_ops`, if it is there, allows encrypting for the key's owner. A private key may name what either
  /// half does.
  ///
  /// The public half of an agreement needs no operation of its own, but may not be a signer's.
  func requirePublicOperation(of bound: KeyManagementAlgorithm) throws(JOSEError) {
    guard let keyOperations, bound.row.needsPublicOperation || !keyOperations.isEmpty else { return }
    try requireAllowed(
      bound.publicOperation, or: isPrivate ? bound.privateOperation : nil, algorithmNames: [bound.name])
  }
}

extension EncryptionKey: Redacted {
  /// The algorithm. Never key material.
  public var description: String { "EncryptionKey(\(algorithm))" }
}
