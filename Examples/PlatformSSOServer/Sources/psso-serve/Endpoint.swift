import JOSE
import PlatformSSOKit
import PureCrypto

/// Answers all requests to the provider, independent of the HTTP framework.
struct Endpoint: Sendable {
  let settings: Settings
  let users: Users
  let provider: IdentityProvider
  let keyContexts: KeyContexts?
  let keySet: JWKSet
  /// If nil, registrations need a token and no attestation.
  let attestation: AttestationPolicy?
  /// Logins that wait for a password in a browser.
  let pages = LoginPages()

  /// Methods and paths.
  static let routes = [
    ("GET", "/jwks"), ("GET", "/.well-known/apple-app-site-association"), ("POST", "/register"),
    ("POST", "/register/user"), ("POST", "/psso/nonce"), ("POST", "/psso/token"), ("POST", "/psso/key"),
    ("GET", "/psso/discovery"), ("POST", "/psso/authorize"), ("POST", "/psso/login"),
  ]

  /// The answer, and for the log the reason of a refusal.
  func respond(to request: HTTPRequestValue) async -> (response: HTTPResponseValue, refusal: String?) {
    do {
      return (try await answer(request), nil)
    } catch let error as JOSEError {
      // The description names the check that failed and the member, and repeats nothing that the Mac sent, so it may be
      // logged.
      return (provider.errorResponse(for: error), "\(error)")
    } catch {
      return (HTTPResponseValue(status: 503), "\(error)")
    }
  }

  private func answer(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    switch String(request.url.prefix { $0 != "?" }) {
    case "/jwks":
      return json(keySet.serialized())
    case "/.well-known/apple-app-site-association":
      let apps: JSONObject = ["apps": .array(settings.apps.map { .string($0) })]
      return json((["authsrv": .object(apps)] as JSONObject).serialized())
    case "/register":
      return try await register(request)
    case "/register/user":
      return try await registerUser(request)
    case "/psso/login":
      return try await pages.logIn(request, provider: provider, users: users)
    default:
      return try await provider.response(to: request, with: self)
    }
  }

  private func json(_ body: [UInt8], status: Int = 200) -> HTTPResponseValue {
    var response = HTTPResponseValue(status: status, body: body)
    try? response.headers.append("Content-Type", "application/json")
    return response
  }

  // MARK: Registration

  /// A Mac's keys. The profile's token says that an administrator knows the Mac, the attestation that the key is in a
  /// Secure Enclave, and in which one. A Mac that has lost its keys must be removed before it can register again.
  private func register(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    let expected = Array(settings.registrationToken.utf8)
    let policy = RegistrationPolicy(attestation: attestation) { registration in
      ConstantTime.equal(Array((registration.registrationToken ?? "").utf8), expected)
    }
    let device = try await provider.registerDevice(from: request, by: policy)
    return json((["device_id": .string(device.id)] as JSONObject).serialized(), status: 201)
  }

  /// A user's Secure Enclave key, on a Mac where the user has logged in: the refresh token from there stands for an
  /// access token.
  private func registerUser(_ request: HTTPRequestValue) async throws -> HTTPResponseValue {
    _ = try await provider.registerUser(from: request, attestedBy: attestation)
    return json(Array("{}".utf8), status: 201)
  }
}

// MARK: Answers to Macs, after the provider has checked their requests

extension Endpoint: IdentityProviderAnswers {
  func tokens(for request: TokenEndpointRequest, by provider: IdentityProvider) async throws -> LoginResponse? {
    guard let user = users.user(request.userName) else { return nil }
    let idToken = try provider.idToken(for: request, subject: user.subject, additional: user.claims)
    guard let token = try await provider.logins.makeRefreshToken(for: user.name, on: request.request.device) else {
      return nil
    }
    return LoginResponse(
      idToken: idToken, refreshToken: token, refreshTokenExpiresIn: .seconds(28_800), expiresIn: .seconds(3600))
  }

  func preauthenticationAnswer(
    to request: PreauthenticationRequest, by provider: IdentityProvider
  ) -> PreauthenticationAnswer {
    let parameters = provider.authorizationParameters(clientID: settings.clientID)
    return .webAuthorization(at: settings.baseURL + "/psso/authorize", request: parameters)
  }

  func loginPage(for request: AuthorizationRequest) async -> HTTPResponseValue? { await pages.page(for: request) }
}

extension Settings.User {
  /// The claims that the profile's TokenToUserMapping and groups refer to.
  fileprivate var claims: JSONObject {
    var claims: JSONObject = ["preferred_username": .string(name)]
    if let fullName { claims["name"] = .string(fullName) }
    if let groups { claims["groups"] = .array(groups.map { .string($0) }) }
    return claims
  }
}
