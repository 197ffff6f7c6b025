import StrictJSON

/// The kinds of tokens that an authorization server is given by its clients.
extension JWTPolicy {
  /// Request objects: the parameters of an authorization request, signed by the client.
  ///
  /// The keys are this client's alone. Only what stands in the token counts then; parameters beside it are ignored. An
  /// `exp` at most an hour after `nbf` is demanded, and `iss` and `aud`, which the RFC recommends: for clients that
  /// leave them out, set ``issuer`` to `.notChecked` and ``audience`` to `.ifPresent`.
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
    var policy = typed(
      "oauth-authz-req+jwt", isRequired: requiresType, from: clientID, to: audience,
      requiredClaims: ["exp", "client_id"], clock: clock
    ).with { token throws(JOSEError) in
      try token.require("client_id", is: clientID)
      try token.requireAbsent("request", "request_uri")
      // A request object that is sent to a token endpoint must not be accepted there.
      if let subject = token.registered.subjectName, subject == clientID {
        throw JOSEError(.claimMismatch, "the token could pass for the client's assertion", name: "sub")
      }
      if let issuer = token.registered.issuerName, issuer != clientID {
        throw ClaimsUnderRule.mismatch("iss")
      }
    }
    policy.maximumLifetime = .seconds(3600)
    return policy
  }

  /// Assertions by which a client authenticates (`private_key_jwt`, `client_secret_jwt`).
  ///
  /// The keys are this client's alone. The token names this server alone, and lives for a few minutes. Each may be
  /// used once, which takes a memory: ``SingleUseJWTVerifier``.
  /// - Parameters:
  ///   - clientID: who the token must be from and about, known from the request or, unverified, from the token.
  ///   - audience: the names under which this server is addressed. Its issuer identifier should be the only one; older
  ///     clients write the URL of the token endpoint.
  ///   - maximumLifetime: the longest time from when the token was made to its end.
  ///   - clock: where "now" comes from.
  ///
  /// Source: RFC 7523 §3, OpenID Connect Core 1.0 §9.
  public static func clientAssertion(
    clientID: String, audience: [String], maximumLifetime: Duration = .seconds(300), clock: WallClock = .system
  ) -> JWTPolicy {
    var policy = JWTPolicy(
      issuer: .anyOf([clientID]), audience: .anyOf(audience),
      type: .ifPresent(["client-authentication+jwt", "JWT"]), subject: clientID, requiredClaims: ["exp", "jti"],
      clock: clock
    ).with { token throws(JOSEError) in
      // A token for several servers could be carried from one to the other.
      guard token.registered.audience?.count == 1 else {
        throw JOSEError(.claimMismatch, "the token has further audiences", name: "aud")
      }
      guard let tokenID = token.registered.tokenID, !tokenID.isEmpty else { throw ClaimsUnderRule.missing("jti") }
    }
    policy.maximumLifetime = maximumLifetime
    return policy
  }
}

/// The kinds of tokens that a resource server is given.
extension JWTPolicy {
  /// Access tokens of the profile that says `at+jwt`: `iss`, `exp`, `aud`, `sub`, `client_id`, `iat` and `jti` are
  /// there.
  ///
  /// A token that is bound to a key (`cnf`) is not a bearer token, so it is refused unless its binding is checked:
  /// ``DPoPAccessTokenVerifier`` does so by itself. Clocks may differ by a minute: ``leeway``.
  /// - Parameters:
  ///   - issuer: the authorization server's identifier, as it is written.
  ///   - audience: this resource server's name.
  ///   - bindingIsChecked: whether the caller checks what `cnf` says, for instance the thumbprint of a client's
  ///     certificate.
  ///   - clock: where "now" comes from.
  ///
  /// Source: RFC 9068 §2 and §4, RFC 9449 §7.2.
  public static func accessToken(
    issuer: String, audience: String, bindingIsChecked: Bool = false, clock: WallClock = .system
  ) -> JWTPolicy {
    JWTPolicy(
      issuer: .anyOf([issuer]), audience: .anyOf([audience]), type: .anyOf(["at+jwt"]),
      requiredClaims: ["exp", "sub", "client_id", "iat", "jti"], bindingIsChecked: bindingIsChecked, clock: clock
    ).with { token throws(JOSEError) in
      guard let client = try token.string("client_id"), !client.isEmpty else {
        throw ClaimsUnderRule.missing("client_id")
      }
      _ = try token.string("scope")
      _ = try token.string("acr")
      _ = try token.date("auth_time")
      try token.requireStringsIfPresent("amr")
    }
  }

