import JOSE
import NativeSSOKit
import PlatformSSOKit
import AppleSignInKit
import OpenIDKit

/// The provider's stores. They have columns beside their documents, by which what can't be read is found and removed.
extension StoredFormCases {
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
}
