import Foundation
import GRDB
import JOSE
import PlatformSSOKit
import Testing

@testable import GRDBStores

@Suite struct DeviceTests {
  private let folder = Folder()

  private func database(at time: Int = 1_760_000_000, path: String = "state.sqlite") throws -> ProviderDatabase {
    try ProviderDatabase(
      path: folder.path + "/" + path, durability: .processEnd, clock: .fixed(at: NumericDate(time)))
  }

  private func key() throws -> RegisteredKey {
    try RegisteredKey(x963Representation: DeviceKeys.generate().signingKeyX963Representation)
  }

  private func device(_ id: String, tenant: String? = nil, _ signingKey: RegisteredKey? = nil) throws
    -> RegisteredDevice
  {
    RegisteredDevice(
      id: id, signingKey: try signingKey ?? key(), encryptionKey: try key(), attestation: [[1, 2], [3]],
      serialNumber: "C02", udid: "00008103", tenant: tenant)
  }

  // MARK: The registry

  @Test func `a device is found by name and tenant, and by both of its signing keys`() async throws {
    let registry = try database().devices
    var mac = try device("mac\u{0}é", tenant: "")
    mac.otherSigningKey = try key()
    #expect(try await registry.save(mac))
    #expect(try await registry.device(id: mac.id, tenant: "") == mac)
    for keyID in [mac.signingKey.keyID, try #require(mac.otherSigningKey).keyID] {
      #expect(try await registry.device(signingKeyID: keyID) == mac)
    }
    // No tenant is not the tenant without a name, and names are bytes.
    #expect(try await registry.device(id: mac.id, tenant: nil) == nil)
    #expect(try await registry.device(id: "mac\u{0}e\u{301}", tenant: "") == nil)
    #expect(try await registry.device(id: "mac", tenant: "") == nil)
    #expect(try await registry.entries(tenant: "").map(\.device) == [mac])
    #expect(try await registry.entries().isEmpty)
    #expect(try await registry.remove(id: mac.id, tenant: ""))
    #expect(try await !registry.remove(id: mac.id, tenant: ""))
    #expect(try await registry.device(signingKeyID: mac.signingKey.keyID) == nil)
  }

  @Test func `a signing key is one device's, and goes with a new registration`() async throws {
    let registry = try database().devices
    let (first, second) = (try device("first"), try device("second"))
    #expect(try await registry.save(first))
    #expect(try await registry.save(second))
    #expect(try await !registry.save(device("third", first.signingKey)))
    #expect(try await !registry.save(device("first", tenant: "other", first.signingKey)))
    var thief = second
    thief.otherSigningKey = first.signingKey
    #expect(try await !registry.replace(second, by: thief))
    #expect(try await registry.device(id: "second", tenant: nil) == second)
    let anew = try device("first")
    #expect(try await registry.save(anew))
    #expect(try await registry.device(signingKeyID: first.signingKey.keyID) == nil)
    #expect(try await registry.save(device("third", first.signingKey)))
  }

  @Test func `a rotation that meets a new registration changes nothing`() async throws {
    let registry = try database().devices
    let mac = try device("mac")
    _ = try await registry.save(mac)
    let next = try key()
    let rotating = try await registry.beginRotation(id: "mac", signingKey: next)
    #expect(try await registry.device(signingKeyID: next.keyID) == rotating)
    let anew = try device("mac")
    _ = try await registry.save(anew)
    #expect(try await !registry.replace(rotating, by: mac))
    #expect(try await registry.device(id: "mac", tenant: nil) == anew)
    #expect(try await registry.device(signingKeyID: next.keyID) == nil)
  }

  // MARK: What users hold

