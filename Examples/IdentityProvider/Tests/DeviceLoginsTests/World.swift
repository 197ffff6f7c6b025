import DeviceLogins
import Foundation
import Hummingbird
import HummingbirdTesting
@testable import IdentityProvider
import JOSE
import Logging
import PlatformSSOKit
import Synchronization

/// A provider with a user and an administrator, in a folder that goes with the test.
final class World: Sendable {
  static let issuer = "https://idp.example.com"
  static let password = "correct horse battery"
  let folder = FileManager.default.temporaryDirectory.path + "/device-logins-\(UUID().uuidString)"
  let clock: TestClock
  let provider: Provider
  let devices: DeviceLogins
  let jane: User
  let admin: User
  /// Whose folder it uses, if not its own.
  private let former: World?

  init(
    _ macs: MacSettings = MacSettings(), apple: AppleSettings? = nil, clock: TestClock = TestClock()
  ) async throws {
    self.clock = clock
    former = nil
    // RSA keys take seconds: every world has those of the first.
    try FileManager.default.copyItem(atPath: try await Self.template.value, toPath: folder)
    (provider, devices) = try await Self.provider(folder, clock, macs, apple)
    let now = clock.wall.now
    jane = User(
      id: "5b1f8c3e", username: "jane", email: "jane@example.com", claims: ["name": "Jane Example"], createdAt: now,
      updatedAt: now)
    admin = User(
      id: "77aa", username: "root", email: "root@example.com", isAdmin: true, createdAt: now, updatedAt: now)
    for var user in [jane, admin] {
      user.storedPassword = try await PasswordHasher(Self.cost).hash(Self.password)
      try await provider.users.add(user)
    }
  }

  /// The provider of a world, started again with other settings. The former one runs on.
  init(after former: World, _ macs: MacSettings) async throws {
    (self.former, clock, jane, admin) = (former, former.clock, former.jane, former.admin)
    (provider, devices) = try await Self.provider(former.folder, clock, macs, nil)
  }

  /// What a password costs here: nearly nothing.
  private static let cost = PasswordCost.argon2id(kibibyteCount: 8, passCount: 1, laneCount: 1)

