import PureCrypto
import StrictJSON

extension JWK {
  /// Reads a JWK from JSON text.
  ///
  /// - Throws: ``ErrorCode/malformed`` if the text is not a JSON object, ``ErrorCode/keyInvalid`` if a member
  ///   is wrong, ``ErrorCode/algorithmUnsupported`` if key type or curve is not implemented,
  ///   ``ErrorCode/limitExceeded``.
  public init(parsing json: some Collection<UInt8>, limits: Limits = .default) throws(JOSEError) {
    let object: JSONObject
    do throws(JOSEError) {
      object = try JSONObject(parsing: json, within: limits.keyJSON)
    } catch {
      throw JOSEError(noKeyInJSON: json) ?? error
    }
    try self.init(object, limits: limits)
  }

  /// Reads a JWK from JSON text.
  ///
  /// - Throws: as ``init(parsing:limits:)-(Collection<UInt8>,_)``.
  public init(parsing json: String, limits: Limits = .default) throws(JOSEError) {
    try self.init(parsing: json.utf8, limits: limits)
  }

  /// Reads a JWK from a JSON object.
  ///
  /// - Throws: as ``init(parsing:limits:)-(Collection<UInt8>,_)``.
  public init(_ object: JSONObject, limits: Limits = .default) throws(JOSEError) {
    self.init(try Material(object))
    keyID = try object.string(ifPresent: "kid", orThrow: .keyInvalid)
    if let keyID, keyID.utf8.count > limits.keyIDByteCount {
      throw JOSEError(.limitExceeded, "the key identifier is too long", name: "kid")
    }
    algorithm = try object.string(ifPresent: "alg", orThrow: .keyInvalid)
    use = try object.string(ifPresent: "use", orThrow: .keyInvalid)
    keyOperations = try Self.keyOperations(object, use: use)
    for (name, value) in object.members where !Self.ownMembers.contains(name) {
      otherMembers[name] = value
    }
  }

  private static func keyOperations(_ object: JSONObject, use: String?) throws(JOSEError) -> [String]? {
    guard let value = object["key_ops"] else { return nil }
    let invalid = JOSEError(.keyInvalid, "not an array of different strings that fit the key's use", name: "key_ops")
    guard case .array(let elements) = value else { throw invalid }
    var operations: [WireName] = []
    for element in elements {
      guard let operation = element.nameValue, !operations.contains(operation) else { throw invalid }
      operations.append(operation)
    }
    if let use, let allowed = KeyOperation.operations(ofUse: WireName(use)) {
      guard operations.allSatisfy(allowed.contains) else { throw invalid }
    }
    return operations.map(\.text)
  }

  /// Members that this type reads or that hold key material of some type, so that they are never kept among the others.
  private static let ownMembers: [WireName] =
    [
      "kty", "kid", "alg", "use", "key_ops", "crv", "x", "y", "n", "e", "pub",
    ] + privateMembers.map { WireName($0) }

  /// Members that only a private or symmetric key has, of any key type.
  package static let privateMembers = ["d", "k", "p", "q", "dp", "dq", "qi", "oth", "priv"]

  // MARK: Writing

  /// The public members, as JSON.
  ///
  /// - Throws: ``ErrorCode/keyMismatch`` for a symmetric key, which has no public part.
  public func serialized() throws(JOSEError) -> [UInt8] {
    try publicJSONObject().serialized()
  }

  /// The whole key, private members included, as JSON. Keep it as you would keep the key.
  public func serializedWithPrivateKey() -> [UInt8] {
    privateJSONObject().serialized()
  }

  /// The public members as a JSON object.
  ///
  /// - Throws: ``ErrorCode/keyMismatch`` for a symmetric key, which has no public part.
  public func publicJSONObject() throws(JOSEError) -> JSONObject {
    guard let publicKey else {
      throw JOSEError(.keyMismatch, "a symmetric key has no public part", name: "kty")
    }
    return publicKey.privateJSONObject()
  }

  package func privateJSONObject() -> JSONObject {
    var object = material.publicMembers
    for (name, value) in material.privateMembers.members { object[name] = value }
    appendMetadata(to: &object)
    return object
  }

