import JOSE
import PlatformSSOKit

/// What a provider gives to who has been checked.
struct LoginAnswers: IdentityProviderAnswers {
  let keyContexts: KeyContexts?
  /// Gives a user a new refresh token on a device. The one before stays good for a minute: if this answer gets lost,
  /// the Mac asks again with it, and nobody is asked for a password.
  let giveRefreshToken: @Sendable (_ userName: String, _ deviceID: String) async throws -> String
  /// The unlock key of a user on a device: the same one whenever it is asked for.
  let unlockKey: @Sendable (_ userName: String, _ deviceID: String) async throws -> UnlockKey

  func tokens(for request: TokenEndpointRequest, by provider: IdentityProvider) async throws -> LoginResponse? {
    LoginResponse(
      idToken: try provider.idToken(for: request, subject: request.userName),
      refreshToken: try await giveRefreshToken(request.userName, request.request.device.id),
      refreshTokenExpiresIn: 28_800)
  }

  func unlockKey(for request: KeyEndpointRequest) async throws -> UnlockKey? {
    try await unlockKey(request.userName, request.request.device.id)
  }
}

/// A provider's one address for everything that Macs send.
struct LoginEndpoint {
  let provider: IdentityProvider
  let answers: LoginAnswers

  func respond(to request: HTTPRequestValue) async -> HTTPResponseValue {
    do {
      return try await provider.response(to: request, with: answers)
    } catch {
      return provider.errorResponse(for: error)
    }
  }
}
