import DeviceLogins
import IdentityProvider
import JOSE
import JOSEFoundation
import PlatformSSOKit
import AppleSignInKit

extension DeviceLogins {
  /// Reads the configuration: variables such as `IDP_MAC_TEAM` and `IDP_APPLE_CLIENT_ID`.
  init(_ provider: Provider, _ reader: SettingReader) throws {
    let (macs, apple) = (try Self.macs(reader.scoped(to: "mac")), try Self.apple(reader.scoped(to: "apple")))
    do {
      try self.init(provider, macs: macs, apple: apple)
    } catch let error as JOSEError {
      // The only value that is judged there.
      throw StartRefusal("IDP_MAC_ATTESTATION_ROOTS: \(error)")
    }
  }

  private static func macs(_ reader: SettingReader) throws(StartRefusal) -> MacSettings {
    var settings = MacSettings()
    settings.clientID = try reader.text("client.id") ?? settings.clientID
    settings.teamIdentifier = try reader.text("team") ?? settings.teamIdentifier
    settings.extensionIdentifier = try reader.text("extension") ?? settings.extensionIdentifier
    settings.applicationIdentifier = try reader.text("application") ?? settings.applicationIdentifier
    settings.refreshTokenLifetime = try reader.count(
      "refresh.token.lifetime", in: 60...31_622_400, default: settings.refreshTokenLifetime, unit: "seconds")
    settings.displayName = try reader.text("display.name") ?? settings.displayName
    if let name = try reader.text("method") {
      guard let method = ExtensibleSSOProfile.AuthenticationMethod(rawValue: name) else {
        throw reader.refusal("method", name, "Password, UserSecureEnclaveKey or OpenID")
      }
      settings.method = method
    }
    if let name = try reader.text("preset") {
      // A registration from these two extensions proves nothing, so no Mac could be accepted.
      let presets = PlatformSSOPreset.allCases.filter { $0 != .authentik && $0 != .twocanoes }
      guard let preset = presets.first(where: { $0.rawValue == name }) else {
        let names = presets.map(\.rawValue).joined(separator: ", ")
        throw reader.refusal("preset", name, "one of \(names): registrations of other products prove nothing")
      }
      settings.preset = preset
    }
    settings.attestationRoots = try reader.file("attestation.roots")?.text
    return settings
  }

  /// Sign in with Apple, if there is a Services ID for it.
  private static func apple(_ reader: SettingReader) throws(StartRefusal) -> AppleSettings? {
    // All of them are read, so that `SettingNames` knows all of them.
    let (clientID, team, key) = (try reader.text("client.id"), try reader.text("team"), try reader.text("key.id"))
    let file = try reader.file("key.file")
    guard let clientID else { return nil }
    guard let team, let key, let file else {
      throw StartRefusal("IDP_APPLE_CLIENT_ID needs IDP_APPLE_TEAM, IDP_APPLE_KEY_ID and IDP_APPLE_KEY_FILE.")
    }
    return AppleSettings(
      clientID: clientID, teamID: team,
      key: try reader.made(of: "key.file") {
        try SigningKey(pemRepresentation: file.text, algorithm: .es256, keyID: key)
      },
      transport: URLSessionTransport().send)
  }
}
