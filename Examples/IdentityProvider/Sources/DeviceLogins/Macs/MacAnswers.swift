import IdentityProvider
import JOSE
import PlatformSSOKit

/// Answers a Mac's request that the provider has checked, and writes a row to the audit log.
struct MacAnswers: IdentityProviderAnswers {
  let endpoint: MacEndpoint
  /// The address that sent the request.
  let source: SourceAddress

  var keyContexts: KeyContexts? { endpoint.secrets.keyContexts }

  func tokens(for request: TokenEndpointRequest, by provider: IdentityProvider) async throws -> LoginResponse? {
    let (userName, device) = (request.userName, request.request.device)
    let lifetime = Duration.seconds(endpoint.settings.refreshTokenLifetime)
    guard let account = try await endpoint.host.account(named: userName) else { return nil }
    let idToken = try provider.idToken(for: request, subject: account.id, additional: claims(of: account))
    let token = try await provider.logins.makeRefreshToken(for: userName, on: device, lifetime: lifetime)
    guard let token else { return nil }
    if case .refreshToken = request.credential {
      await endpoint.record("device.refreshed", userName, device, source)
    } else {
      await endpoint.record("device.login", userName, device, source, detail: "\(request.credential.method)")
    }
    return LoginResponse(
      idToken: idToken, refreshToken: token, refreshTokenExpiresIn: lifetime, expiresIn: .seconds(3600))
  }

  func unlockKey(for request: KeyEndpointRequest, by provider: IdentityProvider) async throws -> UnlockKey? {
    let (userName, device) = (request.userName, request.request.device)
    let key = try await provider.logins.unlockKey(
      of: userName, on: device, sealedBy: endpoint.secrets.keyContexts)
    guard let key else { return nil }
    let event = request.otherPublicKeyX963Representation == nil ? "device.key" : "device.key.used"
    await endpoint.record(event, userName, device, source)
    return key
  }

  /// The same for every name, so that a client can't learn which users exist.
  func preauthenticationAnswer(
    to request: PreauthenticationRequest, by provider: IdentityProvider
  ) -> PreauthenticationAnswer {
    guard endpoint.settings.method == .openID else { return .managed }
    return .webAuthorization(
      at: endpoint.addresses.issuer + MacAddresses.authorization,
      request: provider.authorizationParameters(clientID: endpoint.settings.clientID))
  }

  func loginPage(for request: AuthorizationRequest) throws -> HTTPResponseValue? { try endpoint.begin(request) }

  /// The claims about a user in ID tokens, for the profile's TokenToUserMapping and groups. A product's extension may
  /// read the permanent name from a claim other than `sub`.
  private func claims(of account: User) -> JSONObject {
    var claims: JSONObject = ["preferred_username": .string(account.username), "email": .string(account.email)]
    for name in ["name", "given_name", "family_name", "groups", "picture"] {
      if let value = account.claims[name] { claims[name] = value }
    }
    let name = endpoint.addresses.loginConfiguration(endpoint.settings).uniqueIdentifierClaimName
    if name != "sub" { claims[name] = .string(account.id) }
    return claims
  }
}

extension LoginCredential {
  /// The name in the audit log.
  fileprivate var method: String {
    switch self {
    case .password: "password"
    case .encryptedPassword: "encrypted password"
    case .userKey: "user key"
    case .smartCard: "smart card"
    case .webAuthorization: "browser"
    case .refreshToken: "refresh token"
    }
  }
}
