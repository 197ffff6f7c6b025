import JOSE
import PlatformSSOKit
import PureCrypto
import StrictJSON

/// A device and a provider that know each other, with keys that their names fix and a clock that stands still.
struct PlatformSSOWorld: Sendable {
  static let shared = Result { try PlatformSSOWorld() }
  static let clientRequestID = "fuzz-1"
  static let clientNonce = "0F3A5C7E-1B2D-4E6F-8A9B-0C1D2E3F4A5B"
  static let noncePlaceholder = "@NONCE@"
  static let user = UserLoginConfiguration(loginUserName: "jane@example.com")
  static let now = NumericDate(1_767_225_600)

  let device: PlatformSSODevice
  let provider: IdentityProvider
  /// A nonce of the provider's, which a replay store without a memory lets in again and again.
  let nonce: String
  let signingKey: P256PrivateKey
  let userKey: P256PrivateKey
  let idTokenKey: P256PrivateKey
  let idTokenKeys: JWKSet
  /// The receiver of encrypted assertions.
  let loginKey: P256PrivateKey

  private init() throws {
    signingKey = try TokenKeys.p256("device signing")
    userKey = try TokenKeys.p256("user")
    idTokenKey = try TokenKeys.p256("id token")
    loginKey = try TokenKeys.p256("login")
    let encryptionKey = try TokenKeys.p256("device encryption")
    let keys = try DeviceKeys(
      signingKey: SigningKey(pemRepresentation: signingKey.pemRepresentation, algorithm: .es256),
      encryptionKey: DecryptionKey(pemRepresentation: encryptionKey.pemRepresentation, algorithm: .ecdhES))
    let clock = WallClock.fixed(at: Self.now)
    let issuer = "https://idp.example.com"
    var configuration = LoginConfiguration(
      clientID: "psso-client", issuer: issuer, audience: issuer, tokenEndpointURL: issuer + "/token",
      jwksEndpointURL: issuer + "/jwks")
    configuration.refreshEndpointURL = configuration.tokenEndpointURL
    configuration.loginRequestEncryptionPublicKey = loginKey.publicKey.x963Representation
    device = PlatformSSODevice(configuration: configuration, keys: keys, clock: clock)
    let idTokenSigningKey = try SigningKey(
      pemRepresentation: idTokenKey.pemRepresentation, algorithm: .es256, keyID: "idp-1")
    idTokenKeys = JWKSet([idTokenSigningKey.verificationKey.publicJWK].compactMap { $0 })
    var providerConfiguration = IdentityProviderConfiguration(
      issuer: issuer, clientIDs: ["psso-client"], audience: issuer, tokenEndpointURL: issuer + "/token")
    providerConfiguration.loginRequestDecryptionKeys = [
      try DecryptionKey(pemRepresentation: loginKey.pemRepresentation, algorithm: .ecdhES)
    ]
    provider = try IdentityProvider(
      configuration: providerConfiguration,
      serverNonces: try ServerNonces(secret: SecretBytes(copying: TokenKeys.secret)),
      users: Users(), idTokenKey: idTokenSigningKey, records: Forgetful(), clock: clock)
    let registration = try DeviceRegistration(deviceID: "mac-1", keys: keys)
    let registeredUserKey = try RegisteredKey(x963Representation: userKey.publicKey.x963Representation)
    _ = try InlineExecutor.run { [provider] in
      let mac = try await provider.devices.register(registration)
      _ = try await provider.logins.enroll(registeredUserKey, of: Self.user.loginUserName, on: mac)
      return try await provider.logins.keepRefreshToken(
        "rt-1", of: Self.user.loginUserName, on: mac, expiration: Self.now.advanced(by: .seconds(28_800)))
    }
    var headers = HTTPHeaderFields()
    try headers.append("client-request-id", Self.clientRequestID)
    let answer = try provider.serverNonceResponse(
      to: .post(["grant_type": "srv_challenge"], to: issuer + "/token", headers: headers))
    nonce = try JSONObject(parsing: answer.body)["Nonce"]?.stringValue ?? ""
  }

  /// What requests are made with: the placeholder stands for the provider's nonce.
  static let nonces = RequestNonces(
    serverNonce: noncePlaceholder, clientNonce: clientNonce, clientRequestID: clientRequestID)

  /// The octets with the provider's nonce in its place.
  func filled(_ octets: [UInt8], _ values: [String: String] = [:]) -> [UInt8] {
    Placeholders.filled(octets, values.merging([Self.noncePlaceholder: nonce]) { $1 })
  }

  /// The header and the claims of a token.
  static func parts(_ token: String) throws -> (header: [UInt8], claims: [UInt8]) {
    let segments = token.split(separator: ".", omittingEmptySubsequences: false)
    return (try Base64URL.decode(String(segments[0])), try Base64URL.decode(String(segments[1])))
  }

  /// The HTTP request with a token and further octets in its form.
  static func post(_ token: String, version: String, further: [UInt8] = []) throws -> HTTPRequestValue {
    var headers = HTTPHeaderFields()
    try headers.append("client-request-id", clientRequestID)
    var request = HTTPRequestValue.post(
      [
        "platform_sso_version": version, "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
        "assertion": token,
      ], to: "https://idp.example.com/token", headers: headers)
    request.body += further
    return request
  }

  /// Says that every nonce is new: inputs repeat, and what a replay does is not what is looked for.
  private struct Forgetful: RecordStore {
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

  private struct Users: CredentialDirectory {
    func passwordVerdict(_ password: String, of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
      let isRight =
        userName.utf8.elementsEqual("jane@example.com".utf8) && password.utf8.elementsEqual("correct horse".utf8)
      return isRight ? .accepted : .wrong
    }

    func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict { .accepted }
  }
}
