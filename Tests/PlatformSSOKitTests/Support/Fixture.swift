import JOSE
import PlatformSSOKit
import PureCrypto
import Synchronization
import Testing

/// The keys of the synthetic vectors: SHA-256 of `psso-vector/` and the key's name, as a scalar.
enum VectorKeys {
  static func privateKey(_ name: String) throws -> P256PrivateKey {
    try P256PrivateKey(rawRepresentation: SHA2.SHA256.hash(Array(name.utf8)))
  }

  static func signing(_ name: String, keyID: String? = nil) throws -> SigningKey {
    try SigningKey(JWK(.privateKey(.ec(.p256(privateKey("psso-vector/" + name)))), keyID: keyID), algorithm: .es256)
  }

  static func agreement(_ name: String) throws -> DecryptionKey {
    try DecryptionKey(JWK(.privateKey(.ec(.p256(privateKey("psso-vector/" + name))))), algorithm: .ecdhES)
  }

  static func point(_ name: String) throws -> [UInt8] {
    try privateKey("psso-vector/" + name).publicKey.x963Representation
  }
}

/// A device and a provider that know each other, at the time of the vectors.
struct Fixture {
  static let now = NumericDate(1_767_225_600)
  static let user = "jane@example.com"

  var device: PlatformSSODevice
  var provider: IdentityProvider
  let store: TestStore
  let clock: TestClock
  let idTokenKeys: JWKSet

  init() throws {
    let clock = TestClock(Self.now)
    self.clock = clock
    let keys = try DeviceKeys(
      signingKey: VectorKeys.signing("device-signing"), encryptionKey: VectorKeys.agreement("device-encryption"))
    device = PlatformSSODevice(configuration: Self.configuration, keys: keys, clock: clock.wallClock)
    store = TestStore(
      device: try RegisteredDevice(
        id: "mac-1", signingKey: RegisteredKey(x963Representation: keys.signingKeyX963Representation),
        encryptionKey: RegisteredKey(x963Representation: keys.encryptionKeyX963Representation)), clock: clock)
    let idTokenKey = try VectorKeys.signing("idp-token-signing", keyID: "idp-es256-1")
    provider = try IdentityProvider(
      configuration: Self.providerConfiguration, serverNonces: ServerNonces(), users: store, idTokenKey: idTokenKey,
      records: store, clock: clock.wallClock)
    idTokenKeys = JWKSet([idTokenKey.verificationKey.publicJWK].compactMap { $0 })
  }

  static var configuration: LoginConfiguration {
    var configuration = LoginConfiguration(
      clientID: "psso-client", issuer: "https://idp.example.com", audience: "https://idp.example.com",
      tokenEndpointURL: "https://idp.example.com/psso/token", jwksEndpointURL: "https://idp.example.com/jwks")
    // As the vectors have it, which follow Apple's tables and not Macs.
    configuration.includesAudienceInKeyRequests = true
    configuration.refreshEndpointURL = configuration.tokenEndpointURL
    configuration.includesAuthenticationMethods = false
    return configuration
  }

  static var providerConfiguration: IdentityProviderConfiguration {
    IdentityProviderConfiguration(
      issuer: "https://idp.example.com", clientIDs: ["psso-client"], audience: "https://idp.example.com",
      tokenEndpointURL: "https://idp.example.com/psso/token")
  }

  /// Fetches a server nonce.
  func nonces() throws -> RequestNonces {
    let request = device.serverNonceRequest()
    return try device.requestNonces(from: provider.serverNonceResponse(to: request), to: request)
  }

  func refreshRequest(_ token: String = "rt-000001") throws -> DeviceRequest {
    try device.refreshRequest(refreshToken: token, nonces: nonces())
  }

  /// A request with a claims set and header of the test's making, signed with some key.
  func request(
    like request: DeviceRequest, key: SigningKey? = nil, type: String? = nil, keyID: String? = nil,
    header: JSONObject = [:], changing change: (inout JSONObject) -> Void = { _ in }
  ) throws -> HTTPRequestValue {
    let original = try UnverifiedJWS(parsing: request.assertion)
    var claims = try JSONObject(parsing: original.unverifiedPayload)
    change(&claims)
    let token = try JWS.sign(
      claims.serialized(), with: key ?? VectorKeys.signing("device-signing"),
      header: HeaderParameters(
        type: type ?? original.unverifiedHeader.type, keyID: keyID ?? original.unverifiedHeader.keyID,
        additional: header))
    return try self.request(like: request, assertion: token)
  }

  /// A response by an ephemeral key of the test's choice, whose coordinates are written as given.
  static func response(
    _ body: JSONObject, ephemeralKey: P256PrivateKey, x: [UInt8], y: [UInt8], request: DeviceRequest
  ) throws -> String {
    let partyU = PartyUInfo.octets(ephemeralKeyX963Representation: [0x04] + x + y)
    let header: JSONObject = [
      "alg": "ECDH-ES", "enc": "A256GCM", "apu": .string(Base64URL.encode(partyU)),
      "epk": [
        "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(x)), "y": .string(Base64URL.encode(y)),
      ],
    ]
    let recipient = try VectorKeys.privateKey("psso-vector/device-encryption").publicKey
    let info = KeyAgreement.otherInfo(
      algorithmID: "A256GCM", partyUInfo: partyU, partyVInfo: request.agreementPartyVInfo.octets, keyBitCount: 256)
    let key = try ephemeralKey.sharedSecret(with: recipient).concatKDFDerivedKey(otherInfo: info, bitCount: 256)
    let head = Base64URL.encode(header.serialized())
    let sealed = try AESGCM(key: key).seal(body.serialized(), authenticating: Array(head.utf8))
    return [
      head, "", Base64URL.encode(sealed.initializationVector), Base64URL.encode(sealed.ciphertext),
      Base64URL.encode(sealed.authenticationTag),
    ].joined(separator: ".")
  }

