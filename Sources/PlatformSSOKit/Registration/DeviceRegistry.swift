import JOSE
import PureCrypto
import StrictJSON

/// A provider's devices, and how they come and go: records of a `RecordStore`.
///
/// Each step is one commit: of two registrations at once, one comes after the other, and a rotation of keys that meets
/// a new registration changes nothing. Names are compared as bytes, and one tenant never sees another's devices but
/// through a signing key, which is unique.
public struct DeviceRegistry: Sendable {
  /// Registrations of one device that are made at once each take a turn; more than this is a fault of the store.
  private static let turns = 64

  private let records: any RecordStore
  private let clock: WallClock

  /// The devices among some records.
  ///
  /// - Parameters:
  ///   - records: shared by all machines of the provider.
  ///   - clock: dates registrations.
  public init(records: any RecordStore, clock: WallClock = .system) {
    (self.records, self.clock) = (records, clock)
  }

  // MARK: Devices

  /// The device with a signing key, present or other.
  ///
  /// - Throws: what the store throws; `ErrorCode.storeUnavailable` if the record can't be read.
  public func device(signingKeyID: KeyIdentifier) async throws -> RegisteredDevice? {
    try await records.records(DeviceRecord.kind, where: DeviceRecord.index(signingKeyID), limit: 1).first
      .map { try DeviceRecord.device($0) }
  }

  /// The device of a tenant with a signing key, present or other; nil for another tenant's.
  ///
  /// - Throws: what the store throws; `ErrorCode.storeUnavailable` if the record can't be read.
  public func device(signingKeyID: KeyIdentifier, tenant: String?) async throws -> RegisteredDevice? {
    guard let device = try await device(signingKeyID: signingKeyID), OptionalText(device.tenant) == OptionalText(tenant)
    else {
      return nil
    }
    return device
  }

  /// A tenant's device.
  ///
  /// - Throws: as ``device(signingKeyID:tenant:)``.
  public func device(id: String, tenant: String?) async throws -> RegisteredDevice? {
    try await record(id, tenant).map { try DeviceRecord.device($0) }
  }

  /// A device and when it was registered.
  public struct Entry: Sendable, Hashable {
    /// The device.
    public let device: RegisteredDevice
    /// When its present registration was made.
    public let registeredAt: NumericDate
  }

  /// A tenant's devices, those registered first first. Records that can't be read are left out.
  ///
  /// - Parameters:
  ///   - tenant: whose.
  ///   - limit: how many at most.
  /// - Throws: what the store throws.
  public func entries(tenant: String? = nil, limit: Int = 10_000) async throws -> [Entry] {
    try await records.records(DeviceRecord.kind, where: DeviceRecord.index(tenant), limit: limit).compactMap { record in
      (try? DeviceRecord.device(record)).map { Entry(device: $0, registeredAt: record.createdAt) }
    }
  }

  /// Keeps a device in place of the one with the same name and tenant, as a registration of its own: what belonged to
  /// the former one is good no more. That one need not be readable.
  ///
  /// - Returns: false, and nothing kept, if another device has one of its signing keys.
  /// - Throws: what the store throws.
  public func save(_ device: RegisteredDevice) async throws -> Bool { try await register(device) != nil }

  /// Forgets a device. False if there was none.
  ///
  /// - Throws: what the store throws.
  public func remove(id: String, tenant: String?) async throws -> Bool {
    for _ in 0..<Self.turns {
      guard let stored = try await record(id, tenant) else { return false }
      if try await records.settle(removals(stored)) == .done { return true }
    }
    throw Self.contended
  }

  /// Keeps a device in place of what the registry said is known of it. False, and nothing changed, if something else is
  /// known of it by now, or if another device has one of the new one's signing keys.
  package func replace(_ known: RegisteredDevice, by device: RegisteredDevice) async throws -> Bool {
    guard DeviceRecord.name(known.id, known.tenant) == DeviceRecord.name(device.id, device.tenant) else { return false }
    for _ in 0..<Self.turns {
      guard let stored = try await record(known.id, known.tenant) else { return false }
      let current = try DeviceRecord.device(stored)
      // A registration anew is another one, with the same keys too: what was given for the former went with it.
      guard known.registrationID == nil || OptionalText(known.registrationID) == OptionalText(current.registrationID)
      else { return false }
      // Octet by octet: Swift's == takes texts for the same that are not.
      guard DeviceRecord.document(known) == DeviceRecord.document(current) else { return false }
      var next = DeviceRecord.record(device, key: stored.key, now: stored.createdAt)
      next.version = stored.version
      switch try await records.settle([.replace(next)]) {
      case .done: return true
      // A user logged in for the first time meanwhile, or something that the next turn refuses.
      case .refused(_, .versionChanged), .refused(_, .absent): break
      case .refused: return false
      }
    }
    throw Self.contended
  }

