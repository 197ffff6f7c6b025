import PureCrypto
import StrictJSON

extension JWK: Equatable {
  /// Whether both are the same key, private part included, with the same members beside it.
  ///
  /// Timing: depends on the members' lengths and on the answer.
  public static func == (lhs: JWK, rhs: JWK) -> Bool {
    ConstantTime.equal(lhs.serializedWithPrivateKey(), rhs.serializedWithPrivateKey())
  }
}

extension JWK: Codable {
  /// Reads a JWK with the default limits.
  ///
  /// - Throws: `DecodingError` if it is not implemented; its underlying error is the ``JOSEError``.
  public init(from decoder: any Decoder) throws {
    let object = try decoder.singleValueContainer().decode(JSONObject.self)
    do {
      try self.init(object)
    } catch {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "Not a key.", underlyingError: error))
    }
  }

  /// Writes a public key. A private or symmetric one must not slip into a token: ``serializedWithPrivateKey()`` writes
  /// it by name.
  ///
  /// - Throws: `EncodingError` for a private or symmetric key, and what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    guard !isPrivate else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: "A private or symmetric key is not encoded."))
    }
    var container = encoder.singleValueContainer()
    try container.encode(try publicJSONObject())
  }
}

extension JWKSet: Equatable {
  /// Whether both have the same usable keys in the same order.
  public static func == (lhs: JWKSet, rhs: JWKSet) -> Bool { lhs.keys == rhs.keys }
}

extension JWKSet: Codable {
  /// Reads a set with the default limits. Secret keys are refused, and wrong entries listed, as from text.
  ///
  /// - Throws: `DecodingError` if it is not a set; its underlying error is the ``JOSEError``.
  public init(from decoder: any Decoder) throws {
    let object = try decoder.singleValueContainer().decode(JSONObject.self)
    do {
      try self.init(parsing: object.serialized())
    } catch {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "Not a key set.", underlyingError: error))
    }
  }

  /// Writes the public members of the keys. Symmetric keys are left out.
  ///
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    let publicKeys = keys.compactMap { key in (try? key.publicJSONObject()).map { JSONValue.object($0) } }
    var container = encoder.singleValueContainer()
    try container.encode(["keys": .array(publicKeys)] as JSONObject)
  }
}
