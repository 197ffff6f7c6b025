import JOSE
import StrictJSON

/// Renews a login of Platform SSO for a client of OAuth 2.0, for
/// ``PlatformSSODevice/refreshTransport(idTokenKeys:sending:)``.
struct RefreshTransport: Sendable {
  let device: PlatformSSODevice
  let idTokenKeys: @Sendable () async throws -> JWKSet
  let transport: HTTPTransport

  /// The answer of OAuth 2.0 to a refresh request of OAuth 2.0.
  ///
  /// - Throws: `RequestNotSent` for what fails before the refresh token leaves, and what the transport throws after.
  func response(to request: HTTPRequestValue) async throws -> HTTPResponseValue {
    // Without a refresh endpoint each renewal is a full login.
    guard device.configuration.effectiveRefreshEndpointURL != nil else {
      return Self.answer(400, ["error": "login_required"])
    }
    let refreshToken: String
    let keys: JWKSet
    let nonceRequest = device.serverNonceRequest()
    let nonceResponse: HTTPResponseValue
    do {
      refreshToken = try request.form().requiredValue("refresh_token")
      keys = try await idTokenKeys()
      nonceResponse = try await transport(nonceRequest)
    } catch {
      throw RequestNotSent()
    }
    let nonces: RequestNonces
    do throws(JOSEError) {
      nonces = try device.requestNonces(from: nonceResponse, to: nonceRequest)
    } catch {
      // A server that refuses to give nonces refuses the client, whatever becomes of the refresh token.
      return error.code == .serverRefused
        ? Self.answer(400, ["error": "invalid_request"]) : Self.answer(503, ["error": "temporarily_unavailable"])
    }
    guard let refresh = try? device.refreshRequest(refreshToken: refreshToken, nonces: nonces) else {
      return Self.answer(400, ["error": "invalid_request"])
    }
    let response = try await transport(refresh.httpRequest)
    do throws(JOSEError) {
      return Self.answer(
        200, try device.openLoginResponse(response, to: refresh, idTokenKeys: keys).tokenResponse(at: device.clock.now))
    } catch {
      if error.fault == .credentialRejected, isAboutCredential(response) {
        return Self.answer(400, ["error": "invalid_grant"])
      }
      // A success that does not open has no tokens to rely on. The rest speaks OAuth, if it speaks at all.
      if case .answer = OAuthAnswer.verdict(on: response) { return Self.answer(200, [:]) }
      return response
    }
  }

  /// Whether a refusal is the provider's word on the refresh token: without a body, or JSON that names no other error.
  /// A page is a proxy's, and ends no login.
  private func isAboutCredential(_ response: HTTPResponseValue) -> Bool {
    guard !response.body.isEmpty, device.configuration.isInvalidCredential == nil else { return true }
    guard let body = try? JSONObject(parsing: response.body, limits: OAuthAnswer.limits) else {
      return false
    }
    return body["error"]?.nameValue.map { $0 == "invalid_grant" } ?? true
  }

  private static func answer(_ status: Int, _ object: JSONObject) -> HTTPResponseValue {
    HTTPResponseValue(status: status, body: object.serialized())
  }
}