  /// Access tokens of Microsoft Entra ID, version 2.0, whose issuer has the tenant in it. Accept RS256, since its keys
  /// name no algorithm.
  ///
  /// They don't follow RFC 9068: `typ` is `JWT`, `azp` names the client, and `scp` or `roles` what it may do, which the
  /// caller checks. ID tokens of an app that is its own API have the same audience, so that tokens without `azp`, `scp`
  /// and `roles`, or with what belongs to a login, are refused.
  /// - Parameters:
  ///   - audience: this API's application ID, or its URI where the app is set up for that.
  ///   - acceptsTenant: as in ``IDTokenProvider/microsoft(acceptsTenant:)``, by the same rule.
  ///   - clock: where "now" comes from.
  ///
  /// Source: OpenID Connect on the Microsoft identity platform, "Access token claims reference" and "Access token
  /// validation".
  public static func microsoftAccessToken(
    audience: String, acceptsTenant: @escaping @Sendable (String) -> Bool, clock: WallClock = .system
  ) -> JWTPolicy {
    var policy = JWTPolicy(
      issuer: .notChecked, audience: .anyOf([audience]), requiredClaims: ["iss", "exp", "iat", "sub", "azp"],
      clock: clock
    ).with { token throws(JOSEError) in
      try token.requireAbsent("nonce", "at_hash", "c_hash")
      guard let client = try token.string("azp"), !client.isEmpty else { throw ClaimsUnderRule.missing("azp") }
      try token.requireStringsIfPresent("roles")
      let hasRole = token.claims["roles"]?.elements.contains { _ in true } ?? false
      guard try token.string("scp")?.isEmpty == false || hasRole else {
        throw ClaimsUnderRule.missing("scp")
      }
    }
    policy.rules.append(.microsoftTenant(acceptsTenant))
    return policy
  }

  /// What an authorization server answers as a signed token when it is asked about another token.
  ///
  /// Its claim `token_introspection` holds what is said of that token. An answer that the token is not active is
  /// refused, so that it can't be taken for a permission, unless it is asked for. Never accept such an answer as an
  /// access token.
  /// - Parameters:
  ///   - issuer: the authorization server's identifier.
  ///   - audience: this resource server, which asked.
  ///   - acceptsInactive: whether an answer is accepted that says `"active": false`.
  ///   - maximumAge: how long an answer counts after it was made.
  ///   - clock: where "now" comes from.
  ///
  /// Source: RFC 9701 §5 and §8.1.
  public static func introspection(
    issuer: String, audience: String, acceptsInactive: Bool = false, maximumAge: Duration = .seconds(60),
    clock: WallClock = .system
  ) -> JWTPolicy {
    JWTPolicy(
      issuer: .anyOf([issuer]), audience: .anyOf([audience]), type: .anyOf(["token-introspection+jwt"]),
      requiredClaims: ["iat", "token_introspection"], maximumAge: maximumAge, clock: clock
    ).with { token throws(JOSEError) in
      // They would say something of this answer that could be taken for something said of the token.
      try token.requireAbsent("sub", "exp")
      let answer = try token.object("token_introspection")
      guard let active = try? answer["active"]?.bool() else {
        throw ClaimsUnderRule.invalid("the response must have the boolean active", "active")
      }
      guard active else {
        guard answer.members.allSatisfy({ $0.name.isString("active") }) else {
          throw ClaimsUnderRule.invalid("the response about an inactive token must have no further members", "active")
        }
        guard acceptsInactive else {
          throw JOSEError(.claimMismatch, "the token is not active", name: "active")
        }
        return
      }
      let leeway = token.policy.leeway.inSeconds
      if let expiration = try Self.date("exp", of: answer), token.now >= expiration.advanced(by: leeway) {
        throw JOSEError(.claimExpired, "the token that was asked about has expired", name: "token_introspection.exp")
      }
      if let begin = try Self.date("nbf", of: answer), token.now < begin.advanced(by: -leeway) {
        throw JOSEError(
          .claimNotYetValid, "the token that was asked about is not valid yet", name: "token_introspection.nbf")
      }
    }
  }

  private static func date(_ name: String, of answer: JSONView) throws(JOSEError) -> NumericDate? {
    guard let value = answer[name] else { return nil }
    guard let seconds = try? value.double() else {
      throw ClaimsUnderRule.invalid("the claim is not a date", "token_introspection." + name)
    }
    return NumericDate(saturating: seconds)
  }
}
