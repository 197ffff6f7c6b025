import StrictJSON

/// The kinds of tokens that an authorization server is given by its clients.
extension JWTPolicy {
  /// Request objects: the parameters of an authorization request, signed by the client.
  ///
  /// The keys are this client's and nobody else's. Only what stands in the token counts then; parameters beside it are ignored. An `exp`
  /// at most an hour after `nbf` is demanded, and `iss` and `aud`, which the RFC recommends: for clients that leave them out, set
  /// ``issuer`` to `.notChecked` and ``audience`` to `.ifPresent`.
  /// - Parameters:
  ///   - clientID: the parameter `client_id` of the request beside the token.
  ///   - audience: this authorization server's issuer identifier.
  ///   - requiresType: whether `typ` must be `oauth-authz-req+jwt`. Many clients send `JWT` or nothing.
  ///   - clock: where "now" comes from.
  ///
  /// Source: RFC 9101 §4, §5, §6 and §10.8.
  public static func requestObject(
    clientID: String, audience: String, requiresType: Bool = false, clock: WallClock = .system
  ) -> JWTPolicy {
    let type = "oauth-authz-req+jwt"
    return JWTPolicy(
      issuer: .anyOf([clientID]), audience: .anyOf([audience]),
      type: requiresType ? .anyOf([type]) : .ifPresent([type, "JWT"]), requiredClaims: ["exp", "client_id"],
      clock: clock
    ).with { token throws(JOSEError) in
      try token.require("client_id", is: clientID)
      try token.requireAbsent("request", "request_uri")
      // Whoever sends a request object to a token endpoint must not find it accepted there.
      if let subject = token.registered.subject, subject.hasSameBytes(as: clientID) {
        throw JOSEError(.claimMismatch, "the token could pass for the client's assertion", name: "sub")
      }
      if let issuer = token.registered.issuer, !issuer.hasSameBytes(as: clientID) {
        throw ClaimsUnderRule.mismatch("iss")
      }
      try token.requireLifetime(atMost: 3600)
    }
  }

  /// Assertions by which a client authenticates (`private_key_jwt`, `client_secret_jwt`).
  ///
  /// The keys are this client's and nobody else's. The token names this server and nobody else, and lives for a few minutes. Each may be
  /// used once: the caller remembers `iss` and `jti` of what it accepted until `exp`.
  /// - Parameters:
  ///   - clientID: who the token must be from and about, known from the request or, unverified, from the token.
  ///   - audience: the names under which this server is addressed. Its issuer identifier should be the only one; older clients write the
  ///     URL of the token endpoint.
  ///   - maximumLifetime: seconds from when the token was made to its end.
  ///   - clock: where "now" comes from.
  ///
  /// Source: RFC 7523 §3, OpenID Connect Core 1.0 §9.
  public static func clientAssertion(
    clientID: String, audience: [String], maximumLifetime: Double = 300, clock: WallClock = .system
  ) -> JWTPolicy {
    JWTPolicy(
      issuer: .anyOf([clientID]), audience: .anyOf(audience),
      type: .ifPresent(["client-authentication+jwt", "JWT"]), subject: clientID, requiredClaims: ["exp", "jti"],
      clock: clock
    ).with { token throws(JOSEError) in
      // A token for several servers could be carried from one to the other.
      guard token.registered.audience?.count == 1 else {
        throw JOSEError(.claimMismatch, "the token is for others as well", name: "aud")
      }
      guard let tokenID = token.registered.tokenID, !tokenID.isEmpty else { throw ClaimsUnderRule.missing("jti") }
      try token.requireLifetime(atMost: maximumLifetime)
    }
  }
}
