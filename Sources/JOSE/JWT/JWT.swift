import StrictJSON

/// Makes JSON Web Tokens. To check one, use ``JWTVerifier``.
///
/// Source: RFC 7519.
public enum JWT {
  /// Signs a claims set and returns a compact token.
  ///
  /// - Parameters:
  ///   - claims: encoded as a JSON object. Dates as ``NumericDate``; with `JOSEFoundation` also as `Date`, `Data` as
  ///     base64url, `URL` as text, and `Decimal` as a number with the same digits.
  ///   - key: the sender's. Its algorithm and its name are written as `alg` and `kid`.
  ///   - type: `typ`, or nil for none.
  ///   - header: further header parameters. `alg` and `kid` come from the key.
  /// - Throws: ``ErrorCode/callerMisuse`` if the claims are not a JSON object; otherwise as
  ///   ``JWS/sign(_:with:header:)``.
  public static func sign(
    _ claims: some Encodable, with key: SigningKey, type: String? = "JWT", header: HeaderParameters = HeaderParameters()
  ) throws(JOSEError) -> String {
    let payload = try payload(claims)
    if header.isEmpty, type.map({ WireName($0) }) == "JWT", !key.plainJWTHeader.isEmpty {
      return try JWS.sign(payload, with: key, encodedHeader: key.plainJWTHeader)
    }
    return try JWS.sign(payload, with: key, header: typed(header, type))
  }

  /// Begins a token that is signed elsewhere, perhaps asynchronously; see ``PreparedJWS``.
  ///
  /// - Throws: ``ErrorCode/callerMisuse`` if the claims are not a JSON object or `header` would replace a
  ///   parameter.
  public static func prepare(
    _ claims: some Encodable, for key: VerificationKey, type: String? = "JWT",
    header: HeaderParameters = HeaderParameters()
  ) throws(JOSEError) -> PreparedJWS {
    try JWS.prepare(payload(claims), for: key, header: typed(header, type))
  }

  /// Signs a claims set and encrypts the signed token, in this order, and returns a compact token: a nested JWT.
  ///
  /// Check one with ``NestedJWTVerifier``.
  /// - Parameters:
  ///   - claims: encoded as a JSON object.
  ///   - signingKey: the sender's key.
  ///   - encryptionKey: the receiver's key.
  ///   - contentEncryption: as in
  ///     ``JWE/encrypt(_:to:contentEncryption:header:agreementPartyUInfo:agreementPartyVInfo:)``.
  ///   - type: `typ` of the signed token, or nil for none.
  ///   - header: further header parameters of the signed token.
  ///   - encryptionHeader: further header parameters of the encryption, whose `cty` is always `JWT`. Claims that it
  ///     repeats travel in the clear.
  /// - Throws: as ``sign(_:with:type:header:)`` and
  ///   ``JWE/encrypt(_:to:contentEncryption:header:agreementPartyUInfo:agreementPartyVInfo:)``.
  public static func signAndEncrypt(
    _ claims: some Encodable, with signingKey: SigningKey, to encryptionKey: EncryptionKey,
    contentEncryption: ContentEncryptionAlgorithm? = nil, type: String? = "JWT",
    header: HeaderParameters = HeaderParameters(), encryptionHeader: HeaderParameters = HeaderParameters()
  ) throws(JOSEError) -> String {
    var encryptionHeader = encryptionHeader
    encryptionHeader.contentType = "JWT"
    return try JWE.encrypt(
      try sign(claims, with: signingKey, type: type, header: header).utf8, to: encryptionKey,
      contentEncryption: contentEncryption, header: encryptionHeader)
  }

  /// Encrypts a claims set without signing it, and returns a compact token.
  ///
  /// Check one with ``EncryptedJWTVerifier``. Every holder of the secret can make such a token, the receiver included:
  /// where that matters, use ``signAndEncrypt(_:with:to:contentEncryption:type:header:encryptionHeader:)``.
  /// - Parameters:
  ///   - claims: encoded as a JSON object.
  ///   - key: a shared secret: for `dir`, AES key wrap, or a password.
  ///   - contentEncryption: as in
  ///     ``JWE/encrypt(_:to:contentEncryption:header:agreementPartyUInfo:agreementPartyVInfo:)``.
  ///   - type: `typ`, or nil for none.
  ///   - header: further header parameters. Claims that it repeats travel in the clear.
  ///   - anonymously: whether the key may be a public one, for which everybody can encrypt: the receiver learns nothing
  ///     of the sender, and has to accept that by name.
  /// - Throws: ``ErrorCode/callerMisuse`` if the claims are not a JSON object, the key is a public one without
  ///   `anonymously`, or `header` says by `cty` that the content is a token; otherwise as
  ///   ``JWE/encrypt(_:to:contentEncryption:header:agreementPartyUInfo:agreementPartyVInfo:)``.
  public static func encrypt(
    _ claims: some Encodable, to key: EncryptionKey, contentEncryption: ContentEncryptionAlgorithm? = nil,
    type: String? = "JWT", header: HeaderParameters = HeaderParameters(), anonymously: Bool = false
  ) throws(JOSEError) -> String {
    guard anonymously || key.algorithm.isUnderSharedSecret else {
      throw JOSEError(
        .callerMisuse, "anyone can encrypt to a public key: signAndEncrypt, or encrypt anonymously", name: "alg")
    }
    if let contentType = header.contentType, TypePolicy.isSameMediaType(contentType, "JWT") {
      throw JOSEError(.callerMisuse, "claims that are only encrypted are no signed token", name: "cty")
    }
    return try JWE.encrypt(
      payload(claims), to: key, contentEncryption: contentEncryption, header: typed(header, type))
  }

  private static func typed(_ header: HeaderParameters, _ type: String?) -> HeaderParameters {
    var header = header
    header.type = header.type ?? type
    return header
  }

  static func payload<Claims: Encodable>(_ claims: Claims) throws(JOSEError) -> [UInt8] {
    // To compare the types takes less time than to ask of each value.
    if Claims.self == JSONObject.self, let object = claims as? JSONObject { return object.serialized() }
    let json: [UInt8]
    do {
      json = try StrictJSONEncoder().encode(claims)
    } catch {
      throw JOSEError(encodingClaims: error)
    }
    // A JSON object begins with a brace; the encoder writes nothing before it.
    guard json.first == 0x7B else {
      throw JOSEError(.callerMisuse, "the claims do not encode as a JSON object")
    }
    return json
  }
}
