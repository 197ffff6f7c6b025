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
    await #expect(throws: JOSEError.self) {
      try await registry.beginRotation(of: second, signingKey: first.signingKey)
    }
    #expect(try await plain(registry.device(id: "second", tenant: nil)) == plain(second))
    let anew = try device("first")
    #expect(try await !registry.save(anew))
    #expect(try await registry.save(anew, replacing: first))
    #expect(try await registry.device(signingKeyID: first.signingKey.keyID) == nil)
    #expect(try await registry.save(device("third", first.signingKey)))
  }

  @Test func `a rotation that meets a new registration changes nothing`() async throws {
    let registry = try database().devices
    let mac = try device("mac")
    _ = try await registry.save(mac)
    let next = try key()
    let rotating = try await registry.beginRotation(of: mac, signingKey: next)
    #expect(try await plain(registry.device(signingKeyID: next.keyID)) == plain(rotating))
    let anew = try device("mac")
    #expect(try await registry.save(anew, replacing: rotating))
    #expect(try await plain(registry.device(id: "mac", tenant: nil)) == plain(anew))
    #expect(try await registry.device(signingKeyID: next.keyID) == nil)
  }

  @Test func `what users hold is in the records, and goes with the registration`() async throws {
    let database = try database()
    let (registry, logins) = (database.devices, database.deviceLogins())
    _ = try await registry.save(device("mac"))
    let mac = try #require(try await registry.device(id: "mac", tenant: nil))
    let token = try #require(try await logins.makeRefreshToken(for: "jane", on: mac))
    let second = try #require(try await logins.makeRefreshToken(for: "jane", on: mac))
    #expect(try await logins.login(refreshToken: token) == nil)
    #expect(try await logins.login(refreshToken: second)?.device == mac)
    #expect(try await logins.enroll(key(), of: "jane", on: mac))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let content = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name))
      #expect(content.range(of: Data(second.utf8)) == nil)
    }
    #expect(try await registry.save(device("mac"), replacing: mac))
    #expect(try await logins.login(refreshToken: second) == nil)
    #expect(try await logins.makeRefreshToken(for: "jane", on: mac) == nil)
    let count = try await database.pool.read { database in
      try Int.fetchOne(database, sql: "SELECT count(*) FROM records WHERE kind <> 'device'")
    }
    #expect(count == 0)
  }

  @Test func `a tenant's logins are its own`() async throws {
    let database = try database()
    for tenant in [nil, "a"] { #expect(try await database.devices.save(device("mac", tenant: tenant))) }
    let mac = try #require(try await database.devices.device(id: "mac", tenant: "a"))
    #expect(try await database.deviceLogins().makeRefreshToken(for: "jane", on: mac) == nil)
    let token = try #require(try await database.deviceLogins(tenant: "a").makeRefreshToken(for: "jane", on: mac))
    try await database.deviceLogins().forget(userName: "jane")
    #expect(try await database.deviceLogins(tenant: "a").login(refreshToken: token)?.device == mac)
    #expect(try await database.deviceLogins(tenant: "a").endLogins(of: "jane") == 1)
    #expect(try await database.deviceLogins(tenant: "a").login(refreshToken: token) == nil)
  }

  @Test func `a token that is kept twice is one, and its record can be written`() async throws {
    let database = try database()
    _ = try await database.devices.save(device("mac"))
    let mac = try #require(try await database.devices.device(id: "mac", tenant: nil))
    let end = database.clock.now.advanced(by: .seconds(100))
    for token in ["t", "u", "t", "t"] {
      #expect(try await database.deviceLogins().keepRefreshToken(token, of: "jane", on: mac, expiration: end))
    }
    #expect(try await database.deviceLogins().login(refreshToken: "t")?.userName == "jane")
    #expect(try await database.deviceLogins().login(refreshToken: "u") == nil)
  }
}
