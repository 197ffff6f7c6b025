import PureCrypto
import StrictJSON

extension JWK {
  /// Reads an encrypted private key from PEM text: `ENCRYPTED PRIVATE KEY`, that is PKCS#8 with PBES2, PBKDF2 (HMAC
  /// with SHA-1, SHA-256, SHA-384 or SHA-512) and AES-CBC, as OpenSSL, Java and Python write it.
  ///
  /// Timing: depends on lengths, on the number of iterations and on whether the password is right, and then as reading
  /// the key does.
  /// - Parameters:
  ///   - text: one key. Text and certificates may stand around it.
  ///   - password: its octets; UTF-8 is what others use.
  ///   - keyID: the key's `kid`; nil for none.
  ///   - maximumIterationCount: files that ask for more iterations are refused. The default takes about half a second.
  /// - Throws: ``ErrorCode/malformed`` if the text is not such PEM, ``ErrorCode/algorithmUnsupported`` for
  ///   another kind of encryption, ``ErrorCode/limitExceeded`` for too many iterations,
  ///   ``ErrorCode/decryptionFailed`` for a wrong password and for whatever else is wrong inside, a kind of key that is
  ///   not supported among it.
  public init(
    encryptedPEMRepresentation text: String, password: some Collection<UInt8>, keyID: String? = nil,
    maximumIterationCount: Int = 2_000_000
  ) throws(JOSEError) {
    do throws(CryptoError) {
      let file = try KeyFile(
        encryptedPEMRepresentation: text, password: SecretBytes(copying: password),
        maximumIterationCount: maximumIterationCount)
      self.init(Material(file), keyID: keyID)
    } catch {
      throw JOSEError(keyFile: error)
    }
  }

  /// Reads an encrypted private key from DER: PKCS#8 EncryptedPrivateKeyInfo.
  ///
  /// - Throws: as ``init(encryptedPEMRepresentation:password:keyID:maximumIterationCount:)``.
  public init(
    encryptedDERRepresentation bytes: some Collection<UInt8>, password: some Collection<UInt8>, keyID: String? = nil,
    maximumIterationCount: Int = 2_000_000
  ) throws(JOSEError) {
    do throws(CryptoError) {
      let password = SecretBytes(copying: password)
      let file = try unsafe withInlinedContiguousBytes(bytes) { bytes throws(CryptoError) in
        try unsafe KeyFile(
          encryptedDERRepresentation: bytes, password: password, maximumIterationCount: maximumIterationCount)
      }
      self.init(Material(file), keyID: keyID)
    } catch {
      throw JOSEError(keyFile: error)
    }
  }
}

extension JWK {
  /// Opens a JWK that is encrypted as a compact JWE.
  ///
  /// - Parameters:
  ///   - token: the five segments. `cty`, if it is there, must be `jwk+json`.
  ///   - key: made from a password for instance: `DecryptionKey(password:algorithm:)`.
  ///   - contentEncryption: the content encryption algorithms accepted.
  ///   - limits: bounds on the message, on the iterations of a password and on the JWK. `zip` is refused whatever they
  ///     say.
  /// - Throws: as ``JWE/decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)`` and
  ///   ``init(parsing:limits:)-(Collection<UInt8>,_)``; ``ErrorCode/typeMismatch`` if `cty` says something else.
  /// Source: RFC 7517 §7.
  public init(
    decrypting token: String, with key: DecryptionKey, contentEncryption: [ContentEncryptionAlgorithm],
    limits: Limits = .default
  ) throws(JOSEError) {
    let json = try JWE.decryptKeys(
      token, with: key, contentEncryption: contentEncryption, contentType: "jwk+json", limits: limits)
    try self.init(parsing: json, limits: limits)
  }

  /// Encrypts the whole key, private members included, as a compact JWE whose `cty` is `jwk+json`.
  ///
  /// - Throws: as ``JWE/encrypt(_:to:contentEncryption:header:agreementPartyUInfo:agreementPartyVInfo:)``.
  /// Source: RFC 7517 §7.
  public func encrypted(
    to key: EncryptionKey, contentEncryption: ContentEncryptionAlgorithm? = nil
  ) throws(JOSEError) -> String {
    try JWE.encrypt(
      serializedWithPrivateKey(), to: key, contentEncryption: contentEncryption,
      header: HeaderParameters(contentType: "jwk+json"))
  }
}

extension JWKSet {
  /// Opens a JWK Set that is encrypted as a compact JWE. Its private and symmetric keys are taken.
  ///
  /// - Parameters:
  ///   - token: the five segments. `cty`, if it is there, must be `jwk-set+json`.
  ///   - key: made from a password for instance: `DecryptionKey(password:algorithm:)`.
  ///   - contentEncryption: the content encryption algorithms accepted.
  ///   - limits: bounds on the message, on the iterations of a password and on the set. `zip` is refused whatever they
  ///     say.
  /// - Throws: as ``JWK/init(decrypting:with:contentEncryption:limits:)`` and
  /// ``init(parsing:acceptsSecretKeys:limits:)-(Collection<UInt8>,_,_)``.
  /// Source: RFC 7517 §7.
  public init(
    decrypting token: String, with key: DecryptionKey, contentEncryption: [ContentEncryptionAlgorithm],
    limits: Limits = .default
  ) throws(JOSEError) {
    let json = try JWE.decryptKeys(
      token, with: key, contentEncryption: contentEncryption, contentType: "jwk-set+json", limits: limits)
    try self.init(parsing: json, acceptsSecretKeys: true, limits: limits)
  }

  /// Encrypts all keys of the set, private members included, as a compact JWE whose `cty` is `jwk-set+json`.
  ///
  /// - Throws: as ``JWE/encrypt(_:to:contentEncryption:header:agreementPartyUInfo:agreementPartyVInfo:)``.
  /// Source: RFC 7517 §7.
  public func encrypted(
    to key: EncryptionKey, contentEncryption: ContentEncryptionAlgorithm? = nil
  ) throws(JOSEError) -> String {
    let set: JSONObject = ["keys": .array(keys.map { .object($0.privateJSONObject()) })]
    return try JWE.encrypt(
      set.serialized(), to: key, contentEncryption: contentEncryption,
      header: HeaderParameters(contentType: "jwk-set+json"))
  }
}

extension JWE {
  /// The JSON of encrypted keys.
  fileprivate static func decryptKeys(
    _ token: String, with key: DecryptionKey, contentEncryption: [ContentEncryptionAlgorithm], contentType: String,
    limits: Limits
  ) throws(JOSEError) -> [UInt8] {
    var limits = limits
    limits.decompressedByteCount = nil
    let message = try decrypt(token, with: key, contentEncryption: contentEncryption, limits: limits)
    guard TypePolicy.ifPresent([contentType]).accepts(message.header.contentType) else {
      throw JOSEError(.typeMismatch, "the content type (cty) must be the expected one", name: "cty")
    }
    return message.plaintext
  }
}
