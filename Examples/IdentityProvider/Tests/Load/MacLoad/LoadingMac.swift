import JOSE
import PlatformSSOKit

/// A Mac with a user who has logged in once, and who has a key in its Secure Enclave.
actor LoadingMac {
  /// What it sends again and again, a nonce before each.
  enum Message: String, CaseIterable {
    case key = "login by key"
    case refresh
    case unlockKey = "unlock key"
    case password = "login by password"
  }

  private var device: PlatformSSODevice
  private let user: UserLoginConfiguration
  private let password: String
  private let userKey: SigningKey
  private let idTokenKeys: JWKSet
  private let wire: Wire
  private var refreshToken: String

  /// Registers the Mac, logs its user in by password, and enrols the user's key.
  init(
    named name: String, user: String, password: String, token: String?, issuer: String, wire: Wire
  ) async throws {
    var configuration = LoginConfiguration(
      clientID: "platform-sso", issuer: issuer, audience: issuer, tokenEndpointURL: issuer + "/psso/token",
      jwksEndpointURL: issuer + "/jwks")
    configuration.nonceEndpointURL = issuer + "/psso/nonce"
    configuration.refreshEndpointURL = issuer + "/psso/token"
    configuration.keyEndpointURL = issuer + "/psso/key"
    let device = PlatformSSODevice(configuration: configuration, keys: try .generate())
    (self.device, self.wire, self.password) = (device, wire, password)
    self.user = UserLoginConfiguration(loginUserName: user)
    userKey = try SigningKey.generate(.es256)
    let registration = try DeviceRegistration(deviceID: name, keys: device.keys, registrationToken: token)
    _ = try await wire.send(registration.httpRequest(to: issuer + "/psso/register"), expecting: 201)
    idTokenKeys = try configuration.idTokenKeys(
      parsing: await wire.send(HTTPRequestValue(method: "GET", url: issuer + "/jwks")).body)
    refreshToken = ""
    _ = try await send(.password)
    let enrolment = try UserRegistration(
      userKey: RegisteredKey(signingKey: userKey.verificationKey), accessToken: refreshToken)
    _ = try await wire.send(enrolment.httpRequest(to: issuer + "/psso/register/user"), expecting: 201)
  }

  /// From now on it signs with keys that nobody knows.
  func forgetKeys() throws { device.keys = try .generate() }

  /// Sends a message with a nonce of its own, and opens the answer. Returns for how long it waited for the two answers.
  func send(_ message: Message) async throws -> Duration {
    let asked = device.serverNonceRequest()
    let (nonce, first) = try await answer(to: asked)
    let nonces = try device.requestNonces(from: nonce, to: asked)
    let request =
      switch message {
      case .key: try device.loginRequest(of: user, by: .userSecureEnclaveKey(userKey), nonces: nonces)
      case .password: try device.loginRequest(of: user, by: .password(password), nonces: nonces)
      case .refresh: try device.refreshRequest(refreshToken: refreshToken, nonces: nonces)
      case .unlockKey: try device.keyRequest(of: user, refreshToken: refreshToken, nonces: nonces)
      }
    let (response, second) = try await answer(to: request.httpRequest)
    if message == .unlockKey {
      _ = try device.openKeyResponse(response, to: request)
    } else {
      refreshToken = try device.openLoginResponse(response, to: request, idTokenKeys: idTokenKeys).response
        .refreshToken
    }
    return first + second
  }

  /// An answer, and for how long it was waited for.
  private func answer(to request: HTTPRequestValue) async throws -> (HTTPResponseValue, Duration) {
    let clock = ContinuousClock()
    let begin = clock.now
    let answer = try await wire.send(request)
    return (answer, clock.now - begin)
  }
}
