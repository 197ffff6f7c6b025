import StrictJSON

/// Makes JSON Web Tokens. To check one, use ``JWTVerifier``.
///
/// Source: RFC 7519.
public enum JWT {
  /// Signs a claims set and returns a compact token.
  ///
  /// - Parameters:
  ///   - claims: encoded as a JSON object. Dates as ``NumericDate``.
  ///   - type: `typ`, or nil for none.
  ///   - header: further header parameters. `alg` and `kid` come from the key.
  /// - Throws: ``JOSEError/Code/callerMisuse`` if the claims are no JSON object or `header` would replace a parameter,
  ///   ``JOSEError/Code/externalKeyFailed``.
  public static func sign(
    _ claims: some Encodable, with key: SigningKey, type: String? = "JWT", header: HeaderParameters = HeaderParameters()
  ) throws(JOSEError) -> String {
    try JWS.sign(payload(claims), with: key, header: typed(header, type))
  }

  /// Begins a token that somebody else will sign, perhaps asynchronously; see ``PreparedJWS``.
  ///
  /// - Throws: ``JOSEError/Code/callerMisuse`` if the claims are no JSON object or `header` would replace a parameter.
  public static func prepare(
    _ claims: some Encodable, for key: VerificationKey, type: String? = "JWT",
    header: HeaderParameters = HeaderParameters()
  ) throws(JOSEError) -> PreparedJWS {
    try JWS.prepare(payload(claims), for: key, header: typed(header, type))
  }

  private static func typed(_ header: HeaderParameters, _ type: String?) -> HeaderParameters {
    var header = header
    header.type = header.type ?? type
    return header
  }

  private static func payload(_ claims: some Encodable) throws(JOSEError) -> [UInt8] {
    if let object = claims as? JSONObject { return object.serialized() }
    // A JSON object begins with a brace; the encoder writes nothing before it.
    guard let json = try? StrictJSONEncoder().encode(claims), json.first == 0x7B else {
      throw JOSEError(.callerMisuse, "the claims do not encode as a JSON object")
    }
    return json
  }
}
