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
  /// By how much clocks may differ, 0 to 600 seconds. Applied once to each comparison.
  public var leeway: Duration
  /// Whether the caller checks what `cnf` says: that who shows the token holds the key that it is bound to. Otherwise a
  /// token with `cnf` is refused, since it is not a bearer token. ``DPoPAccessTokenVerifier`` checks it and says so by
  /// itself.
  ///
  /// Source: RFC 7800 §3, RFC 9449 §7.2.
  public var bindingIsChecked: Bool
  /// How long after `iat` a token is too old, or nil for any age. If set, `iat` is required and must not be in the
  /// future.
  public var maximumAge: Duration?
  /// The longest time from when a token was made (`iat`) to its `exp`, and from now on, or nil for any. 3,653 days
  /// unless set, which are ten calendar years, and keep out an `exp` in milliseconds. ``leeway`` is added where it
  /// counts from now, whose clock is another than the issuer's, and never to `iat`.
  public var maximumLifetime: Duration? = JWTPolicy.defaultMaximumLifetime
  /// Whether an `iat` in the future is refused even without a maximum age.
  public var refusesFutureIssuedAt: Bool
  /// Where "now" comes from.
  public var clock: WallClock
  /// Header extensions that `crit` may name because the caller processes them.
  public var understoodCriticalParameters: [String]
  /// Bounds on the token's size.
  public var limits: Limits
  /// Whether the claim `status` is looked up in a status list. It is not unless set.
  ///
  /// Source: draft-ietf-oauth-status-list §6.
  public var status: StatusPolicy = .notChecked
  /// Whether a `sub` is one that the issuer may speak of, where the caller can tell; nil accepts all. It is not asked
  /// about tokens without `sub`.
  ///
  /// Source: RFC 8725 §3.8.
  public var acceptsSubject: (@Sendable (_ issuer: String?, _ subject: String) -> Bool)?

  /// Ten calendar years, with as many leap days as there can be.
  static let defaultMaximumLifetime = Duration.seconds(3653 * 86_400)

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
    requiredClaims: [String] = ["exp"], leeway: Duration = .zero, maximumAge: Duration? = nil,
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
    guard leeway >= .zero, leeway <= .seconds(600) else {
      throw JOSEError(.callerMisuse, "the leeway is 0 to 600 seconds", name: "leeway")
    }
    try Self.requireBound(maximumAge, "maximumAge")
    try Self.requireBound(maximumLifetime, "maximumLifetime")
    try Self.requireNames(issuer.names, "iss")
    try Self.requireNames(audience.names, "aud")
    try Self.requireNames(type.names, "typ")
    if let subject { try Self.requireNames([subject], "sub") }
  }

  /// What ``requireSound()`` throws; nil for a policy with a meaning.
  var fault: JOSEError? {
    do throws(JOSEError) {
      try requireSound()
      return nil
    } catch {
      return error
    }
  }

  private static func requireBound(_ bound: Duration?, _ name: StaticString) throws(JOSEError) {
    guard let bound, bound < .zero else { return }
    throw JOSEError(.callerMisuse, "the time limit must be 0 seconds or more", name: "\(name)")
  }

  /// Refuses empty names, which a setting left empty gives: a token could match them with an empty claim.
  private static func requireNames(_ names: [String]?, _ claim: StaticString) throws(JOSEError) {
    guard let names else { return }
    guard !names.contains(where: \.isEmpty) else {
      throw JOSEError(.callerMisuse, "a name that a policy accepts is empty", name: "\(claim)")
    }
  }

  /// What a token is checked for once its signature has been verified, in this order.
  enum Check: CaseIterable {
    case type, binding, presence, issuer, audience, subject, expiration, notBefore, issuedAt, lifetime, age, rules,
      status

    /// All of them, made once.
    static let all = allCases
  }

  /// Checks the type and the claims of a token whose signature has been verified.
  ///
  /// - Parameter key: the key that verified the signature; nil for a token that is only encrypted.
  func check(
    _ header: ProtectedHeader, claims: JSONView, registered: RegisteredClaims, key: VerificationKey?
  ) throws(JOSEError) {
    let now = clock.now
    for check in Check.all {
      try require(check, header, claims: claims, registered: registered, key: key, now: now)
    }
  }

  /// One of the checks, whatever the others say.
  func require(
    _ check: Check, _ header: ProtectedHeader, claims: JSONView, registered: RegisteredClaims, key: VerificationKey?,
    now: NumericDate
  ) throws(JOSEError) {
    switch check {
    case .type:
      guard type.accepts(header.type) else { throw Self.typeMismatch }
    case .binding:
      guard bindingIsChecked || !registered.hasConfirmation else {
        throw JOSEError(
          .claimMismatch, "the token is bound to a key and is no bearer token: check it with DPoP", name: "cnf")
      }
    case .presence:
      // `null` says nothing, so it is as good as no claim.
      for place in requiredClaims.indices {
        // Nearly every policy requires `exp`, which has been read already.
        if registered.expiration != nil, WireName(requiredClaims[place]) == "exp" { continue }
        guard claims.hasValue(ofMember: requiredClaims[place]) else {
          throw ClaimsUnderRule.missing(requiredClaims[place])
        }
      }
    case .issuer: try checkIssuer(registered.issuerName)
    case .audience: try checkAudience(registered.audienceNames)
    case .subject: try checkSubject(registered)
    case .expiration, .notBefore, .issuedAt, .lifetime, .age:
      try checkTime(check, registered, now: now.secondsSince1970)
    case .rules:
      guard !rules.isEmpty else { return }
      let token = ClaimsUnderRule(
        header: header, claims: claims, registered: registered, key: key, policy: self, now: now)
      for rule in rules { try rule.check(token) }
    case .status: try status.check(claims)
    }
  }

  static var typeMismatch: JOSEError {
    JOSEError(.typeMismatch, "the token's type is not one that is accepted", name: "typ")
  }

  private func checkIssuer(_ issuer: WireName?) throws(JOSEError) {
    guard case .anyOf(let accepted) = self.issuer else { return }
    guard let issuer else { throw ClaimsUnderRule.missing("iss") }
    guard accepted.contains(issuer) else {
      throw JOSEError(
        .claimMismatch,
        accepted.contains(where: issuer.text.differsByFinalSlash)
          ? "the issuer and the one accepted differ by a slash at the end: write it as the issuer does"
          : "the token is from another issuer than the policy accepts", name: "iss")
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
      guard audience.containsAny(of: accepted) else {
        throw audience == .absent ? ClaimsUnderRule.missing("aud") : mismatch
      }
    case .allOf(let accepted):
      guard let audience = audience.names else { throw ClaimsUnderRule.missing("aud") }
      guard !accepted.isEmpty, accepted.allSatisfy(audience.contains) else { throw mismatch }
    }
  }

  /// What looks like clocks that differ rather than like a token that is too old or too young.
  private static let differenceOfClocks = 300.0
  /// The year 33658 in seconds, and September 2001 in milliseconds.
  private static let leastMilliseconds = 1e12

  private func checkSubject(_ registered: RegisteredClaims) throws(JOSEError) {
    if let subject {
      guard let claimed = registered.subjectName else { throw ClaimsUnderRule.missing("sub") }
      guard claimed == subject else {
        throw JOSEError(.claimMismatch, "the token is about another subject", name: "sub")
      }
    }
    if let acceptsSubject, let claimed = registered.subject, !acceptsSubject(registered.issuer, claimed) {
      throw JOSEError(.claimMismatch, "the issuer is not accepted for this subject", name: "sub")
    }
  }

  private func checkTime(_ check: Check, _ claims: RegisteredClaims, now: Double) throws(JOSEError) {
    // Dates have magnitude 2⁵³ at most and the leeway 600, so these sums are exact to the second. It is turned into
    // seconds only where it decides, which it does of few tokens: that takes longer than a comparison.
    var leeway: Double { self.leeway.inSeconds }
    switch check {
    case .expiration:
      guard refusesExpired, let expiration = claims.expiration?.secondsSince1970, now >= expiration,
        now >= expiration + leeway
      else { return }
      throw JOSEError(
        .claimExpired,
        now - expiration < Self.differenceOfClocks
          ? "the token expired less than five minutes ago: get a new one, or allow for clocks by leeway"
          : "the token has expired: get a new one", name: "exp")
    case .notBefore:
      guard let notBefore = claims.notBefore?.secondsSince1970, now < notBefore, now < notBefore - leeway else {
        return
      }
      throw JOSEError(
        .claimNotYetValid,
        notBefore - now < Self.differenceOfClocks
          ? "the token will be valid within five minutes: set the clock, or allow for clocks by leeway"
          : "the token is not valid yet", name: "nbf")
    case .issuedAt:
      guard maximumAge != nil || refusesFutureIssuedAt, let issuedAt = claims.issuedAt?.secondsSince1970,
        now < issuedAt, now < issuedAt - leeway
      else { return }
      throw JOSEError(
        .claimNotYetValid, "the token was issued in the future by this clock: one of the two clocks is wrong",
        name: "iat")
    case .lifetime:
      guard let maximumLifetime = maximumLifetime?.inSeconds, let expiration = claims.expiration?.secondsSince1970
      else { return }
      // Not from `nbf`, which may be 0: it says when a token is valid, not when it was made.
      let issuedAt = claims.issuedAt?.secondsSince1970
      let isTooLateSinceIssue = issuedAt.map { expiration > $0 + maximumLifetime } ?? false
      guard isTooLateSinceIssue || expiration > now + maximumLifetime + leeway else { return }
      guard expiration < Self.leastMilliseconds else {
        throw JOSEError(
          .claimMismatch, "the date is in milliseconds: a JWT has seconds since 1970", name: "exp")
      }
      throw JOSEError(
        .claimMismatch, "the token lives longer than maximumLifetime accepts: get a shorter one, or raise that",
        name: "exp",
        detail: "it is \(JWTExplanation.length(maximumLifetime)), counted from \(isTooLateSinceIssue ? "iat" : "now")")
    default:
      guard let maximumAge = maximumAge?.inSeconds else { return }
      guard let issuedAt = claims.issuedAt else { throw ClaimsUnderRule.missing("iat") }
      guard now < issuedAt.secondsSince1970 + maximumAge + leeway else {
        throw JOSEError(.claimExpired, "the token is too old", name: "iat")
      }
    }
  }
}
