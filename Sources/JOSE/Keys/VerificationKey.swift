import PureCrypto

/// A key that checks signatures or authentication codes of exactly one algorithm.
public struct VerificationKey: Sendable {
  package enum Material: Sendable {
    /// A key on P-256, which makes a table of its multiples.
    case p256(PreparableP256Key)
    /// The one that is no reference yet.
    indirect case publicKey(PublicKey)
    case hmac(HMACSecret)
  }

  package let material: Material

  /// The one algorithm the key is for.
  public let algorithm: SignatureAlgorithm

  /// The key's name, if it has one.
  public let keyID: String?

  /// The member `issuer` of the JWK: the one issuer whose tokens the key signs, as a provider with many publishes it.
  package var keyIssuer: String?

  package init(_ material: Material, algorithm: SignatureAlgorithm, keyID: String?) {
    self.material = material
    self.algorithm = algorithm
    self.keyID = keyID
  }

  init(_ publicKey: PublicKey, algorithm: SignatureAlgorithm, keyID: String?) {
    let material: Material =
      if case .ec(.p256(let key)) = publicKey { .p256(PreparableP256Key(key)) } else { .publicKey(publicKey) }
    self.init(material, algorithm: algorithm, keyID: keyID)
  }

  /// The key of a JWK, which may be public, private or symmetric, bound to the JWK's `alg`.
  ///
  /// - Throws: as ``init(_:algorithm:)``; ``ErrorCode/keyMismatch`` if the JWK has no `alg`.
  public init(_ jwk: JWK) throws(JOSEError) {
    try self.init(jwk, orNamed: nil)
  }

  /// The key of a JWK, which may be public, private or symmetric.
  ///
  /// Whatever is wrong, ``JOSEError/fault`` blames the caller. Of a JWK that came in a message, judge by the code.
  ///
  /// - Parameters:
  ///   - jwk: the signer's key. Of a private one only the public half is kept. Its `kid` becomes ``keyID``.
  ///   - algorithm: the algorithm to bind the key to. If the JWK has an `alg`, they must agree. It can't be left out by
  ///     an optional: `.none` would look like the algorithm of that name.
  /// - Throws: ``ErrorCode/keyMismatch`` if `alg`, `use`, `key_ops`, `kty` or `crv` do not fit,
  ///   ``ErrorCode/keyTooWeak``, ``ErrorCode/algorithmUnsupported`` if the JWK's `alg` is not implemented.
  public init(_ jwk: JWK, algorithm: SignatureAlgorithm) throws(JOSEError) {
    try self.init(jwk, orNamed: algorithm)
  }

  /// The same with the JWK's own `alg` where the caller names no algorithm.
  package init(_ jwk: JWK, orNamed algorithm: SignatureAlgorithm?) throws(JOSEError) {
    self = try JOSEError.byCaller { () throws(JOSEError) in try VerificationKey(received: jwk, orNamed: algorithm) }
  }

  /// The same of a key that the caller has from a message or from a set, which a sender can choose.
  init(received jwk: JWK, orNamed algorithm: SignatureAlgorithm?) throws(JOSEError) {
    let algorithm = try jwk.signatureAlgorithm(given: algorithm, for: .verify)
    switch jwk.material {
    case .publicKey(let key): self.init(key, algorithm: algorithm, keyID: jwk.keyID)
    case .privateKey(let key): self.init(key.publicKey, algorithm: algorithm, keyID: jwk.keyID)
    case .octets(let octets):
      self.init(.hmac(try HMACSecret(octets, algorithm: algorithm)), algorithm: algorithm, keyID: jwk.keyID)
    }
    if case .string(let issuer)? = jwk.otherMembers["issuer"] { keyIssuer = issuer }
  }

  /// A public key in PEM (SPKI).
  ///
  /// - Throws: as ``JWK/init(pemRepresentation:keyID:)`` and ``init(_:algorithm:)``.
  public init(
    pemRepresentation text: String, algorithm: SignatureAlgorithm, keyID: String? = nil
  ) throws(JOSEError) {
    try self.init(JWK(pemRepresentation: text, keyID: keyID), algorithm: algorithm)
  }

  /// A public key on P-256 for ES256, as 65 octets `04 ‖ X ‖ Y`.
  ///
  /// - Throws: ``ErrorCode/keyInvalid`` if the octets are not a point of the curve.
  public init(es256X963Representation octets: some Collection<UInt8>, keyID: String? = nil) throws(JOSEError) {
    guard let key = try? P256PublicKey(x963Representation: octets) else {
      throw JOSEError(.keyInvalid, "the octets are not an uncompressed point of P-256")
    }
    self.init(.ec(.p256(key)), algorithm: .es256, keyID: keyID)
  }

