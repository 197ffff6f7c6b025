import JOSE
import PureCrypto

/// The form in which a registry keeps a device: version 1, in binary, since each request reads one.
enum DeviceRecord {
  static let kind = StoredRecord.Kind(library: "device")

  /// The record of a registration. Another registration of the same device has another key, so that a change which
  /// began before finds nothing to change.
  static func record(_ device: RegisteredDevice, key: [UInt8], now: NumericDate) -> StoredRecord {
    let keyIDs = [device.signingKey.keyID] + (device.otherSigningKey.map { [$0.keyID] } ?? [])
    var indexes = [name(device.id, device.tenant), index(device.tenant), index(keyIDs[0])]
    // A device may have one key in both places.
    for keyID in keyIDs.dropFirst() where keyID != keyIDs[0] { indexes.append(index(keyID)) }
    // An attested name is a name of the Mac, and nobody else's; a claimed one is found when its Mac comes.
    indexes += device.attestedNames.map { name($0, device.tenant) }
    indexes += device.claimedNames.map { claim($0, device.tenant) }
    return StoredRecord(
      kind: kind, key: key, indexes: indexes, createdAt: now,
      document: document(device), attempt: SystemRandom.bytes(count: 16))
  }

  /// A name of any length, and no tenant or one, which may have an empty name.
  static func name(_ id: String, _ tenant: String?) -> StoredRecord.Index {
    let fields = [Array(id.utf8)] + (tenant.map { [Array($0.utf8)] } ?? [])
    return StoredRecord.Index("name", Array(SHA2.SHA256.hash(LengthPrefixedFields.encode(fields))), isUnique: true)
  }

  /// A UDID or serial number that a device merely claims.
  static func claim(_ name: String, _ tenant: String?) -> StoredRecord.Index {
    StoredRecord.Index("claim", Self.name(name, tenant).value)
  }

  static func index(_ keyID: KeyIdentifier) -> StoredRecord.Index {
    StoredRecord.Index("signing-key", keyID.octets, isUnique: true)
  }

  /// The devices of a tenant, or those that have none.
  static func index(_ tenant: String?) -> StoredRecord.Index {
    StoredRecord.Index("tenant", tenant.map { Array("=\($0)".utf8) } ?? [])
  }

  /// The first octet of a document.
  private static let form: UInt8 = 1

  /// Always the same octets for the same device.
  static func document(_ device: RegisteredDevice) -> [UInt8] {
    let keys: [RegisteredKey?] = [
      device.signingKey, device.encryptionKey, device.otherSigningKey, device.otherEncryptionKey,
    ]
    var fields = keys.map { $0?.x963Representation ?? [] }
    // A text that is absent is not an empty one.
    for text in [device.id, device.serialNumber, device.udid, device.tenant] {
      fields.append(text.map { [1] + Array($0.utf8) } ?? [])
    }
    fields.append(Array(device.identity.rawValue.utf8))
    fields.append(LengthPrefixedFields.encode(device.attestation))
    let octets = [form] + LengthPrefixedFields.encode(fields)
    return octets + check(octets)
  }

  static func device(_ record: StoredRecord) throws(JOSEError) -> RegisteredDevice {
    guard record.document.first == form, var device = binary(record.document) else {
      throw JOSEError(.storeUnavailable, "the device's record can't be read")
    }
    device.registrationID = Base64URL.encode(record.key)
    return device
  }

  /// Eight octets that depend on all others: no octet that a disk lost makes one device another.
  private static func check(_ octets: [UInt8]) -> [UInt8] { Array(SHA2.SHA256.hash(octets).prefix(8)) }

  private static func binary(_ document: [UInt8]) -> RegisteredDevice? {
    let octets = Array(document.dropLast(8))
    guard check(octets) == document.suffix(8),
      let fields = LengthPrefixedFields.decode(Array(octets.dropFirst()), limit: 10), fields.count == 10,
      let identity = RegisteredDevice.Identity(rawValue: String(decoding: fields[8], as: UTF8.self)),
      let attestation = LengthPrefixedFields.decode(fields[9], limit: .max)
    else { return nil }
    let keys = fields[..<4].map { RegisteredKey(stored: $0) }
    let texts = fields[4..<8].map { $0.first == 1 ? String(validating: $0.dropFirst(), as: UTF8.self) : nil }
    guard (0..<4).allSatisfy({ fields[$0].isEmpty == (keys[$0] == nil) }),
      (0..<4).allSatisfy({ fields[4 + $0].isEmpty == (texts[$0] == nil) }),
      let signingKey = keys[0], let encryptionKey = keys[1], let id = texts[0]
    else { return nil }
    var device = RegisteredDevice(
      id: id, signingKey: signingKey, encryptionKey: encryptionKey, otherSigningKey: keys[2],
      otherEncryptionKey: keys[3], attestation: attestation, serialNumber: texts[1], udid: texts[2],
      tenant: texts[3])
    device.identity = identity
    return device
  }
}