  /// The same form with another token.
  func request(like request: DeviceRequest, assertion: String) throws -> HTTPRequestValue {
    try self.request(like: request) { name, value in name == "assertion" ? assertion : value }
  }

  /// The same form with other values; nil leaves a field out.
  func request(like request: DeviceRequest, field: (String, String) -> String?) throws -> HTTPRequestValue {
    var changed = request.httpRequest
    let fields = try changed.form().fields.compactMap { name, value in field(name, value).map { (name, $0) } }
    changed.body = FormFields(fields).encoded()
    return changed
  }
}

/// A clock that the test moves.
final class TestClock: Sendable {
  private let storage: Mutex<NumericDate>

  init(_ now: NumericDate) { storage = Mutex(now) }

  var now: NumericDate {
    get { storage.withLock { $0 } }
    set { storage.withLock { $0 = newValue } }
  }

  func advance(by seconds: Double) { storage.withLock { $0 = $0.advanced(by: seconds) } }

  var wallClock: WallClock { WallClock { self.now } }
}

/// What the provider knows, in memory: users, and the records of one registered device.
actor TestStore: CredentialDirectory, RecordStore {
  private let memory = MemoryRecordStore()
  private let clock: TestClock
  private var passwords: [String: String] = [Fixture.user: "correct horse"]
  private var smartCards: [[UInt8]: VerificationKey] = [:]
  private var failure: (any Error)?
  private var beginning: Task<Void, any Error>?

  init(device: RegisteredDevice, clock: TestClock) {
    self.clock = clock
    beginning = Task { [memory] in try await Self.begin(device, memory) }
  }

  /// Registers a device whose user has a token.
  private static func begin(_ device: RegisteredDevice, _ memory: MemoryRecordStore) async throws {
    let registry = DeviceRegistry(records: memory)
    let former = try await registry.device(id: device.id, tenant: device.tenant)
    _ = try await registry.save(device, replacing: former)
    guard let known = try await registry.device(id: device.id, tenant: device.tenant) else { return }
    _ = try await DeviceLoginService(records: memory, tenant: device.tenant).keepRefreshToken(
      device.tenant.map { "rt-000001 of \($0)" } ?? "rt-000001", of: Fixture.user, on: known,
      expiration: Fixture.now.advanced(by: 28_800))
  }

  private var records: MemoryRecordStore {
    get async throws {
      try await beginning?.value
      if let failure { throw failure }
      return memory
    }
  }

  /// Registers a device in place of the one before.
  func register(_ device: RegisteredDevice) async throws { try await Self.begin(device, records) }

  /// The device with a name, as it is registered.
  func device(_ id: String = "mac-1", tenant: String? = nil) async throws -> RegisteredDevice {
    try #require(try await DeviceRegistry(records: records).device(id: id, tenant: tenant))
  }

  private func logins(_ now: NumericDate?, tenant: String? = nil) async throws -> DeviceLoginService {
    DeviceLoginService(
      records: try await records, tenant: tenant, clock: now.map { .fixed(at: $0) } ?? clock.wallClock)
  }

  /// Gives a token, which replaces the one before.
  func give(
    _ token: String, to userName: String = Fixture.user, on id: String = "mac-1", tenant: String? = nil,
    expiration: NumericDate = Fixture.now.advanced(by: 28_800), at now: NumericDate? = nil
  ) async throws {
    let device = try await device(id, tenant: tenant)
    let isKept = try await logins(now, tenant: tenant).keepRefreshToken(
      token, of: userName, on: device, expiration: expiration)
    #expect(isKept)
  }

  func enroll(_ key: RegisteredKey) async throws {
    _ = try await logins(nil).enroll(key, of: Fixture.user, on: device())
  }

  func enroll(certificate: [UInt8], _ key: VerificationKey) { smartCards[certificate] = key }

  /// A code of a page that knows no device.
  func issue(code: String, state: String?, scope: AuthorizationScope? = nil) async throws {
    _ = try await logins(nil).keepAuthorizationCode(
      code, of: Fixture.user, on: nil, state: state, scope: scope, expiration: clock.now.advanced(by: 300))
  }

  func fail(_ error: any Error) { failure = error }

  func passwordVerdict(_ password: String, of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
    let isRight = passwords[userName].map { ConstantTime.equal(Array($0.utf8), Array(password.utf8)) } ?? false
    return isRight ? .accepted : .wrong
  }

  func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict { .accepted }

  func smartCardKey(
    certificates: [[UInt8]], of userName: String, on device: RegisteredDevice
  ) -> VerificationKey? {
    certificates.first.flatMap { smartCards[$0] }
  }

  func record(_ kind: StoredRecord.Kind, key: [UInt8]) async throws -> StoredRecord? {
    try await records.record(kind, key: key)
  }

  func records(
    _ kind: StoredRecord.Kind, where index: StoredRecord.Index, limit: Int
  ) async throws -> [StoredRecord] { try await records.records(kind, where: index, limit: limit) }

  func commit(_ changes: [RecordChange]) async throws -> RecordCommit { try await records.commit(changes) }

  func removeExpired(before date: NumericDate, limit: Int) async throws -> Int {
    try await records.removeExpired(before: date, limit: limit)
  }
}
