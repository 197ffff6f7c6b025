import JOSE

/// A device registry in memory, for one process.
public actor InMemoryDeviceRegistry: DeviceRegistry {
  private struct Name: Hashable {
    let tenant: Tenant
    let id: [UInt8]

    init(_ id: String, _ tenant: String?) {
      self.id = Array(id.utf8)
      self.tenant = Tenant(tenant)
    }
  }

  private var devices: [Name: RegisteredDevice] = [:]
  private var names: [KeyIdentifier: Name] = [:]

  /// A registry with some devices. Of several with one name the last counts.
  public init(_ devices: [RegisteredDevice] = []) {
    for device in devices {
      let name = Name(device.id, device.tenant)
      self.devices[name] = device
    }
    for (name, device) in self.devices {
      for keyID in Self.keyIDs(device) { names[keyID] = name }
    }
  }

  /// How many devices there are, of all tenants.
  public var count: Int { devices.count }

  /// The device with a signing key, present or other.
  public func device(signingKeyID: KeyIdentifier) -> RegisteredDevice? {
    names[signingKeyID].flatMap { devices[$0] }
  }

  /// A tenant's device.
  public func device(id: String, tenant: String?) -> RegisteredDevice? { devices[Name(id, tenant)] }

  /// Keeps a device in place of the one with the same name and tenant. False if another device has one of its signing
  /// keys.
  public func save(_ device: RegisteredDevice) -> Bool {
    let name = Name(device.id, device.tenant)
    let keyIDs = Self.keyIDs(device)
    guard keyIDs.allSatisfy({ names[$0] == nil || names[$0] == name }) else { return false }
    for keyID in devices[name].map(Self.keyIDs) ?? [] { names[keyID] = nil }
    for keyID in keyIDs { names[keyID] = name }
    devices[name] = device
    return true
  }

  /// Keeps a device in place of what is known of it. False if something else is known by now, or another device has a
  /// signing key.
  public func replace(_ known: RegisteredDevice, by device: RegisteredDevice) -> Bool {
    guard Name(known.id, known.tenant) == Name(device.id, device.tenant),
      devices[Name(known.id, known.tenant)] == known
    else { return false }
    return save(device)
  }

  /// Forgets a device. False if there was none.
  public func remove(id: String, tenant: String?) -> Bool {
    guard let device = devices.removeValue(forKey: Name(id, tenant)) else { return false }
    for keyID in Self.keyIDs(device) { names[keyID] = nil }
    return true
  }

  private static func keyIDs(_ device: RegisteredDevice) -> [KeyIdentifier] {
    [device.signingKey.keyID] + (device.otherSigningKey.map { [$0.keyID] } ?? [])
  }
}
