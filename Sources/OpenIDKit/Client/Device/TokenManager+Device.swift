import JOSE
import PureCrypto

extension TokenManager {
  /// Keeps the tokens of a user who answers on another device, at a server of plain OAuth: there is no ID token, and
  /// who the user is, ``OpenIDClient/logInDevice(resource:store:settings:lock:show:)`` tells.
  ///
  /// - Parameters:
  ///   - authorizationEndpoint: `device_authorization_endpoint`, by `https`.
  ///   - tokenEndpoint: the absolute address, by `https`.
  ///   - clientID: as the server knows the client.
  ///   - authentication: how the client proves that.
  ///   - scope: what is asked for; nil for whatever the server gives.
  ///   - resource: what the tokens are for (RFC 8707), if the server is told.
  ///   - proofKey: the key that the tokens are bound to (DPoP), if they are. The ``RequestAuthorizer`` gets the same.
  ///   - store: where the tokens are kept.
  ///   - settings: thresholds, pauses and time limits.
  ///   - plainHTTP: whether the endpoints may be on this machine, without TLS.
  ///   - clock: tells what has expired, and waits.
  ///   - transport: the caller's HTTP client, which must not follow redirects.
  ///   - show: shows the user where to go, and the code to type there.
  /// - Throws: as ``OpenIDClient/logInDevice(resource:store:settings:lock:show:)``.
  ///
  /// Source: RFC 8628.
  public static func device(
    authorizationEndpoint: String, tokenEndpoint: String, clientID: String,
    authentication: ClientAuthentication = .none,
    scope: String? = nil, resource: String? = nil, proofKey: SigningKey? = nil,
    store: any SecretStore = MemorySecretStore(), settings: TokenSettings = TokenSettings(),
    plainHTTP: PlainHTTP = .refused, clock: TokenClock = .system, transport: @escaping HTTPTransport,
    show: @Sendable (DeviceAuthorization) async -> Void
  ) async throws(OpenIDError) -> TokenManager {
    let refresher = OAuthTokenRefresher(
      tokenEndpoint: tokenEndpoint, clientID: clientID, authentication: authentication, resource: resource,
      proofKey: proofKey, plainHTTP: plainHTTP, clock: clock.wall, transport: transport)
    let manager = try TokenManager(store: store, refresher: refresher, settings: settings, clock: clock)
    let client = TokenClient(
      clientID: clientID, authentication: authentication, proofKey: proofKey, plainHTTP: plainHTTP, clock: clock.wall,
      transport: transport)
    let grant = DeviceCodeGrant(client: client, tokenEndpoint: tokenEndpoint, resource: resource, clock: clock)
    let code = try await grant.tokens(scope: scope, codesFrom: authorizationEndpoint, show: show)
    // Nothing was awaited since they came.
    try await manager.logIn(code.tokens, scope: scope)
    return manager
  }
}
