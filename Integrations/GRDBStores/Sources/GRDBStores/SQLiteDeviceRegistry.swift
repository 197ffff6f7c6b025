import Foundation
import GRDB
import JOSE
import PlatformSSOKit

extension ProviderDatabase {
  /// The Macs of Platform SSO.
  public var devices: SQLiteDeviceRegistry { SQLiteDeviceRegistry(database: self) }
}

/// A device registry in SQLite.
///
/// What is kept for the users of a device (see ``SQLiteDeviceLoginStore``) goes with it, in the same transaction: when
/// the device is removed, and when it is registered anew.
///
/// What the operations throw is `DatabaseError`, or `DecodingError` for what can't be read.
public struct SQLiteDeviceRegistry: DeviceRegistry {
  let database: ProviderDatabase

  /// A device and when it was registered last.
  public struct Entry: Sendable, Hashable {
    /// The device.
    public let device: RegisteredDevice
    /// By the database's clock.
    public let registeredAt: NumericDate
  }

  // MARK: The rules of a registry

  /// The device with a signing key, present or other.
  ///
  /// - Throws: see ``SQLiteDeviceRegistry``.
  public func device(signingKeyID: KeyIdentifier) async throws -> RegisteredDevice? {
    try await database.read { database in
      guard let number = try Self.number(signingKeyID, in: database) else { return nil }
      return try StoredDevice.fetch(database, "number = ?", [number]).first?.device
    }
  }

  /// A tenant's device.
  ///
  /// - Throws: see ``SQLiteDeviceRegistry``.
  public func device(id: String, tenant: String?) async throws -> RegisteredDevice? {
    try await database.read { try StoredDevice.named(id, tenant, in: $0)?.device }
  }

  /// Keeps a device in place of the one with the same name and tenant, with nothing that was kept for the users of that
  /// one. That one need not be readable any more.
  ///
  /// - Throws: see ``SQLiteDeviceRegistry``.
  public func save(_ device: RegisteredDevice) async throws -> Bool {
    let now = database.clock.now
    return try await database.write { database in
      let known = try Int64.fetchOne(
        database, sql: "SELECT number FROM devices WHERE tenant = ? AND id = ?",
        arguments: [StoredDevice.octets(tenant: device.tenant), device.id.octets])
      guard try Self.mayHaveItsKeys(device, known, in: database) else { return false }
      // What hangs off the row goes with it.
      try database.execute(sql: "DELETE FROM devices WHERE number = ?", arguments: [known])
      try database.execute(
        sql: "INSERT INTO devices (tenant, id, registeredAt, document) VALUES (?, ?, ?, ?)",
        arguments: [
          StoredDevice.octets(tenant: device.tenant), device.id.octets, now.secondsSince1970,
          try StoredDevice.document(device),
        ])
      try Self.setKeys(device, database.lastInsertedRowID, in: database)
      return true
    }
  }

  /// Keeps a device in place of what is known of it. What is kept for its users stays.
  ///
  /// - Throws: see ``SQLiteDeviceRegistry``.
  public func replace(_ known: RegisteredDevice, by device: RegisteredDevice) async throws -> Bool {
    try await database.write { database in
      guard let stored = try StoredDevice.named(known.id, known.tenant, in: database),
        // Octet by octet: Swift's == takes texts for the same that are not.
        try StoredDevice.document(stored.device) == StoredDevice.document(known),
        known.id.octets == device.id.octets,
        StoredDevice.octets(tenant: known.tenant) == StoredDevice.octets(tenant: device.tenant),
        try Self.mayHaveItsKeys(device, stored.number, in: database)
      else { return false }
      try database.execute(
        sql: "UPDATE devices SET document = ? WHERE number = ?",
        arguments: [try StoredDevice.document(device), stored.number])
      try Self.setKeys(device, stored.number, in: database)
      return true
    }
  }

  /// Forgets a device and what is kept for its users. False if there was none.
  ///
  /// - Throws: see ``SQLiteDeviceRegistry``.
  public func remove(id: String, tenant: String?) async throws -> Bool {
    try await database.write { database in
      try database.execute(
        sql: "DELETE FROM devices WHERE tenant = ? AND id = ?",
        arguments: [StoredDevice.octets(tenant: tenant), id.octets])
      return database.changesCount == 1
    }
  }

  // MARK: For administrators

  /// A tenant's devices, those registered last first.
  ///
  /// - Throws: see ``SQLiteDeviceRegistry``.
  public func entries(tenant: String? = nil) async throws -> [Entry] {
    try await database.read { database in
      try StoredDevice.fetch(database, "tenant = ? ORDER BY number DESC", [StoredDevice.octets(tenant: tenant)])
        .compactMap { stored in
          NumericDate(secondsSince1970: stored.registeredAt).map { Entry(device: stored.device, registeredAt: $0) }
        }
    }
  }

  // MARK: Keys

  static func number(_ signingKeyID: KeyIdentifier, in database: Database) throws -> Int64? {
    let statement = try database.cachedStatement(sql: "SELECT device FROM deviceSigningKeys WHERE keyID = ?")
    return try Int64.fetchOne(statement, arguments: [Data(signingKeyID.octets)])
  }

  /// Whether nobody but the device of this number has one of a device's signing keys.
  private static func mayHaveItsKeys(
    _ device: RegisteredDevice, _ number: Int64?, in database: Database
  ) throws -> Bool {
    try device.signingKeyIDs.allSatisfy { keyID in
      let owner = try Self.number(keyID, in: database)
      return owner == nil || owner == number
    }
  }

  private static func setKeys(_ device: RegisteredDevice, _ number: Int64, in database: Database) throws {
    try database.execute(sql: "DELETE FROM deviceSigningKeys WHERE device = ?", arguments: [number])
    for keyID in device.signingKeyIDs {
      try database.execute(
        sql: "INSERT OR IGNORE INTO deviceSigningKeys (keyID, device) VALUES (?, ?)",
        arguments: [Data(keyID.octets), number])
    }
  }
}

extension RegisteredDevice {
  /// The present signing key's, and the other one's while keys are being replaced.
  var signingKeyIDs: [KeyIdentifier] { [signingKey, otherSigningKey].compactMap { $0?.keyID } }
}

/// A row of the table.
struct StoredDevice {
  let number: Int64
  let device: RegisteredDevice
  let registeredAt: Double

  static func fetch(
    _ database: Database, _ condition: String, _ arguments: StatementArguments
  ) throws -> [StoredDevice] {
    let statement = try database.cachedStatement(
      sql: "SELECT number, document, registeredAt FROM devices WHERE \(condition)")
    return try Row.fetchAll(statement, arguments: arguments).map { row in
      let document: Data = row[1]
      return StoredDevice(
        number: row[0], device: try JSONDecoder().decode(RegisteredDevice.self, from: document), registeredAt: row[2])
    }
  }

  static func named(_ id: String, _ tenant: String?, in database: Database) throws -> StoredDevice? {
    try fetch(database, "tenant = ? AND id = ?", [octets(tenant: tenant), id.octets]).first
  }

  /// Always the same octets for the same device.
  static func document(_ device: RegisteredDevice) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(device)
  }

  /// No tenant is another one than the tenant without a name.
  static func octets(tenant: String?) -> Data { tenant.map { "=\($0)".octets } ?? Data() }
}
