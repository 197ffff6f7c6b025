import JOSE
import NativeSSOKit
import PlatformSSOKit
import AppleSignInKit
import OpenIDKit

/// The provider's stores. They have columns beside their documents, by which what can't be read is found and removed.
extension StoredFormCases {
  /// The rules for a `DeviceSecretStore`.
  public static let deviceSecrets: [StoreCase<any DeviceSecretStore>] =
    DocumentDamage.all.map { damage in
      StoreCase("\(damage.name) is no device secret and not nothing, and its user's others go on") { place in
        let (damaged, sound) = (DeviceSecretStoreCases.record("damaged"), DeviceSecretStoreCases.record("sound"))
        for record in [damaged, sound] { _ = try await DeviceSecretStoreCases.insert(record, place.open()) }
        try await place.rewrite(damage.to(documentWith: #""damaged""#))
        let store = try await place.open()
        let now = DeviceSecretStoreCases.now
        guard try await isMalformed({ try await store.record(fingerprint: damaged.fingerprint, now: now) }),
          try await isMalformed({ try await store.record(id: "damaged") }),
          try await isMalformed({ try await store.consume(id: "damaged", useLimit: nil, now: now) }),
          try await store.record(fingerprint: sound.fingerprint, now: now)?.id == "sound",
          try await store.consume(id: "sound", useLimit: nil, now: now) == .consumed(useCount: 1)
        else { return false }
        let insertion = try await DeviceSecretStoreCases.insert(DeviceSecretStoreCases.record("3"), store)
        return insertion == .inserted(revoked: [])
      }
    } + [
      StoreCase("who may have one more device secret gets it, though the oldest can't be read") { place in
        for id in ["damaged", "sound"] {
          _ = try await DeviceSecretStoreCases.insert(DeviceSecretStoreCases.record(id), place.open(), limit: 2)
        }
        try await damageOne(at: place)
        let store = try await place.open()
        for id in ["3", "4"] {
          let new = DeviceSecretStoreCases.record(id)
          guard case .inserted = try await DeviceSecretStoreCases.insert(new, store, limit: 2) else { return false }
        }
        let isLive = try await store.record(id: "sound")?.revocation == nil
        return try await allHold(!isLive, store.record(id: "4")?.revocation == nil)
      },
      StoreCase("to revoke all of a user or a session revokes what can be read beside what can't") { place in
        for isOfUser in [true, false] {
          let place = place.other
          for id in ["damaged", "sound"] {
            _ = try await DeviceSecretStoreCases.insert(DeviceSecretStoreCases.record(id), place.open())
          }
          try await damageOne(at: place)
          let (store, now) = (try await place.open(), DeviceSecretStoreCases.now)
          let outcome =
            isOfUser
            ? try await store.revokeAll(userID: "user", reason: .passwordChanged, now: now)
            : try await store.revokeAll(sessionID: "session", reason: .passwordChanged, now: now)
          guard Set(outcome.revoked) == ["damaged", "sound"],
            try await store.record(id: "sound")?.revocation?.reason == .passwordChanged
          else {
            return false
          }
        }
        return true
      },
      StoreCase("what can't be read is removed when it has expired") { place in
        _ = try await DeviceSecretStoreCases.insert(DeviceSecretStoreCases.record("damaged"), place.open())
        try await damageOne(at: place)
        let later = DeviceSecretStoreCases.now.advanced(by: 2000)
        let removed = try await place.open().removeStale(now: later, revokedBefore: DeviceSecretStoreCases.now)
        return try await allHold(removed == 1, place.open().record(id: "damaged") == nil)
      },
    ]

  private static func damageOne(at place: StorePlace<any DeviceSecretStore>) async throws {
    try await place.rewrite(DocumentDamage(name: "") { Array($0.dropLast()) }.to(documentWith: #""damaged""#))
  }

  /// The rules for a `DeviceRegistry`. Devices have no versions.
  public static let devices: [StoreCase<any DeviceRegistry>] = DocumentDamage.ofAnyForm.map { damage in
    StoreCase("\(damage.name) is no device and not nothing; it is registered anew or removed, and others stay") {
      place in
      for isRemoved in [false, true] {
        let place = place.other
        let (damaged, sound) = (try DeviceRegistryCases.device("damaged"), try DeviceRegistryCases.device("sound"))
        for device in [damaged, sound] { _ = try await place.open().save(device) }
        try await place.rewrite(damage.to(documentWith: #""damaged""#))
        let registry = try await place.open()
        var isRead = true
        do { _ = try await registry.device(id: "damaged", tenant: nil) } catch { isRead = false }
        let found = try? await registry.device(signingKeyID: damaged.signingKey.keyID)
        guard !isRead, found == nil, try await DeviceRegistryCases.holds(sound, in: registry) else { return false }
        let anew = try DeviceRegistryCases.device("damaged")
        if isRemoved {
          guard try await registry.remove(id: "damaged", tenant: nil) else { return false }
        }
        guard try await registry.save(anew), try await DeviceRegistryCases.holds(anew, in: place.open()),
          try await DeviceRegistryCases.holds(sound, in: place.open()),
          try await place.open().device(signingKeyID: damaged.signingKey.keyID) == nil
        else { return false }
      }
      return true
    }
  }

  /// The rules for a `SettingsStore`. What can't be read is not "nothing saved": a provider that an administrator has
  /// switched off would come back.
  public static let settings: [StoreCase<any SettingsStore>] = DocumentDamage.illegible.map { damage in
    StoreCase("\(damage.name) is no settings and not nothing, and is reset by who expects none") { place in
      for new in [SettingsStoreCases.second, nil] {
        let place = place.other
        _ = try await place.open().replace(expecting: nil, with: SettingsStoreCases.first)
        try await place.rewrite(damage.change)
        let store = try await place.open()
        var isRead = true
        do { _ = try await store.load() } catch { isRead = false }
        guard !isRead, try await !store.replace(expecting: SettingsStoreCases.first, with: new),
          try await store.replace(expecting: nil, with: new),
          try await place.open().load() == new
        else { return false }
      }
      return true
    }
  }
}
