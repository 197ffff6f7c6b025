import JOSE
import PlatformSSOKit

/// A login with a password that a Mac sent, and the provider that checks it.
struct PlatformSSOLogin {
  private let provider: IdentityProvider
  private let request: HTTPRequestValue

  init() async throws {
    let configuration = LoginConfiguration(
      clientID: "psso-client", issuer: "https://idp.example.com", audience: "https://idp.example.com",
      tokenEndpointURL: "https://idp.example.com/psso/token", jwksEndpointURL: "https://idp.example.com/jwks")
    // It stands still, since a whole run takes longer than a request lives.
    let clock = WallClock.fixed(at: NumericDate(1_767_225_600))
    let keys = try DeviceKeys.generate()
    let device = PlatformSSODevice(configuration: configuration, keys: keys, clock: clock)
    let registered = try RegisteredDevice(
      id: "mac-1", signingKey: RegisteredKey(x963Representation: keys.signingKeyX963Representation),
      encryptionKey: RegisteredKey(x963Representation: keys.encryptionKeyX963Representation))
    provider = try IdentityProvider(
      configuration: IdentityProviderConfiguration(
        issuer: configuration.issuer, clientIDs: [configuration.clientID], audience: configuration.audience,
        tokenEndpointURL: configuration.tokenEndpointURL),
      serverNonces: ServerNonces(), store: OneDevice(device: registered),
      idTokenKey: try SigningKey.generate(.es256, keyID: "idp-1"), records: NoMemory(), clock: clock)
    let nonceRequest = device.serverNonceRequest()
    let nonces = try device.requestNonces(
      from: provider.serverNonceResponse(to: nonceRequest.httpRequest), to: nonceRequest)
    request = try device.loginRequest(
      of: UserLoginConfiguration(loginUserName: "jane@example.com"), by: .password("correct horse"), nonces: nonces
    ).httpRequest
  }

  /// Decrypts and checks the login.
  func validate() async throws {
    _ = try await provider.loginRequest(from: request)
  }
}

/// One device, found at once.
private struct OneDevice: IdentityProviderStore {
  let device: RegisteredDevice

  func device(signingKeyID: KeyIdentifier) -> RegisteredDevice? {
    device.signingKey.keyID == signingKeyID ? device : nil
  }

  func refreshTokenGrant(_ refreshToken: String) -> RefreshTokenGrant? { nil }

  func isPassword(_ password: String, of userName: String, on device: RegisteredDevice) -> Bool { true }

  func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict { .accepted }
}

/// Forgets everything, so that one request can be validated again and again.
private struct NoMemory: RecordStore {
  func record(_ kind: StoredRecord.Kind, key: [UInt8]) -> StoredRecord? { nil }
  func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) -> [StoredRecord] { [] }
  func commit(_ changes: [RecordChange]) -> RecordCommit { .done }
  func removeExpired(before date: NumericDate, limit: Int) -> Int { 0 }
}
