import PureCrypto
import StrictJSON

extension JWK {
  /// Reads a JWK from JSON text.
  ///
  /// - Throws: ``JOSEError/Code/malformed`` if the text is not a JSON object, ``JOSEError/Code/keyInvalid`` if a member is wrong,
  ///   ``JOSEError/Code/algorithmUnsupported`` if key type or curve is not implemented, ``JOSEError/Code/limitExceeded``.
  public init(parsing json: some Collection<UInt8>, limits: Limits = .default) throws(JOSEError) {
    try self.init(try JSONObject(parsing: json, within: limits.keyJSON), limits: limits)
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
    let keyType = try object.requiredKeyString("kty")
    if keyType.hasSameBytes(as: "EC") {
      try self.init(try Self.ellipticCurveMaterial(object), metadata: object, limits: limits)
    } else if keyType.hasSameBytes(as: "RSA") {
      try self.init(try Self.rsaMaterial(object), metadata: object, limits: limits)
    } else if keyType.hasSameBytes(as: "OKP") {
      try self.init(try Self.octetKeyPairMaterial(object), metadata: object, limits: limits)
    } else if keyType.hasSameBytes(as: "oct") {
      let octets = try object.requiredKeyOctets("k")
      guard !octets.isEmpty else { throw JOSEError(.keyInvalid, "the key is empty", name: "k") }
      try self.init(.octets(SecretBytes(copying: octets)), metadata: object, limits: limits)
    } else {
      throw JOSEError(.algorithmUnsupported, "the key type is not implemented", name: "kty")
    }
  }

  private init(_ material: Material, metadata object: JSONObject, limits: Limits) throws(JOSEError) {
    self.init(material)
    keyID = try object.optionalKeyString("kid")
    if let keyID, keyID.utf8.count > limits.keyIDByteCount {
      throw JOSEError(.limitExceeded, "the key identifier is too long", name: "kid")
    }
    algorithm = try object.optionalKeyString("alg")
    use = try object.optionalKeyString("use")
    keyOperations = try Self.keyOperations(object, use: use)
    for (name, value) in object.members where !Self.ownMembers.containsBytes(of: name) {
      otherMembers[name] = value
    }
  }

  private static func keyOperations(_ object: JSONObject, use: String?) throws(JOSEError) -> [String]? {
    guard let value = object["key_ops"] else { return nil }
    let invalid = JOSEError(.keyInvalid, "not an array of different strings that fit the key's use", name: "key_ops")
    guard case .array(let elements) = value else { throw invalid }
    var operations: [String] = []
    for element in elements {
      guard case .string(let operation) = element, !operations.containsBytes(of: operation) else { throw invalid }
      operations.append(operation)
    }
    if let use, let allowed = KeyOperation.operations(ofUse: use) {
      guard operations.allSatisfy({ allowed.containsBytes(of: $0) }) else { throw invalid }
    }
    return operations
  }

  /// Members that this type reads or that hold key material of some type, so that they are never kept among the others.
  private static let ownMembers =
    [
      "kty", "kid", "alg", "use", "key_ops", "crv", "x", "y", "n", "e",
    ] + privateMembers

  /// Members that only a private or symmetric key has, of any key type.
  package static let privateMembers = ["d", "k", "p", "q", "dp", "dq", "qi", "oth", "priv"]

  // MARK: Writing

  /// The public members, as JSON.
  ///
  /// - Throws: ``JOSEError/Code/keyMismatch`` for a symmetric key, which has no public part.
  public func serialized() throws(JOSEError) -> [UInt8] {
    try publicJSONObject().serialized()
  }

  /// The whole key, private members included, as JSON. Keep it as you would keep the key.
  public func serializedWithPrivateKey() -> [UInt8] {
    privateJSONObject().serialized()
  }

  /// The public members as a JSON object.
  ///
  /// - Throws: ``JOSEError/Code/keyMismatch`` for a symmetric key, which has no public part.
  public func publicJSONObject() throws(JOSEError) -> JSONObject {
    guard let publicKey else {
      throw JOSEError(.keyMismatch, "a symmetric key has no public part", name: "kty")
    }
    return publicKey.privateJSONObject()
  }

  package func privateJSONObject() -> JSONObject {
    var object = publicMembers
    switch material {
    case .p256Private(let key): object["d"] = Self.secretOctets(key.rawRepresentation)
    case .p384Private(let key): object["d"] = Self.secretOctets(key.rawRepresentation)
    case .p521Private(let key): object["d"] = Self.secretOctets(key.rawRepresentation)
    case .rsaPrivate(let key): Self.appendPrivateMembers(of: key, to: &object)
    case .ed25519Private(let key): object["d"] = Self.secretOctets(key.rawRepresentation)
    case .x25519Private(let key): object["d"] = Self.secretOctets(key.rawRepresentation)
    case .octets(let octets): object["k"] = Self.secretOctets(octets)
    case .p256Public, .p384Public, .p521Public, .rsaPublic, .ed25519Public, .x25519Public: break
    }
    appendMetadata(to: &object)
    return object
  }

  /// The members that describe the public key, or only `kty` of a symmetric one.
  private var publicMembers: JSONObject {
    switch material.publicMaterial {
    case .p256Public(let key): Self.publicMembers(key, on: .p256)
    case .p384Public(let key): Self.publicMembers(key, on: .p384)
    case .p521Public(let key): Self.publicMembers(key, on: .p521)
    case .rsaPublic(let key): Self.publicMembers(key)
    case .ed25519Public(let key): Self.publicMembers(.ed25519, key.rawRepresentation)
    case .x25519Public(let key): Self.publicMembers(.x25519, key.rawRepresentation)
    default: ["kty": "oct"]
    }
  }

  private static func secretOctets(_ octets: SecretBytes) -> JSONValue {
    .string(octets.withUnsafeBytes { Base64URL.encode($0) })
  }

  private func appendMetadata(to object: inout JSONObject) {
    if let use { object["use"] = .string(use) }
    if let keyOperations { object["key_ops"] = .array(keyOperations.map { .string($0) }) }
    if let algorithm { object["alg"] = .string(algorithm) }
    if let keyID { object["kid"] = .string(keyID) }
    for (name, value) in otherMembers.members where !Self.ownMembers.containsBytes(of: name) {
      object[name] = value
    }
  }
}

extension JSONObject {
  func requiredKeyString(_ name: String) throws(JOSEError) -> String {
    guard let value = try optionalKeyString(name) else {
      throw JOSEError(.keyInvalid, "a required member is absent", name: name)
    }
    return value
  }

  func optionalKeyString(_ name: String) throws(JOSEError) -> String? {
    guard let value = self[name] else { return nil }
    guard case .string(let string) = value else { throw JOSEError(.keyInvalid, "the member is no string", name: name) }
    return string
  }

  func requiredKeyOctets(_ name: String) throws(JOSEError) -> [UInt8] {
    do {
      return try Base64URL.decode(try requiredKeyString(name))
    } catch {
      throw JOSEError(.keyInvalid, "the member is absent or not base64url", name: name)
    }
  }
}