  /// The device as it is registered; nil if another one has one of its signing keys.
  private func register(_ device: RegisteredDevice) async throws -> RegisteredDevice? {
    var device = device
    let registration = SystemRandom.bytes(count: 16)
    device.registrationID = Base64URL.encode(registration)
    let record = DeviceRecord.record(device, key: registration, now: clock.now)
    for _ in 0..<Self.turns {
      let former = try await self.record(device.id, device.tenant)
      var changes: [RecordChange] = []
      if let former { changes = try await removals(former) }
      switch try await records.settle(changes + [.insert(record)]) {
      case .done: return device
      case .refused(_, .indexTaken("signing-key")): return nil
      // Another registration of the same device was made meanwhile.
      case .refused: break
      }
    }
    throw Self.contended
  }

  /// Ends a registration, with all that its users hold.
  private func removals(_ stored: StoredRecord) async throws -> [RecordChange] {
    let removal = RecordChange.remove(DeviceRecord.kind, key: stored.key, version: stored.version)
    return [removal] + (try await DeviceLoginService.removals(of: stored.key, in: records))
  }

  private func record(_ id: String, _ tenant: String?) async throws -> StoredRecord? {
    try await records.records(DeviceRecord.kind, where: DeviceRecord.name(id, tenant), limit: 1).first
  }

  private static let contended = JOSEError(.storeUnavailable, "the device keeps being registered by others")

  // MARK: Registration

  /// Registers a device, or registers it anew: then its former keys, refresh tokens and codes are good no more, and
  /// neither should its key contexts be. Call this after what came as proof has been checked.
  ///
  /// - Parameters:
  ///   - registration: the device's names and keys, as it sent them.
  ///   - id: the provider's own name for the device. If nil, the registration's device, UDID or serial number.
  ///   - tenant: whose device it is, where a provider has more than one organisation.
  /// - Throws: `ErrorCode.claimMissing` without a name, `ErrorCode.deviceConflict` if another device has the signing
  ///   key, `ErrorCode.storeUnavailable`.
  public func register(
    _ registration: DeviceRegistration, id: String? = nil, tenant: String? = nil
  ) async throws(JOSEError) -> RegisteredDevice {
    guard let id = id ?? registration.deviceID ?? registration.udid ?? registration.serialNumber, !id.isEmpty else {
      throw JOSEError(.claimMissing, "nothing names the device", name: "device_id")
    }
    let device = RegisteredDevice(
      id: id, signingKey: registration.signingKey, encryptionKey: registration.encryptionKey,
      attestation: registration.attestation, serialNumber: registration.serialNumber, udid: registration.udid,
      tenant: tenant)
    guard let registered = try await JOSEError.askingStore({ try await register(device) }) else {
      throw JOSEError(.deviceConflict, "another device is registered with the signing key", name: "device_id")
    }
    return registered
  }

  // MARK: Rotation

  /// Begins to replace keys, one or both: from now on old and new ones are both good.
  ///
  /// - Throws: `ErrorCode.deviceUnknown`; `ErrorCode.deviceConflict` if another device has the key, or the device was
  ///   registered anew meanwhile; `ErrorCode.keyMismatch` for an encryption key that is not on P-256;
  ///   `ErrorCode.storeUnavailable`.
  public func beginRotation(
    id: String, tenant: String? = nil, signingKey: RegisteredKey? = nil, encryptionKey: RegisteredKey? = nil
  ) async throws(JOSEError) -> RegisteredDevice {
    if let encryptionKey { try RegistrationBody.requireP256(encryptionKey, name: "encryptionKey") }
    return try await change(id: id, tenant: tenant) { device in
      device.otherSigningKey = signingKey ?? device.otherSigningKey
      device.otherEncryptionKey = encryptionKey ?? device.otherEncryptionKey
    }
  }

  /// Ends a rotation: the new keys are the device's, and the old ones good no more.
  ///
  /// - Throws: as ``beginRotation(id:tenant:signingKey:encryptionKey:)``.
  public func completeRotation(id: String, tenant: String? = nil) async throws(JOSEError) -> RegisteredDevice {
    try await change(id: id, tenant: tenant) { device in
      device.signingKey = device.otherSigningKey ?? device.signingKey
      device.encryptionKey = device.otherEncryptionKey ?? device.encryptionKey
      (device.otherSigningKey, device.otherEncryptionKey) = (nil, nil)
    }
  }

  /// Gives a rotation up: the old keys stay, and the new ones are good no more.
  ///
  /// - Throws: as ``beginRotation(id:tenant:signingKey:encryptionKey:)``.
  public func cancelRotation(id: String, tenant: String? = nil) async throws(JOSEError) -> RegisteredDevice {
    try await change(id: id, tenant: tenant) { ($0.otherSigningKey, $0.otherEncryptionKey) = (nil, nil) }
  }

  private func change(
    id: String, tenant: String?, _ body: (inout RegisteredDevice) -> Void
  ) async throws(JOSEError) -> RegisteredDevice {
    guard let known = try await JOSEError.askingStore({ try await device(id: id, tenant: tenant) }) else {
      throw JOSEError(.deviceUnknown, "the tenant has no such device", name: "device_id")
    }
    var changed = known
    body(&changed)
    let wanted = changed
    guard try await JOSEError.askingStore({ try await replace(known, by: wanted) }) else {
      throw JOSEError(
        .deviceConflict, "another device has the signing key, or this one was registered anew", name: "device_id")
    }
    return wanted
  }
}
