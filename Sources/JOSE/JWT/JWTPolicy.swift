import StrictJSON

/// What a JWT must say to be accepted, once its signature has been verified.
public struct JWTPolicy: Sendable {
  /// Which `iss` is accepted.
  public var issuer: IssuerPolicy
  /// Which `aud` is accepted.
  public var audience: AudiencePolicy
  /// Which `typ` is accepted.
  public var type: TypePolicy
  /// The `sub` that is accepted, or nil for any.
  public var subject: String?
  /// Claims that must be present and not `null`. `exp` by default, which RFC 7519 does not demand: a token without it
  /// never dies.
  public var requiredClaims: [String]
  /// Seconds by which clocks may differ, 0 to 600. Applied once to each comparison.
  public var leeway: Double
  /// Whether the caller checks what `cnf` says: that who shows the token holds the key that it is bound to. Otherwise a
  /// token with `cnf` is refused, since it is not a bearer token. ``DPoPAccessTokenVerifier`` checks it and says so by
  /// itself.
  ///
  /// Source: RFC 7800 §3, RFC 9449 §7.2.
  public var bindingIsChecked: Bool
  /// Seconds since `iat` after which a token is too old, or nil for any age. If set, `iat` is required and must not be
  /// in the future.
  public var maximumAge: Double?
  /// Seconds from when a token was made (`nbf`, `iat`, or now) to its `exp` at most, or nil for any. A bound of some
  /// years keeps out an `exp` in milliseconds.
  public var maximumLifetime: Double?
  /// Whether an `iat` in the future is refused even without a maximum age.
  public var refusesFutureIssuedAt: Bool
  /// Where "now" comes from.
  public var clock: WallClock
  /// Header extensions that `crit` may name because the caller processes them.
  public var understoodCriticalParameters: [String]
  /// Bounds on the token's size.
  public var limits: Limits
  /// Whether a `sub` is one that the issuer may speak of, where the caller can tell; nil accepts all. It is not asked
  /// about tokens without `sub`.
  ///
  /// Source: RFC 8725 §3.8.
  public var acceptsSubject: (@Sendable (_ issuer: String?, _ subject: String) -> Bool)?

  /// What the token's kind demands beyond that.
  var rules: [ClaimRule] = []
  /// Whether a token whose `exp` has passed is refused.
  var refusesExpired = true
  /// Whether `exp`, `nbf` and `iat` may be strings of digits.
  package var datesMayBeText = false

  /// A policy for one kind of token. Issuer and audience have no default: leaving them unchecked is a decision to write
  /// down.
  public init(
    issuer: IssuerPolicy, audience: AudiencePolicy, type: TypePolicy = .jwtOrAbsent, subject: String? = nil,
    requiredClaims: [String] = ["exp"], leeway: Double = 0, maximumAge: Double? = nil,
    refusesFutureIssuedAt: Bool = false, bindingIsChecked: Bool = false, clock: WallClock = .system,
    understoodCriticalParameters: [String] = [],
    limits: Limits = .default
  ) {
    (self.issuer, self.audience, self.type, self.subject) = (issuer, audience, type, subject)
    (self.requiredClaims, self.leeway, self.maximumAge) = (requiredClaims, leeway, maximumAge)
    (self.refusesFutureIssuedAt, self.bindingIsChecked, self.clock) = (refusesFutureIssuedAt, bindingIsChecked, clock)
    (self.understoodCriticalParameters, self.limits) = (understoodCriticalParameters, limits)
  }
}

extension JWTPolicy {
  /// Refuses a policy that has no meaning.
  ///
  /// - Throws: ``ErrorCode/callerMisuse``.
  func requireSound() throws(JOSEError) {
    guard leeway >= 0, leeway <= 600 else {
      throw JOSEError(.callerMisuse, "the leeway is 0 to 600 seconds", name: "leeway")
    }
    try Self.requireSeconds(maximumAge, "maximumAge")
    try Self.requireSeconds(maximumLifetime, "maximumLifetime")
    try Self.requireNames(issuer.names, "iss")
    try Self.requireNames(audience.names, "aud")
    try Self.requireNames(type.names, "typ")
    if let subject { try Self.requireNames([subject], "sub") }
  }

  private static func requireSeconds(_ bound: Double?, _ name: StaticString) throws(JOSEError) {
    guard let bound, !(bound >= 0 && bound.isFinite) else { return }
    throw JOSEError(.callerMisuse, "the bound is not a number of seconds, 0 or more", name: "\(name)")
  }

  /// Refuses names that name nobody, as a setting that was left empty leaves them: a token may say just as little.
  private static func requireNames(_ names: [String]?, _ claim: StaticString) throws(JOSEError) {
    guard let names else { return }
    guard !names.contains(where: \.isEmpty) else {
      throw JOSEError(.callerMisuse, "a name that a policy accepts is empty", name: "\(claim)")
    }
  }