  /// The public point as 65 octets `04 ‖ X ‖ Y`, or nil for a key that is not on P-256.
  package var x963Representation: [UInt8]? {
    guard case .p256(let key) = material else { return nil }
    return key.publicKey.x963Representation
  }

  /// The public key, or nil for an HMAC key.
  private var publicKey: PublicKey? {
    switch material {
    case .p256(let key): .ec(.p256(key.publicKey))
    case .publicKey(let key): key
    case .hmac: nil
    }
  }

  /// The key as a JWK, or nil for an HMAC key, which has no public part.
  public var publicJWK: JWK? {
    publicKey.map { JWK(.publicKey($0), keyID: keyID, algorithm: algorithm.name, use: "sig") }
  }

  /// Makes the table with which this key verifies several times faster, and returns the key.
  ///
  /// An ES256 key does so by itself after a few verifications; call this to have it done beforehand. The table costs
  /// about as much as four verifications, occupies 32 KiB (64 KiB on a processor with AVX-512 IFMA), and is shared by
  /// all copies of the key. Other keys need none.
  @discardableResult
  public func prepared() -> VerificationKey {
    if case .p256(let key) = material { key.prepare() }
    return self
  }

  /// µ, 64 octets: what a signer of ML-DSA elsewhere is given where it takes no message, but its digest. Nil for a key
  /// of another algorithm.
  ///
  /// - Parameter signingInput: what ``ExternalSigner/signature(for:)`` was asked to sign, or
  ///   ``PreparedJWS/signingInput``.
  ///
  /// Source: FIPS 204 algorithm 7 line 6, with the empty context of RFC 9964 §4.
  public func externalMu(for signingInput: [UInt8]) -> [UInt8]? {
    guard case .publicKey(.mlDSA(let key)) = material else { return nil }
    return try? key.externalMu(for: signingInput)
  }

  /// Whether `signature` is one of `signingInput`. The length is checked first: it is public.
  ///
  /// Timing: for signatures depends on its input, all of which is public; for HS256 on lengths only.
  func isValid(_ signature: UnsafeRawBufferPointer, for signingInput: UnsafeRawBufferPointer) -> Bool {
    if let byteCount = algorithm.row.signatureByteCount, signature.count != byteCount { return false }
    switch material {
    case .p256(let key):
      guard let signature = try? unsafe P256Signature(rawRepresentation: signature) else { return false }
      return unsafe key.isValidSignature(signature, for: signingInput)
    case .publicKey(let key):
      return unsafe key.isValidSignature(signature, for: signingInput, algorithm: algorithm)
    case .hmac(let secret):
      return unsafe secret.isValid(signature, for: signingInput)
    }
  }
}

extension JWK {
  /// The one signature algorithm that this key is for, from its own `alg` or from the caller, never from a token.
  func signatureAlgorithm(
    given: SignatureAlgorithm?, for operation: KeyOperation
  ) throws(JOSEError) -> SignatureAlgorithm {
    let bound: SignatureAlgorithm
    if let given {
      bound = given
    } else {
      guard let algorithm else {
        throw JOSEError(
          .keyMismatch, "the key names no algorithm and the caller gave none: give it as algorithm:", name: "alg")
      }
      guard let named = SignatureAlgorithm(name: algorithm) else {
        guard KeyManagementAlgorithm(name: algorithm) == nil, ContentEncryptionAlgorithm(name: algorithm) == nil else {
          throw JOSEError(.keyMismatch, "the key is for encryption: signatures take another", name: "alg")
        }
        throw JOSEError(
          .algorithmUnsupported, "the key's algorithm is not implemented: SignatureAlgorithm lists those that are",
          name: "alg")
      }
      bound = named
    }
    try requireAllowed(operation, algorithmNames: [bound.name])
    guard bound.takes(self) else {
      throw JOSEError(
        .keyMismatch,
        "the key's type and curve must be the algorithm's: ES256 takes P-256, RS256 and PS256 take RSA, ML-DSA takes AKP",
        name: "kty")
    }
    return bound
  }
}

extension VerificationKey: Redacted {
  /// The algorithm. Never key material.
  public var description: String { "VerificationKey(\(algorithm))" }
}
