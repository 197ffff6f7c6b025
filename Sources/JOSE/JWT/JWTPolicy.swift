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
  /// Claims that must be present and not `null`. `exp` by default, which RFC 7519 does not demand: a token without it never dies.
  public var requiredClaims: [String]
  /// Seconds by which clocks may differ, 0 to 600. Applied once to each comparison.
  public var leeway: Double
  /// Seconds since `iat` after which a token is too old, or nil for any age. If set, `iat` is required and must not be in the future.
  public var maximumAge: Double?
  /// Whether an `iat` in the future is refused even without a maximum age.
  public var refusesFutureIssuedAt: Bool
  /// Where "now" comes from.
  public var clock: WallClock
  /// Header extensions that `crit` may name because the caller processes them.
  public var understoodCriticalParameters: [String]
  /// Bounds on the token's size.
  public var limits: Limits
  /// Whether a `sub` is one that the issuer may speak of, where the caller can tell; nil accepts all. It is not asked about tokens without
  /// `sub`.
  ///
  /// Source: RFC 8725 §3.8.
  public var acceptsSubject: (@Sendable (_ issuer: String?, _ subject: String) -> Bool)?

  /// What the token's kind demands beyond that.
  var rules: [ClaimRule] = []
  /// Whether somebody checks what `cnf` says. Without, the kinds of tokens that are bearer tokens refuse it.
  var bindingIsChecked = true

  /// A policy for one kind of token. Issuer and audience have no default: leaving them unchecked is a decision to write down.
  public init(
    issuer: IssuerPolicy, audience: AudiencePolicy, type: TypePolicy = .jwtOrAbsent, subject: String? = nil,
    requiredClaims: [String] = ["exp"], leeway: Double = 0, maximumAge: Double? = nil,
    refusesFutureIssuedAt: Bool = false, clock: WallClock = .system, understoodCriticalParameters: [String] = [],
    limits: Limits = .default
  ) {
    self.issuer = issuer
    self.audience = audience
    self.type = type
    self.subject = subject
    self.requiredClaims = requiredClaims
    self.leeway = leeway
    self.maximumAge = maximumAge
    self.refusesFutureIssuedAt = refusesFutureIssuedAt
    self.clock = clock
    self.understoodCriticalParameters = understoodCriticalParameters
    self.limits = limits
  }
}
