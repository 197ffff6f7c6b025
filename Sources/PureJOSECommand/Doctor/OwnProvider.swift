import JOSE
import PlatformSSOKit
import PureCrypto
import Synchronization

/// This package's provider in the same process, for the doctor to examine without a network: what a server would do
/// with each request.
struct OwnProvider: DoctorTransport {
  var provider: IdentityProvider
  private let store: OwnProviderStore
  private let keySet: JWKSet

  private static let issuer = "https://idp.example.com"
  private static let userName = "jane@example.com"

  /// How the Mac's user logs in.
  enum Login: Sendable, CaseIterable {
    case password, encryptedPassword, userKey
  }

  /// A provider and a Mac that know each other.
  static func make(_ login: Login = .password) throws -> (OwnProvider, DoctorSubject) {
    let signingKey = try SigningKey.generate(.es256)
    let keys = try DeviceKeys(signingKey: signingKey, encryptionKey: .generateForKeyAgreement())
    var configuration = LoginConfiguration(
      clientID: "psso", issuer: issuer, audience: "psso", tokenEndpointURL: issuer + "/psso/token",
      jwksEndpointURL: issuer + "/jwks")
    configuration.apply(.macOS)
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
    let store = OwnProviderStore(
      keyContexts: try KeyContexts(secret: SecretBytes.random(count: 32)), device: device, userName: userName,
      password: "correct horse",
      userKey: try RegisteredKey(signingKey: userKey.verificationKey))
    let idTokenKey = try SigningKey.generate(.es256, keyID: "idp-1")
    let provider = try IdentityProvider(
      configuration: providerConfiguration, store: store, idTokenKey: idTokenKey)
    let keySet = JWKSet([idTokenKey.verificationKey.publicJWK].compactMap { $0 })
    let own = OwnProvider(provider: provider, store: store, keySet: keySet)
    let subject = DoctorSubject(
      device: PlatformSSODevice(configuration: configuration, keys: keys), signingKey: signingKey,
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
    do throws(PlatformSSOError) {
      return try await provider.response(to: request, with: store)
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

/// One device, one user, and the refresh tokens that were given out.
private final class OwnProviderStore: IdentityProviderStore, IdentityProviderAnswers {
  let keyContexts: KeyContexts?
  private let unlockKey = UnlockKey.generate()
  private let device: RegisteredDevice
  private let userName: String
  private let password: String
  private let userKey: RegisteredKey
  private let grants = Mutex<[String: RefreshTokenGrant]>([:])

  init(
    keyContexts: KeyContexts, device: RegisteredDevice, userName: String, password: String, userKey: RegisteredKey
  ) {
    (self.keyContexts, self.device, self.userName) = (keyContexts, device, userName)
    (self.password, self.userKey) = (password, userKey)
  }

  func userKey(_ keyID: KeyIdentifier, of userName: String, on device: RegisteredDevice) -> RegisteredKey? {
    userName.utf8.elementsEqual(self.userName.utf8) && userKey.keyID == keyID ? userKey : nil
  }

  func unlockKey(for request: KeyEndpointRequest) -> UnlockKey? { unlockKey }

  func tokens(
    for request: TokenEndpointRequest, by provider: IdentityProvider
  ) throws(PlatformSSOError) -> LoginResponse? {
    var old: String?
    if case .refresh(let refresh) = request { old = refresh.refreshToken }
    return LoginResponse(
      idToken: try provider.idToken(for: request, subject: request.userName),
      refreshToken: giveRefreshToken(replacing: old, at: provider.clock.now), refreshTokenExpiresIn: 28_800)
  }

  /// A new refresh token. The one that it replaces stays good for a moment.
  private func giveRefreshToken(replacing old: String?, at now: NumericDate) -> String {
    let token = Base64URL.encode(SystemRandom.bytes(count: 32))
    grants.withLock { grants in
      if let old, grants[old]?.isCurrent == true {
        grants[old]?.isCurrent = false
        grants[old]?.replacedAt = now
      }
      grants[token] = RefreshTokenGrant(userName: userName, deviceID: device.id, expiration: now.advanced(by: 28_800))
    }
    return token
  }

  func device(signingKeyID: KeyIdentifier) -> RegisteredDevice? {
    device.signingKey.keyID == signingKeyID ? device : nil
  }

  func refreshTokenGrant(_ refreshToken: String) -> RefreshTokenGrant? {
    grants.withLock { $0[refreshToken] }
  }

  func isPassword(_ password: String, of userName: String, on device: RegisteredDevice) -> Bool {
    let isRight = ConstantTime.equal(Array(self.password.utf8), Array(password.utf8))
    return userName.utf8.elementsEqual(self.userName.utf8) && isRight
  }

  func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    userName.utf8.elementsEqual(self.userName.utf8) ? .accepted : .locked
  }
}