  @Test func `a refresh token is known by its hash, and replaced by the next`() async throws {
    let database = try database()
    let mac = try device("mac", tenant: "t")
    _ = try await database.devices.save(mac)
    let store = database.deviceLogins
    let first = try #require(try await store.makeRefreshToken(for: "jane", on: mac, lifetime: 100))
    let joes = try #require(try await store.makeRefreshToken(for: "joe", on: mac, lifetime: 100))
    let second = try #require(try await store.makeRefreshToken(for: "jane", on: mac, lifetime: 200))
    let grant = try #require(try await store.refreshTokenGrant(second))
    #expect(grant.userName == "jane" && grant.deviceID == "mac" && grant.tenant == "t" && grant.isCurrent)
    #expect(grant.expiration == NumericDate(1_760_000_200) && grant.replacedAt == nil)
    let former = try #require(try await store.refreshTokenGrant(first))
    #expect(!former.isCurrent && former.replacedAt == NumericDate(1_760_000_000))
    #expect(try await store.refreshTokenGrant(joes)?.isCurrent == true)
    #expect(try await store.refreshTokenGrant(second + "A") == nil)
    #expect(try await store.logins(on: mac).map(\.userName).sorted() == ["jane", "joe"])
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let content = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name))
      #expect(content.range(of: Data(second.utf8)) == nil)
    }
    #expect(try await store.endLogins(of: "jane", on: device("another")) == 0)
    #expect(try await store.endLogins(of: "jane", on: mac) == 2)
    #expect(try await store.refreshTokenGrant(second) == nil)
    #expect(try await store.refreshTokenGrant(first) == nil)
    #expect(try await store.refreshTokenGrant(joes) != nil)
  }

  @Test func `what users hold goes with the registration, and stays through a rotation`() async throws {
    let database = try database()
    let (registry, store) = (database.devices, database.deviceLogins)
    let contexts = try KeyContexts(secret: [UInt8](repeating: 7, count: 32))
    let mac = try device("mac")
    _ = try await registry.save(mac)
    let userKey = try key()
    #expect(try await store.enrol(userKey, of: "jane", on: mac))
    let token = try #require(try await store.makeRefreshToken(for: "jane", on: mac, lifetime: 100))
    let unlock = try #require(try await store.unlockKey(of: "jane", on: mac, sealedBy: contexts))

    _ = try await registry.beginRotation(id: "mac", signingKey: try key())
    let rotated = try await registry.completeRotation(id: "mac")
    #expect(try await store.userKey(userKey.keyID, of: "jane", on: rotated) == userKey)
    #expect(try await store.userKey(userKey.keyID, of: "joe", on: rotated) == nil)
    #expect(try await store.refreshTokenGrant(token)?.isCurrent == true)
    let again = try #require(try await store.unlockKey(of: "jane", on: rotated, sealedBy: contexts))
    #expect(again.x963Representation == unlock.x963Representation)
    // The device as it was before the rotation gets nothing more.
    #expect(try await store.makeRefreshToken(for: "jane", on: mac, lifetime: 100) == nil)

    let anew = try device("mac")
    _ = try await registry.save(anew)
    #expect(try await store.userKey(userKey.keyID, of: "jane", on: anew) == nil)
    #expect(try await store.refreshTokenGrant(token) == nil)
    let fresh = try #require(try await store.unlockKey(of: "jane", on: anew, sealedBy: contexts))
    #expect(fresh.x963Representation != unlock.x963Representation)
    // A request that was under way with the former keys leaves nothing behind.
    #expect(try await !store.enrol(userKey, of: "jane", on: rotated))
    #expect(try await store.unlockKey(of: "jane", on: rotated, sealedBy: contexts) == nil)
    #expect(try await store.makeAuthorizationCode(for: "jane", on: rotated, state: "s") == nil)
    #expect(try await store.enrol(userKey, of: "jane", on: anew))
    #expect(try await store.endLogins(of: "jane") == 0)
    #expect(try await store.userKey(userKey.keyID, of: "jane", on: anew) == userKey)
    #expect(try await store.endLogins(of: "jane", removesUserKeys: true) == 1)
    #expect(try await store.userKey(userKey.keyID, of: "jane", on: anew) == nil)
    try await store.forget(userName: "jane")
    let last = try #require(try await store.unlockKey(of: "jane", on: anew, sealedBy: contexts))
    #expect(last.x963Representation != fresh.x963Representation)
  }

  @Test func `a code is good once, for its user, device and state`() async throws {
    let database = try database()
    let store = database.deviceLogins
    let (mac, other) = (try device("mac"), try device("other"))
    _ = try await database.devices.save(mac)
    _ = try await database.devices.save(other)
    let callback = try Callback()
    func redeemed(_ user: String, _ device: RegisteredDevice, state: String, late: Bool = false) async throws -> Bool {
      let code = try #require(
        try await store.makeAuthorizationCode(for: "jane", on: mac, state: state, lifetime: late ? 0 : 300))
      let url = try callback.url(code: code)
      let isRedeemed = try await store.redeemAuthorizationCode(url, of: user, on: device)
      #expect(try await !store.redeemAuthorizationCode(url, of: "jane", on: mac))
      return isRedeemed
    }
    #expect(try await redeemed("jane", mac, state: callback.state))
    #expect(try await !redeemed("joe", mac, state: callback.state))
    #expect(try await !redeemed("jane", other, state: callback.state))
    #expect(try await !redeemed("jane", mac, state: "another"))
    #expect(try await !redeemed("jane", mac, state: callback.state, late: true))
  }

  @Test func `tokens and codes that have expired are removed`() async throws {
    let early = try database()
    let mac = try device("mac")
    _ = try await early.devices.save(mac)
    _ = try await early.deviceLogins.makeRefreshToken(for: "jane", on: mac, lifetime: 86_400)
    let second = try #require(try await early.deviceLogins.makeRefreshToken(for: "jane", on: mac, lifetime: 86_400))
    _ = try await early.deviceLogins.makeAuthorizationCode(for: "jane", on: mac, state: "s")
    func counts(_ database: ProviderDatabase) async throws -> [Int?] {
      try await database.pool.read { database in
        try ["deviceRefreshTokens", "deviceCodes"].map {
          try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)")
        }
      }
    }
    try await early.removeExpired()
    #expect(try await counts(early) == [2, 1])
    let late = try database(at: 1_760_004_000)
    try await late.removeExpired()
    #expect(try await counts(late) == [1, 0])
    #expect(try await late.deviceLogins.refreshTokenGrant(second)?.isCurrent == true)
  }
}

/// Where a browser comes back to, as a Mac reads it.
private struct Callback {
  let request: WebAuthorizationRequest
  var state: String { request.state ?? "" }

  init() throws {
    var configuration = LoginConfiguration(
      clientID: "c", issuer: "https://idp.example.com", audience: "a",
      tokenEndpointURL: "https://idp.example.com/token", jwksEndpointURL: "https://idp.example.com/jwks")
    configuration.federationType = .openID
    configuration.authorizationURL = "https://idp.example.com/authorize?state=4711"
    request = try PlatformSSODevice(configuration: configuration, keys: .generate())
      .webAuthorizationRequest(of: UserLoginConfiguration(loginUserName: "jane"))
  }

  func url(code: String) throws -> AuthorizationCallback {
    try AuthorizationCallback(
      url: "\(AuthorizationParameters.callbackURL)?code=\(code)&state=\(state)", answering: request)
  }
}
