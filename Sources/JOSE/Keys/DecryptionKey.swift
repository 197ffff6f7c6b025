import PureCrypto

/// A key that opens what was encrypted for it with exactly one key management algorithm. It may live in this process or
/// elsewhere; see ``ExternalKeyAgreement``.
public struct DecryptionKey: Sendable {
  indirect enum Material: Sendable {
    case privateKey(PrivateKey)
    case direct(DirectKey)
    case wrapping(KeyEncryptionKey)
    case external(any ExternalKeyAgreement)
  }

  let material: Material

  /// A password for PBES2, as the octets of its UTF-8 text.
  ///
  /// Timing: depends on the password's length and on nothing else of it. Opening takes as long as the message's
  /// iterations do, which ``Limits`` bounds.
  /// - Throws: as ``EncryptionKey/init(password:algorithm:iterationCount:keyID:limits:)``.
  public init(
    password: some Collection<UInt8>, algorithm: KeyManagementAlgorithm, keyID: String? = nil
  ) throws(JOSEError) {
    encryptionKey = try EncryptionKey(password: password, algorithm: algorithm, keyID: keyID)
    material = try Material(encryptionKey.material)
  }

  /// The key that encrypts for this one. For a symmetric key it is as secret as this one.
  public let encryptionKey: EncryptionKey

  /// The one key management algorithm the key is for.
  public var algorithm: KeyManagementAlgorithm { encryptionKey.algorithm }

  /// The key's name, if it has one.
  public var keyID: String? { encryptionKey.keyID }

  /// The key of a private or symmetric JWK.
  ///
  /// - Parameters:
  ///   - jwk: the receiver's key. Its `kid` becomes ``keyID``.
  ///   - algorithm: as in ``EncryptionKey/init(_:algorithm:)``.
  /// - Throws: ``ErrorCode/keyMismatch`` if the JWK is a public key; otherwise as
  ///   ``EncryptionKey/init(_:algorithm:)``.
  public init(_ jwk: JWK, algorithm: KeyManagementAlgorithm? = nil) throws(JOSEError) {
    self = try JOSEError.byCaller { () throws(JOSEError) in try DecryptionKey(ofSet: jwk, algorithm: algorithm) }
  }

  /// The same of a key of a set, which a sender has chosen by its name.
  init(ofSet jwk: JWK, algorithm: KeyManagementAlgorithm?) throws(JOSEError) {
    switch jwk.material {
    case .publicKey:
      throw JOSEError(
        .keyMismatch, "a public key can't decrypt: give the private key that it belongs to", fault: .callerMisuse)
    case .privateKey(.ed25519), .privateKey(.mlDSA):
      throw JOSEError(.keyMismatch, "the key type is not the algorithm's", name: "kty")
    case .privateKey(let key):
      let bound = try jwk.keyManagementAlgorithm(given: algorithm)
      try jwk.requireAllowed(bound.privateOperation, algorithmNames: [bound.name])
      material = .privateKey(key)
      encryptionKey = EncryptionKey(.publicKey(key.publicKey), algorithm: bound, keyID: jwk.keyID)
    case .octets(let octets):
      let bound = try jwk.keyManagementAlgorithm(given: algorithm)
      let shared = try jwk.symmetricMaterial(octets, algorithm: bound, isNamed: algorithm != nil, encrypts: false)
      material = try Material(shared)
      encryptionKey = EncryptionKey(shared, algorithm: bound, keyID: jwk.keyID)
    }
  }

  init(_ material: Material, encryptionKey: EncryptionKey) {
    (self.material, self.encryptionKey) = (material, encryptionKey)
  }

  /// A fresh P-256 key for ECDH-ES.
  ///
  /// - Throws: as ``init(_:algorithm:)``, for which a fresh key gives no cause.
  public static func generateForKeyAgreement(keyID: String? = nil) throws(JOSEError) -> DecryptionKey {
    try DecryptionKey(JWK.generateForKeyAgreement(keyID: keyID))
  }

  /// A private key in PEM: PKCS#8 or SEC1.
  ///
  /// - Throws: as ``JWK/init(pemRepresentation:keyID:)`` and ``init(_:algorithm:)``.
  public init(
    pemRepresentation text: String, algorithm: KeyManagementAlgorithm, keyID: String? = nil
  ) throws(JOSEError) {
    try self.init(JWK(pemRepresentation: text, keyID: keyID), algorithm: algorithm)
  }

  /// A key agreement key that lives elsewhere, for ECDH-ES.
  ///
  /// - Throws: ``ErrorCode/keyInvalid`` if its public key is not on a curve that is implemented,
  ///   ``ErrorCode/callerMisuse`` if the algorithm is not a key agreement.
  public init(
    _ key: some ExternalKeyAgreement, algorithm: KeyManagementAlgorithm = .ecdhES, keyID: String? = nil
  ) throws(JOSEError) {
    guard algorithm.row.isAgreement else {
      throw JOSEError(.callerMisuse, "the algorithm is not a key agreement", name: "alg")
    }
    guard let publicKey = PublicKey(agreementOctets: key.publicKeyX963Representation) else {
      throw JOSEError(.keyInvalid, "the octets are not a public key for key agreement")
    }
    encryptionKey = EncryptionKey(.publicKey(publicKey), algorithm: algorithm, keyID: keyID)
    material = .external(key)
  }

  /// The shared secret Z with a checked public key on the same curve.
  ///
  /// - Throws: ``ErrorCode/decryptionFailed`` if the public key is of small order, so that there is no secret (RFC
  ///   7748 §6.1), ``ErrorCode/externalKeyFailed`` if a key elsewhere does not answer with as many octets as the
  ///   curve's field has.
  package func sharedSecret(with publicKey: PublicKey) throws(JOSEError) -> SharedSecret {
    switch material {
    case .privateKey(let key):
      guard let secret = key.sharedSecret(with: publicKey) else {
        throw JOSEError.messageNotOpened
      }
      return secret
    case .external(let key):
      guard let secret = try? key.sharedSecret(withPublicKeyX963Representation: publicKey.agreementOctets) else {
        throw JOSEError(.externalKeyFailed, "the external key did not answer")
      }
      return try SharedSecret(externalSharedSecret: secret, with: publicKey)
    case .direct, .wrapping:
      throw JOSEError(.keyMismatch, "the key is not for key agreement")
    }
  }
}

extension DecryptionKey.Material {
  /// A symmetric key opens with what it encrypts with.
  fileprivate init(_ shared: EncryptionKey.Material) throws(JOSEError) {
    switch shared {
    case .direct(let key): self = .direct(key)
    case .wrapping(let key): self = .wrapping(key)
    case .publicKey:
      throw JOSEError(
        .keyMismatch, "a public key can't decrypt: give the private key that it belongs to", fault: .callerMisuse)
    }
  }
}

extension SharedSecret {
  /// Takes a shared secret that was computed outside this process.
  ///
  /// Zeros are not a secret: they show a public key of small order (RFC 7748 §6.1).
  init(externalSharedSecret secret: [UInt8], with publicKey: PublicKey) throws(JOSEError) {
    guard secret.count == publicKey.sharedSecretByteCount else {
      throw JOSEError(.externalKeyFailed, "the length of the shared secret is not that of the curve's field")
    }
    guard !ConstantTime.equal(secret, [UInt8](repeating: 0, count: secret.count)) else {
      throw JOSEError.messageNotOpened
    }
    self.init(SecretBytes(copying: secret))
  }
}

extension DecryptionKey: Redacted {
  /// The algorithm. Never key material.
  public var description: String { "DecryptionKey(\(algorithm))" }
}
