import JOSE
import PlatformSSOKit

/// Sends requests and returns responses: a URLSession, say, or a provider in the same process.
typealias Transport = @Sendable (HTTPRequestValue) async throws -> HTTPResponseValue

/// A Mac that logs a user in, keeps the tokens fresh, and fetches a key.
struct TestMac {
  let device: PlatformSSODevice
  let user: UserLoginConfiguration
  let idTokenKeys: JWKSet
  let send: Transport

  /// One fresh server nonce precedes each request.
  func nonces() async throws -> RequestNonces {
    let request = device.serverNonceRequest()
    return try device.requestNonces(from: await send(request), to: request)
  }

  func logIn(password: String) async throws -> OpenedLoginResponse {
    let request = try device.loginRequest(of: user, by: .password(password), nonces: await nonces())
    return try device.openLoginResponse(await send(request.httpRequest), to: request, idTokenKeys: idTokenKeys)
  }

  /// New tokens without the user's help, where the rules allow it; nil if he must log in.
  func refresh(_ login: OpenedLoginResponse, in session: PlatformSSOSession) async throws -> OpenedLoginResponse? {
    guard device.canRefresh(session, method: .password) else { return nil }
    let request = try device.refreshRequest(refreshToken: login.response.refreshToken, nonces: await nonces())
    return try device.openLoginResponse(await send(request.httpRequest), to: request, idTokenKeys: idTokenKeys)
  }

  func unlockKey(_ login: OpenedLoginResponse) async throws -> KeyResponse {
    let request = try device.keyRequest(
      of: user, refreshToken: login.response.refreshToken, nonces: await nonces())
    return try device.openKeyResponse(await send(request.httpRequest), to: request)
  }
}
