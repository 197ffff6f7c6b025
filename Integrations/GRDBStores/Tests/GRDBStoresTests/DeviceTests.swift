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

  @Test func `what users hold is in the records, and goes with the registration`() async throws {
    let database = try database()
    let (registry, logins) = (database.devices, database.deviceLogins)
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
    #expect(try await registry.save(device("mac")))
    #expect(try await logins.login(refreshToken: second) == nil)
    #expect(try await logins.makeRefreshToken(for: "jane", on: mac) == nil)
    let count = try await database.pool.read { database in
      try Int.fetchOne(database, sql: "SELECT count(*) FROM records WHERE kind <> 'device'")
    }
    #expect(count == 0)
  }

  @Test func `devices of the former tables are records, with what their users hold`() async throws {
    let path = folder.path + "/former.sqlite"
    var macs = [try device("mac\u{0}é"), try device("mac\u{0}é", tenant: ""), try device("mac\u{0}é", tenant: "a")]
    macs[2].otherSigningKey = try key()
    let (userKey, unlockKey) = (try key(), UnlockKey.generate())
    let contexts = try KeyContexts(secret: SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
    let sealed = try contexts.seal(unlockKey, userName: "jane", deviceID: macs[0].id)
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
        try database.execute(
          sql: "INSERT INTO deviceUnlockKeys (device, user, sealed) VALUES (7, ?, ?)",
          arguments: ["jane".octets, sealed.octets])
        try database.execute(
          sql: """
            INSERT INTO deviceRefreshTokens (hash, device, user, issuedAt, expiresAt, replacedAt)
            VALUES (?, 7, ?, 5, 1e9, 6)
            """, arguments: [Data(SHA2.SHA256.hash(Array("replaced".utf8))), "jane".octets])
        try database.execute(
          sql: "INSERT INTO deviceCodes (hash, device, user, state, expiresAt) VALUES (?, 5, ?, x'73', 2e9)",
          arguments: [Data(SHA2.SHA256.hash(Array("code".utf8))), "jane".octets])
      }
    }
    let database = try database(path: "former.sqlite")
    for (number, mac) in macs.enumerated() {
      for key in [mac.signingKey, mac.otherSigningKey].compactMap({ $0 }) {
        #expect(try await database.devices.device(signingKeyID: key.keyID).map { try plain($0) } == mac)
      }
      let found = try #require(try await database.devices.device(id: mac.id, tenant: mac.tenant))
      #expect(try plain(found) == mac)
      let entries = try await database.devices.entries(tenant: mac.tenant)
      #expect(entries.map(\.device) == [found] && entries[0].registeredAt == NumericDate(1_759_000_000 + number))
      let logins = DeviceLoginService(records: database.records, tenant: mac.tenant, clock: database.clock)
      let login = try #require(try await logins.login(refreshToken: "token \(number)"))
      #expect(login.userName == "jane" && login.device == found && login.expiration == NumericDate(2_000_000_000))
      #expect(try await logins.userKey(of: "jane", on: found) == (number == 0 ? userKey : nil))
    }
    let logins = database.deviceLogins
    let first = try #require(try await database.devices.device(id: macs[0].id, tenant: nil))
    let opened = try await logins.unlockKey(of: "jane", on: first, sealedBy: contexts)
    #expect(opened?.x963Representation == unlockKey.x963Representation)
    #expect(try await logins.login(refreshToken: "replaced") == nil)
    // The rules go on: a key is one device's, and what users hold ends with the registration.
    #expect(try await !database.devices.save(device("other", macs[1].signingKey)))
    let rotating = try await database.devices.beginRotation(id: macs[0].id, signingKey: key())
    #expect(try await logins.userKey(of: "jane", on: rotating) == userKey)
    #expect(try await logins.endLogins(of: "jane", on: rotating) == 2)
    #expect(try await database.devices.save(device(macs[0].id)))
    #expect(try await logins.userKey(of: "jane", on: rotating) == nil)
    func codes() async throws -> Int? {
      try await database.pool.read { database in
        try Int.fetchOne(
          database, sql: "SELECT count(*) FROM records WHERE kind = 'device-code' AND key = ?",
          arguments: [Data(SHA2.SHA256.hash(Array("code".utf8)))])
      }
    }
    #expect(try await codes() == 1)
    let tenants = DeviceLoginService(records: database.records, tenant: "", clock: database.clock)
    #expect(try await tenants.endLogins(of: "jane") == 1)
    #expect(try await codes() == 0)
    #expect(try await database.integrityCheck() == ["ok"])
  }
}
