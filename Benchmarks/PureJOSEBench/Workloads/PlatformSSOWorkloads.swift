import PureJOSEBenchmarking
import JOSE
import PlatformSSOKit

/// A Mac and its provider: a login with a password, and the answer.
enum PlatformSSOWorkloads {
  static func all() async throws -> [Workload] {
    let user = UserLoginConfiguration(loginUserName: "jane@example.com")
    let keys = try DeviceKeys.generate()
    let device = PlatformSSODevice(configuration: configuration, keys: keys, clock: clock)
    let provider = try provider()
    _ = try await provider.devices.register(DeviceRegistration(deviceID: "mac-1", keys: keys))
    let nonces = try nonces(device, provider)
    let request = try device.loginRequest(of: user, by: .password("correct horse"), nonces: nonces)
    let login = try await provider.loginRequest(from: request.httpRequest)
    let idToken = try provider.idToken(for: login, subject: "5b1f8c3e")
    let tokens = LoginResponse(idToken: idToken, refreshToken: "rt-000001", refreshTokenExpiresIn: .seconds(28_800))
    let response = try provider.loginResponse(to: login, tokens)
    let idTokenKeys = JWKSet([provider.idTokenKey.verificationKey.publicJWK].compactMap { $0 })
    return [
      Workload("psso.login-request.build") {
        try device.loginRequest(of: user, by: .password("correct horse"), nonces: nonces)
      },
      Workload(asynchronous: "psso.login-request.validate") {
        try await provider.loginRequest(from: request.httpRequest)
      },
      Workload("psso.id-token.sign") { try provider.idToken(for: login, subject: "5b1f8c3e") },
      Workload("psso.login-response.build") { try provider.loginResponse(to: login, tokens) },
      Workload("psso.login-response.open") {
        try device.openLoginResponse(response, to: request, idTokenKeys: idTokenKeys)
      },
    ]
  }

  /// It stands still, since a whole run takes longer than a request lives.
  private static let clock = WallClock.fixed(at: NumericDate(1_767_225_600))

  private static let configuration = LoginConfiguration(
    clientID: "psso-client", issuer: "https://idp.example.com", audience: "https://idp.example.com",
    tokenEndpointURL: "https://idp.example.com/psso/token", jwksEndpointURL: "https://idp.example.com/jwks")

  private static func provider() throws -> IdentityProvider {
    try IdentityProvider(
      configuration: IdentityProviderConfiguration(
        issuer: configuration.issuer, clientIDs: [configuration.clientID], audience: configuration.audience,
        tokenEndpointURL: configuration.tokenEndpointURL),
      serverNonces: ServerNonces(), users: Users(),
      idTokenKey: try SigningKey.generate(.es256, keyID: "idp-1"), records: ForgetfulRecords(), clock: clock)
  }

  private static func nonces(_ device: PlatformSSODevice, _ provider: IdentityProvider) throws -> RequestNonces {
    let request = device.serverNonceRequest()
    return try device.requestNonces(from: provider.serverNonceResponse(to: request), to: request)
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
