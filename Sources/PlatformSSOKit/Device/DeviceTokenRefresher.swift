import PureCrypto
import JOSE
import StrictJSON
import OpenIDKit

/// Lets a `TokenManager` renew a login of Platform SSO: the same manager, the same guarantees, another request.
///
/// Each refresh asks for a server nonce, sends one signed refresh request and opens the encrypted answer. Keys must
/// answer in this process; with one that answers later, conform to `TokenRefresher` with
/// ``PlatformSSODevice/prepareRefreshRequest(refreshToken:nonces:authorizationScope:)``.
///
/// ```swift
/// let refresher = DeviceTokenRefresher(device: device, transport: send) { try await keySet() }
/// let manager = try TokenManager(store: store, refresher: refresher)
/// try await manager.logIn(refresher.tokens(of: login))
/// let token = try await manager.validToken()
/// ```
///
/// Source: Apple, Creating a refresh request.
public struct DeviceTokenRefresher: TokenRefresher {
  private let device: PlatformSSODevice
  private let transport: HTTPTransport
  private let idTokenKeys: @Sendable () async throws -> JWKSet

  /// A refresher.
  ///
  /// - Parameters:
  ///   - device: configuration and keys. Its clock should be the manager's.
  ///   - transport: sends a request and returns the response. It must not follow redirects, and throws
  ///     `RequestNotSent` if the request certainly did not leave.
  ///   - idTokenKeys: the provider's key set. Asked before the refresh token is sent.
  public init(
    device: PlatformSSODevice, transport: @escaping HTTPTransport,
    idTokenKeys: @escaping @Sendable () async throws -> JWKSet
  ) {
    self.device = device
    self.transport = transport
    self.idTokenKeys = idTokenKeys
  }

  /// What a manager keeps of a login response.
  ///
  /// The access token is the member `access_token` if the provider sends one, and else the `id_token`, which is what
  /// apps get from Platform SSO. Without `expires_in` it lasts as long as the `id_token`.
  public func tokens(of login: OpenedLoginResponse) -> RefreshedTokens {
    let response = login.response
    let remaining = login.idToken.expiration.secondsSince1970 - device.clock.now.secondsSince1970
    return RefreshedTokens(
      accessToken: response.additional["access_token"]?.stringValue ?? response.idToken,
      tokenType: response.tokenType ?? "Bearer", expiresIn: response.expiresIn.map(Double.init) ?? max(0, remaining),
      refreshToken: response.refreshToken, refreshTokenExpiresIn: response.refreshTokenExpiresIn.map(Double.init),
      scope: response.additional["scope"]?.stringValue, idToken: response.idToken)
  }

  /// Sends one refresh request and reads the answer.
  ///
  /// What fails before the refresh token leaves counts as not sent, so that the manager asks again without doubt.
  public func refresh(_ attempt: RefreshAttempt) async -> RefreshOutcome {
    let keys: JWKSet
    let nonceRequest = device.serverNonceRequest()
    let nonceResponse: HTTPResponseValue
    do {
      keys = try await idTokenKeys()
      nonceResponse = try await transport(nonceRequest.httpRequest)
    } catch {
      return .failed(RefreshFailure(.notSent))
    }
    guard let nonces = try? device.requestNonces(from: nonceResponse, to: nonceRequest) else {
      return .failed(RefreshFailure(.serverBusy))
    }
    guard let request = try? device.refreshRequest(refreshToken: attempt.refreshToken, nonces: nonces) else {
      return .failed(RefreshFailure(.misconfigured(nil)))
    }
    do {
      return outcome(of: try await transport(request.httpRequest), to: request, keys)
    } catch is RequestNotSent {
      return .failed(RefreshFailure(.notSent))
    } catch {
      return .failed(RefreshFailure(.noAnswer))
    }
  }

  /// Does nothing: Platform SSO has no request that gives a refresh token back.
  public func revoke(refreshToken: String) async {}

  /// Whether a refusal is the provider's word on the refresh token: without a body, or JSON that names no other error.
  /// A page is a proxy's, and ends no login.
  private func isAboutCredential(_ response: HTTPResponseValue) -> Bool {
    guard !response.body.isEmpty, device.configuration.isInvalidCredential == nil else { return true }
    guard let body = try? JSONObject(parsing: response.body, limits: .init(maximumByteCount: 64 * 1024)) else {
      return false
    }
    return body["error"]?.stringValue.map { $0.hasSameBytes(as: "invalid_grant") } ?? true
  }

  private func outcome(of response: HTTPResponseValue, to request: DeviceRequest, _ keys: JWKSet) -> RefreshOutcome {
    do throws(PlatformSSOError) {
      return .tokens(tokens(of: try device.openLoginResponse(response, to: request, idTokenKeys: keys)))
    } catch {
      if error.fault == .credentialRejected, isAboutCredential(response) {
        return .failed(RefreshFailure(.invalidGrant))
      }
      // Other refusals speak OAuth, if they speak at all. A 200 that does not open is not an answer to rely on.
      return response.status == 200
        ? .failed(RefreshFailure(.unusableAnswer)) : OAuthTokenResponse.outcome(of: response)
    }
  }
}

extension DeviceTokenRefresher: Redacted {}
