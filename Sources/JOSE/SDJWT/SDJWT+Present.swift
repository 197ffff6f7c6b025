import StrictJSON

extension SDJWT {
  /// The paths of the claims that can be shown or kept, as far as they are disclosed in this token.
  ///
  /// The issuer's signature is not looked at: verify with ``SDJWTVerifier`` what you receive.
  /// - Parameter limits: bound the claims.
  /// - Throws: ``ErrorCode/malformed``, ``ErrorCode/claimInvalid``, ``ErrorCode/limitExceeded``.
  public func disclosedPaths(limits: Limits = .default) throws(JOSEError) -> [ClaimPath] {
    try processed(limits).paths
  }

  /// The same token with these claims alone beside those that everybody sees.
  ///
  /// - Parameters:
  ///   - paths: the claims to show. Whatever stands around them is shown too; what is inside is shown if it is named as
  ///     well.
  ///   - limits: bound the claims.
  /// - Throws: ``ErrorCode/callerMisuse`` for a path that no disclosure leads to, and for a token that is bound
  ///   already: its binding is about other disclosures; otherwise as ``disclosedPaths(limits:)``.
  public func presenting(_ paths: [ClaimPath], limits: Limits = .default) throws(JOSEError) -> SDJWT {
    guard !isBound else {
      throw JOSEError(.callerMisuse, "the token is bound to what it discloses: present the issuer's token")
    }
    let own = try disclosedPaths(limits: limits)
    if let path = paths.first(where: { !own.contains($0) }) {
      throw JOSEError(.callerMisuse, "no disclosure leads to the path", name: path.description)
    }
    let shown = zip(own, disclosures).filter { own, _ in paths.contains { own.contains($0) } }
    return SDJWT(issuerToken: issuerToken, disclosures: shown.map(\.1))
  }

  /// The same token with the proof that its holder shows it, here and now.
  ///
  /// - Parameters:
  ///   - audience: the verifier, as it calls itself: written as `aud`.
  ///   - nonce: what the verifier has given for this once.
  ///   - claims: further claims of the proof, such as `transaction_data_hashes`.
  ///   - key: the holder's, whose public half the issuer has written as `cnf`.
  ///   - clock: where `iat` comes from.
  /// - Throws: ``ErrorCode/callerMisuse`` if the token is bound already, further claims would replace one of the
  ///   proof, or audience or nonce is empty; otherwise as ``JWT/sign(_:with:type:header:)``.
  /// Source: RFC 9901 §4.3.
  public func bound(
    to audience: String, nonce: String, claims: JSONObject = [:], with key: SigningKey, clock: WallClock = .system
  ) throws(JOSEError) -> SDJWT {
    guard !isBound else { throw JOSEError(.callerMisuse, "the token is bound already", name: "kb_jwt") }
    guard !audience.isEmpty, !nonce.isEmpty else {
      throw JOSEError(
        .callerMisuse, "a verifier names itself, and gives a nonce", name: audience.isEmpty ? "aud" : "nonce")
    }
    let hash = try ThumbprintHash.named(in: unverifiedPayload(.default))
    var proof: JSONObject = [
      "iat": .number(JSONNumber(Int64(clock.now.secondsSince1970))), "aud": .string(audience), "nonce": .string(nonce),
      "sd_hash": .string(hash.digest(of: signedText)),
    ]
    for (name, value) in claims.members {
      guard proof[name] == nil else {
        throw JOSEError(.callerMisuse, "a further claim would replace one of the proof", name: name)
      }
      proof[name] = value
    }
    let token = try JWT.sign(proof, with: key, type: Self.keyBindingType)
    return SDJWT(issuerToken: issuerToken, disclosures: disclosures, keyBinding: token)
  }

  /// `typ` of key binding tokens.
  static let keyBindingType = "kb+jwt"

  /// The claims with what is disclosed in its place, as the token says them.
  package func processed(_ limits: Limits) throws(JOSEError) -> ProcessedPayload {
    try ProcessedPayload(unverifiedPayload(limits), disclosures, limits: limits)
  }

  private func unverifiedPayload(_ limits: Limits) throws(JOSEError) -> JSONObject {
    try UnverifiedJWS(parsing: issuerToken, limits: limits).claimsObject()
  }
}
