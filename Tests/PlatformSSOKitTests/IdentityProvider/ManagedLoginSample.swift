import JOSE
import OpenIDKit
import PlatformSSOKit

/// Keeps the tokens of a Platform SSO login fresh.
func manager(
  of login: OpenedLoginResponse, on device: PlatformSSODevice, store: any SecretStore,
  idTokenKeys: @escaping @Sendable () async throws -> JWKSet, send: @escaping HTTPTransport
) async throws -> TokenManager {
  let refresher = OAuthTokenRefresher(
    tokenEndpoint: device.configuration.tokenEndpointURL, clientID: device.configuration.clientID,
    transport: device.refreshTransport(idTokenKeys: idTokenKeys, sending: send))
  let manager = try TokenManager(store: store, refresher: refresher)
  let outcome = RefreshOutcome(of: login.tokenResponse(at: device.clock.now))
  if case .tokens(let tokens) = outcome { try await manager.logIn(tokens) }
  return manager
}

extension PlatformSSOSession {
  /// The session of a login that a manager keeps, for
  /// ``PlatformSSODevice/canRefresh(_:method:loginFrequency:)``: until the refresh token ends, where that is known,
  /// else the access token. Nil if there is nothing to refresh.
  init?(_ record: TokenRecord) {
    guard record.isRefreshable else { return nil }
    self.init(
      received: record.issuedAt, expiration: record.refreshTokenExpiration ?? record.expiration,
      lastFullLogin: record.lastFullLogin)
  }
}
