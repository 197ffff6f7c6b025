/// How a provider treats refresh tokens.
///
/// A client whose answer was lost presents the predecessor of the current token again. It gets the same successor: for
/// ``grace`` after the rotation, ``maximumReplays`` times, and only until the successor is used. Who comes more often
/// than that meanwhile is asked to wait; whatever else comes again is reuse. The defaults, 10 seconds and 3 times, are
/// for a client that retries at once. One that sends three requests at once and another 39 seconds later loses its
/// login by them; 60 seconds and 10 times keep it.
///
/// What the grace gives a thief who has copied a refresh token: within it he gets the client's successor, and an
/// access token with each replay, instead of ending the login by his first request. He is found as before when client
/// or thief presents a token later than that, at the client's next refresh at the latest. Tokens that are bound to a
/// key, by DPoP say, give him nothing in either case, unless he has the key.
public struct RotationPolicy: Sendable, Hashable {
  /// What happens when a client presents the token before the current one, because the answer with the current one
  /// was lost.
  public enum GraceMode: Sendable, Hashable {
    /// It gets the same successor again.
    case replaySuccessor
    /// The unused successor dies, and a sibling takes its place.
    case newestWins
    /// It is reuse.
    case off
  }

  /// What happens when an old token is presented outside the grace rule.
  public enum ReuseAction: Sendable, Hashable {
    /// The family is revoked.
    case revokeFamily
    /// The family and everything of its session is revoked.
    case revokeSession
    /// Nothing but the refusal. Weakens detection.
    case deny
  }

  /// Whether each redemption gives a new token. Default true.
  public var rotates = true
  /// For how long after a rotation the predecessor is forgiven. Up to 60 seconds, default 10.
  public var grace = Duration.seconds(10)
  /// How it is forgiven. Default ``GraceMode/replaySuccessor``.
  public var graceMode = GraceMode.replaySuccessor
  /// How often it is forgiven; more is `ErrorCode.tooManyRequests`. 1 to 10, default 3.
  public var maximumReplays = 3
  /// Whether access tokens of earlier generations die with a rotation. Default false.
  public var revokesPreviousAccessToken = false
  /// Lifetime of access tokens for logins that don't ask for another. A minute to a day, default one hour.
  public var accessTokenLifetime = Duration.seconds(3600)
  /// The longest lifetime that a login gets, whatever ``RefreshGrant/accessTokenLifetime`` asks for. At least
  /// ``accessTokenLifetime`` and at most a day, which is the default.
  public var maximumAccessTokenLifetime = Duration.seconds(86_400)
  /// Lifetime of a family from its login; nil for no end. Default 90 days.
  public var absoluteLifetime: Duration? = .seconds(90 * 86_400)
  /// Whether each rotation begins the absolute lifetime anew. Default false.
  public var slidesAbsoluteLifetime = false
  /// How long a family may go unused; nil for ever. Default 30 days.
  public var idleTimeout: Duration? = .seconds(30 * 86_400)
  /// What happens on reuse. Default ``ReuseAction/revokeFamily``.
  public var onReuse = ReuseAction.revokeFamily
  /// Active families of one user with one client; the oldest is revoked beyond. 1 to 1000, default 20.
  public var maximumFamiliesPerUserAndClient = 20

  /// Whether a login with the scope `offline_access` goes on when its session ends. One that came of a device secret
  /// ends with it all the same. Default false.
  ///
  /// Source: OpenID Connect Core 1.0 §11, Back-Channel Logout 1.0 §2.7.
  public var offlineAccessOutlivesSession = false

  /// By how much the clocks of one provider's machines may differ.
  static let clockSkew = Duration.seconds(60)

  /// The defaults.
  public init() {}

  /// Each token works once and no longer, without grace; access tokens die with their refresh token; families don't
  /// age.
  ///
  /// Two honest requests at once end the login under this policy.
  public static var singleUse: RotationPolicy {
    var policy = RotationPolicy()
    policy.grace = .zero
    policy.graceMode = .off
    policy.revokesPreviousAccessToken = true
    policy.absoluteLifetime = nil
    policy.idleTimeout = nil
    return policy
  }

  /// For Platform SSO, where the device's key binds the token: no rotation, because a Mac presents the token in other
  /// requests as well.
  public static var platformSSO: RotationPolicy {
    var policy = RotationPolicy()
    policy.rotates = false
    policy.idleTimeout = nil
    return policy
  }

  /// The lifetime of a login's access tokens.
  func lifetime(asked: Duration?) -> Duration {
    guard let asked else { return accessTokenLifetime }
    return min(max(asked, .seconds(60)), maximumAccessTokenLifetime)
  }

  /// - Throws: `ErrorCode.settingInvalid` with the setting's name.
  func requireValid() throws(OpenIDError) {
    let rules: [(String, Bool)] = [
      ("grace", grace >= .zero && grace <= .seconds(60)), ("maximumReplays", (1...10).contains(maximumReplays)),
      ("accessTokenLifetime", accessTokenLifetime >= .seconds(60) && accessTokenLifetime <= .seconds(86_400)),
      (
        "maximumAccessTokenLifetime",
        maximumAccessTokenLifetime >= accessTokenLifetime && maximumAccessTokenLifetime <= .seconds(86_400)
      ),
      ("absoluteLifetime", absoluteLifetime.map { $0 > .zero && $0 <= .seconds(63_072_000) } ?? true),
      ("idleTimeout", idleTimeout.map { $0 > .zero } ?? true),
      ("maximumFamiliesPerUserAndClient", (1...1000).contains(maximumFamiliesPerUserAndClient)),
    ]
    for (name, isValid) in rules where !isValid {
      throw OpenIDError(.settingInvalid, "a setting is out of range", name: name)
    }
  }
}
