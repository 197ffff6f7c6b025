import JOSE
import PlatformSSOKit

/// A Mac and an identity provider that know each other's public keys.
struct PlatformSSODemoParties: Sendable {
  static let user = UserLoginConfiguration(loginUserName: "jane@example.com")
  static let password = "correct horse"

  /// A Mac that sends passwords in the signed request.
  let device: PlatformSSODevice
  /// The same Mac, configured to encrypt passwords.
  let encryptingDevice: PlatformSSODevice
  /// The same Mac, configured to ask how a user logs in.
  let browserDevice: PlatformSSODevice
  let provider: IdentityProvider
  let store: PlatformSSODemoStore
  let idTokenKeys: JWKSet
  /// Opens the provider's responses, to show what is in them.
  let deviceEncryptionKey: DecryptionKey
  /// Opens the Mac's encrypted passwords, to show what is in them.
  let loginKey: DecryptionKey
  let userKey: SigningKey
  let cardKey: SigningKey
  /// A stand-in: what a certificate says is for the provider's store to judge.
  let cardCertificate: [UInt8] = [0x30, 0x00]

  init() async throws {
    let token = "https://idp.example.com/psso/token"
    let issuer = "https://idp.example.com"
    deviceEncryptionKey = try .generateForKeyAgreement()
    let keys = try DeviceKeys(signingKey: .generate(.es256), encryptionKey: deviceEncryptionKey)
    var configuration = LoginConfiguration(
      clientID: "psso-client", issuer: issuer, audience: issuer, tokenEndpointURL: token,
      jwksEndpointURL: issuer + "/jwks")
    device = PlatformSSODevice(configuration: configuration, keys: keys)
    loginKey = try .generateForKeyAgreement()
    configuration.loginRequestEncryptionPublicKey = loginKey.encryptionKey.x963Representation
    configuration.loginRequestEncryptionAPVPrefix = Array("EXAMPLE".utf8)
    encryptingDevice = PlatformSSODevice(configuration: configuration, keys: keys)
    configuration.federationType = .dynamicOpenID
    configuration.federationUserPreauthenticationURL = issuer + "/discovery"
    configuration.isFederated = ResponsePredicate(matching: ["account_type": "Federated"])
    browserDevice = PlatformSSODevice(configuration: configuration, keys: keys)

    userKey = try .generate(.es256)
    cardKey = try .generate(.es256)
    let registered = try RegisteredDevice(
      id: "mac-1", signingKey: RegisteredKey(x963Representation: keys.signingKeyX963Representation),
      encryptionKey: RegisteredKey(x963Representation: keys.encryptionKeyX963Representation))
    store = try PlatformSSODemoStore(
      device: registered, userKey: RegisteredKey(x963Representation: userKey.verificationKey.x963Representation ?? []),
      cardKey: cardKey.verificationKey)
    let idTokenKey = try SigningKey.generate(.es256, keyID: "idp-1")
    var providerConfiguration = IdentityProviderConfiguration(
      issuer: issuer, clientIDs: ["psso-client"], audience: issuer, tokenEndpointURL: token)
    providerConfiguration.clientRequestID = .boundToServerNonce
    providerConfiguration.loginRequestDecryptionKeys = [loginKey]
    providerConfiguration.loginRequestEncryptionAPVPrefix = Array("EXAMPLE".utf8)
    provider = try IdentityProvider(
      configuration: providerConfiguration, serverNonces: ServerNonces(), store: store, idTokenKey: idTokenKey)
    idTokenKeys = JWKSet([idTokenKey.verificationKey.publicJWK].compactMap { $0 })
  }
}

/// One device, one user, and the refresh tokens and codes that were given out.
actor PlatformSSODemoStore: IdentityProviderStore {
  private let device: RegisteredDevice
  private let userKey: RegisteredKey
  private let cardKey: VerificationKey
  private var refreshTokens: [String] = []
  private var codes: [String] = []

  init(device: RegisteredDevice, userKey: RegisteredKey, cardKey: VerificationKey) {
    self.device = device
    self.userKey = userKey
    self.cardKey = cardKey
  }

  /// A new refresh token, which replaces the ones before.
  func giveRefreshToken() -> String {
    let number = refreshTokens.count + 1
    refreshTokens.append("rt-00000\(number)")
    return refreshTokens[number - 1]
  }

  /// A code for the browser to come back with.
  func giveCode() -> String {
    let code = "code-\(codes.count + 1)"
    codes.append(code)
    return code
  }

  func device(signingKeyID: KeyIdentifier) -> RegisteredDevice? {
    device.signingKey.keyID == signingKeyID ? device : nil
  }

  func refreshTokenGrant(_ refreshToken: String) -> RefreshTokenGrant? {
    guard let index = refreshTokens.firstIndex(of: refreshToken) else { return nil }
    return RefreshTokenGrant(
      userName: PlatformSSODemoParties.user.loginUserName, deviceID: device.id, expiration: nil,
      isCurrent: index == refreshTokens.count - 1)
  }

  func isPassword(_ password: String, of userName: String, on device: RegisteredDevice) -> Bool {
    userName == PlatformSSODemoParties.user.loginUserName && password == PlatformSSODemoParties.password
  }

  func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    userName == PlatformSSODemoParties.user.loginUserName ? .accepted : .locked
  }

  func userKey(_ keyID: KeyIdentifier, of userName: String, on device: RegisteredDevice) -> RegisteredKey? {
    keyID == userKey.keyID ? userKey : nil
  }

  func smartCardKey(
    certificates: [[UInt8]], of userName: String, on device: RegisteredDevice
  ) -> VerificationKey? { cardKey }

  func redeemAuthorizationCode(
    _ callback: AuthorizationCallback, of userName: String, on device: RegisteredDevice
  ) -> Bool {
    guard let index = codes.firstIndex(of: callback.code) else { return false }
    codes[index] = ""
    return true
  }
}
