import JOSE
import OpenIDKit
import StrictJSON

/// What a client of Native SSO needs to know.
public struct NativeSSOClientConfiguration: Sendable {
  package var clientID: String
  package var redirectURI: String
  /// The app's name in the shared store, for diagnosis.
  package var writer: String
  package var metadata: OpenIDProviderMetadata
  package var profile: ProviderProfile
  package var scopes: [String]
  /// Whether an exchange that fails over a scope may be repeated with `openid` alone.
  public var scopesAreOptional: Bool
  package var authentication: ClientAuthentication
  /// The key that tokens are bound to (DPoP), if they are: each request for tokens has a proof by it. A
  /// `RequestAuthorizer` for the app's tokens gets the same key, and it must outlive the login: in hardware say.
  public var proofKey: SigningKey?
  package var keys: @Sendable (_ refreshing: Bool) async throws -> JWKSet
  package var transport: HTTPTransport
  /// Where "now" comes from.
  public var clock: WallClock
  /// By how much clocks may differ.
  public var leeway: Duration
  /// Waits between two attempts.
  package var sleep: @Sendable (Duration) async -> Void

  /// A configuration with prudent defaults.
  ///
  /// - Parameters:
  ///   - clientID: the app's `client_id`.
  ///   - redirectURI: where the provider sends the browser back to.
  ///   - metadata: the provider.
  ///   - profile: the provider's ways.
  ///   - scopes: what the app wants. `openid` is added.
  ///   - authentication: how the app authenticates.
  ///   - keys: the provider's keys. The argument tells that a token names a key that the last answer did not have: then
  ///     throw, if the provider can't be asked again now. What throws says nothing about the token, so no login ends by
  ///     it.
  ///   - transport: carries requests. Whatever it throws counts as a network failure.
  ///   - clock: where "now" comes from.
  public init(
    clientID: String, redirectURI: String, metadata: OpenIDProviderMetadata, profile: ProviderProfile = .standard,
    scopes: [String] = ["openid"], authentication: ClientAuthentication = .none,
    keys: @escaping @Sendable (_ refreshing: Bool) async throws -> JWKSet, transport: @escaping HTTPTransport,
    clock: WallClock = .system
  ) {
    self.clientID = clientID
    self.redirectURI = redirectURI
    self.writer = clientID
    self.metadata = metadata
    self.profile = profile
    self.scopes = scopes.contains(Scope.openID) ? scopes : [Scope.openID.text] + scopes
    scopesAreOptional = false
    (self.authentication, self.keys, self.transport, self.clock) = (authentication, keys, transport, clock)
    leeway = .seconds(60)
    sleep = { try? await Task.sleep(for: min($0, RecoveryDecision.maximumPause)) }
  }

  /// The same with the provider's key set, which is asked for again as `RemoteKeySet` says, and when a token names a
  /// key that it doesn't have.
  public init(
    clientID: String, redirectURI: String, metadata: OpenIDProviderMetadata, profile: ProviderProfile = .standard,
    scopes: [String] = ["openid"], authentication: ClientAuthentication = .none, keys: RemoteKeySet,
    transport: @escaping HTTPTransport, clock: WallClock = .system
  ) {
    self.init(
      clientID: clientID, redirectURI: redirectURI, metadata: metadata, profile: profile, scopes: scopes,
      authentication: authentication, keys: { try await keys.keys(refreshing: $0) }, transport: transport,
      clock: clock)
  }

  /// The client's secret, if it has one, which no error may show.
  var clientSecret: [String] { ClientCredentials(clientID: clientID, authentication: authentication).secrets }

  /// Whether `device_sso` is asked for.
  var requestsDeviceSSO: Bool {
    switch profile.deviceSSOScope {
    case .always: true
    case .never: false
    case .byDiscovery:
      metadata.announcesNativeSSO == nil || metadata.announcesDeviceSSOScope
    }
  }

  /// Whether a token exchange makes sense.
  var supportsExchange: Bool { profile.assumesSupport || metadata.announcesNativeSSO != false }

  /// Sends requests for tokens, and revokes them.
  var tokenRequests: OAuthTokenRefresher {
    OAuthTokenRefresher(
      tokenEndpoint: metadata.tokenEndpoint, clientID: clientID, authentication: authentication,
      revocationEndpoint: metadata.revocationEndpoint, proofKey: proofKey, plainHTTP: metadata.plainHTTP, clock: clock,
      transport: transport)
  }

  /// What logs in through the browser.
  ///
  /// - Parameter finished: the logins that were finished before.
  /// - Throws: `ErrorCode.settingInvalid`.
  func openIDClient(_ finished: FinishedLogins) throws(OpenIDError) -> OpenIDClient {
    var (scopes, clock) = (scopes, TokenClock.system)
    if requestsDeviceSSO, !scopes.contains(Scope.deviceSSO) { scopes.append(Scope.deviceSSO.text) }
    clock.wall = self.clock
    var client = try OpenIDClient(
      clientID: clientID, redirectURI: redirectURI, provider: metadata, algorithms: SignatureAlgorithm.asymmetric,
      scopes: scopes, authentication: authentication,
      binding: proofKey.map { OpenIDClient.TokenBinding.key($0) } ?? OpenIDClient.TokenBinding.none, clock: clock,
      transport: transport)
    let verification = IDTokenVerification(configuration: self)
    client.finished = finished
    client.verifyIDToken = { (token, request) async throws(JOSEError) in
      try await verification.verify(token, answering: request)
    }
    return client
  }
}
