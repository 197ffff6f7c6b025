import JOSE
import PlatformSSOKit

/// What a provider knows, in memory. A server keeps the same in its database.
actor ProviderStore: IdentityProviderStore {
  private let registry = DeviceRegistry(records: MemoryRecordStore())
  private var grants: [String: RefreshTokenGrant] = [:]
  private var unlockKeys: [String: UnlockKey] = [:]
  private var lockedUsers: Set<String> = []
  private let checkPassword: @Sendable (_ password: String, _ userName: String) async throws -> CredentialVerdict

  init(checkPassword: @escaping @Sendable (String, String) async throws -> CredentialVerdict) {
    self.checkPassword = checkPassword
  }

  /// Registers a Mac, once its token or its attestation has been checked.
  func register(_ registration: DeviceRegistration) async throws -> RegisteredDevice {
    try await registry.register(registration)
  }

  /// A new refresh token. The one before is replaced, and not withdrawn at once.
  func giveRefreshToken(to userName: String, on deviceID: String, now: NumericDate = WallClock.system.now) -> String {
    for (token, grant) in grants where grant.isCurrent && grant.userName == userName && grant.deviceID == deviceID {
      grants[token]?.isCurrent = false
      grants[token]?.replacedAt = now
    }
    let token = SecretBytes.random(count: 32).withUnsafeBytes { Base64URL.encode($0) }
    grants[token] = RefreshTokenGrant(
      userName: userName, deviceID: deviceID, expiration: now.advanced(by: 28_800))
    return token
  }

  /// The unlock key of a user on a device: always the same one.
  func unlockKey(of userName: String, on deviceID: String) -> UnlockKey {
    let name = "\(deviceID) \(userName)"
    let key = unlockKeys[name] ?? .generate()
    unlockKeys[name] = key
    return key
  }

  func device(signingKeyID: KeyIdentifier) async throws -> RegisteredDevice? {
    try await registry.device(signingKeyID: signingKeyID)
  }

  func refreshTokenGrant(_ refreshToken: String) -> RefreshTokenGrant? { grants[refreshToken] }

  func passwordVerdict(
    _ password: String, of userName: String, on device: RegisteredDevice
  ) async throws -> CredentialVerdict {
    try await checkPassword(password, userName)
  }

  /// Asked whatever proves who the user is: a refresh token and a key know nothing of a lock.
  func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    lockedUsers.contains(userName) ? .locked : .accepted
  }

  func lock(_ userName: String) { lockedUsers.insert(userName) }
}

/// A provider, and what it publishes at its `jwks` address. A server loads the key and the secret from where it keeps
/// secrets.
func makeEndpoint(store: ProviderStore) throws -> (endpoint: LoginEndpoint, keySet: JWKSet) {
  let idTokenKey = try SigningKey.generate(.es256, keyID: "idp-1")
  let provider = try IdentityProvider(
    configuration: IdentityProviderConfiguration(
      issuer: "https://idp.example.com", clientIDs: ["psso-client"], audience: "https://idp.example.com",
      tokenEndpointURL: "https://idp.example.com/psso/token"),
    serverNonces: ServerNonces(secret: SecretBytes.random(count: 32)), store: store, idTokenKey: idTokenKey)
  let answers = LoginAnswers(
    keyContexts: try KeyContexts(secret: SecretBytes.random(count: 32)),
    giveRefreshToken: { user, device in await store.giveRefreshToken(to: user, on: device) },
    unlockKey: { user, device in await store.unlockKey(of: user, on: device) })
  return (
    LoginEndpoint(provider: provider, answers: answers),
    JWKSet([idTokenKey.verificationKey.publicJWK].compactMap { $0 })
  )
}
