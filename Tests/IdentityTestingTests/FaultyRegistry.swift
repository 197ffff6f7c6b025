import PlatformSSOKit

/// A registry of devices with a defect.
actor FaultyRegistry: DeviceRegistry {
  enum Defect: Equatable, Sendable {
    case findsEncryptionKeys, findsPresentKeysOnly, losesCertificates, takesES256Only, inventsDevices, fillsMembers
    case sharesKeys, joinsTenants, keepsFormerKeys, refusesOwnKeys, replacesBlindly, looksAtThePast, losesTheLast
    case answersWhenCutOff, changes(TextFault)

    static let all: [Defect] =
      [
        .findsEncryptionKeys, .findsPresentKeysOnly, .losesCertificates, .takesES256Only, .inventsDevices,
        .fillsMembers, .sharesKeys, .joinsTenants, .keepsFormerKeys, .refusesOwnKeys, .replacesBlindly,
        .looksAtThePast, .losesTheLast, .answersWhenCutOff,
      ] + TextFault.allCases.map { .changes($0) }
  }

  private let defect: Defect
  private var devices: [[[UInt8]?]: RegisteredDevice] = [:]
  /// As they were before the last change: what somebody sees who looks too early.
  private var past: [[[UInt8]?]: RegisteredDevice] = [:]
  private var formerKeys: [KeyIdentifier: [[UInt8]?]] = [:]

  init(_ defect: Defect) { self.defect = defect }

  func device(signingKeyID: KeyIdentifier) -> RegisteredDevice? {
    if let name = formerKeys[signingKeyID], let device = devices[name] { return device }
    return devices.values.first { device in
      if device.signingKey.keyID == signingKeyID { return true }
      if keys(device).contains(signingKeyID) { return defect != .findsPresentKeysOnly }
      return defect == .findsEncryptionKeys && device.encryptionKey.keyID == signingKeyID
    }
  }

  func device(id: String, tenant: String?) -> RegisteredDevice? { devices[name(id, tenant)] }

  func save(_ device: RegisteredDevice) async -> Bool { await keep(device) { _ in true } }

  func replace(_ known: RegisteredDevice, by device: RegisteredDevice) async -> Bool {
    if defect == .replacesBlindly { return await save(device) }
    guard name(known.id, known.tenant) == name(device.id, device.tenant) else { return false }
    return await keep(device) { $0 == known }
  }

  func remove(id: String, tenant: String?) -> Bool {
    let device = devices.removeValue(forKey: name(id, tenant))
    return device != nil || defect == .inventsDevices
  }

  private func keep(_ given: RegisteredDevice, _ isExpected: (RegisteredDevice?) -> Bool) async -> Bool {
    if defect == .answersWhenCutOff {
      for _ in 0..<50 {
        if Task.isCancelled { return true }
        await Task.yield()
      }
    }
    if defect == .takesES256Only, given.signingKey.x963Representation.count != 65 { return false }
    let (name, seen) = (name(given.id, given.tenant), defect == .looksAtThePast ? past : devices)
    guard isExpected(seen[name]), isFree(given, name, seen) else { return false }
    if defect == .losesTheLast { devices = past }
    past = devices
    if defect == .keepsFormerKeys {
      for keyID in devices[name].map(keys) ?? [] { formerKeys[keyID] = name }
      for keyID in keys(given) { formerKeys[keyID] = name }
    }
    var device = given
    if defect == .losesCertificates { device.attestation = [] }
    if defect == .fillsMembers { device.serialNumber = device.serialNumber ?? "" }
    devices[name] = device
    return true
  }

  private func isFree(
    _ device: RegisteredDevice, _ name: [[UInt8]?], _ devices: [[[UInt8]?]: RegisteredDevice]
  ) -> Bool {
    if defect == .sharesKeys { return true }
    return keys(device).allSatisfy { keyID in
      if let owner = formerKeys[keyID], owner != name { return false }
      return devices.allSatisfy { other, known in
        !keys(known).contains(keyID) || other == name && defect != .refusesOwnKeys
      }
    }
  }

  private func keys(_ device: RegisteredDevice) -> [KeyIdentifier] {
    [device.signingKey.keyID] + (device.otherSigningKey.map { [$0.keyID] } ?? [])
  }

  private func name(_ id: String, _ tenant: String?) -> [[UInt8]?] {
    if case .changes(let fault) = defect {
      return [Array(fault.change(id).utf8), tenant.map { Array(fault.change($0).utf8) }]
    }
    return [Array(id.utf8), defect == .joinsTenants ? nil : tenant.map { Array($0.utf8) }]
  }
}
