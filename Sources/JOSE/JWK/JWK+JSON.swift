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
      try self.init(ellipticCurve: object, limits: limits)
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

  private init(ellipticCurve object: JSONObject, limits: Limits) throws(JOSEError) {
    guard try object.requiredKeyString("crv").hasSameBytes(as: "P-256") else {
      throw JOSEError(.algorithmUnsupported, "the curve is not implemented", name: "crv")
    }
    // P256PublicKey takes exactly 32 octets for each coordinate and checks the point (RFC 7518 §6.2.1.2).
    let x = try object.requiredKeyOctets("x")
    let y = try object.requiredKeyOctets("y")
    guard let publicKey = try? P256PublicKey(x: x, y: y) else {
      throw JOSEError(.keyInvalid, "the coordinates are no point of the curve, or not 32 octets each", name: "x")
    }
    guard object["d"] != nil else {
      try self.init(.p256Public(publicKey), metadata: object, limits: limits)
      return
    }
    let d = try object.requiredKeyOctets("d")
    guard let privateKey = try? P256PrivateKey(rawRepresentation: d) else {
      throw JOSEError(.keyInvalid, "the private scalar is out of range, or not 32 octets", name: "d")
    }
    // A private key beside somebody else's point would sign with one key and publish another.
    guard privateKey.publicKey == publicKey else {
      throw JOSEError(.keyInvalid, "private and public part do not belong together", name: "d")
    }
    try self.init(.p256Private(privateKey), metadata: object, limits: limits)
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
    var object: JSONObject
    switch material {
    case .p256Public(let key):
      object = Self.publicMembers(key)
    case .p256Private(let key):
      object = Self.publicMembers(key.publicKey)
      object["d"] = .string(key.rawRepresentation.withUnsafeBytes { Base64URL.encode($0) })
    case .rsaPublic(let key):
      object = Self.publicMembers(key)
    case .rsaPrivate(let key):
      object = Self.publicMembers(key.publicKey)
      Self.appendPrivateMembers(of: key, to: &object)
    case .ed25519Public(let key):
      object = Self.publicMembers(key)
    case .ed25519Private(let key):
      object = Self.publicMembers(key.publicKey)
      object["d"] = .string(key.rawRepresentation.withUnsafeBytes { Base64URL.encode($0) })
    case .octets(let octets):
      object = ["kty": "oct", "k": .string(octets.withUnsafeBytes { Base64URL.encode($0) })]
    }
    appendMetadata(to: &object)
    return object
  }

  private static func publicMembers(_ key: P256PublicKey) -> JSONObject {
    [
      "kty": "EC", "crv": "P-256",
      "x": .string(Base64URL.encode(key.x)), "y": .string(Base64URL.encode(key.y)),
    ]
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
