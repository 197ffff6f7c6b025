import JOSE
import StrictJSON

extension PlatformSSODevice {
  /// A transport by which a client of OAuth 2.0, such as OpenIDKit's refresher, renews a login of Platform SSO: its
  /// refresh request is sent as Platform SSO's, and the encrypted answer comes back as an answer of OAuth 2.0.
  ///
  /// Each refresh asks for a server nonce, sends one signed refresh request and opens the answer. Keys must answer in
  /// this process. Of the form `refresh_token` alone is read. Without a refresh endpoint each answer is
  /// `login_required`.
  ///
  /// Source: Apple, Creating a refresh request; RFC 6749.
  /// - Parameters:
  ///   - idTokenKeys: the provider's key set. Asked before the refresh token is sent.
  ///   - transport: must not follow redirects, and throws `RequestNotSent` if the request certainly did not leave.
  /// - Returns: throws `RequestNotSent` for what fails before the refresh token leaves, and what `transport` throws
  ///   after.
  public func refreshTransport(
    idTokenKeys: @escaping @Sendable () async throws -> JWKSet, sending transport: @escaping HTTPTransport
  ) -> HTTPTransport {
    { try await refresh($0, idTokenKeys, transport) }
  }

  private func refresh(
    _ request: HTTPRequestValue, _ idTokenKeys: () async throws -> JWKSet, _ transport: HTTPTransport
  ) async throws -> HTTPResponseValue {
    // Without a refresh endpoint each renewal is a full login.
    guard configuration.effectiveRefreshEndpointURL != nil else {
      return Self.answer(400, ["error": "login_required"])
    }
    let refreshToken: String
    let keys: JWKSet
    let nonceRequest = serverNonceRequest()
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
      nonces = try requestNonces(from: nonceResponse, to: nonceRequest)
    } catch {
      // A server that refuses to give nonces refuses the client, whatever becomes of the refresh token.
      return error.code == .serverRefused
        ? Self.answer(400, ["error": "invalid_request"]) : Self.answer(503, ["error": "temporarily_unavailable"])
    }
    guard let refresh = try? refreshRequest(refreshToken: refreshToken, nonces: nonces) else {
      return Self.answer(400, ["error": "invalid_request"])
    }
    let response = try await transport(refresh.httpRequest)
    do throws(JOSEError) {
      return Self.answer(
        200, try openLoginResponse(response, to: refresh, idTokenKeys: keys).tokenResponse(at: clock.now))
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
    guard !response.body.isEmpty, configuration.isInvalidCredential == nil else { return true }
    guard let body = try? JSONObject(parsing: response.body, limits: OAuthAnswer.limits) else {
      return false
    }
    return body["error"]?.stringValue.map { $0.hasSameBytes(as: "invalid_grant") } ?? true
  }

  private static func answer(_ status: Int, _ object: JSONObject) -> HTTPResponseValue {
    HTTPResponseValue(status: status, body: object.serialized())
  }
}

extension OpenedLoginResponse {
  /// The tokens as a token response of OAuth 2.0 (RFC 6749 §5.1).
  ///
  /// The access token is the member `access_token` if the provider sends one, and else the `id_token`, which is what
  /// apps get from Platform SSO. Without `expires_in` it lasts as long as the `id_token` from `now` on.
  public func tokenResponse(at now: NumericDate) -> JSONObject {
    var object: JSONObject = [
      "access_token": .string(response.additional["access_token"]?.stringValue ?? response.idToken),
      "token_type": .string(response.tokenType ?? "Bearer"), "refresh_token": .string(response.refreshToken),
      "expires_in": .number(
        JSONNumber(
          response.expiresIn?.wholeSeconds
            ?? max(1, (idToken.registeredClaims.expiration ?? now).wholeSeconds - now.wholeSeconds))),
      "id_token": .string(response.idToken),
    ]
    if let seconds = response.refreshTokenExpiresIn?.wholeSeconds {
      object["refresh_token_expires_in"] = .number(JSONNumber(seconds))
    }
    if let scope = response.additional["scope"]?.stringValue { object["scope"] = .string(scope) }
    return object
  }
}
