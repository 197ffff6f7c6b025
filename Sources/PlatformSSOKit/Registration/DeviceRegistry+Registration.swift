import JOSE
import PureCrypto
import StrictJSON

extension DeviceRegistry {
  /// Registers a device. Call this after what came as proof has been checked, or
  /// ``IdentityProvider/registerDevice(from:format:by:)``, which checks it.
  ///
  /// With the keys that it has, a device that is there is left as it is: an answer may have been lost. If its key is
  /// attested now, it is so from then on, under the name that it has, and all that its users hold stays. With other
  /// keys it is refused, since public keys and a name prove nothing, unless it is attested to be the same Mac or
  /// replaces what the caller knows of it. Then its former keys, refresh tokens and codes are good no more, and neither
  /// should its key contexts be.
  ///
  /// A Mac that is attested has its UDID and its serial number, whatever was claimed before: what stands under them, or
  /// claims them, ends in the same commit.
  ///
  /// - Parameters:
  ///   - registration: the device's names and keys, as it sent them.
  ///   - id: the provider's own name for the device. If nil, the attested UDID or serial number; what the sender
  ///     claims, its device's name, UDID or serial number, where none is attested.
  ///   - tenant: whose device it is, where a provider has more than one organisation.
  ///   - attestation: of the registration's signing key, as ``AttestationPolicy`` has verified it.
  ///   - known: the registration that it takes the place of, as the registry gave it: the Mac's registered key has
  ///     signed for the new ones, or an administrator has looked at it.
  /// - Throws: `ErrorCode.claimMissing` without a name, `ErrorCode.deviceConflict` if another device has the name or
  ///   the signing key, or if the device has the UDID or serial number of another Mac for its name by what is attested
  ///   now; `ErrorCode.storeUnavailable`.
  public func register(
    _ registration: DeviceRegistration, id: String? = nil, tenant: String? = nil,
    attestation: VerifiedAttestation? = nil, replacing known: RegisteredDevice? = nil
  ) async throws(JOSEError) -> RegisteredDevice {
    guard let name = id ?? registration.name(attestedBy: attestation), !name.isEmpty else {
      throw JOSEError(
        .claimMissing, "the device needs a name, from the caller or from its attestation", name: "device_id")
    }
    var device = RegisteredDevice(
      id: name, signingKey: registration.signingKey, encryptionKey: registration.encryptionKey,
      attestation: registration.attestation, serialNumber: registration.serialNumber, udid: registration.udid,
      tenant: tenant)
    if let attestation, attestation.name != nil {
      device.identity = .attested
      (device.serialNumber, device.udid) = (attestation.serialNumber, attestation.udid)
    }
    let wanted = device
    try await requireVisibleNames(registration, tenant: tenant)
    let registered = try await JOSEError.askingStore {
      // An attested Mac is refused as well that says it is another attested one. Who merely claims a name loses
      // nothing.
      if id == nil, wanted.identity == .attested, let other = registration.deviceID, !wanted.isAttested(as: other),
        let holder = try await self.device(id: other, tenant: tenant), holder.isAttested(as: other),
        !holder.isSameMac(as: wanted)
      {
        return RegisteredDevice?.none
      }
      return try await register(
        wanted, mayTakeNames: wanted.identity == .attested, hasName: id != nil, replacing: known)
    }
    guard let registered else {
      throw JOSEError(
        .deviceConflict, "another device has the name or the signing key, or this one other keys", name: "device_id")
    }
    return registered
  }

  /// The device as it is registered; nil if another one has its name or one of its signing keys.
  ///
  /// - Parameters:
  ///   - mayTakeNames: whether its key is attested now, so that its UDID and serial number are its own.
  ///   - hasName: whether the caller gave the name, so that it stays.
  func register(
    _ device: RegisteredDevice, mayTakeNames: Bool, hasName: Bool = true, replacing known: RegisteredDevice? = nil
  ) async throws -> RegisteredDevice? {
    try await indexNames(of: device.tenant)
    for _ in 0..<Self.turns {
      let step =
        mayTakeNames
        ? try await attestedStep(device, hasName: hasName, replacing: known)
        : try await claimedStep(device, replacing: known)
      switch step {
      case .refuse: return nil
      case .keep(let current): return current
      case .write(let change, let device, let ended):
        var changes: [RecordChange] = []
        for record in ended { changes += try await removals(record) }
        switch try await records.settle(changes + [change]) {
        case .done: return device
        case .refused(_, .indexTaken(let name)) where WireName(name) == "signing-key" && !mayTakeNames: return nil
        // Another device has taken a name meanwhile, or a former one was changed.
        case .refused: break
        }
      }
    }
    throw Self.contended
  }

