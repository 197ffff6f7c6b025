import JOSE
import PlatformSSOKit
import PureCrypto

/// This package's provider in the same process, for the doctor to examine without a network: what a server would do
/// with each request.
struct OwnProvider: DoctorTransport {
  var provider: IdentityProvider
  private let users: OwnUsers
  private let keySet: JWKSet

  private static let issuer = "https://idp.example.com"
  private static let userName = "jane@example.com"

  /// How the Mac's user logs in.
  enum Login: Sendable, CaseIterable {
    case password, encryptedPassword, userKey
  }

  /// A provider and a Mac that know each other, and have one clock.
  static func make(
    _ login: Login = .password, clock: WallClock = .system
  ) async throws -> (OwnProvider, DoctorSubject) {
    let signingKey = try SigningKey.generate(.es256)
    let keys = try DeviceKeys(signingKey: signingKey, encryptionKey: .generateForKeyAgreement())
    var configuration = LoginConfiguration(
      clientID: "psso", issuer: issuer, audience: "psso", tokenEndpointURL: issuer + "/psso/token",
      jwksEndpointURL: issuer + "/jwks")
    configuration.apply(.macOS)
    configuration.refreshEndpointURL = configuration.tokenEndpointURL
    var providerConfiguration = IdentityProviderConfiguration(
      issuer: issuer, clientIDs: ["psso"], audience: "psso", tokenEndpointURL: issuer + "/psso/token")
    let userKey = try SigningKey.generate(.es256)
    if login == .encryptedPassword {
      let key = try DecryptionKey.generateForKeyAgreement()
      configuration.loginRequestEncryptionPublicKey = key.encryptionKey.x963Representation
      providerConfiguration.loginRequestDecryptionKeys = [key]
    }
    let device = RegisteredDevice(
      id: "mac-1", signingKey: try RegisteredKey(x963Representation: keys.signingKeyX963Representation),
      encryptionKey: try RegisteredKey(x963Representation: keys.encryptionKeyX963Representation))
    let idTokenKey = try SigningKey.generate(.es256, keyID: "idp-1")
    let users = OwnUsers(
      keyContexts: try KeyContexts(secret: SecretBytes.random(count: 32)), userName: userName,
      password: "correct horse")
    let provider = try IdentityProvider(
      configuration: providerConfiguration, users: users, idTokenKey: idTokenKey, records: MemoryRecordStore(),
      clock: clock)
    _ = try await provider.devices.save(device)
    if let registered = try await provider.devices.device(id: device.id, tenant: nil) {
      let key = try RegisteredKey(signingKey: userKey.verificationKey)
      _ = try await provider.logins.enroll(key, of: userName, on: registered)
    }
    let keySet = JWKSet([idTokenKey.verificationKey.publicJWK].compactMap { $0 })
    let own = OwnProvider(provider: provider, users: users, keySet: keySet)
    let subject = DoctorSubject(
      device: PlatformSSODevice(configuration: configuration, keys: keys, clock: clock), signingKey: signingKey,
      user: UserLoginConfiguration(loginUserName: userName),
      method: login == .userKey ? .userSecureEnclaveKey(userKey) : .password("correct horse"), idTokenKeys: nil)
    return (own, subject)
  }

  func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
    if request.method == "GET" {
      if request.url.hasSuffix("/jwks") { return json(keySet.serialized()) }
      if request.url.hasSuffix("/.well-known/apple-app-site-association") {
        return json(Array(#"{"authsrv":{"apps":["ABCDE12345.com.example.mac.ssoe"]}}"#.utf8))
      }
    }
    do throws(JOSEError) {
      return try await provider.response(to: request, with: users)
    } catch {
      return provider.errorResponse(for: error)
    }
  }

  private func json(_ body: [UInt8]) -> HTTPResponseValue {
    var response = HTTPResponseValue(status: 200, body: body)
    try? response.headers.append("Content-Type", "application/json")
    return response
  }
}

/// One user, and the tokens that are given.
private struct OwnUsers: CredentialDirectory, IdentityProviderAnswers {
  let keyContexts: KeyContexts?
  let userName: String
  let password: String

  func tokens(for request: TokenEndpointRequest, by provider: IdentityProvider) async throws -> LoginResponse? {
    let token = try await provider.logins.makeRefreshToken(for: request.userName, on: request.request.device)
    guard let token else { return nil }
    return LoginResponse(
      idToken: try provider.idToken(for: request, subject: request.userName), refreshToken: token,
      refreshTokenExpiresIn: .seconds(28_800))
  }

  func passwordVerdict(_ password: String, of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    let isRight = ConstantTime.equal(Array(self.password.utf8), Array(password.utf8))
    return userName.utf8.elementsEqual(self.userName.utf8) && isRight ? .accepted : .wrong
  }

  func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    userName.utf8.elementsEqual(self.userName.utf8) ? .accepted : .locked
  }
}
