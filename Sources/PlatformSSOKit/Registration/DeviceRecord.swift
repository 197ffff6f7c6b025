import JOSE
import PureCrypto
import StrictJSON

/// The form in which a registry keeps a device.
enum DeviceRecord {
  static let kind = StoredRecord.Kind(library: "device")

  /// The record of a registration. Another registration of the same device has another key, so that a change which
  /// began before finds nothing to change.
  static func record(_ device: RegisteredDevice, key: [UInt8], now: NumericDate) throws -> StoredRecord {
    let keyIDs = [device.signingKey.keyID] + (device.otherSigningKey.map { [$0.keyID] } ?? [])
    var indexes = [name(device.id, device.tenant), index(device.tenant), index(keyIDs[0])]
    // A device may have one key in both places.
    for keyID in keyIDs.dropFirst() where keyID != keyIDs[0] { indexes.append(index(keyID)) }
    return StoredRecord(
      kind: kind, key: key, indexes: indexes, createdAt: now,
      document: try document(device), attempt: SystemRandom.bytes(count: 16))
  }

  /// A name of any length, and no tenant or one, which may have an empty name.
  static func name(_ id: String, _ tenant: String?) -> StoredRecord.Index {
    let fields = [Array(id.utf8)] + (tenant.map { [Array($0.utf8)] } ?? [])
    return StoredRecord.Index("name", Array(SHA2.SHA256.hash(LengthPrefixedFields.encode(fields))), isUnique: true)
  }

  static func index(_ keyID: KeyIdentifier) -> StoredRecord.Index {
    StoredRecord.Index("signing-key", keyID.octets, isUnique: true)
  }

  /// The devices of a tenant, or those that have none.
  static func index(_ tenant: String?) -> StoredRecord.Index {
    StoredRecord.Index("tenant", tenant.map { Array("=\($0)".utf8) } ?? [])
  }

  /// Always the same octets for the same device.
  static func document(_ device: RegisteredDevice) throws -> [UInt8] { try StrictJSONEncoder().encode(device) }

  static func device(_ record: StoredRecord) throws(PlatformSSOError) -> RegisteredDevice {
    guard let device = try? StrictJSONDecoder().decode(RegisteredDevice.self, from: record.document) else {
      throw PlatformSSOError(.storeUnavailable, "the device's record can't be read")
    }
    return device
  }
}
