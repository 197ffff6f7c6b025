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
  /// The Mac as the provider knows it.
  private let mac: RegisteredDevice
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
    configuration.refreshEndpointURL = token
    device = PlatformSSODevice(configuration: configuration, keys: keys)
    loginKey = try .generateForKeyAgreement()
    configuration.loginRequestEncryptionPublicKey = loginKey.encryptionKey.x963Representation
    configuration.loginRequestEncryptionAPVPrefix = Array("EXAMPLE".utf8)
    encryptingDevice = PlatformSSODevice(configuration: configuration, keys: keys)
    configuration.federationUserPreauthenticationURL = issuer + "/discovery"
    configuration.isFederated = { $0["account_type"] == "Federated" }
    browserDevice = PlatformSSODevice(configuration: configuration, keys: keys)

    userKey = try .generate(.es256)
    cardKey = try .generate(.es256)
    let idTokenKey = try SigningKey.generate(.es256, keyID: "idp-1")
    var providerConfiguration = IdentityProviderConfiguration(
      issuer: issuer, clientIDs: ["psso-client"], audience: issuer, tokenEndpointURL: token)
    providerConfiguration.bindsServerNonces = true
    // To show at once that a replaced token is refused.
    providerConfiguration.replacedRefreshTokenGrace = .zero
    providerConfiguration.loginRequestDecryptionKeys = [loginKey]
    providerConfiguration.loginRequestEncryptionAPVPrefix = Array("EXAMPLE".utf8)
    provider = try IdentityProvider(
      configuration: providerConfiguration,
      users: PlatformSSODemoUsers(cardKey: cardKey.verificationKey), idTokenKey: idTokenKey,
      records: MemoryRecordStore())
    mac = try await provider.devices.register(DeviceRegistration(deviceID: "mac-1", keys: keys))
    let registered = try RegisteredKey(signingKey: userKey.verificationKey)
    _ = try await provider.logins.enroll(registered, of: Self.user.loginUserName, on: mac)
    idTokenKeys = JWKSet([idTokenKey.verificationKey.publicJWK].compactMap { $0 })
  }

  /// A new refresh token, which replaces the one before.
  func refreshToken() async throws(CommandFailure) -> String {
    let token = try? await provider.logins.makeRefreshToken(for: Self.user.loginUserName, on: mac)
    guard let token = token else { throw .invalid("the provider has lost the Mac") }
    return token
  }

  /// The code that the browser brings back once the user has logged in.
  func code(for request: AuthorizationRequest) async throws(CommandFailure) -> String {
    let code = try? await provider.logins.makeAuthorizationCode(
      for: Self.user.loginUserName, on: request.device, state: request.parameters.state,
      scope: request.authorizationScope)
    guard let code = code else { throw .invalid("the provider has lost the Mac") }
    return code
  }
}

/// One user with a password and a smart card.
private struct PlatformSSODemoUsers: CredentialDirectory {
  let cardKey: VerificationKey

  func passwordVerdict(_ password: String, of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    let isRight = userName == PlatformSSODemoParties.user.loginUserName && password == PlatformSSODemoParties.password
    return isRight ? .accepted : .wrong
  }

  func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    userName == PlatformSSODemoParties.user.loginUserName ? .accepted : .locked
  }

  func smartCardKey(
    certificates: [[UInt8]], of userName: String, on device: RegisteredDevice
  ) -> VerificationKey? { cardKey }
}
