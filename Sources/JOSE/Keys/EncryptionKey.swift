import PureCrypto

/// A key that encrypts for its owner with exactly one key management algorithm.
public struct EncryptionKey: Sendable {
  package enum Material: Sendable {
    case p256(P256PublicKey)
    case direct(DirectKey)
  }

  package let material: Material

  /// The one key management algorithm the key is for.
  public let algorithm: KeyManagementAlgorithm

  /// The key's name, written as `kid` of what is encrypted for it, if it has one.
  public let keyID: String?

  /// The key of a JWK, which may be public, private or symmetric.
  ///
  /// - Parameter algorithm: the algorithm to bind the key to. Needed if the JWK's `alg` names none; if it has one, they must agree. A
  ///   symmetric key's `alg` may be `dir` or the content encryption algorithm that the key is for.
  /// - Throws: ``JOSEError/Code/keyMismatch`` if `alg`, `use`, `key_ops`, `kty` or `crv` do not fit,
  ///   ``JOSEError/Code/keyInvalid`` if a symmetric key has no length of a content encryption key,
  ///   ``JOSEError/Code/algorithmUnsupported`` if the JWK's `alg` is not implemented.
  public init(_ jwk: JWK, algorithm: KeyManagementAlgorithm? = nil) throws(JOSEError) {
    self.algorithm = try jwk.keyManagementAlgorithm(given: algorithm, operation: nil)
    self.keyID = jwk.keyID
    switch jwk.material {
    case .p256Public(let key): material = .p256(key)
    case .p256Private(let key): material = .p256(key.publicKey)
    case .rsaPublic, .rsaPrivate:
      throw JOSEError(.keyMismatch, "the key type is not the algorithm's", name: "kty")
    case .octets(let octets):
      try jwk.requireAllowed(.encrypt, algorithmNames: DirectKey.algorithmNames(octets))
      material = .direct(try DirectKey(octets))
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

  /// A public key on P-256 for ECDH-ES, as 65 octets `04 ‖ X ‖ Y`.
  ///
  /// - Throws: ``JOSEError/Code/keyInvalid`` if the octets are no point of the curve.
  public init(ecdhESX963Representation octets: some Collection<UInt8>, keyID: String? = nil) throws(JOSEError) {
    guard let key = try? P256PublicKey(x963Representation: octets) else {
      throw JOSEError(.keyInvalid, "the octets are no uncompressed point of P-256")
    }
    self.init(.p256(key), algorithm: .ecdhES, keyID: keyID)
  }

  package init(_ material: Material, algorithm: KeyManagementAlgorithm, keyID: String?) {
    self.material = material
    self.algorithm = algorithm
    self.keyID = keyID
  }

  /// The public point as 65 octets `04 ‖ X ‖ Y`, or nil for a symmetric key.
  public var x963Representation: [UInt8]? {
    switch material {
    case .p256(let key): key.x963Representation
    case .direct: nil
    }
  }

  /// The key as a JWK, or nil for a symmetric key, which has no public part.
  public var publicJWK: JWK? {
    switch material {
    case .p256(let key): JWK(.p256Public(key), keyID: keyID, algorithm: algorithm.name, use: "enc")
    case .direct: nil
    }
  }
}

extension JWK {
  /// The one key management algorithm that this key is for, from its own `alg` or from the caller, never from a token.
  func keyManagementAlgorithm(
    given: KeyManagementAlgorithm?, operation: KeyOperation?
  ) throws(JOSEError) -> KeyManagementAlgorithm {
    let bound: KeyManagementAlgorithm
    if let given {
      bound = given
    } else if let algorithm {
      if let named = KeyManagementAlgorithm(name: algorithm) {
        bound = named
      } else if ContentEncryptionAlgorithm(name: algorithm) != nil {
        bound = .dir
      } else {
        throw JOSEError(.algorithmUnsupported, "the key's algorithm is not an implemented JWE algorithm", name: "alg")
      }
    } else {
      throw JOSEError(.keyMismatch, "the key names no algorithm and the caller gave none", name: "alg")
    }
    guard bound.row.keyType == keyType else {
      throw JOSEError(.keyMismatch, "the key type is not the algorithm's", name: "kty")
    }
    if let use, !use.hasSameBytes(as: "enc") {
      throw JOSEError(.keyMismatch, "the key's use is another one", name: "use")
    }
    if let operation { try requireAllowed(operation, algorithmNames: [bound.name]) }
    // The public half of an agreement needs no operation of its own, so only `alg` is left to check.
    if operation == nil, keyType != .oct, let algorithm, !algorithm.hasSameBytes(as: bound.name) {
      throw JOSEError(.keyMismatch, "the key is for another algorithm", name: "alg")
    }
    return bound
  }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The algorithm. Never key material.
  public var description: String { "EncryptionKey(\(algorithm))" }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// Shows no key material to `dump` and to test failures.
  public var customMirror: Mirror { Mirror(self, children: ["algorithm": algorithm.name]) }
}
