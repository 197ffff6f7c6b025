/// What an ``OpenIDProvider`` decides about its tokens.
public struct ProviderPolicy: Sendable {
  /// How refresh tokens rotate, and how long access tokens live.
  public var rotation = RotationPolicy()
  /// A login with one of these scopes has a refresh token: `offline_access`, say. Nil if each login has one.
  public var refreshTokenScopes: [String]?
  /// From issue to `exp`.
  public var idTokenLifetime = Duration.seconds(3600)
  /// How long a code is good.
  public var codeLifetime = Duration.seconds(60)
  /// Whether a request without the scope `openid` is answered: plain OAuth, with neither ID token nor userinfo. Without
  /// this it is refused with `invalid_scope`.
  public var acceptsPlainOAuth = false

  /// The defaults.
  public init() {}
}
