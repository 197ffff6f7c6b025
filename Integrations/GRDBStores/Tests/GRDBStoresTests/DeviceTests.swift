import Foundation
import GRDB
import JOSE
import PlatformSSOKit
import PureCrypto
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

  /// The device as it was before it was registered.
  private func plain(_ device: RegisteredDevice?) throws -> RegisteredDevice? {
    guard let device else { return nil }
    var members = try JSONSerialization.jsonObject(with: JSONEncoder().encode(device)) as? [String: Any]
    members?["registrationID"] = nil
    return try JSONDecoder().decode(
      RegisteredDevice.self, from: JSONSerialization.data(withJSONObject: try #require(members)))
  }

  // MARK: The registry

  @Test func `a device is found by name and tenant, and by both of its signing keys`() async throws {
    let registry = try database().devices
    var mac = try device("mac\u{0}é", tenant: "")
    mac.otherSigningKey = try key()
    #expect(try await registry.save(mac))
    #expect(try await plain(registry.device(id: mac.id, tenant: "")) == plain(mac))
    for keyID in [mac.signingKey.keyID, try #require(mac.otherSigningKey).keyID] {
      #expect(try await plain(registry.device(signingKeyID: keyID)) == plain(mac))
    }
    // No tenant is not the tenant without a name, and names are bytes.
    #expect(try await registry.device(id: mac.id, tenant: nil) == nil)
    #expect(try await registry.device(id: "mac\u{0}e\u{301}", tenant: "") == nil)
    #expect(try await registry.device(id: "mac", tenant: "") == nil)
    #expect(try await registry.entries(tenant: "").map { try plain($0.device) } == [mac])
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
    await #expect(throws: PlatformSSOError.self) {
      try await registry.beginRotation(id: "second", signingKey: first.signingKey)
    }
    #expect(try await plain(registry.device(id: "second", tenant: nil)) == plain(second))
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
    #expect(try await plain(registry.device(signingKeyID: next.keyID)) == plain(rotating))
    let anew = try device("mac")
    _ = try await registry.save(anew)
    #expect(try await plain(registry.device(id: "mac", tenant: nil)) == plain(anew))
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

  @Test func `devices of the former tables are records, with what their users hold`() async throws {
    let path = folder.path + "/former.sqlite"
    var macs = [try device("mac\u{0}é"), try device("mac\u{0}é", tenant: ""), try device("mac\u{0}é", tenant: "a")]
    macs[2].otherSigningKey = try key()
    let userKey = try key()
    do {
      let queue = try DatabaseQueue(path: path)
      try Schema.migrator.migrate(queue, upTo: "12")
      try await queue.write { [macs] database in
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for (number, mac) in macs.enumerated() {
          try database.execute(
            sql: "INSERT INTO devices (number, tenant, id, registeredAt, document) VALUES (?, ?, ?, ?, ?)",
            arguments: [
              7 - 2 * number, mac.tenant.map { "=\($0)".octets } ?? Data(), mac.id.octets, 1_759_000_000 + number,
              try encoder.encode(mac),
            ])
          for key in [mac.signingKey, mac.otherSigningKey].compactMap({ $0 }) {
            try database.execute(
              sql: "INSERT INTO deviceSigningKeys (keyID, device) VALUES (?, ?)",
              arguments: [Data(key.keyID.octets), 7 - 2 * number])
          }
          try database.execute(
            sql: "INSERT INTO deviceRefreshTokens (hash, device, user, issuedAt, expiresAt) VALUES (?, ?, ?, 0, ?)",
            arguments: [Data(SHA2.SHA256.hash(Array("token \(number)".utf8))), 7 - 2 * number, "jane".octets, 2e9])
        }
        try database.execute(
          sql: "INSERT INTO deviceUserKeys (device, user, keyID, point, enrolledAt) VALUES (7, ?, ?, ?, 0)",
          arguments: ["jane".octets, Data(userKey.keyID.octets), Data(userKey.x963Representation)])
      }
    }
    let database = try database(path: "former.sqlite")
    for (number, mac) in macs.enumerated() {
      for key in [mac.signingKey, mac.otherSigningKey].compactMap({ $0 }) {
        #expect(try await database.devices.device(signingKeyID: key.keyID) == mac)
      }
      #expect(try await database.devices.device(id: mac.id, tenant: mac.tenant) == mac)
      let entries = try await database.devices.entries(tenant: mac.tenant)
      #expect(entries.map(\.device) == [mac] && entries[0].registeredAt == NumericDate(1_759_000_000 + number))
      let grant = try await database.deviceLogins.refreshTokenGrant("token \(number)")
      #expect(grant?.isCurrent == true && grant?.userName == "jane" && grant?.tenant == mac.tenant)
    }
    #expect(try await database.deviceLogins.userKey(userKey.keyID, of: "jane", on: macs[0]) == userKey)
    #expect(try await database.deviceLogins.userKey(userKey.keyID, of: "jane", on: macs[1]) == nil)
    // The rules go on: a key is one device's, and what users hold ends with the registration.
    #expect(try await !database.devices.save(device("other", macs[1].signingKey)))
    let rotating = try await database.devices.beginRotation(id: macs[0].id, signingKey: key())
    #expect(try await database.deviceLogins.userKey(userKey.keyID, of: "jane", on: rotating) == userKey)
    #expect(try await database.devices.save(device(macs[0].id)))
    #expect(try await database.deviceLogins.refreshTokenGrant("token 0") == nil)
    #expect(try await database.deviceLogins.refreshTokenGrant("token 1") != nil)
    #expect(try await database.integrityCheck() == ["ok"])
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
