import JOSE
import PlatformSSO

/// A Mac and an identity provider that know each other's public keys.
struct PlatformSSODemoParties: Sendable {
  let device: Device
  let provider: IdentityProvider
  let idTokenKeys: JWKSet

  init() throws {
    let token = "https://idp.example.com/psso/token"
    let issuer = "https://idp.example.com"
    let keys = try DeviceKeys.generate()
    device = Device(
      configuration: LoginConfiguration(
        clientID: "psso-client", issuer: issuer, audience: issuer, tokenEndpointURL: token,
        jwksEndpointURL: issuer + "/jwks"),
      keys: keys)
    let registered = try RegisteredDevice(
      id: "mac-1", signingKey: RegisteredKey(x963Representation: keys.signingKeyX963Representation),
      encryptionKey: RegisteredKey(x963Representation: keys.encryptionKeyX963Representation))
    let idTokenKey = try SigningKey.generate(.es256, keyID: "idp-1")
    provider = IdentityProvider(
      configuration: IdentityProviderConfiguration(
        issuer: issuer, clientIDs: ["psso-client"], audience: issuer, tokenEndpointURL: token),
      serverNonces: ServerNonces(), store: PlatformSSODemoStore(device: registered), idTokenKey: idTokenKey)
    idTokenKeys = JWKSet([idTokenKey.verificationKey.publicJWK].compactMap { $0 })
  }
}

/// One device and one refresh token.
struct PlatformSSODemoStore: IdentityProviderStore {
  static let refreshToken = "rt-000001"

  let device: RegisteredDevice

  func device(signingKeyID: KeyIdentifier) async throws -> RegisteredDevice? {
    device.signingKey.keyID == signingKeyID ? device : nil
  }

  func refreshTokenGrant(_ refreshToken: String) async throws -> RefreshTokenGrant? {
    guard refreshToken == Self.refreshToken else { return nil }
    return RefreshTokenGrant(userName: "jane@example.com", deviceID: device.id, expiration: nil)
  }
}
