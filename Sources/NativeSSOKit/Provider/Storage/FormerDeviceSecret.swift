import JOSE
import PureCrypto
import StrictJSON

/// A device secret that a rotation has replaced. It is a record of its own, which leads to the device's: a rotation
/// writes one of them, however many there were before.
///
/// They are how a stolen secret is noticed: if the device rotates first, the thief's copy comes back, and if the thief
/// does, the device's. One that has been forgotten is refused as any unknown secret is, so a thief gains nothing by it
/// but that the alarm is lost. The bounds are wide enough that a thief can't get there fast by rotating:
/// ``maximumCount`` is more than the rotations of a day at ten exchanges a minute, the default. They are kept for
/// ``DeviceSecretRecords/retention``, three times the default life of a device secret.
package enum FormerDeviceSecret {
  package static let kind = StoredRecord.Kind(library: "former-device-secret")
  /// How many of one device are kept: some megabytes at most.
  package static let maximumCount = 16_384

  /// By what one is found.
  static func index(_ fingerprint: DeviceSecretFingerprint) -> StoredRecord.Index {
    .init("rotated", Array(fingerprint.hexadecimal.utf8), isUnique: true)
  }

  /// What writes the secret that the latest rotation of a device's record has replaced. It takes the place of the
  /// oldest one when the device has as many as are kept.
  static func change(
    writing fingerprint: DeviceSecretFingerprint, of record: DeviceSecretRecord, limit: Int, now: NumericDate,
    in records: any RecordStore
  ) async throws -> RecordChange {
    let key = prefix(record.id) + Array("\(record.rotationCount % max(1, limit))".utf8)
    let oldest = try await records.record(kind, key: key)
    let document: JSONObject = ["v": 1, "record": .string(record.id)]
    let former = StoredRecord(
      kind: kind, key: key, version: oldest?.version ?? 0, indexes: [index(fingerprint)], createdAt: now,
      expiresAt: now.advanced(by: DeviceSecretRecords.retention), document: document.serialized(),
      attempt: SystemRandom.bytes(count: 16))
    return oldest == nil ? .insert(former) : .replace(former)
  }

  /// The name of the device's record.
  ///
  /// - Throws: `ErrorCode.recordMalformed`.
  static func recordID(of former: StoredRecord) throws(JOSEError) -> String {
    guard let object = try? JSONObject(parsing: former.document), object["v"]?.int64Value == 1,
      let id = object["record"]?.stringValue, former.key.starts(with: prefix(id))
    else { throw JOSEError(.recordMalformed, "the stored record is not legal") }
    return id
  }

  private static func prefix(_ id: String) -> [UInt8] { Array(id.utf8) + [0] }
}
