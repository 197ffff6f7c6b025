import JOSE
import PlatformSSO

/// A provider's one address for everything that Macs send.
struct LoginEndpoint {
  let provider: IdentityProvider
  let keyContexts: KeyContexts
  /// Gives a user a new refresh token on a device. The one before stays good for a minute: if this answer gets lost, the Mac asks again
  /// with it, and nobody is asked for a password.
  let giveRefreshToken: @Sendable (_ userName: String, _ deviceID: String) async throws -> String
  /// The unlock key of a user on a device: the same one whenever it is asked for.
  let unlockKey: @Sendable (_ userName: String, _ deviceID: String) async throws -> UnlockKey

  func respond(to request: HTTPRequestValue) async -> HTTPResponseValue {
    do {
      return try await answer(request)
    } catch let error as PlatformSSOError {
      return provider.errorResponse(for: error)
    } catch {
      return HTTPResponseValue(status: 503)
    }
  }

  private func answer(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    switch try provider.kind(of: request) {
    case .serverNonce:
      return try await provider.nonceResponse(to: request)
    case .login:
      let login = try await provider.loginRequest(from: request)
      let idToken = try provider.idToken(for: login, subject: login.userName)
      let refreshToken = try await giveRefreshToken(login.userName, login.request.device.id)
      return try provider.loginResponse(
        to: login, LoginResponse(idToken: idToken, refreshToken: refreshToken, refreshTokenExpiresIn: 28_800))
    case .refresh:
      let refresh = try await provider.refreshRequest(from: request)
      let idToken = try provider.idToken(for: refresh, subject: refresh.grant.userName)
      let refreshToken = try await giveRefreshToken(refresh.grant.userName, refresh.request.device.id)
      return try provider.loginResponse(
        to: refresh, LoginResponse(idToken: idToken, refreshToken: refreshToken, refreshTokenExpiresIn: 28_800))
    case .keyEndpoint:
      return try await answerKeyRequest(request)
    case .preauthentication:
      return try provider.preauthenticationResponse(
        to: provider.preauthenticationRequest(from: request), .managed)
    case .authorization:
      _ = try await provider.authorizationRequest(from: request)
      // Show the login page here, and send the browser to callbackURL(code:) of the request in the end.
      return HTTPResponseValue(status: 501)
    }
  }

  private func answerKeyRequest(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    switch try await provider.keyEndpointRequest(from: request) {
    case .key(let asked):
      let deviceID = asked.request.device.id
      let key = try await unlockKey(asked.userName, deviceID)
      return try provider.keyResponse(
        to: asked, certificate: key.selfSignedCertificate(commonName: "Unlock key", notBefore: provider.clock.now),
        keyContext: keyContexts.seal(key, userName: asked.userName, deviceID: deviceID))
    case .keyExchange(let asked):
      let deviceID = asked.request.device.id
      guard let context = asked.keyContext else { return HTTPResponseValue(status: 400) }
      let key = try keyContexts.open(context, userName: asked.userName, deviceID: deviceID)
      return try provider.keyExchangeResponse(to: asked, unlockKey: key)
    }
  }
}