  private static func provider(
    _ folder: String, _ clock: TestClock, _ macs: MacSettings, _ apple: AppleSettings?
  ) async throws -> (Provider, DeviceLogins) {
    var settings = ProviderSettings(issuer: issuer, folder: folder)
    settings.passwordCost = cost
    var provider = try await Provider(
      settings: settings, clock: clock.wall, log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    let devices = try DeviceLogins(provider, macs: macs, apple: apple)
    provider.add(devices)
    return (provider, devices)
  }

  /// A folder with the keys of a provider and nothing else.
  private static let template = Task {
    let path = FileManager.default.temporaryDirectory.path + "/device-logins-template-\(UUID().uuidString)"
    let first = try await Provider(
      settings: ProviderSettings(issuer: issuer, folder: path + "/first"), clock: TestClock().wall,
      log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    try FileManager.default.createDirectory(atPath: path + "/keys", withIntermediateDirectories: true)
    try first.backUp(to: path + "/keys/provider.sqlite")
    try FileManager.default.copyItem(atPath: path + "/first/secrets.json", toPath: path + "/keys/secrets.json")
    return path + "/keys"
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func test(_ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void) async throws {
    try await Application(router: provider.router()).test(.live) { client in try await body(client) }
  }

  func events(_ name: String) async throws -> [AuditLog.Entry] { try await provider.audit.entries(named: name) }

  /// The profile, as an administrator downloads it.
  func profile() throws -> ExtensibleSSOProfile {
    try ExtensibleSSOProfile(configurationProfile: Array(devices.profileFile.utf8))
  }
}

/// A clock that tests move.
final class TestClock: Sendable {
  private let seconds = Mutex(1_760_000_000.0)

  func advance(_ by: Double) { seconds.withLock { $0 += by } }
  var wall: WallClock {
    WallClock { [self] in NumericDate(secondsSince1970: seconds.withLock { $0 }) ?? NumericDate(0) }
  }
}

/// A Mac with the profile of a world's provider.
struct Mac: Sendable {
  var device: PlatformSSODevice
  var visitor: Visitor
  let token: String
  var user = UserLoginConfiguration(loginUserName: "jane")

  init(_ world: World, _ visitor: Visitor, method: ExtensibleSSOProfile.AuthenticationMethod = .password) throws {
    var configuration = LoginConfiguration(
      clientID: "platform-sso", issuer: World.issuer, audience: World.issuer,
      tokenEndpointURL: World.issuer + "/psso/token", jwksEndpointURL: World.issuer + "/jwks")
    configuration.nonceEndpointURL = World.issuer + "/psso/nonce"
    configuration.refreshEndpointURL = World.issuer + "/psso/token"
    configuration.keyEndpointURL = World.issuer + "/psso/key"
    if method == .openID {
      configuration.federationUserPreauthenticationURL = World.issuer + "/psso/discovery"
      configuration.isFederated = { $0["account_type"] == "Federated" }
    }
    device = PlatformSSODevice(configuration: configuration, keys: try .generate(), clock: world.clock.wall)
    self.visitor = visitor
    token = try world.profile()["RegistrationToken"]?.text ?? ""
  }

  func register(as id: String, token: String? = nil) async throws -> HTTPResponseValue {
    try await visitor.send(registration(as: id, token: token).httpRequest(to: Self.registrationURL))
  }

  /// A registration with an attestation for a fresh nonce.
  func attested(
    as id: String, by certificates: (DeviceRegistration) throws -> [[UInt8]]
  ) async throws -> HTTPRequestValue {
    let nonces = try await nonces()
    var registration = try registration(as: id)
    registration.nonce = nonces.serverNonce
    registration.attestation = try certificates(registration)
    return try registration.httpRequest(to: Self.registrationURL, clientRequestID: nonces.clientRequestID)
  }

  private static let registrationURL = World.issuer + "/psso/register"

  func registration(as id: String, token: String? = nil) throws -> DeviceRegistration {
    try DeviceRegistration(deviceID: id, keys: device.keys, registrationToken: token ?? self.token)
  }

  func nonces() async throws -> RequestNonces {
    let request = device.serverNonceRequest()
    return try device.requestNonces(from: await visitor.send(request), to: request)
  }

  private func keys() async throws -> JWKSet {
    try device.configuration.idTokenKeys(parsing: await visitor.get("/jwks").body)
  }

  func logIn(_ method: LoginMethod = .password(World.password)) async throws -> OpenedLoginResponse {
    let request = try device.loginRequest(of: user, by: method, nonces: await nonces())
    return try device.openLoginResponse(
      await visitor.send(request.httpRequest), to: request, idTokenKeys: await keys())
  }

  func refresh(_ token: String) async throws -> OpenedLoginResponse {
    let request = try device.refreshRequest(refreshToken: token, nonces: await nonces())
    return try device.openLoginResponse(
      await visitor.send(request.httpRequest), to: request, idTokenKeys: await keys())
  }

  func enrol(_ key: SigningKey, _ token: String) async throws -> HTTPResponseValue {
    try await visitor.send(
      UserRegistration(userKey: RegisteredKey(signingKey: key.verificationKey), accessToken: token)
        .httpRequest(to: World.issuer + "/psso/register/user"))
  }

  func unlockKey(_ token: String) async throws -> KeyResponse {
    let request = try device.keyRequest(of: user, refreshToken: token, nonces: await nonces())
    return try device.openKeyResponse(await visitor.send(request.httpRequest), to: request)
  }

  func exchange(_ token: String, _ point: [UInt8], _ context: String?) async throws -> KeyExchangeResponse {
    let request = try device.keyRequest(
      of: user, refreshToken: token, otherPublicKey: point, keyContext: context, nonces: await nonces())
    return try device.openKeyExchangeResponse(await visitor.send(request.httpRequest), to: request)
  }
}

extension World {
  /// The devices, as `idp device list` shows them.
  func identities() async throws -> [String] {
    try await devices.devices(of: nil).map { "\($0.name): \($0.identity ?? "")" }
  }

  /// The administrators' page of devices.
  func adminPage(_ browser: Visitor) async throws -> String {
    _ = try await browser.logIn(browser.get("/login"), "root", Self.password)
    return try await String(decoding: browser.get("/admin/devices").body, as: UTF8.self)
  }
}