  /// What a registration does to the registry as it is.
  private enum Step {
    case refuse
    /// Nothing: the device is there.
    case keep(RegisteredDevice)
    /// One change that makes the device what it is now, and the registrations that end with it.
    case write(RecordChange, RegisteredDevice, ended: [StoredRecord])
  }

  /// A registration by the sender's word: it gets names that are free, and ends nothing but what it may replace.
  private func claimedStep(
    _ device: RegisteredDevice, replacing known: RegisteredDevice?
  ) async throws -> Step {
    var ended: [StoredRecord] = []
    if let former = try await record(device.id, device.tenant) {
      let current = try DeviceRecord.device(former)
      if let known {
        guard isSame(known, current) else { return .refuse }
        ended = [former]
      } else {
        return current.hasKeys(device.signingKey, device.encryptionKey) ? .keep(current) : .refuse
      }
    }
    for name in device.claimedNames + device.attestedNames {
      guard let other = try await record(name, device.tenant), !ended.contains(where: { $0.key == other.key }) else {
        continue
      }
      if try device.isAttested(as: name) || DeviceRecord.device(other).isAttested(as: name) { return .refuse }
    }
    return insertion(of: device, ended: ended)
  }

  /// A registration with a key that Apple attests: the device has the Mac's names.
  private func attestedStep(
    _ device: RegisteredDevice, hasName: Bool, replacing known: RegisteredDevice?
  ) async throws -> Step {
    var device = device
    var ended: [StoredRecord] = []
    let signingKey = DeviceRecord.index(device.signingKey.keyID)
    if let stored = try await records.records(DeviceRecord.kind, where: signingKey, limit: 1).first {
      let current = try DeviceRecord.device(stored)
      guard OptionalText(current.tenant) == OptionalText(device.tenant),
        current.identity == .claimed || current.isSameMac(as: device)
      else { return .refuse }
      if current.hasKeys(device.signingKey, device.encryptionKey) {
        // While keys rotate, one of two signing keys is attested, and the other one signs as well.
        guard current.identity == .claimed, current.otherSigningKey ?? device.signingKey == device.signingKey else {
          return .keep(current)
        }
        guard current.keepsName(attestedAs: device) else { return .refuse }
        return try await raising(current, stored, to: device)
      }
      ended = [stored]
      if !hasName, current.keepsName(attestedAs: device) { device.id = current.id }
    }
    if !device.isAttested(as: device.id), let former = try await record(device.id, device.tenant),
      !ended.contains(where: { $0.key == former.key })
    {
      let current = try DeviceRecord.device(former)
      if let known { guard isSame(known, current) else { return .refuse } }
      guard known != nil || current.isSameMac(as: device) else { return .refuse }
      ended.append(former)
    }
    for other in try await holders(of: device) where !ended.contains(where: { $0.key == other.key }) {
      ended.append(other)
    }
    return insertion(of: device, ended: ended)
  }

  private func insertion(of device: RegisteredDevice, ended: [StoredRecord]) -> Step {
    var device = device
    let registration = SystemRandom.bytes(count: 16)
    device.registrationID = Base64URL.encode(registration)
    let record = DeviceRecord.record(device, key: registration, now: clock.now)
    return .write(.insert(record), device, ended: ended)
  }

  /// The registration goes on, attested: nothing that its users hold ends.
  private func raising(
    _ current: RegisteredDevice, _ stored: StoredRecord, to attested: RegisteredDevice
  ) async throws -> Step {
    var raised = current
    raised.identity = .attested
    (raised.serialNumber, raised.udid) = (attested.serialNumber, attested.udid)
    raised.attestation = attested.attestation
    let ended = try await holders(of: raised).filter { $0.key != stored.key }
    return .write(Self.replacement(of: stored, by: raised), raised, ended: ended)
  }
}
