import JOSE
import PlatformSSOKit

/// What a provider gives once a request has been checked. Unlock keys are kept among its records.
struct LoginAnswers: IdentityProviderAnswers {
  let keyContexts: KeyContexts?

  /// The refresh token before stays good for a minute: if this answer gets lost, the Mac asks again with it, and the
  /// user isn't asked for a password.
  func tokens(for request: TokenEndpointRequest, by provider: IdentityProvider) async throws -> LoginResponse? {
    let token = try await provider.logins.makeRefreshToken(for: request.userName, on: request.request.device)
    guard let token else { return nil }
    return LoginResponse(
      idToken: try provider.idToken(for: request, subject: request.userName), refreshToken: token,
      refreshTokenExpiresIn: .seconds(28_800))
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
