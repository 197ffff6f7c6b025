import StrictJSON

/// A status list whose signature has been verified: what its provider says, as of when, and for how long.
///
/// Source: draft-ietf-oauth-status-list §5.1.
public struct StatusListToken: Sendable {
  /// The statuses.
  public let list: StatusList
  /// `iat`: when the list was made.
  public let issuedAt: NumericDate
  /// `exp`: from when on the list says nothing.
  public let expiration: NumericDate?
  /// `ttl`: after how long another list may say something else.
  public let timeToLive: Duration?

  /// Verifies the token of a status list.
  ///
  /// - Parameters:
  ///   - token: compact.
  ///   - uri: the one that the token names whose status is asked for. The list must be about it.
  ///   - verifier: the keys and algorithms of who publishes the list, who may be another than the tokens' issuer, and
  ///     the policy for `iss`, clocks and limits. Type, subject, audience and required claims are those of status
  ///     lists.
  /// - Throws: as ``JWTVerifier/verify(_:as:)``; ``ErrorCode/claimMismatch`` for a list at another URI;
  ///   ``ErrorCode/claimInvalid`` for `ttl` or `status_list`.
  public init(verifying token: String, at uri: String, by verifier: JWTVerifier) throws(JOSEError) {
    var verifier = verifier
    verifier.policy = verifier.policy.ofStatusLists
    try self.init(try verifier.verify(token), at: uri, limits: verifier.policy.limits)
  }

  init(_ token: VerifiedJWT<JSONObject>, at uri: String, limits: Limits) throws(JOSEError) {
    let claims = token.registeredClaims
    guard let subject = claims.subjectName, subject == uri else {
      throw JOSEError(.claimMismatch, "the status list is about another URI", name: "sub")
    }
    // The policy requires it.
    guard let issuedAt = claims.issuedAt else { throw ClaimsUnderRule.missing("iat") }
    guard let list = token.claims["status_list"]?.objectValue else { throw ClaimsUnderRule.missing("status_list") }
    if let value = token.claims["ttl"], value != .null {
      guard let seconds = value.numberValue?.double, seconds > 0, seconds <= 1e12 else {
        throw JOSEError(.claimInvalid, "ttl is a number of seconds above 0", name: "ttl")
      }
      timeToLive = .seconds(seconds)
    } else {
      timeToLive = nil
    }
    (self.list, self.issuedAt) = (try StatusList(list, limits: limits), issuedAt)
    expiration = claims.expiration
  }
}

extension StatusList {
  /// Signs the list, as it is published.
  ///
  /// - Parameters:
  ///   - uri: where it is published.
  ///   - timeToLive: how long verifiers may keep it before they ask again: whole seconds, at least one. What is revoked
  ///     is refused everywhere after this time.
  ///   - lifetime: from when on it says nothing. Longer than `timeToLive`, so that verifiers that allow for it go on
  ///     while a server is down.
  ///   - key: of who publishes it.
  ///   - clock: where `iat` comes from.
  /// - Throws: ``ErrorCode/callerMisuse`` for times or a URI that no verifier accepts; otherwise as
  ///   ``JWT/sign(_:with:type:header:)``.
  /// - Returns: the body of an answer of the type ``mediaType``.
  public func signed(
    for uri: String, timeToLive: Duration, lifetime: Duration = .seconds(86_400), with key: SigningKey,
    clock: WallClock = .system
  ) throws(JOSEError) -> String {
    guard (try? URIComponents(parsing: uri)) != nil else {
      throw JOSEError(.callerMisuse, "a status list is published at a URI", name: "uri")
    }
    let (seconds, lifetime) = (timeToLive.components.seconds, lifetime.components.seconds)
    guard seconds > 0, lifetime >= seconds, lifetime <= 315_576_000 else {
      throw JOSEError(
        .callerMisuse, "a status list lives for a second to ten years, and not shorter than it may be kept",
        name: seconds > 0 ? "lifetime" : "timeToLive")
    }
    let now = Int64(clock.now.wholeSeconds)
    let claims: JSONObject = [
      "sub": .string(uri), "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + lifetime)),
      "ttl": .number(JSONNumber(seconds)), "status_list": .object(claim),
    ]
    return try JWT.sign(claims, with: key, type: Self.type)
  }

  /// The `Content-Type` of a list's token.
  public static let mediaType = "application/statuslist+jwt"

  /// `typ` of a list's token.
  static let type = "statuslist+jwt"
}

extension JWTPolicy {
  /// The same for the tokens of status lists, which are longer than others.
  var ofStatusLists: JWTPolicy {
    var policy = self
    policy.type = .anyOf([StatusList.type])
    (policy.subject, policy.acceptsSubject, policy.audience) = (nil, nil, .notChecked)
    policy.requiredClaims = ["sub", "iat", "status_list"]
    (policy.maximumAge, policy.refusesFutureIssuedAt, policy.rules, policy.status) = (nil, true, [], .notChecked)
    policy.limits.tokenByteCount = max(policy.limits.tokenByteCount, policy.limits.messageByteCount)
    policy.limits.claimsByteCount = max(policy.limits.claimsByteCount, policy.limits.messageByteCount)
    return policy
  }
}
