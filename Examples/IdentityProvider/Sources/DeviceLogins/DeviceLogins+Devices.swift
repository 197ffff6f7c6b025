import IdentityProvider
import JOSE
import NativeSSOKit
import PlatformSSOKit
import SQLStores

extension Provider {
  /// The Macs of Platform SSO.
  var macs: DeviceRegistry { DeviceRegistry(records: database.records, clock: clock) }

  /// The users' logins and keys on them.
  var macLogins: DeviceLoginService { DeviceLoginService(records: database.records, clock: clock) }
}

/// The devices that the account page and the administrators' pages list and remove.
extension DeviceLogins {
  /// The Macs that a user is logged in on, and the phones and computers with device secrets; of all users if none is
  /// given.
  package func devices(of userID: String?) async throws -> [ProviderDevice] {
    try await registeredMacs(of: userID) + apps.devices(of: userID)
  }

  private func registeredMacs(of userID: String?) async throws -> [ProviderDevice] {
    var user: User?
    if let userID {
      user = try await provider.users.user(id: userID)
      guard user != nil else { return [] }
    }
    var devices: [ProviderDevice] = []
    for entry in try await provider.macs.entries() {
      let logins = try await provider.macLogins.logins(on: entry.device)
      let mine = logins.filter { login in
        user.map { login.userName.utf8.elementsEqual($0.username.utf8) } ?? true
      }
      guard user == nil || !mine.isEmpty else { continue }
      var owner = user
      if owner == nil, let name = mine.first?.userName {
        owner = try await provider.users.user(named: name)
      }
      // Only an attested serial number is shown: with a claimed one, an attacker's Mac could pose as another.
      let serialNumber = entry.device.identity == .attested ? entry.device.serialNumber : nil
      devices.append(
        ProviderDevice(
          id: Self.macPrefix + entry.device.id, kind: "Platform SSO",
          name: "Mac \(serialNumber ?? entry.device.id)", userID: owner?.id,
          registeredAt: entry.registeredAt, lastUsedAt: mine.first?.renewedAt, isActive: true,
          identity: "\(entry.device.identity), key \(entry.device.signingKey.keyID)"))
    }
    return devices
  }

  private static let macPrefix = "mac."

  /// What an administrator should know at the start: where attestations are asked for, how many Macs have none. Nil
  /// without one.
  package func claimedMacsRemark() async throws -> String? {
    guard macs.attestation != nil else { return nil }
    let entries = try await provider.macs.entries(limit: .max)
    let count = entries.count { $0.device.identity == .claimed }
    guard count > 0 else { return nil }
    return
      "\(count) of \(entries.count) Macs are registered by their word alone; each is attested when it registers again: "
      + "idp device list shows them"
  }

  /// The identifier of the device that `idp device list` shows with this one; nil if no device has it, or several that
  /// are cut off there.
  package func deviceID(shownAs text: String) async throws -> String? {
    let shown = try await devices(of: nil).filter { $0.id.visible(asASCII: true) == text }
    return shown.count == 1 ? shown[0].id : nil
  }

  /// An administrator removes a Mac, with all logins and keys of its users; a user ends their own login on it. The
  /// caller writes the audit log.
  package func revokeDevice(_ id: String, of userID: String?) async throws -> Bool {
    guard id.hasPrefix(Self.macPrefix) else { return try await apps.revokeDevice(id, of: userID) }
    let name = String(id.dropFirst(Self.macPrefix.count))
    guard let device = try await provider.macs.device(id: name, tenant: nil) else { return false }
    guard let userID else { return try await provider.macs.remove(id: name, tenant: nil) }
    guard let user = try await provider.users.user(id: userID) else { return false }
    let count = try await provider.macLogins.endLogins(
      of: user.username, on: device, removesUserKeys: true)
    return count > 0
  }
}
