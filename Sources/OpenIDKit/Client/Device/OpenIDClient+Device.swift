import JOSE
import PureCrypto
import StrictJSON

extension OpenIDClient {
  /// Logs in a user who answers on another device, where there is a browser: for televisions, terminals and whatever
  /// else has none.
  ///
  /// ```swift
  /// let login = try await client.logInDevice { codes in
  ///   print("Open \(codes.verificationURI) and type \(codes.userCode)")
  /// }
  /// ```
  ///
  /// It returns once the user has answered, or the time for that is over. Where there is a browser,
  /// ``begin(maximumAge:parameters:)`` is safer: a user who is made to type a code logs in another's device.
  /// - Parameters:
  ///   - resource: what the tokens are for (RFC 8707), if the provider is told.
  ///   - store: where the login's tokens are kept.
  ///   - settings: of the login's ``TokenManager``.
  ///   - lock: keeps other processes from refreshing the same login.
  ///   - show: shows the user where to go, and the code to type there.
  /// - Throws: `ErrorCode.authorizationRefused` with the name `access_denied` if the user refuses;
  ///   `ErrorCode.loginOver` if the time is over; `ErrorCode.cancelled`; `ErrorCode.settingInvalid` if the provider has
  ///   no such endpoint; `ErrorCode.configuration` if it refuses the client; `ErrorCode.temporarilyUnavailable` if it
  ///   can't be asked for codes, or for the keys of the ID token; `ErrorCode.answerMalformed`;
  ///   `ErrorCode.identityTokenInvalid` with the claim's name; `ErrorCode.storeUnavailable`.
  ///
  /// Source: RFC 8628; RFC 9449 §5, with the key of the first request for each of them.
  public func logInDevice(
    resource: String? = nil, store: any SecretStore = MemorySecretStore(), settings: TokenSettings = TokenSettings(),
    lock: (any RefreshLock)? = nil, show: @Sendable (DeviceAuthorization) async -> Void
  ) async throws(OpenIDError) -> Login {
    guard let endpoint = provider.deviceAuthorizationEndpoint else {
      throw OpenIDError(
        .settingInvalid, "the provider logs in no devices so", name: "device_authorization_endpoint")
    }
    var proofKey: JWK?
    if case .freshKey = binding { proofKey = .generate(.es256) }
    let key = try signingKey(proofKey)
    // Settings that are wrong ask no user.
    let manager = try manager(refresher(key, resource: resource), store: store, settings: settings, lock: lock)
    let client = TokenClient(
      clientID: clientID, authentication: authentication, proofKey: key, plainHTTP: provider.plainHTTP,
      clock: clock.wall, transport: transport)
    let grant = DeviceCodeGrant(
      client: client, tokenEndpoint: provider.tokenEndpoint, resource: resource, clock: clock)
    let code = try await grant.tokens(scope: scopes.joined(separator: " "), codesFrom: endpoint, show: show)
    let redeemed: RedeemedLogin
    do throws(LoginFault) {
      redeemed = try await judged(code, answering: IDTokenRequest(nonce: nil))
    } catch {
      throw OpenIDError(error)
    }
    return try await login(redeemed, scopes, manager, proofKey)
  }
}
