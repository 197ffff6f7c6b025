import JOSE
import PureCrypto
import StrictJSON

extension DeviceRegistry {
  static func replacement(of stored: StoredRecord, by device: RegisteredDevice) -> RecordChange {
    var next = DeviceRecord.record(device, key: stored.key, now: stored.createdAt)
    next.version = stored.version
    return .replace(next)
  }

  /// The registrations that stand under a Mac's attested names, or claim them, its own included. Each of these is the
  /// Mac's own former one, or has a name that isn't its own.
  func holders(of device: RegisteredDevice) async throws -> [StoredRecord] {
    var holders: [StoredRecord] = []
    for name in device.attestedNames {
      let named = try await record(name, device.tenant).map { [$0] } ?? []
      let claims = try await records.records(
        DeviceRecord.kind, where: DeviceRecord.claim(name, device.tenant), limit: .max)
      for holder in named + claims where !holders.contains(where: { $0.key == holder.key }) { holders.append(holder) }
    }
    return holders
  }

  /// Refuses claims of names that look like others: with blanks at the ends, or with characters that can't be seen.
  /// What is registered under such a name stays, and may register again.
  func requireVisibleNames(_ registration: DeviceRegistration, tenant: String?) async throws(JOSEError) {
    let claims = [
      ("device_id", registration.deviceID), ("udid", registration.udid), ("serial_number", registration.serialNumber),
    ]
    for case (let name, let text?) in claims where !RegistrationBody.isVisible(text) {
      let keyID = registration.signingKey.keyID
      let (named, known) = try await JOSEError.askingStore {
        (try await device(id: text, tenant: tenant), try await device(signingKeyID: keyID, tenant: tenant))
      }
      guard named == nil, known == nil else { continue }
      throw JOSEError(
        .claimInvalid, "a name has no blanks at its ends and no characters that can't be seen", name: name)
    }
  }

  // MARK: Records of earlier versions

  /// That the records of a tenant were looked through for names that they are not found by.
  static let indexing = StoredRecord.Kind(library: "device-names")
  /// How long that counts, in seconds. An older version of this library that still runs beside this one writes records
  /// without these names.
  private static let indexingLifetime = 86_400.0

  /// Sees to it that all devices of a tenant are found by the names that they have or claim: versions before this one
  /// wrote only the name that the provider has for a device. Where two have one name, the attested one keeps it.
  func indexNames(of tenant: String?) async throws {
    let key = DeviceRecord.name("", tenant).value
    let now = clock.now
    let known = try await records.record(Self.indexing, key: key)
    if let known, now < known.createdAt.advanced(by: Self.indexingLifetime) { return }
    for record in try await records.records(DeviceRecord.kind, where: DeviceRecord.index(tenant), limit: .max) {
      try await indexNames(of: record)
    }
    let mark = StoredRecord(
      kind: Self.indexing, key: key, createdAt: now, document: [], attempt: SystemRandom.bytes(count: 16))
    // Another process may have done the same meanwhile.
    let former = known.map { [RecordChange.remove(Self.indexing, key: key, version: $0.version)] } ?? []
    _ = try await records.settle(former + [.insert(mark)])
  }

  private func indexNames(of listed: StoredRecord) async throws {
    for _ in 0..<Self.turns {
      // What can't be read is left to the administrator.
      guard let stored = try await records.record(DeviceRecord.kind, key: listed.key),
        let device = try? DeviceRecord.device(stored)
      else { return }
      let change = Self.replacement(of: stored, by: device)
      guard case .replace(let next) = change, Set(next.indexes) != Set(stored.indexes) else { return }
      var changes: [RecordChange] = []
      for holder in try await holders(of: device) where holder.key != stored.key {
        changes += try await removals(holder)
      }
      if try await records.settle(changes + [change]) == .done { return }
    }
    throw Self.contended
  }
}
