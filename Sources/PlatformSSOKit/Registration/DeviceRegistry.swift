import JOSE
import PureCrypto
import StrictJSON

/// A provider's devices, and how they come and go: records of a `RecordStore`.
///
/// A name is the device's that has it: another device is refused under it, and other keys are, unless something says
/// that they are the same Mac's. ``IdentityProvider/registerDevice(from:format:by:)`` asks for that.
///
/// Each step is one commit: of two devices that want one name at once, one is refused, and a rotation of keys that
/// meets a new registration changes nothing. Names are compared as bytes, and one tenant never sees another's devices
/// but through a signing key, which is unique.
public struct DeviceRegistry: Sendable {
  /// Registrations of one device that are made at once each take a turn; more than this is a fault of the store.
  static let turns = 64

  let records: any RecordStore
  let clock: WallClock

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
    /// The device with its present keys.
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

  /// Keeps a device. One that is there already, with the same keys, is left as it is, unless it is to be replaced.
  ///
  /// - Parameters:
  ///   - device: the device, with the provider's own name for it.
  ///   - known: the registration that an administrator lets it take the place of, as the registry gave it: what
  ///     belonged to that one is good no more.
  /// - Returns: false, and nothing kept, if another device has its name or one of its signing keys, or if this one has
  ///   other keys.
  /// - Throws: what the store throws; `ErrorCode.storeUnavailable` if the record under the name can't be read.
  public func save(_ device: RegisteredDevice, replacing known: RegisteredDevice? = nil) async throws -> Bool {
    try await register(device, mayTakeNames: false, replacing: known) != nil
  }

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
      guard isSame(known, current) else { return false }
      switch try await records.settle([Self.replacement(of: stored, by: device)]) {
      case .done: return true
      // A user logged in for the first time meanwhile, or something that the next turn refuses.
      case .refused(_, .versionChanged), .refused(_, .absent): break
      case .refused: return false
      }
    }
    throw Self.contended
  }

  /// Whether a registration is still as it is known. A registration anew is another one, with the same keys too: what
  /// was given for the former went with it.
  func isSame(_ known: RegisteredDevice, _ current: RegisteredDevice) -> Bool {
    guard known.registrationID == nil || OptionalText(known.registrationID) == OptionalText(current.registrationID)
    else { return false }
    // Octet by octet: Swift's == takes texts for the same that are not.
    return DeviceRecord.document(known) == DeviceRecord.document(current)
  }

  /// Ends a registration, with all that its users hold.
  func removals(_ stored: StoredRecord) async throws -> [RecordChange] {
    let removal = RecordChange.remove(DeviceRecord.kind, key: stored.key, version: stored.version)
    return [removal] + (try await DeviceLoginService.removals(of: stored.key, in: records))
  }

  func record(_ id: String, _ tenant: String?) async throws -> StoredRecord? {
    try await records.records(DeviceRecord.kind, where: DeviceRecord.name(id, tenant), limit: 1).first
  }

  static let contended = JOSEError(
    .storeUnavailable, "the device's registration keeps changing: try again later")

  // MARK: Rotation

  /// Begins to replace keys, one or both: from now on old and new ones are both good.
  ///
  /// - Parameters:
  ///   - device: the device as the registry, or a request that it signed, gave it. A name that came with the new keys
  ///     says nothing about whose they are.
  ///   - signingKey: the key that it will sign with.
  ///   - encryptionKey: the key that answers will be encrypted for.
  /// - Throws: `ErrorCode.deviceConflict` if another device has the key, or the device is not registered as it was;
  ///   `ErrorCode.keyMismatch` for an encryption key that is not on P-256; `ErrorCode.storeUnavailable`.
  public func beginRotation(
    of device: RegisteredDevice, signingKey: RegisteredKey? = nil, encryptionKey: RegisteredKey? = nil
  ) async throws(JOSEError) -> RegisteredDevice {
    if let encryptionKey { try RegistrationBody.requireP256(encryptionKey, name: "encryptionKey") }
    return try await change(device) { device in
      device.otherSigningKey = signingKey ?? device.otherSigningKey
      device.otherEncryptionKey = encryptionKey ?? device.otherEncryptionKey
    }
  }

  /// Ends a rotation: the new keys are the device's, and the old ones good no more.
  ///
  /// - Throws: as ``beginRotation(of:signingKey:encryptionKey:)``.
  public func completeRotation(of device: RegisteredDevice) async throws(JOSEError) -> RegisteredDevice {
    try await change(device) { device in
      device.signingKey = device.otherSigningKey ?? device.signingKey
      device.encryptionKey = device.otherEncryptionKey ?? device.encryptionKey
      (device.otherSigningKey, device.otherEncryptionKey) = (nil, nil)
    }
  }

  /// Gives a rotation up: the old keys stay, and the new ones are good no more.
  ///
  /// - Throws: as ``beginRotation(of:signingKey:encryptionKey:)``.
  public func cancelRotation(of device: RegisteredDevice) async throws(JOSEError) -> RegisteredDevice {
    try await change(device) { ($0.otherSigningKey, $0.otherEncryptionKey) = (nil, nil) }
  }

  private func change(
    _ known: RegisteredDevice, _ body: (inout RegisteredDevice) -> Void
  ) async throws(JOSEError) -> RegisteredDevice {
    var changed = known
    body(&changed)
    let wanted = changed
    guard try await JOSEError.askingStore({ try await replace(known, by: wanted) }) else {
      throw JOSEError(
        .deviceConflict, "another device has the signing key, or this one is not registered as it was",
        name: "device_id")
    }
    return wanted
  }
}
