import GRDBStores
import IdentityProvider
import JOSE
import JOSEHTTP
import PlatformSSO
import PureCrypto

/// Everything that Macs are answered, whatever carries the requests.
struct MacEndpoint: Sendable {
  let settings: MacSettings
  let addresses: MacAddresses
  let database: ProviderDatabase
  let secrets: MacSecrets
  let host: DeviceHost
  let attestation: AttestationPolicy?
  let pages: BrowserLogins

  /// What this provider refuses, and the library doesn't.
  struct Refusal: Error {
    var status: Int
    var code: String
    var reason: String
  }

  /// The provider's side of the protocol, for one request.
  func provider(source: String) async throws -> IdentityProvider {
    try IdentityProvider(
      configuration: addresses.providerConfiguration(settings), serverNonces: ServerNonces(secret: secrets.nonces),
      store: MacStore(devices: database.devices, logins: database.deviceLogins, host: host, source: source),
      idTokenKey: await host.signingKey(), replayStore: database.replays, clock: host.clock)
  }

  /// Answers a request, and leaves a row in the audit log of what was refused.
  func respond(to request: HTTPRequestValue, source: String) async -> HTTPResponseValue {
    do {
      let provider = try await provider(source: source)
      do {
        return try await answer(request, provider, source)
      } catch let error as PlatformSSOError {
        // The description has the check that failed and the member, and nothing that the Mac sent.
        await host.record("device.refused", source: source, detail: "\(error)")
        return provider.errorResponse(for: error)
      }
    } catch let refusal as Refusal {
      await host.record("device.refused", source: source, detail: refusal.reason)
      return HTTPResponseValue.json(["error": .string(refusal.code)], status: refusal.status)
    } catch {
      await host.record("device.failed", source: source, detail: "\(type(of: error))")
      return HTTPResponseValue(status: 503)
    }
  }

  private func answer(
    _ request: HTTPRequestValue, _ provider: IdentityProvider, _ source: String
  ) async throws -> HTTPResponseValue {
    switch request.path {
    case MacAddresses.registration: try await register(request, provider, source)
    case MacAddresses.userRegistration: try await registerUser(request, provider, source)
    default: try await answerMac(request, provider, source)
    }
  }

  private func answerMac(
    _ request: HTTPRequestValue, _ provider: IdentityProvider, _ source: String
  ) async throws -> HTTPResponseValue {
    switch try provider.kind(of: request) {
    case .serverNonce:
      return try await provider.nonceResponse(to: request)
    case .login:
      let login = try await provider.loginRequest(from: request)
      let account = try await account(login.userName)
      let idToken = try provider.idToken(for: login, subject: account.id, additional: claims(of: account))
      let tokens = try await tokens(idToken, login.userName, login.request.device)
      await record("device.login", login.userName, login.request.device, source, detail: "\(login.credential.method)")
      return try provider.loginResponse(to: login, tokens)
    case .refresh:
      let refresh = try await provider.refreshRequest(from: request)
      let account = try await account(refresh.grant.userName)
      let idToken = try provider.idToken(for: refresh, subject: account.id, additional: claims(of: account))
      let tokens = try await tokens(idToken, refresh.grant.userName, refresh.request.device)
      await record("device.refreshed", refresh.grant.userName, refresh.request.device, source)
      return try provider.loginResponse(to: refresh, tokens)
    case .keyEndpoint:
      return try await answerKeys(request, provider, source)
    case .preauthentication:
      let asked = try provider.preauthenticationRequest(from: request)
      guard settings.method == .openID else { return try provider.preauthenticationResponse(to: asked, .managed) }
      // The same for every name: nobody learns which users there are.
      return try provider.preauthenticationResponse(
        to: asked,
        .webAuthorization(
          at: addresses.issuer + MacAddresses.authorization,
          request: provider.authorizationParameters(clientID: settings.clientID)))
    case .authorization:
      return try await pages.begin(provider.authorizationRequest(from: request))
    }
  }

