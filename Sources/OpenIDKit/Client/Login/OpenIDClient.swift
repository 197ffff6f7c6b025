import JOSE
import PureCrypto
import StrictJSON

/// Logs users in at an OpenID provider, by authorization code: for websites, and for apps without Native SSO.
///
/// ```swift
/// let client = try OpenIDClient(
///   clientID: "site", redirectURI: "https://site.example.com/callback",
///   provider: try await .discover("https://idp.example.com", transport: send), algorithms: [.es256], transport: send)
/// let (pending, url) = try await client.begin()                   // keep `pending` for this browser, send it to `url`
/// let login = try await client.finish(pending, redirect: request) // when the browser comes back
/// ```
///
/// Each login has a `state`, a `nonce` and a code challenge of its own, pushed to the provider where it takes that.
/// What comes back must answer that login and come from that provider; claims are there only of an ID token that has
/// been verified. Keep one client for each provider. If you have several that don't name themselves in their answers
/// (``OpenIDProviderMetadata/announcesIssuerInResponse``), give each a redirect URI of its own: nothing else tells
/// their answers apart.
///
/// Source: OpenID Connect Core 1.0 §3.1, RFC 7636, RFC 9126, RFC 9207, RFC 9449, RFC 9700 §2.1, §4.4.
public struct OpenIDClient: Sendable {
  /// What tokens are good with.
  public enum TokenBinding: Sendable {
    /// A bearer token: any holder can use it.
    case none
    /// With a proof by a key that is made for each login (DPoP): ``Login/proofKey``.
    case freshKey
    /// With a proof by a key of the client's, in hardware say.
    case key(SigningKey)
  }

  /// The provider's identifier and endpoints, which the client goes by.
  public let provider: OpenIDProviderMetadata
  /// The provider's keys, for verifiers of other tokens that it sends.
  public let keys: RemoteKeySet
  /// As the provider knows the client.
  public let clientID: String
  let redirectURI: String?
  var scopes: [String]
  let algorithms: [SignatureAlgorithm]
  let authentication: ClientAuthentication
  let binding: TokenBinding
  let loginLifetime: Duration
  let clock: TokenClock
  let transport: HTTPTransport
  /// The logins that were finished. A client that takes the place of another has the same.
  package var finished = FinishedLogins()
  /// Verifies the ID tokens of logins in place of ``keys`` and `algorithms`.
  package var verifyIDToken: (@Sendable (String, IDTokenRequest) async throws(JOSEError) -> VerifiedJWT<JSONObject>)?

