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
  /// What tokens are for that clients get for themselves (`client_credentials`) where the request names no resource;
  /// empty if it has to. Nil if no client gets such tokens.
  public var machineAudience: [String]?
  /// The page at which users type the code that a device shows, an absolute address that people can type too; nil if no
  /// device is logged in so. A user who is persuaded to type a stranger's code logs the stranger in: offer it where a
  /// device has no browser, and to the clients that need it, ``RegisteredClient/isDevice``.
  public var devicePage: String?
  /// How long a device waits for its user: a minute to half an hour.
  public var deviceCodeLifetime = Duration.seconds(600)
  /// How long servers may keep the status list of access tokens before they ask again: 10 seconds to a day. Each token
  /// then names its place in the list at `/statuslist`, and servers that look it up by `JWTPolicy.status` refuse within
  /// this time, and five seconds for a fresh token, what is revoked or has lost its login or its consent. They don't
  /// ask about the token. Nil for no list.
  ///
  /// It costs a record for each token, and a look at every token that lives each time that the list is made: take it
  /// for some ten thousand of them at once. A client gets 16,384 at most. With 131,072 records there is no list, and
  /// servers that need one refuse all tokens.
  public var statusListTimeToLive: Duration?
  /// Whether users log in here. Without, there are no codes and no refresh tokens, and the metadata names only what
  /// ``OpenIDProvider/grants`` need: an authorization server for programs alone.
  public var hasUsers = true

  /// The defaults.
  public init() {}

  /// Whether a request for these scopes is answered.
  func accepts(_ scopes: [String]) -> Bool { acceptsPlainOAuth || scopes.wireNames.contains("openid") }
}
