import StrictJSON

/// The kinds of tokens that tell of events.
extension JWTPolicy {
  /// Security event tokens.
  ///
  /// `iss` says who tells, not whose subject an event is about. Each event is told once, which takes a memory:
  /// ``SingleUseJWTVerifier``, with a ``maximumAge``, since these tokens have no end. An `aud` is demanded, which the
  /// RFC recommends; for a feed without it, set ``audience`` to `.ifPresent`.
  /// - Parameters:
  ///   - issuer: who tells.
  ///   - audience: this receiver's name.
  ///   - requiresType: whether `typ` must be `secevent+jwt`. Without it, a token of another kind by the same issuer
  ///     might pass.
  ///   - clock: where "now" comes from.
  ///
  /// Source: RFC 8417 §2.
  public static func securityEvent(
    issuer: String, audience: String, requiresType: Bool = true, clock: WallClock = .system
  ) -> JWTPolicy {
    typed(
      "secevent+jwt", isRequired: requiresType, from: issuer, to: audience, requiredClaims: ["iat", "jti", "events"],
      clock: clock
    ).with { token throws(JOSEError) in
      _ = try token.events()
      _ = try token.string("txn")
      _ = try token.date("toe")
    }
  }

  /// Tokens by which an OpenID provider tells a client that a user has logged out.
  ///
  /// A token without `exp`, which older providers send, counts for two minutes after `iat`. The caller ends the
  /// sessions of `sub` or `sid`. Each is good once: ``SingleUseJWTVerifier``, with a ``maximumAge`` of two minutes for
  /// those providers. Of `events`, the logout's is judged, and what stands beside it is ignored.
  /// - Parameters:
  ///   - issuer: the provider's identifier.
  ///   - clientID: this client.
  ///   - requiresType: whether `typ` must be `logout+jwt`. Many providers send `JWT` or nothing.
  ///   - clock: where "now" comes from.
  ///
  /// Source: OpenID Connect Back-Channel Logout 1.0 (errata set 1) §2.4 and §2.6.
  public static func logoutToken(
    issuer: String, clientID: String, requiresType: Bool = false, clock: WallClock = .system
  ) -> JWTPolicy {
    typed(
      "logout+jwt", isRequired: requiresType, from: issuer, to: clientID, requiredClaims: ["iat", "jti", "events"],
      clock: clock
    ).with { token throws(JOSEError) in
      let event = "http://schemas.openid.net/event/backchannel-logout"
      guard let told = try token.object("events")[event] else {
        throw JOSEError(.claimMismatch, "the token has no logout event", name: "events")
      }
      // Other members say what else has ended, in whatever form: Keycloak's `revoke_offline_access` is a Boolean.
      guard told.kind == .object else { throw ClaimsUnderRule.invalid("the logout event is not an object", "events") }
      // An ID token has a nonce, and a logout token must not pass for one.
      try token.requireAbsent("nonce")
      let session = try token.string("sid")
      // An empty name names no user, and an app that looks for it finds the users that it has no name for.
      if session?.isEmpty == true { throw ClaimsUnderRule.invalid("sid must not be empty", "sid") }
      if token.registered.subject != nil {
        try token.requireSubject()
      } else if session == nil {
        throw ClaimsUnderRule.missing("sub")
      }
      if token.registered.expiration == nil, let issuedAt = token.registered.issuedAt,
        token.now >= issuedAt.advanced(by: 120 + token.policy.leeway.inSeconds)
      {
        throw JOSEError(.claimExpired, "the token is too old", name: "iat")
      }
    }
  }
}

extension JWTPolicy {
  /// Tokens of a kind with a `typ` of its own, which older senders leave out or give as `JWT`.
  static func typed(
    _ type: String, isRequired: Bool, from issuer: String, to audience: String, requiredClaims: [String],
    clock: WallClock
  ) -> JWTPolicy {
    JWTPolicy(
      issuer: .anyOf([issuer]), audience: .anyOf([audience]),
      type: isRequired ? .anyOf([type]) : .ifPresent([type, "JWT"]), requiredClaims: requiredClaims, clock: clock)
  }
}

extension ClaimsUnderRule {
  /// The events: at least one, each an object under its URI.
  fileprivate func events() throws(JOSEError) -> JSONView {
    let events = try object("events")
    var count = 0
    for event in events.members {
      count += 1
      guard event.value.kind == .object else { throw Self.invalid("an event is not an object", "events") }
      guard unsafe (try? event.name.withStringBytes(Self.isURI)) ?? false else {
        throw Self.invalid("an event's name is not a URI", "events")
      }
    }
    guard count > 0 else { throw Self.invalid("the token has no event", "events") }
    return events
  }

  /// Whether the text begins with a scheme and goes on. Names are compared, never followed, so no more is asked.
  private static func isURI(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let colon = unsafe text.firstIndex(of: 0x3A), colon > 0, colon + 1 < text.count,
      unsafe text.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return false }
    return unsafe text[..<colon].enumerated().allSatisfy { index, octet in
      switch octet {
      case 0x41...0x5A, 0x61...0x7A: true
      case 0x30...0x39, 0x2B, 0x2D, 0x2E: index > 0
      default: false
      }
    }
  }
}
