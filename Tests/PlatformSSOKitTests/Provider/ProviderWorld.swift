import JOSE
import PlatformSSOKit
import PureCrypto
import Synchronization
import Testing

/// A provider with one user, jane, and what it is made of.
final class ProviderWorld: Sendable {
  static let address = "https://idp.example.com"

  let clock = TestClock(Fixture.now)
  let records: any RecordStore = MemoryRecordStore()
  let secret = SecretBytes.random(count: 32)
  let idTokenKey: SigningKey
  let users: Users
  private let told = Mutex<[JOSEError]>([])

  /// Users in memory, who can be removed and given another verdict.
  actor Users: PlatformSSOUsers {
    private var users = [
      Fixture.user: PlatformSSOUser(subject: "5b1f8c3e", claims: ["name": "Jane Example", "groups": ["staff"]])
    ]
    private var verdict = CredentialVerdict.accepted

    func user(_ name: String) -> PlatformSSOUser? { users[name] }

    func passwordVerdict(_ password: String, of userName: String, on device: RegisteredDevice) -> CredentialVerdict {
      password == "correct horse" && users[userName] != nil ? verdict : .wrong
    }

    func set(_ user: PlatformSSOUser?, for name: String = Fixture.user) { users[name] = user }
    func setVerdict(_ verdict: CredentialVerdict) { self.verdict = verdict }
  }

  init() throws {
    idTokenKey = try .generate(.es256, keyID: "idp-1")
    users = Users()
  }

  /// Why requests were refused, in their order.
  var refusals: [JOSEError] { told.withLock { $0 } }

  func provider(
    address: String = ProviderWorld.address, users: (any PlatformSSOUsers)? = nil, secret: SecretBytes? = nil,
    key: SigningKey? = nil
  ) throws -> PlatformSSOProvider {
    var provider = try PlatformSSOProvider(
      address: address, clientID: "psso", apps: ["ABCDE12345.com.example.mac.ssoe"], users: users ?? self.users,
      records: records, idTokenKey: key ?? idTokenKey, secret: secret ?? self.secret,
      registration: RegistrationPolicy { $0.registrationToken == "profile" }, clock: clock.wallClock)
    provider.onRefusal = { [self] _, reason in told.withLock { $0.append(reason) } }
    return provider
  }

  /// Registers a Mac by the provider's own address, and returns it.
  func mac(_ name: String = "mac-1", at provider: PlatformSSOProvider) async throws -> TestMac {
    let keys = try DeviceKeys.generate()
    let registration = try DeviceRegistration(deviceID: name, keys: keys, registrationToken: "profile")
    let address = provider.identityProvider.configuration.issuer
    let answer = await provider.respond(to: try registration.httpRequest(to: address + "/register"))
    #expect(answer?.status == 201)
    let published = try await Self.get(address + "/jwks", at: provider)
    return TestMac(
      device: PlatformSSODevice(configuration: provider.loginConfiguration, keys: keys, clock: clock.wallClock),
      user: UserLoginConfiguration(loginUserName: Fixture.user), idTokenKeys: try JWKSet(parsing: published.body),
      send: { try #require(await provider.respond(to: $0)) })
  }

  static func get(_ url: String, at provider: PlatformSSOProvider) async throws -> HTTPResponseValue {
    try #require(await provider.respond(to: HTTPRequestValue(method: "GET", url: url)))
  }
}
