import JOSE
import StrictJSON

extension PlatformSSODevice {
  /// Asks for new tokens with the last refresh token, so that the user need not log in again.
  ///
  /// The request names no user: the provider finds the user by the token.
  ///
  /// Source: Apple, Creating a refresh request.
  /// - Parameters:
  ///   - refreshToken: the last one that the provider gave.
  ///   - nonces: fresh ones, from the answer to a server nonce request.
  ///   - authorizationScope: what the refresh is for, sent if the configuration wants it (macOS 27).
  /// - Throws: ``PlatformSSOErrorCode/customClaimReserved``, ``PlatformSSOErrorCode/externalKeyFailed``, and
  ///   ``PlatformSSOErrorCode/callerMisuse`` if there is no refresh endpoint or the signing key answers later.
  public func refreshRequest(
    refreshToken: String, nonces: RequestNonces, authorizationScope: AuthorizationScope = .refresh
  ) throws(PlatformSSOError) -> DeviceRequest {
    try signed(refreshDraft(refreshToken: refreshToken, nonces: nonces, authorizationScope: authorizationScope))
  }

  /// As ``refreshRequest(refreshToken:nonces:authorizationScope:)``, for a signer that answers later.
  ///
  /// - Throws: ``PlatformSSOErrorCode/customClaimReserved``, ``PlatformSSOErrorCode/callerMisuse`` if there is no refresh endpoint.
  public func prepareRefreshRequest(
    refreshToken: String, nonces: RequestNonces, authorizationScope: AuthorizationScope = .refresh
  ) throws(PlatformSSOError) -> PreparedDeviceRequest {
    try prepared(refreshDraft(refreshToken: refreshToken, nonces: nonces, authorizationScope: authorizationScope))
  }

  private func refreshDraft(
    refreshToken: String, nonces: RequestNonces, authorizationScope: AuthorizationScope = .refresh
  ) throws(PlatformSSOError) -> DeviceRequestDraft {
    guard let url = configuration.effectiveRefreshEndpointURL else {
      throw PlatformSSOError(.callerMisuse, "the configuration has no refresh endpoint", name: "refreshEndpointURL")
    }
    let (issuedAt, expiration) = lifetime()
    return DeviceRequestDraft(
      message: .refresh, type: .refreshRequest, responseType: .loginResponse, url: url,
      version: configuration.refreshRequestVersion, nonces: nonces,
      claims: [
        "client_id": .string(configuration.clientID),
        "iss": .string(configuration.clientID),
        "iat": issuedAt,
        "exp": expiration,
        "scope": .string(configuration.scope(configuration.included(authorizationScope))),
        "nonce": .string(nonces.clientNonce),
        "aud": .string(configuration.refreshAudience == .tokenEndpoint ? configuration.tokenEndpointURL : url),
        "grant_type": .string(GrantType.refreshToken),
        "refresh_token": .string(refreshToken),
      ],
      reservedClaims: [], customClaims: configuration.customRefreshRequestClaims,
      // Apple names the requests that have the profile's header fields, and this is none of them.
      customValues: configuration.customRefreshRequestValues, additionalHTTPHeaders: .none)
  }
}

extension LoginConfiguration {
  /// Where refresh requests go, or nil if there are none.
  var effectiveRefreshEndpointURL: String? {
    if let refreshEndpointURL { return refreshEndpointURL }
    return refreshWithoutEndpoint == .tokenEndpoint ? tokenEndpointURL : nil
  }
}
