import StrictJSON

/// Verifies the access token of a request and the proof that comes with it, in one call.
///
/// ```swift
/// let verifier = DPoPAccessTokenVerifier(
///   tokens: JWTVerifier(keys: keys, algorithms: [.es256], issuer: "https://idp.example.com", audience: "api"),
///   proofs: DPoPVerifier(records: MemoryRecordStore()))
/// let access = try await verifier.verify(
///   authorization: request.authorization, proofs: request.fields("DPoP"), method: "GET",
///   url: "https://api.example.com/me")
/// ```
///
/// A token that is bound to a key counts only with a proof by that key, so it is refused as a bearer token, and a token
/// that is bound to none is refused here.
///
/// Source: RFC 9449 §7.
public struct DPoPAccessTokenVerifier: Sendable {
  private let tokens: TokenVerifier
  /// What is required of the proof.
  public var proofs: DPoPVerifier

  /// Tokens and proofs that satisfy these.
  public init(tokens: JWTVerifier, proofs: DPoPVerifier) {
    var tokens = tokens
    tokens.policy.bindingIsChecked = true
    (self.tokens, self.proofs) = (.local(tokens), proofs)
  }

  /// Tokens of an issuer that publishes its keys. Make one and keep it, as ``RemoteJWTVerifier`` says.
  public init(tokens: RemoteJWTVerifier, proofs: DPoPVerifier) {
    (self.tokens, self.proofs) = (.remote(tokens.checkingBinding), proofs)
  }

  /// A token and the proof that came with it.
  public struct Access<Claims: Sendable>: Sendable {
    /// The verified token.
    public let token: VerifiedJWT<Claims>
    /// The verified proof, by the key that the token is bound to.
    public let proof: VerifiedDPoPProof
  }

  /// Verifies a request's token and proof and decodes the claims.
  ///
  /// - Parameters:
  ///   - authorization: the request's one `Authorization` field: the scheme `DPoP`, in any case of letters, and the
  ///     token.
  ///   - fields: the values of all `DPoP` fields of the request. There must be exactly one.
  ///   - method: the request's method, as in ``DPoPVerifier/verify(_:method:url:binding:nonce:)``.
  ///   - url: the request's URL as the client sees it.
  ///   - nonce: what the proof's `nonce` must be, where the server gave one.
  ///   - type: what the claims decode as.
  /// - Throws: ``JOSEError``: ``ErrorCode/malformed`` for `authorization` if the field is not of the scheme or
  ///   there is not exactly one proof; then as the verifier of the tokens; ``ErrorCode/claimMissing`` for `cnf` if the
  ///   token is bound to no key; then as ``DPoPVerifier/verify(_:method:url:binding:nonce:)``.
  public func verify<Claims: Decodable & Sendable>(
    authorization: String, proofs fields: [String], method: String, url: String, nonce: String? = nil,
    as type: Claims.Type
  ) async throws(JOSEError) -> Access<Claims> {
    let text = try Self.token(authorization)
    try DPoPVerifier.requireOne(fields)
    let token = try await tokens.verify(text, as: Confirmed<Claims>.self)
    guard let thumbprint = token.claims.thumbprint else {
      throw JOSEError(.claimMissing, "the access token is bound to no key", name: "cnf")
    }
    let proof = try await proofs.verify(
      fields[0], method: method, url: url, binding: .accessToken(text, thumbprint: thumbprint), nonce: nonce)
    return Access(
      token: VerifiedJWT(claims: token.claims.claims, origin: token.origin),
      proof: proof)
  }

  /// The token of an `Authorization` field with the scheme `DPoP`.
  private static func token(_ field: String) throws(JOSEError) -> String {
    guard let credentials = AuthorizationCredentials(field), credentials.hasScheme("DPoP") else {
      throw JOSEError(.malformed, "the request must have one access token with the scheme DPoP", name: "authorization")
    }
    return credentials.token
  }
}

/// Claims, and beside them the thumbprint of the key that the token is bound to.
private struct Confirmed<Claims: Decodable & Sendable>: Decodable, Sendable {
  let claims: Claims
  let thumbprint: String?

  private enum Keys: CodingKey { case cnf }

  private struct Confirmation: Decodable {
    let jkt: String?
  }

  init(from decoder: any Decoder) throws {
    claims = try decoder.singleValueContainer().decode(Claims.self)
    thumbprint = try decoder.container(keyedBy: Keys.self).decodeIfPresent(Confirmation.self, forKey: .cnf)?.jkt
  }
}