  /// A client.
  ///
  /// - Parameters:
  ///   - clientID: as the provider knows the client.
  ///   - redirectURI: where browsers come back to, as it is registered at the provider; nil for a client of
  ///     ``logInDevice(resource:store:settings:lock:show:)`` alone.
  ///   - provider: its endpoints.
  ///   - keys: its keys; nil to fetch them from ``OpenIDProviderMetadata/keySetURL`` when they are needed.
  ///   - algorithms: those accepted of ID tokens.
  ///   - scopes: what is asked for. `openid` is added.
  ///   - authentication: how the client proves who it is. An installed app can keep no secret.
  ///   - binding: what tokens are good with.
  ///   - loginLifetime: how long a login that was begun can be finished: a minute to a day. The default is half an
  ///     hour.
  ///   - clock: tells what has expired, and waits for the ``TokenManager``s of the logins.
  ///   - transport: the caller's HTTP client, which must not follow redirects.
  /// - Throws: `ErrorCode.settingInvalid`.
  public init(
    clientID: String, redirectURI: String? = nil, provider: OpenIDProviderMetadata, keys: RemoteKeySet? = nil,
    algorithms: [SignatureAlgorithm], scopes: [String] = ["openid"],
    authentication: ClientAuthentication = .none, binding: TokenBinding = .none,
    loginLifetime: Duration = .seconds(1800), clock: TokenClock = .system, transport: @escaping HTTPTransport
  ) throws(OpenIDError) {
    let isAddress = redirectURI.map { text in
      (try? URIComponents(parsing: text)).map { $0.fragment == nil } ?? false
    }
    let isLifetime = loginLifetime >= .seconds(60) && loginLifetime <= .seconds(86_400)
    let rules = [
      ("clientID", !clientID.isEmpty), ("redirectURI", isAddress ?? true),
      ("algorithms", !algorithms.isEmpty), ("loginLifetime", isLifetime),
      ("provider", provider.pushedAuthorizationEndpoint != nil || !provider.requiresPushedRequests),
      ("keys", keys != nil || provider.keySetURL != nil),
      ("scopes", scopes.allSatisfy { !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: " ")) }),
    ]
    for (name, isValid) in rules where !isValid {
      throw OpenIDError(.settingInvalid, "a setting is out of range", name: name)
    }
    (self.clientID, self.redirectURI, self.provider) = (clientID, redirectURI, provider)
    self.scopes = scopes.wireNames.contains("openid") ? scopes : ["openid"] + scopes
    (self.algorithms, self.authentication, self.binding) = (algorithms, authentication, binding)
    (self.loginLifetime, self.clock, self.transport) = (loginLifetime, clock, transport)
    self.keys =
      keys
      ?? RemoteKeySet(
        url: provider.keySetURL ?? "", plainHTTP: provider.plainHTTP, clock: clock.wall, transport: transport)
  }

  /// Keeps the tokens of a login that has been finished, in this process or another.
  ///
  /// - Parameters:
  ///   - store: the login's.
  ///   - proofKey: ``Login/proofKey``, if the tokens are bound to a key of their own.
  ///   - settings: thresholds, pauses and time limits.
  ///   - lock: keeps other processes from refreshing the same login.
  /// - Throws: `ErrorCode.settingInvalid`, also for a key that can't sign.
  public func manager(
    store: any SecretStore, proofKey: JWK? = nil, settings: TokenSettings = TokenSettings(),
    lock: (any RefreshLock)? = nil
  ) throws(OpenIDError) -> TokenManager {
    try manager(refresher(try signingKey(proofKey)), store: store, settings: settings, lock: lock)
  }

  /// Sends requests with a login's tokens.
  ///
  /// - Parameters:
  ///   - manager: the login's.
  ///   - proofKey: ``Login/proofKey``, if the tokens are bound to a key of their own.
  /// - Throws: `ErrorCode.settingInvalid` for a key that can't sign.
  public func authorizer(
    for manager: TokenManager, proofKey: JWK? = nil
  ) throws(OpenIDError) -> RequestAuthorizer {
    RequestAuthorizer(
      manager: manager, proofKey: try signingKey(proofKey), plainHTTP: provider.plainHTTP, clock: clock.wall,
      transport: transport)
  }

  func manager(
    _ refresher: OAuthTokenRefresher, store: any SecretStore, settings: TokenSettings, lock: (any RefreshLock)?
  ) throws(OpenIDError) -> TokenManager {
    try TokenManager(
      store: store, refresher: refresher, settings: settings, idTokenCheck: idTokenCheck, lock: lock, clock: clock)
  }

  /// Verifies the ID token of a refresh. The check itself compares it with the login's.
  var idTokenCheck: IDTokenCheck {
    IDTokenCheck { idToken, accessToken in
      var request = IDTokenRequest.refresh
      request.accessToken = accessToken
      return try await verified(idToken, answering: request).claims
    }
  }

  func refresher(_ proofKey: SigningKey?, resource: String? = nil) -> OAuthTokenRefresher {
    OAuthTokenRefresher(
      tokenEndpoint: provider.tokenEndpoint, clientID: clientID, authentication: authentication,
      revocationEndpoint: provider.revocationEndpoint, resource: resource, proofKey: proofKey,
      plainHTTP: provider.plainHTTP, clock: clock.wall, transport: transport)
  }

  func verified(
    _ idToken: String, answering request: IDTokenRequest
  ) async throws(JOSEError) -> VerifiedJWT<JSONObject> {
    if let verifyIDToken { return try await verifyIDToken(idToken, request) }
    return try await verifier(answering: request).verify(idToken)
  }

  func verifier(answering request: IDTokenRequest) -> RemoteJWTVerifier {
    RemoteJWTVerifier(
      keys: keys, algorithms: algorithms,
      policy: .idToken(
        from: .openID(issuer: provider.issuer), clientID: clientID, answering: request, clock: clock.wall))
  }

  /// The key of a login: its own, or the client's.
  func signingKey(_ own: JWK?) throws(OpenIDError) -> SigningKey? {
    switch binding {
    case .none: return nil
    case .key(let key): return key
    case .freshKey:
      guard let own, let key = try? SigningKey(own) else {
        throw OpenIDError(.settingInvalid, "the login's key is absent, or can't sign", name: "proofKey")
      }
      return key
    }
  }
}

extension OpenIDClient: Redacted {}

extension OpenIDClient.TokenBinding: Redacted {}
