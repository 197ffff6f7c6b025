import StrictJSON

/// Verifies tokens that may be used once each: client assertions, logout tokens, security events.
///
/// ```swift
/// let records = MemoryRecordStore()
/// let policy = JWTPolicy.clientAssertion(clientID: clientID, audience: ["https://idp.example.com"])
/// let tokens = JWTVerifier(keys: keysOfClient, algorithms: [.es256], policy: policy)
/// let assertions = SingleUseJWTVerifier(tokens, records: records)
/// let assertion = try await assertions.verify(text)
/// ```
///
/// A token that is right in all else is noted by `iss` and `jti` until it can't be accepted any more, so both are
/// required. Verifiers for many clients share one store, which outlives them.
///
/// Source: RFC 7523 §3, OpenID Connect Core 1.0 §9, OpenID Connect Back-Channel Logout 1.0 §2.6, RFC 8417 §2.2.
public struct SingleUseJWTVerifier: Sendable {
  private let tokens: TokenVerifier
  /// Whether a quota holds for each issuer, because anybody can be one: clients that register themselves, say. At first
  /// it does unless the policy names the issuers that it accepts.
  public var limitsIssuers: Bool
  package var used: UsedOnce

  /// Tokens that satisfy a verifier, each once.
  ///
  /// - Parameters:
  ///   - tokens: what is required of the token. Its policy demands `exp`, as that for client assertions does, or has a
  ///     maximum age: otherwise there would be tokens to remember for ever.
  ///   - records: where the tokens that were used are noted, shared by all machines that take them.
  public init(_ tokens: JWTVerifier, records: any RecordStore) {
    self.init(.local(tokens), records)
  }

  /// Tokens of an issuer that publishes its keys, each once; see ``init(_:records:)-(JWTVerifier,_)``.
  public init(_ tokens: RemoteJWTVerifier, records: any RecordStore) {
    self.init(.remote(tokens), records)
  }

  private init(_ tokens: TokenVerifier, _ records: any RecordStore) {
    self.tokens = tokens
    limitsIssuers = if case .anyOf = tokens.policy.issuer { false } else { true }
    used = UsedOnce(records, kind: "used-token")
  }

  /// Verifies a token, notes it and decodes its claims, as a `JSONObject` unless another type is given.
  ///
  /// - Throws: ``JOSEError``: as ``JWTVerifier/verify(_:as:)``; ``ErrorCode/claimMissing`` for `iss` or `jti`;
  ///   ``ErrorCode/callerMisuse`` for a token without an end; ``ErrorCode/claimMismatch`` for `jti` if it was
  ///   used before, ``ErrorCode/replayQuotaReached`` if its issuer has made too many,
  ///   ``ErrorCode/replayStoreFull`` if it can't be noted. In both cases the token may be good: answer with status
  ///   503, never with one that says that it is not.
  public func verify<Claims: Decodable & Sendable>(
    _ token: String, as type: Claims.Type = JSONObject.self
  ) async throws(JOSEError) -> VerifiedJWT<Claims> {
    let verified = try await tokens.verify(token, as: type)
    try await note(verified.registeredClaims)
    return verified
  }

  /// Verifies a token that has been taken apart, notes it and decodes its claims; see ``verify(_:as:)``.
  ///
  /// - Throws: as that method.
  public func verify<Claims: Decodable & Sendable>(
    parsed token: UnverifiedJWS, as type: Claims.Type = JSONObject.self
  ) async throws(JOSEError) -> VerifiedJWT<Claims> {
    let verified = try await tokens.verify(parsed: token, as: type)
    try await note(verified.registeredClaims)
    return verified
  }

  /// Verifies a token, acts on it, and notes it when that has succeeded: for tokens that their sender repeats until
  /// then, so that one whose action fails, or never ends, is good still.
  ///
  /// Two machines that get copies at once may both act, so the action must stand that. In one process the second copy
  /// is turned away.
  /// - Parameters:
  ///   - token: the token.
  ///   - inHand: the tokens that this process is acting on.
  ///   - act: what the token asks for.
  /// - Throws: ``JOSEError`` as ``verify(_:as:)`` does, ``TokensInHand/Taken``, and what the action throws. When the
  ///   action has succeeded nothing is thrown any more: whether the token could be noted is no matter of its sender's.
  package func verify(
    _ token: String, among inHand: TokensInHand, act: (VerifiedJWT<JSONObject>) async throws -> Void
  ) async throws {
    let verified = try await tokens.verify(token)
    let name = try name(of: verified.registeredClaims)
    try await inHand.taking(name.digest) {
      let isNoted: Bool
      do {
        isNoted = try await used.isNoted(name, now: tokens.policy.clock.now)
      } catch {
        throw JOSEError(.replayStoreFull, "the replay store could not be read: send a new token later", name: "jti")
      }
      if isNoted { throw UsedOnce.tokenUsedBefore }
      try await act(verified)
      _ = try? await used.note(name, now: tokens.policy.clock.now)
    }
  }

  /// Notes a token that is right in all else: an attacker can't use up the name of another's.
  private func note(_ claims: RegisteredClaims) async throws(JOSEError) {
    try await used.requireNew(name(of: claims), of: "iss", now: tokens.policy.clock.now)
  }

  /// By what a token is noted.
  private func name(of claims: RegisteredClaims) throws(JOSEError) -> UsedOnce.Name {
    guard let issuer = claims.issuer, !issuer.isEmpty else { throw ClaimsUnderRule.missing("iss") }
    guard let tokenID = claims.tokenID, !tokenID.isEmpty else { throw ClaimsUnderRule.missing("jti") }
    guard tokenID.utf8.count <= tokens.policy.limits.keyIDByteCount else {
      throw JOSEError(.limitExceeded, "the token's name is too long", name: "jti")
    }
    return UsedOnce.Name([issuer, tokenID], maker: limitsIssuers ? issuer : nil, expiry: try lastMoment(claims))
  }

  /// Until when the policy could accept the token.
  private func lastMoment(_ claims: RegisteredClaims) throws(JOSEError) -> NumericDate {
    let policy = tokens.policy
    var moments: [NumericDate] = []
    if let expiration = claims.expiration { moments.append(expiration) }
    if let issuedAt = claims.issuedAt, let age = policy.maximumAge { moments.append(issuedAt.advanced(by: age)) }
    guard let last = moments.min() else {
      throw JOSEError(
        .callerMisuse, "a token without an end would have to be remembered for ever: set a maximum age", name: "exp")
    }
    return last.advanced(by: policy.leeway)
  }
}
