import JOSE
import StrictJSON

/// What a ``PlatformSSOProvider`` gives once a request has been checked. Unlock keys are kept among its records.
struct PlatformSSOAnswers: IdentityProviderAnswers {
  let provider: PlatformSSOProvider
  /// Where users log in by a browser.
  let authorizationURL: String
  /// Where the page's form goes.
  let form: String

  var keyContexts: KeyContexts? { provider.keyContexts }

  func tokens(for request: TokenEndpointRequest, by provider: IdentityProvider) async throws -> LoginResponse? {
    guard let user = try await self.provider.users.user(request.userName) else { return nil }
    // Before the refresh token, which would replace the Mac's however this fails.
    let idToken = try provider.idToken(for: request, subject: user.subject, additional: user.claims)
    let lifetime = self.provider.loginLifetime
    let token = try await provider.logins.makeRefreshToken(
      for: request.userName, on: request.request.device, lifetime: lifetime)
    guard let token else { return nil }
    return LoginResponse(
      idToken: idToken, refreshToken: token, refreshTokenExpiresIn: lifetime, expiresIn: .seconds(3600))
  }

  /// By the browser, for every name alike: the answer does not tell which users there are. Only a Mac whose extension
  /// names the address asks.
  func preauthenticationAnswer(
    to request: PreauthenticationRequest, by provider: IdentityProvider
  ) -> PreauthenticationAnswer {
    let clientID = provider.configuration.clientIDs.first ?? ""
    return .webAuthorization(
      at: authorizationURL, request: provider.authorizationParameters(clientID: clientID))
  }

  func loginPage(for request: AuthorizationRequest) async throws -> HTTPResponseValue? {
    try await BrowserLogins(provider, form: form).page(for: request)
  }
}
