import JOSE
import NativeSSOKit
import PlatformSSOKit
import AppleSignInKit
import StrictJSON
import OpenIDKit

/// Device secrets whose documents can be damaged; what the rules ask of sound ones is done by the store in memory.
actor DeviceSecretByteStore: DeviceSecretStore, DocumentKeeping {
  private let inner = InMemoryDeviceSecretStore()
  private var table: DocumentTable<DeviceSecretRecord>

  init(_ fault: DocumentFault? = nil) { table = DocumentTable(fault) }

  func rewrite(_ change: @Sendable (_ document: [UInt8]) -> [UInt8]) { table.rewrite(change) }

  private func sound(_ record: DeviceSecretRecord?) throws -> DeviceSecretRecord? {
    guard let record, let stored = table.columns(record.id) else { return record }
    guard try table.value(stored.id, { try DeviceSecretRecord(parsing: $0) }) != nil else { return nil }
    return record
  }

  private func stumble() throws {
    guard table.fault == .stumbles else { return }
    _ = try table.value("") { try DeviceSecretRecord(parsing: $0) }
  }

  func insert(
    _ record: DeviceSecretRecord, limit: Int, overflow: NativeSSOSettings.OverflowBehavior, now: NumericDate
  ) async throws -> DeviceSecretInsertion {
    try stumble()
    table.put(record.id, record, record.serialized())
    return await inner.insert(record, limit: limit, overflow: overflow, now: now)
  }

  func record(fingerprint: DeviceSecretFingerprint, now: NumericDate) async throws -> DeviceSecretRecord? {
    try sound(await inner.record(fingerprint: fingerprint, now: now))
  }

  func rotatedRecord(fingerprint: DeviceSecretFingerprint, now: NumericDate) async throws -> DeviceSecretRecord? {
    try sound(await inner.rotatedRecord(fingerprint: fingerprint, now: now))
  }

  func record(id: String) async throws -> DeviceSecretRecord? { try sound(await inner.record(id: id)) }

  func records(userID: String) async throws -> [DeviceSecretRecord] {
    try await inner.records(userID: userID).compactMap(sound)
  }

  func consume(id: String, useLimit: Int?, now: NumericDate) async throws -> DeviceSecretConsumption {
    if table.fault != .trustsColumns, try await sound(inner.record(id: id)) == nil { return .notActive }
    return await inner.consume(id: id, useLimit: useLimit, now: now)
  }

  func attach(sessionID: String, to id: String, now: NumericDate) async throws -> Bool {
    await inner.attach(sessionID: sessionID, to: id, now: now)
  }

  func rotate(
    id: String, from current: DeviceSecretFingerprint, to next: DeviceSecretFingerprint, graceUntil: NumericDate,
    now: NumericDate
  ) async throws -> Bool {
    await inner.rotate(id: id, from: current, to: next, graceUntil: graceUntil, now: now)
  }

  func revoke(id: String, reason: RevocationReason, now: NumericDate) async throws -> DeviceSecretRevocation {
    await inner.revoke(id: id, reason: reason, now: now)
  }

  func revokeAll(userID: String, reason: RevocationReason, now: NumericDate) async throws -> DeviceSecretRevocations {
    try stumble()
    return await inner.revokeAll(userID: userID, reason: reason, now: now)
  }

  func revokeAll(sessionID: String, reason: RevocationReason, now: NumericDate) async throws -> DeviceSecretRevocations
  {
    try stumble()
    return await inner.revokeAll(sessionID: sessionID, reason: reason, now: now)
  }

  func removeStale(now: NumericDate, revokedBefore: NumericDate) async throws -> Int {
    if table.fault == .neverHeals { return 0 }
    return await inner.removeStale(now: now, revokedBefore: revokedBefore)
  }
}

/// Devices as bytes, beside columns.
actor DeviceByteStore: DeviceRegistry, DocumentKeeping {
  private var table: DocumentTable<RegisteredDevice>

  init(_ fault: DocumentFault? = nil) { table = DocumentTable(fault) }

  func device(id: String, tenant: String?) throws -> RegisteredDevice? {
    try table.value(id) { try StrictJSONDecoder().decode(RegisteredDevice.self, from: $0) }
  }

  func device(signingKeyID: KeyIdentifier) throws -> RegisteredDevice? {
    guard let known = table.all.first(where: { $0.signingKey.keyID == signingKeyID }) else { return nil }
    return try device(id: known.id, tenant: known.tenant)
  }

  func save(_ device: RegisteredDevice) throws -> Bool {
    if table.fault == .neverHeals { _ = try self.device(id: device.id, tenant: device.tenant) }
    if table.fault == .losesOthers, (try? self.device(id: device.id, tenant: device.tenant)) == nil, table.all.count > 1
    {
      table.removeAll()
    }
    table.put(device.id, device, try StrictJSONEncoder().encode(device))
    return true
  }

  func replace(_ known: RegisteredDevice, by device: RegisteredDevice) throws -> Bool {
    guard try self.device(id: known.id, tenant: known.tenant) == known else { return false }
    return try save(device)
  }

  func remove(id: String, tenant: String?) -> Bool {
    guard table.columns(id) != nil else { return false }
    table.remove(id)
    return true
  }

  func rewrite(_ change: @Sendable (_ document: [UInt8]) -> [UInt8]) { table.rewrite(change) }
}

/// Settings as bytes.
actor SettingsByteStore: SettingsStore, DocumentKeeping {
  private var table: DocumentTable<JSONObject>

  init(_ fault: DocumentFault? = nil) { table = DocumentTable(fault) }

  func load() throws -> JSONObject? { try table.value("") { try JSONObject(parsing: $0) } }

  func replace(expecting expected: JSONObject?, with override: JSONObject?) throws -> Bool {
    let saved: JSONObject?
    switch table.fault {
    case .neverHeals: saved = try load()
    case .trustsColumns: saved = table.columns("")
    default: saved = try? load()
    }
    guard saved == expected else { return false }
    if let override { table.put("", override, override.serialized()) } else { table.remove("") }
    return true
  }

  func rewrite(_ change: @Sendable (_ document: [UInt8]) -> [UInt8]) { table.rewrite(change) }
}
