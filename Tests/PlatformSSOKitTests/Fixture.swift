import JOSE
import PlatformSSOKit
import PureCrypto
import Synchronization

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
        encryptionKey: RegisteredKey(x963Representation: keys.encryptionKeyX963Representation)))
    let idTokenKey = try VectorKeys.signing("idp-token-signing", keyID: "idp-es256-1")
    provider = try IdentityProvider(
      configuration: Self.providerConfiguration, serverNonces: ServerNonces(), store: store, idTokenKey: idTokenKey,
      clock: clock.wallClock)
    idTokenKeys = JWKSet([idTokenKey.verificationKey.publicJWK].compactMap { $0 })
  }

  static var configuration: LoginConfiguration {
    var configuration = LoginConfiguration(
      clientID: "psso-client", issuer: "https://idp.example.com", audience: "https://idp.example.com",
      tokenEndpointURL: "https://idp.example.com/psso/token", jwksEndpointURL: "https://idp.example.com/jwks")
    // As the vectors have it, which follow Apple's tables and not Macs.
    configuration.includesAudienceInKeyRequests = true
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
    return try device.requestNonces(from: provider.serverNonceResponse(to: request.httpRequest), to: request)
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
    let partyU = PartyUInfo(ephemeralKeyX963Representation: [0x04] + x + y).octets
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

/// What the provider knows, in memory.
actor TestStore: IdentityProviderStore {
  private var devices: [RegisteredDevice]
  private var grants: [String: RefreshTokenGrant]
  private var passwords: [String: String] = [Fixture.user: "correct horse"]
  private var userKeys: [RegisteredKey] = []
  private var smartCards: [[UInt8]: VerificationKey] = [:]
  private var codes: Set<String> = []
  private var failure: (any Error)?

  init(device: RegisteredDevice) {
    devices = [device]
    grants = [
      "rt-000001": RefreshTokenGrant(
        userName: Fixture.user, deviceID: device.id, expiration: Fixture.now.advanced(by: 28_800))
    ]
  }

  func register(_ device: RegisteredDevice) { devices = [device] }
  func grant(_ token: String, _ grant: RefreshTokenGrant) { grants[token] = grant }
  func enroll(_ key: RegisteredKey) { userKeys.append(key) }
  func enroll(certificate: [UInt8], _ key: VerificationKey) { smartCards[certificate] = key }
  func issue(code: String) { codes.insert(code) }
  func fail(_ error: any Error) { failure = error }

  func device(signingKeyID: KeyIdentifier) throws -> RegisteredDevice? {
    if let failure { throw failure }
    return devices.first { $0.signingKey.keyID == signingKeyID || $0.otherSigningKey?.keyID == signingKeyID }
  }

  func refreshTokenGrant(_ refreshToken: String) -> RefreshTokenGrant? { grants[refreshToken] }

  func isPassword(_ password: String, of userName: String, on device: RegisteredDevice) -> Bool {
    passwords[userName].map { ConstantTime.equal(Array($0.utf8), Array(password.utf8)) } ?? false
  }

  func accountVerdict(of userName: String, on device: RegisteredDevice) -> CredentialVerdict { .accepted }

  func userKey(_ keyID: KeyIdentifier, of userName: String, on device: RegisteredDevice) -> RegisteredKey? {
    userName == Fixture.user ? userKeys.first { $0.keyID == keyID } : nil
  }

  func redeemAuthorizationCode(
    _ callback: AuthorizationCallback, of userName: String, on device: RegisteredDevice
  ) -> Bool { userName == Fixture.user && codes.remove(callback.code) != nil }

  func smartCardKey(
    certificates: [[UInt8]], of userName: String, on device: RegisteredDevice
  ) -> VerificationKey? {
    certificates.first.flatMap { smartCards[$0] }
  }
}
