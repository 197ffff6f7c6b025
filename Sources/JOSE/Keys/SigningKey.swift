import PureCrypto

/// A key that signs with exactly one algorithm. It may live in this process or elsewhere; see ``ExternalSigner``.
public struct SigningKey: Sendable {
  indirect enum Material: Sendable {
    case privateKey(PrivateKey)
    case hmac(HMACSecret)
    case external(any ExternalSigner)
  }

  let material: Material

  /// The key that checks this key's signatures. For an HMAC key it is as secret as this one.
  public let verificationKey: VerificationKey

  /// The header of a JWT that has no parameters but the key's own, encoded: most tokens have it.
  let plainJWTHeader: [UInt8]

  /// The one algorithm the key is for.
  public var algorithm: SignatureAlgorithm { verificationKey.algorithm }

  /// The key's name, written as `kid` of what it signs, if it has one.
  public var keyID: String? { verificationKey.keyID }

  /// The key of a private or symmetric JWK, bound to the JWK's `alg`.
  ///
  /// - Throws: as ``init(_:algorithm:)``; ``ErrorCode/keyMismatch`` if the JWK has no `alg`.
  public init(_ jwk: JWK) throws(JOSEError) {
    try self.init(jwk, orNamed: nil)
  }

  /// The key of a private or symmetric JWK.
  ///
  /// - Parameters:
  ///   - jwk: the signer's key, private or symmetric. Its `kid` becomes ``keyID``.
  ///   - algorithm: the algorithm to bind the key to. If the JWK has an `alg`, they must agree. It can't be left out by
  ///     an optional: `.none` would look like the algorithm of that name.
  /// - Throws: ``ErrorCode/keyMismatch`` if the JWK is a public key, or if `alg`, `use`, `key_ops`, `kty` or `crv`
  ///   do not fit, ``ErrorCode/keyTooWeak``, ``ErrorCode/algorithmUnsupported`` if the JWK's `alg` is not
  ///   implemented.
  public init(_ jwk: JWK, algorithm: SignatureAlgorithm) throws(JOSEError) {
    try self.init(jwk, orNamed: algorithm)
  }

  /// The same with the JWK's own `alg` where the caller names no algorithm.
  package init(_ jwk: JWK, orNamed algorithm: SignatureAlgorithm?) throws(JOSEError) {
    self = try JOSEError.byCaller { () throws(JOSEError) in try SigningKey(signer: jwk, orNamed: algorithm) }
  }

  private init(signer jwk: JWK, orNamed algorithm: SignatureAlgorithm?) throws(JOSEError) {
    let algorithm = try jwk.signatureAlgorithm(given: algorithm, for: .sign)
    switch jwk.material {
    case .publicKey:
      throw JOSEError(.keyMismatch, "a public key can't sign: give the private key that it belongs to")
    case .privateKey(let key):
      material = .privateKey(key)
      verificationKey = VerificationKey(key.publicKey, algorithm: algorithm, keyID: jwk.keyID)
    case .octets(let octets):
      let secret = try HMACSecret(octets, algorithm: algorithm)
      material = .hmac(secret)
      verificationKey = VerificationKey(.hmac(secret), algorithm: algorithm, keyID: jwk.keyID)
    }
    plainJWTHeader = Self.plainJWTHeader(for: verificationKey)
  }

  /// Nothing if the header would be longer than is read.
  private static func plainJWTHeader(for key: VerificationKey) -> [UInt8] {
    var text: [UInt8] = []
    let header = HeaderParameters(type: "JWT").plainText(algorithm: key.algorithm.name, keyID: key.keyID)
    Base64URL.append(header ?? [], to: &text)
    return text
  }

  /// A fresh key.
  ///
  /// - Throws: what ``init(_:algorithm:)`` would say of the key; a fresh one gives no cause.
  public static func generate(_ algorithm: SignatureAlgorithm, keyID: String? = nil) throws(JOSEError) -> SigningKey {
    try SigningKey(JWK.generate(algorithm, keyID: keyID))
  }

  /// A private key in PEM: PKCS#8, as in Apple's `.p8` files, or SEC1.
  ///
  /// - Throws: as ``JWK/init(pemRepresentation:keyID:)`` and ``init(_:algorithm:)``.
  public init(
    pemRepresentation text: String, algorithm: SignatureAlgorithm, keyID: String? = nil
  ) throws(JOSEError) {
    try self.init(JWK(pemRepresentation: text, keyID: keyID), algorithm: algorithm)
  }

  /// A shared secret for HMAC. It must be random, not a password.
  ///
  /// - Throws: ``ErrorCode/keyTooWeak`` below 32 octets for HS256, ``ErrorCode/keyMismatch`` if the octets are
  ///   a key file, or the algorithm is not HMAC.
  public init(
    secret octets: some Collection<UInt8>, algorithm: SignatureAlgorithm, keyID: String? = nil
  ) throws(JOSEError) {
    try self.init(JWK(.octets(SecretBytes(copying: octets)), keyID: keyID), algorithm: algorithm)
  }

  /// A key that lives elsewhere.
  public init(_ signer: some ExternalSigner) {
    material = .external(signer)
    verificationKey = signer.verificationKey
    plainJWTHeader = Self.plainJWTHeader(for: verificationKey)
  }

  /// Signs octets.
  ///
  /// An external signer's answer is verified before it is returned. A signature of ES256K has the lower of its two s.
  /// Timing: for keys in this process, depends on the input's length only.
  package func signature(for signingInput: [UInt8]) throws(JOSEError) -> [UInt8] {
    switch material {
    case .privateKey(let key):
      return inJWSForm(try key.signature(for: signingInput, algorithm: algorithm))
    case .hmac(let secret):
      return unsafe signingInput.withUnsafeBytes(secret.authenticationCode)
    case .external(let signer):
      guard let signature = try? signer.signature(for: signingInput) else {
        throw JOSEError(
          .externalKeyFailed, "the external signer did not answer: what it threw says why, and is not repeated here")
      }
      try verificationKey.requireValid(externalSignature: signature, for: signingInput)
      return inJWSForm(signature)
    }
  }

  private func inJWSForm(_ signature: [UInt8]) -> [UInt8] {
    algorithm == .es256k ? LowS.form(ofSignatureVariableTime: signature) : signature
  }
}

extension VerificationKey {
  /// Checks what a signer outside this process returned, so that no token leaves that can't be verified.
  func requireValid(externalSignature signature: [UInt8], for signingInput: [UInt8]) throws(JOSEError) {
    let isValid = unsafe signature.withUnsafeBytes { signature in
      unsafe signingInput.withUnsafeBytes { unsafe self.isValid(signature, for: $0) }
    }
    guard !isValid else { return }
    let isDER = algorithm.row.family == .ecdsa && signature.first == 0x30
    let isLonger = signature.count > algorithm.row.signatureByteCount ?? .max
    throw JOSEError(
      .externalKeyFailed,
      isDER && isLonger
        ? "the external signature is in DER, as SecKey makes it: return r and s, one behind the other"
        : "the external signature does not verify with the signer's public key: it may be of another key or hash")
  }
}

extension SigningKey: Redacted {
  /// The algorithm. Never key material.
  public var description: String { "SigningKey(\(algorithm))" }
}
