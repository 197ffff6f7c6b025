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
    provider = try IdentityProvider(
      configuration: IdentityProviderConfiguration(
        issuer: configuration.issuer, clientIDs: [configuration.clientID], audience: configuration.audience,
        tokenEndpointURL: configuration.tokenEndpointURL),
      serverNonces: ServerNonces(), users: Users(),
      idTokenKey: try SigningKey.generate(.es256, keyID: "idp-1"), records: ForgetfulRecords(), clock: clock)
    _ = try await provider.devices.register(DeviceRegistration(deviceID: "mac-1", keys: keys))
    let nonceRequest = device.serverNonceRequest()
    guard case .serverNonce(let answer) = try await provider.checkedRequest(nonceRequest) else {
      preconditionFailure("a nonce request is answered with a nonce")
    }
    let nonces = try device.requestNonces(from: answer, to: nonceRequest)
    request = try device.loginRequest(
      of: UserLoginConfiguration(loginUserName: "jane@example.com"), by: .password("correct horse"), nonces: nonces
    ).httpRequest
  }

  /// Decrypts and checks the login.
  func validate() async throws {
    _ = try await provider.checkedRequest(request)
  }
}

/// One user, found at once: what a directory takes is not measured.
private struct Users: CredentialDirectory {
  func passwordVerdict(_ password: String, of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    .accepted
  }

  func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict { .accepted }
}

/// Forgets nonces, so that one request can be validated again and again.
private struct ForgetfulRecords: RecordStore {
  let memory = MemoryRecordStore()

  func record(_ kind: StoredRecord.Kind, key: [UInt8]) async -> StoredRecord? { await memory.record(kind, key: key) }

  func records(_ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int) async -> [StoredRecord] {
    await memory.records(kind, where: index, limit: limit)
  }

  func commit(_ changes: [RecordChange]) async throws -> RecordCommit {
    if case .insert(let record, _)? = changes.first, record.kind.name.hasSuffix("nonce") { return .done }
    return try await memory.commit(changes)
  }

  func removeExpired(before date: NumericDate, limit: Int) async -> Int {
    await memory.removeExpired(before: date, limit: limit)
  }
}
