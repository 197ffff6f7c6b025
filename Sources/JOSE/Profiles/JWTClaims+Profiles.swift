import StrictJSON

/// What the kinds of tokens with a profile say: each as ``JWTPolicy`` of the same name demands.
extension JWTClaims {
  /// An access token for a resource server.
  ///
  /// - Parameters:
  ///   - issuer: the authorization server's identifier.
  ///   - audience: the resource server's name.
  ///   - subject: the user, or the client itself where there is none.
  ///   - clientID: the client that asked.
  ///   - scope: what the token permits, names with spaces between; nil if the client asked for none.
  ///   - lifetime: from `iat` to `exp`, a second or more.
  ///
  /// Source: RFC 9068 §2.
  public static func accessToken(
    issuer: String, audience: Audience, subject: String, clientID: String, scope: String?, lifetime: Duration
  ) -> JWTClaims {
    var others: JSONObject = ["client_id": .string(clientID)]
    if let scope { others["scope"] = .string(scope) }
    return JWTClaims(
      issuer: issuer, audience: audience, subject: subject, lifetime: lifetime, type: "at+jwt", others)
  }

  /// An ID token. Of an access token beside it, set `at_hash` to ``SignatureAlgorithm/leftHalfHash(of:)``.
  ///
  /// - Parameters:
  ///   - issuer: the provider's identifier.
  ///   - clientID: the client that asked.
  ///   - subject: the user, in 1 to 255 ASCII characters.
  ///   - nonce: the `nonce` of the request, or nil if it had none.
  ///   - lifetime: from `iat` to `exp`, a second or more.
  ///
  /// Source: OpenID Connect Core 1.0 §2.
  public static func idToken(
    issuer: String, clientID: String, subject: String, nonce: String?, lifetime: Duration
  ) -> JWTClaims {
    var others: JSONObject = [:]
    if let nonce { others["nonce"] = .string(nonce) }
    var claims = JWTClaims(
      issuer: issuer, audience: Audience([clientID]), subject: subject, lifetime: lifetime, type: "JWT", others)
    claims.isIDToken = true
    return claims
  }

  /// An authorization server's answer about a token. It has no `exp`: receivers go by `iat`.
  ///
  /// - Parameters:
  ///   - issuer: the authorization server's identifier.
  ///   - audience: the resource server that asked.
  ///   - answer: what is said of the token: `active`, and the rest only if it is `true`.
  ///
  /// Source: RFC 9701 §5.
  public static func introspection(issuer: String, audience: String, answer: JSONObject) -> JWTClaims {
    JWTClaims(
      issuer: issuer, audience: Audience([audience]), subject: nil, lifetime: nil, type: "token-introspection+jwt",
      ["token_introspection": .object(answer)])
  }

  /// A request object.
  ///
  /// - Parameters:
  ///   - clientID: the client that makes the request.
  ///   - audience: the authorization server's issuer identifier.
  ///   - parameters: the parameters of the authorization request, without `client_id`. Registered claims among them are
  ///     left out.
  ///   - lifetime: from `iat` to `exp`, an hour at most.
  ///
  /// Source: RFC 9101 §4.
  public static func requestObject(
    clientID: String, audience: String, parameters: JSONObject, lifetime: Duration = .seconds(300)
  ) -> JWTClaims {
    var others: JSONObject = [:]
    for (name, value) in parameters.members where !registered.contains(name) { others[name] = value }
    others["client_id"] = .string(clientID)
    var claims = JWTClaims(
      issuer: clientID, audience: Audience([audience]), subject: nil, lifetime: lifetime,
      type: "oauth-authz-req+jwt", others)
    claims.saysNotBefore = true
    return claims
  }

  /// An assertion by which a client authenticates. `typ` is `JWT`, since older servers refuse others; newer ones want
  /// `client-authentication+jwt`.
  ///
  /// - Parameters:
  ///   - clientID: the client.
  ///   - audience: the authorization server's issuer identifier, or with older servers the URL of the token endpoint.
  ///   - lifetime: from `iat` to `exp`, five minutes at most.
  ///
  /// Source: RFC 7523 §3; draft-ietf-oauth-rfc7523bis §4, for the type.
  public static func clientAssertion(clientID: String, audience: String, lifetime: Duration = .seconds(60)) -> JWTClaims
  {
    JWTClaims(
      issuer: clientID, audience: Audience([audience]), subject: clientID, lifetime: lifetime,
      type: "client-authentication+jwt", [:])
  }

  /// A security event token. It has no `exp`: what has happened has happened.
  ///
  /// - Parameters:
  ///   - issuer: who tells.
  ///   - audience: the receivers.
  ///   - events: an object for each event, under its URI.
  ///
  /// Source: RFC 8417 §2.
  public static func securityEvent(issuer: String, audience: Audience, events: JSONObject) -> JWTClaims {
    JWTClaims(
      issuer: issuer, audience: audience, subject: nil, lifetime: nil, type: "secevent+jwt",
      ["events": .object(events)])
  }

  /// A logout token. One of `subject` and `sessionID` must be given.
  ///
  /// - Parameters:
  ///   - issuer: the provider's identifier.
  ///   - clientID: the client that is told.
  ///   - subject: who logged out: all their sessions, unless one is named.
  ///   - sessionID: `sid`: the session that ended.
  ///   - lifetime: from `iat` to `exp`; two minutes should do.
  ///
  /// Source: OpenID Connect Back-Channel Logout 1.0 §2.4.
  public static func logoutToken(
    issuer: String, clientID: String, subject: String?, sessionID: String?, lifetime: Duration = .seconds(120)
  ) -> JWTClaims {
    var others: JSONObject = ["events": ["http://schemas.openid.net/event/backchannel-logout": [:]]]
    if let sessionID { others["sid"] = .string(sessionID) }
    return JWTClaims(
      issuer: issuer, audience: Audience([clientID]), subject: subject, lifetime: lifetime, type: "logout+jwt", others)
  }
}
