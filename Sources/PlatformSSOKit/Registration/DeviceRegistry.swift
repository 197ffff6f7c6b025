import JOSE

/// Where a provider keeps the devices of its tenants, and how they come and go.
///
/// Each step is atomic: of two registrations at once, one comes after the other. An ``IdentityProviderStore`` answers
/// ``IdentityProviderStore/device(signingKeyID:)`` from it. Names are compared as bytes, and one tenant never sees
/// another's devices but through a signing key, which is unique.
public protocol DeviceRegistry: Sendable {
  /// The device with a signing key, present or other.
  ///
  /// - Throws: anything, if the registry can't say.
  func device(signingKeyID: KeyIdentifier) async throws -> RegisteredDevice?

  /// A tenant's device.
  ///
  /// - Throws: anything, if the registry can't say.
  func device(id: String, tenant: String?) async throws -> RegisteredDevice?

  /// Keeps a device in place of the one with the same name and tenant. False, and nothing kept, if another device has
  /// one of its signing keys.
  ///
  /// - Throws: anything, if the device can't be kept.
  func save(_ device: RegisteredDevice) async throws -> Bool

  /// Keeps a device in place of what is known of it, in one atomic step. False, and nothing changed, if something else
  /// is known of it by now, or if another device has one of the new one's signing keys.
  ///
  /// Without this, a rotation of keys that meets a new registration would bring the former keys back.
  /// - Parameters:
  ///   - known: as the registry gave it.
  ///   - device: the same device, changed.
  /// - Throws: anything, if the device can't be kept.
  func replace(_ known: RegisteredDevice, by device: RegisteredDevice) async throws -> Bool

  /// Forgets a device. False if there was none.
  ///
  /// - Throws: anything, if the registry can't do it.
  func remove(id: String, tenant: String?) async throws -> Bool
}

extension DeviceRegistry {
  /// The device of a tenant with a signing key, present or other; nil for another tenant's.
  ///
  /// A provider that serves one tenant asks this in ``IdentityProviderStore/device(signingKeyID:)``: otherwise another
  /// tenant's Macs could log its users in.
  /// - Throws: anything, if the registry can't say.
  public func device(signingKeyID: KeyIdentifier, tenant: String?) async throws -> RegisteredDevice? {
    guard let device = try await device(signingKeyID: signingKeyID), Tenant(device.tenant) == Tenant(tenant) else {
      return nil
    }
    return device
  }

  /// Registers a device, or registers it anew: then its former keys are good no more, and neither should its refresh
  /// tokens and key contexts be.
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
    guard try await PlatformSSOError.askingStore({ try await save(device) }) else {
      throw PlatformSSOError(.deviceConflict, "another device is registered with the signing key", name: "device_id")
    }
    return device
  }

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