  private func appendMetadata(to object: inout JSONObject) {
    if let use { object["use"] = .string(use) }
    if let keyOperations { object["key_ops"] = .array(keyOperations.map { .string($0) }) }
    // That of a key whose type takes it from the material is part of the key, whatever has been set since.
    if let algorithm, object["alg"] == nil { object["alg"] = .string(algorithm) }
    if let keyID { object["kid"] = .string(keyID) }
    for (name, value) in otherMembers.members where !Self.ownMembers.contains(name) {
      object[name] = value
    }
  }
}

extension JWK {
  /// Reads a key from PEM text: `PUBLIC KEY` (SPKI), `PRIVATE KEY` (PKCS#8), `EC PRIVATE KEY` (SEC1), `RSA PUBLIC KEY`
  /// or `RSA PRIVATE KEY` (PKCS#1).
  ///
  /// - Parameters:
  ///   - text: one key. Text may stand around it, `EC PARAMETERS` before `EC PRIVATE KEY`, and certificates beside a
  ///     private key; they are not read.
  ///   - keyID: the key's `kid`; nil for none.
  /// - Throws: ``ErrorCode/malformed`` if the text is not such PEM, ``ErrorCode/keyInvalid`` if the key in it
  ///   is wrong, ``ErrorCode/keyTooWeak``, ``ErrorCode/algorithmUnsupported`` if its algorithm or curve is not
  ///   implemented, or the key is encrypted.
  public init(pemRepresentation text: String, keyID: String? = nil) throws(JOSEError) {
    do throws(CryptoError) {
      self.init(Material(try KeyFile(pemRepresentation: text)), keyID: keyID)
    } catch {
      throw JOSEError(keyFile: error)
    }
  }

  /// Reads a key from DER: SPKI, PKCS#8, SEC1 or PKCS#1.
  ///
  /// - Throws: as ``init(pemRepresentation:keyID:)``.
  public init(derRepresentation bytes: some Collection<UInt8>, keyID: String? = nil) throws(JOSEError) {
    do throws(CryptoError) {
      let file = try unsafe withInlinedContiguousBytes(bytes) { bytes throws(CryptoError) in
        try unsafe KeyFile(derRepresentation: bytes)
      }
      self.init(Material(file), keyID: keyID)
    } catch {
      throw JOSEError(keyFile: error)
    }
  }

  /// The public key as SPKI in PEM, or nil for a symmetric key.
  public var publicPEMRepresentation: String? { material.publicKey?.pemRepresentation }

  /// The private key as PKCS#8 in PEM, or nil if there is none, or if it is an RSA key without its prime factors. Keep
  /// it as you would keep the key.
  public var privatePEMRepresentation: String? {
    guard case .privateKey(let key) = material else { return nil }
    return key.pemRepresentation
  }
}

extension JWK.Material {
  init(_ file: KeyFile) {
    switch file {
    case .publicKey(let key): self = .publicKey(key)
    case .privateKey(let key): self = .privateKey(key)
    }
  }
}

extension JOSEError {
  /// What a text is that is no JSON where a key or a key set is expected; nil unless it is one of the usual mistakes.
  init?(noKeyInJSON text: some Collection<UInt8>) {
    guard let mistake = unsafe withInlinedContiguousBytes(text, { text in unsafe Self.mistake(inPlaceOfJSON: text) })
    else {
      return nil
    }
    self.init(.malformed, mistake)
  }

  private static func mistake(inPlaceOfJSON text: UnsafeRawBufferPointer) -> StaticString? {
    let word = unsafe MistakenText.trimmed(text)
    if unsafe word.isEmpty { return "the JSON text is empty: the file or setting that it comes from has nothing in it" }
    if unsafe word.starts(with: "-----BEGIN ".utf8) {
      return "this is PEM, not JSON: JWK(pemRepresentation:) reads a key in PEM"
    }
    if unsafe MistakenText.isPath(word) { return "this is a path, not JSON: read the file, and pass its text" }
    if unsafe MistakenText.isUnset(word) {
      return "the JSON text is undefined, null or the like: set the variable that it comes from"
    }
    return nil
  }

  /// The error of a key file as JOSE names it, for the same reason.
  init(keyFile error: CryptoError) {
    let code: ErrorCode =
      switch error.code {
      case .malformedPEM, .malformedDER: .malformed
      case .unsupportedKey: .algorithmUnsupported
      case .invalidKeyLength: .keyTooWeak
      case .decryptionFailed: .decryptionFailed
      case .lengthLimitExceeded: .limitExceeded
      default: .keyInvalid
      }
    self.init(code, error.text)
  }
}