  /// Checks the type and the claims of a token whose signature has been verified.
  ///
  /// - Parameter key: the key that verified the signature; nil for a token that is only encrypted.
  func check(
    _ header: ProtectedHeader, claims: JSONView, registered: RegisteredClaims, key: VerificationKey?
  ) throws(JOSEError) {
    guard type.accepts(header.type) else { throw Self.typeMismatch }
    guard bindingIsChecked || !registered.hasConfirmation else {
      throw JOSEError(.claimMismatch, "the token is bound to a key and is not a bearer token", name: "cnf")
    }
    // `null` says nothing, so it is as good as no claim.
    for place in requiredClaims.indices {
      // Nearly every policy requires `exp`, which has been read already.
      if registered.expiration != nil, requiredClaims[place] == "exp" { continue }
      guard claims.hasValue(ofMember: requiredClaims[place]) else {
        throw JOSEError(.claimMissing, "a required claim is absent", name: requiredClaims[place])
      }
    }
    try checkIssuer(registered.issuer)
    try checkAudience(registered.audienceNames)
    if let subject {
      guard let claimed = registered.subject else {
        throw JOSEError(.claimMissing, "a required claim is absent", name: "sub")
      }
      guard claimed.hasSameBytes(as: subject) else {
        throw JOSEError(.claimMismatch, "the token is about another subject", name: "sub")
      }
    }
    if let acceptsSubject, let claimed = registered.subject, !acceptsSubject(registered.issuer, claimed) {
      throw JOSEError(.claimMismatch, "the issuer may not speak of this subject", name: "sub")
    }
    let now = clock.now
    try checkTimes(registered, now: now.secondsSince1970)
    guard !rules.isEmpty else { return }
    let token = ClaimsUnderRule(
      header: header, claims: claims, registered: registered, key: key, policy: self, now: now)
    for rule in rules { try rule.check(token) }
  }

  static var typeMismatch: JOSEError {
    JOSEError(.typeMismatch, "the token's type is not one that is accepted", name: "typ")
  }

  private func checkIssuer(_ issuer: String?) throws(JOSEError) {
    guard case .anyOf(let accepted) = self.issuer else { return }
    guard let issuer else { throw JOSEError(.claimMissing, "a required claim is absent", name: "iss") }
    guard accepted.containsBytes(of: issuer) else {
      throw JOSEError(.claimMismatch, "the token is from another issuer", name: "iss")
    }
  }

  private func checkAudience(_ audience: AudienceNames) throws(JOSEError) {
    var mismatch: JOSEError { JOSEError(.claimMismatch, "the token is for another audience", name: "aud") }
    switch self.audience {
    case .notChecked:
      return
    case .absent:
      guard audience == .absent else { throw mismatch }
    case .ifPresent(let accepted):
      guard audience == .absent || audience.containsAny(of: accepted) else { throw mismatch }
    case .anyOf(let accepted):
      guard audience.containsAny(of: accepted) else { throw audience == .absent ? Self.missingAudience : mismatch }
    case .allOf(let accepted):
      guard let audience = audience.list else { throw Self.missingAudience }
      guard !accepted.isEmpty, accepted.allSatisfy({ audience.containsBytes(of: $0) }) else { throw mismatch }
    }
  }

  private static var missingAudience: JOSEError {
    JOSEError(.claimMissing, "a required claim is absent", name: "aud")
  }

  private func checkTimes(_ claims: RegisteredClaims, now: Double) throws(JOSEError) {
    // Dates have magnitude 2⁵³ at most and the leeway 600, so these sums are exact to the second.
    if refusesExpired, let expiration = claims.expiration, now >= expiration.secondsSince1970 + leeway {
      throw JOSEError(.claimExpired, "the token has expired", name: "exp")
    }
    if let notBefore = claims.notBefore, now < notBefore.secondsSince1970 - leeway {
      throw JOSEError(.claimNotYetValid, "the token is not valid yet", name: "nbf")
    }
    if maximumAge != nil || refusesFutureIssuedAt {
      if let issuedAt = claims.issuedAt, now < issuedAt.secondsSince1970 - leeway {
        throw JOSEError(.claimNotYetValid, "the token was issued in the future", name: "iat")
      }
    }
    if let maximumLifetime, let expiration = claims.expiration?.secondsSince1970 {
      let begin = (claims.notBefore ?? claims.issuedAt)?.secondsSince1970 ?? now
      guard expiration <= begin + maximumLifetime, expiration <= now + maximumLifetime + leeway else {
        throw JOSEError(.claimMismatch, "the token lives longer than is accepted", name: "exp")
      }
    }
    if let maximumAge {
      guard let issuedAt = claims.issuedAt else {
        throw JOSEError(.claimMissing, "a required claim is absent", name: "iat")
      }
      guard now < issuedAt.secondsSince1970 + maximumAge + leeway else {
        throw JOSEError(.claimExpired, "the token is too old", name: "iat")
      }
    }
  }
}
