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
  /// - Throws: as ``device(signingKeyID:)``.
  public func device(signingKeyID: KeyIdentifier, tenant: String?) async throws -> RegisteredDevice? {
    guard let device = try await device(signingKeyID: signingKeyID), Tenant(device.tenant) == Tenant(tenant) else {
      return nil
    }
    return device
  }

  /// A tenant's device.
  ///
  /// - Throws: as ``device(signingKeyID:)``.
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
      let removal = RecordChange.remove(DeviceRecord.kind, key: stored.key, version: stored.version)
      if try await records.settle([removal]) == .done { return true }
    }
    throw Self.contended
  }

  /// Keeps a device in place of what is known of it. False, and nothing changed, if something else is known of it by
  /// now, or if another device has one of the new one's signing keys.
  ///
  /// - Parameters:
  ///   - known: as the registry gave it.
  ///   - device: the same device, changed.
  /// - Throws: what the store throws.
  package func replace(_ known: RegisteredDevice, by device: RegisteredDevice) async throws -> Bool {
    guard DeviceRecord.name(known.id, known.tenant) == DeviceRecord.name(device.id, device.tenant),
      let stored = try await record(known.id, known.tenant)
    else { return false }
    let current = try DeviceRecord.device(stored)
    var (known, device) = (known, device)
    known.registrationID = known.registrationID ?? current.registrationID
    device.registrationID = current.registrationID
    // Octet by octet: Swift's == takes texts for the same that are not.
    guard try DeviceRecord.document(known) == DeviceRecord.document(current) else { return false }
    var next = try DeviceRecord.record(device, key: stored.key, now: stored.createdAt)
    next.version = stored.version
    return try await records.settle([.replace(next)]) == .done
  }

  /// The device as it is registered; nil if another one has one of its signing keys.
  private func register(_ device: RegisteredDevice) async throws -> RegisteredDevice? {
    var device = device
    let registration = SystemRandom.bytes(count: 16)
    device.registrationID = Base64URL.encode(registration)
    let record = try DeviceRecord.record(device, key: registration, now: clock.now)
    for _ in 0..<Self.turns {
      let former = try await self.record(device.id, device.tenant)
      let removal = former.map { RecordChange.remove(record.kind, key: $0.key, version: $0.version) }
      switch try await records.settle((removal.map { [$0] } ?? []) + [.insert(record)]) {
      case .done: return device
      case .refused(_, .indexTaken("signing-key")): return nil
      // Another registration of the same device was made meanwhile.
      case .refused: break
      }
    }
    throw Self.contended
  }

  private func record(_ id: String, _ tenant: String?) async throws -> StoredRecord? {
    try await records.records(DeviceRecord.kind, where: DeviceRecord.name(id, tenant), limit: 1).first
  }

  private static let contended = PlatformSSOError(.storeUnavailable, "the device keeps being registered by others")

  // MARK: Registration

  /// Registers a device, or registers it anew: then its former keys, refresh tokens and codes are good no more, and
  /// neither should its key contexts be.
  ///
  /// Call this after what came as proof has been checked.
  /// - Parameters:
  ///   - registration: the keys.
  ///   - id: the provider's own name for the device. If nil, the registration's device, UDID or serial number.
  ///   - tenant: whose it is.
  /// - Throws: `ErrorCode.claimMissing` without a name, `ErrorCode.deviceConflict` if another
  ///   device has the signing key, `ErrorCode.storeUnavailable`.
  public func register(
    _ registration: DeviceRegistration, id: String? = nil, tenant: String? = nil
  ) async throws(PlatformSSOError) -> RegisteredDevice {
    guard let id = id ?? registration.deviceID ?? registration.udid ?? registration.serialNumber, !id.isEmpty else {
      throw PlatformSSOError(.claimMissing, "nothing names the device", name: "device_id")
    }
    let device = RegisteredDevice(
      id: id, signingKey: registration.signingKey, encryptionKey: registration.encryptionKey,
      attestation: registration.attestation, serialNumber: registration.serialNumber, udid: registration.udid,
      tenant: tenant)
    guard let registered = try await PlatformSSOError.askingStore({ try await register(device) }) else {
      throw PlatformSSOError(.deviceConflict, "another device is registered with the signing key", name: "device_id")
    }
    return registered
  }

  // MARK: Rotation

  /// Begins to replace keys: from now on old and new ones are both good.
  ///
  /// - Parameters:
  ///   - id: the device.
  ///   - tenant: whose it is.
  ///   - signingKey: the new one, if it is replaced.
  ///   - encryptionKey: the new one, if it is replaced.
  /// - Throws: `ErrorCode.deviceUnknown`; `ErrorCode.deviceConflict` if another device has
  ///   the key, or the device was registered anew meanwhile; `ErrorCode.keyMismatch` for an encryption
  ///   key that is not on P-256; `ErrorCode.storeUnavailable`.
  public func beginRotation(
    id: String, tenant: String? = nil, signingKey: RegisteredKey? = nil, encryptionKey: RegisteredKey? = nil
  ) async throws(PlatformSSOError) -> RegisteredDevice {
    let known = try await required(id: id, tenant: tenant)
    if let encryptionKey { try RegistrationBody.requireP256(encryptionKey, name: "encryptionKey") }
    var device = known
    if let signingKey { device.otherSigningKey = signingKey }
    if let encryptionKey { device.otherEncryptionKey = encryptionKey }
    return try await keep(device, inPlaceOf: known)
  }

  /// Ends a rotation: the new keys are the device's, and the old ones good no more.
  ///
  /// - Throws: as ``beginRotation(id:tenant:signingKey:encryptionKey:)``.
  public func completeRotation(id: String, tenant: String? = nil) async throws(PlatformSSOError) -> RegisteredDevice {
    let known = try await required(id: id, tenant: tenant)
    var device = known
    device.signingKey = device.otherSigningKey ?? device.signingKey
    device.encryptionKey = device.otherEncryptionKey ?? device.encryptionKey
    (device.otherSigningKey, device.otherEncryptionKey) = (nil, nil)
    return try await keep(device, inPlaceOf: known)
  }

  /// Gives a rotation up: the old keys stay, and the new ones are good no more.
  ///
  /// - Throws: as ``beginRotation(id:tenant:signingKey:encryptionKey:)``.
  public func cancelRotation(id: String, tenant: String? = nil) async throws(PlatformSSOError) -> RegisteredDevice {
    let known = try await required(id: id, tenant: tenant)
    var device = known
    (device.otherSigningKey, device.otherEncryptionKey) = (nil, nil)
    return try await keep(device, inPlaceOf: known)
  }

  private func required(id: String, tenant: String?) async throws(PlatformSSOError) -> RegisteredDevice {
    guard let device = try await PlatformSSOError.askingStore({ try await device(id: id, tenant: tenant) }) else {
      throw PlatformSSOError(.deviceUnknown, "the tenant has no such device", name: "device_id")
    }
    return device
  }

  private func keep(
    _ device: RegisteredDevice, inPlaceOf known: RegisteredDevice
  ) async throws(PlatformSSOError) -> RegisteredDevice {
    guard try await PlatformSSOError.askingStore({ try await replace(known, by: device) }) else {
      throw PlatformSSOError(
        .deviceConflict, "another device has the signing key, or this one was registered anew", name: "device_id")
    }
    return device
  }
}