  private func answerKeys(
    _ request: HTTPRequestValue, _ provider: IdentityProvider, _ source: String
  ) async throws -> HTTPResponseValue {
    switch try await provider.keyEndpointRequest(from: request) {
    case .key(let asked):
      let (device, key) = (asked.request.device, try await unlockKey(asked.userName, asked.request.device))
      let context = try secrets.keyContexts.seal(key, userName: asked.userName, deviceID: device.id)
      let certificate = key.selfSignedCertificate(commonName: "Unlock key", notBefore: host.clock.now)
      await record("device.key", asked.userName, device, source)
      return try provider.keyResponse(to: asked, certificate: certificate, keyContext: context)
    case .keyExchange(let asked):
      let (device, key) = (asked.request.device, try await unlockKey(asked.userName, asked.request.device))
      // A context from before the Mac was registered anew opens, and holds another key.
      let opened = try secrets.keyContexts.open(
        asked.keyContext ?? "", userName: asked.userName, deviceID: device.id)
      guard ConstantTime.equal(opened.x963Representation, key.x963Representation) else {
        throw Refusal(status: 400, code: "invalid_request", reason: "the key context is of a former registration")
      }
      await record("device.key.used", asked.userName, device, source)
      return try provider.keyExchangeResponse(to: asked, unlockKey: key)
    }
  }

  // MARK: What the answers are made of

  /// What ID tokens say of a user. A product's extension may take the name for good from another claim than `sub`.
  private func claims(of account: User) -> JSONObject {
    var claims = host.claims(of: account)
    let name = addresses.loginConfiguration(settings).uniqueIdentifierClaimName
    if name != "sub" { claims[name] = .string(account.id) }
    return claims
  }

  private func account(_ userName: String) async throws -> User {
    guard let account = try await host.account(named: userName) else {
      throw Refusal(status: 400, code: "invalid_grant", reason: "the user is gone")
    }
    return account
  }

  private func tokens(
    _ idToken: String, _ userName: String, _ device: RegisteredDevice
  ) async throws -> LoginResponse {
    let lifetime = settings.refreshTokenLifetime
    let token = try await database.deviceLogins.makeRefreshToken(
      for: userName, on: device, lifetime: Double(lifetime))
    guard let token else { throw Self.revoked }
    return LoginResponse(
      idToken: idToken, refreshToken: token, refreshTokenExpiresIn: lifetime, expiresIn: 3600)
  }

  private func unlockKey(_ userName: String, _ device: RegisteredDevice) async throws -> UnlockKey {
    let key = try await database.deviceLogins.unlockKey(of: userName, on: device, sealedBy: secrets.keyContexts)
    guard let key else { throw Self.revoked }
    return key
  }

  static var revoked: Refusal {
    Refusal(status: 400, code: "invalid_request", reason: "the device was removed or registered anew meanwhile")
  }

  func record(
    _ name: String, _ userName: String?, _ device: RegisteredDevice, _ source: String, detail: String? = nil
  ) async {
    await host.record(name, userName: userName, device: device, source: source, detail: detail)
  }
}

extension LoginCredential {
  /// What the audit log calls it.
  fileprivate var method: String {
    switch self {
    case .password: "password"
    case .encryptedPassword: "encrypted password"
    case .userKey: "user key"
    case .smartCard: "smart card"
    case .webAuthorization: "browser"
    }
  }
}

extension HTTPRequestValue {
  /// The path, whether the address is whole or not.
  var path: String {
    let address = url.prefix { $0 != "?" }
    guard let scheme = address.firstRange(of: "://") else { return String(address) }
    return String(address[scheme.upperBound...].drop { $0 != "/" })
  }
}

extension HTTPResponseValue {
  static func json(_ body: JSONObject, status: Int = 200) -> HTTPResponseValue {
    var response = HTTPResponseValue(status: status, body: body.serialized())
    try? response.headers.append("Content-Type", "application/json")
    try? response.headers.append("Cache-Control", "no-store")
    return response
  }
}
