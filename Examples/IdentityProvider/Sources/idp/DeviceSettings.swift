import Configuration
import DeviceLogins
import Foundation
import IdentityProvider
import JOSE
import JOSEFoundation
import PlatformSSOKit
import AppleSignInKit

extension DeviceLogins {
  /// Reads the configuration: variables such as `IDP_MAC_TEAM` and `IDP_APPLE_CLIENT_ID`.
  init(_ provider: Provider, _ reader: ConfigReader) throws {
    try self.init(provider, macs: Self.macs(reader.scoped(to: "mac")), apple: Self.apple(reader.scoped(to: "apple")))
  }

  private static func macs(_ reader: ConfigReader) throws -> MacSettings {
    var settings = MacSettings()
    settings.clientID = reader.string(forKey: "client.id", default: settings.clientID)
    settings.teamIdentifier = reader.string(forKey: "team", default: settings.teamIdentifier)
    settings.extensionIdentifier = reader.string(forKey: "extension", default: settings.extensionIdentifier)
    settings.applicationIdentifier = reader.string(forKey: "application") ?? settings.applicationIdentifier
    settings.refreshTokenLifetime = reader.int(
      forKey: "refresh.token.lifetime", default: settings.refreshTokenLifetime)
    settings.displayName = reader.string(forKey: "display.name", default: settings.displayName)
    if let name = reader.string(forKey: "method") {
      guard let method = ExtensibleSSOProfile.AuthenticationMethod(rawValue: name) else {
        throw StartRefusal("IDP_MAC_METHOD must be Password, UserSecureEnclaveKey or OpenID")
      }
      settings.method = method
    }
    if let name = reader.string(forKey: "preset") {
      // A registration from these two extensions proves nothing, so no Mac could be accepted.
      let presets = PlatformSSOPreset.allCases.filter { $0 != .authentik && $0 != .twocanoes }
      guard let preset = presets.first(where: { $0.rawValue == name }) else {
        let names = presets.map(\.rawValue).joined(separator: ", ")
        throw StartRefusal("IDP_MAC_PRESET must be one of \(names): registrations of other products prove nothing")
      }
      settings.preset = preset
    }
    if let path = reader.string(forKey: "attestation.roots") { settings.attestationRoots = try text(path) }
    return settings
  }

  /// Sign in with Apple, if there is a Services ID for it.
  private static func apple(_ reader: ConfigReader) throws -> AppleSettings? {
    // All of them are read, so that `SettingNames` knows all of them.
    let values = ["client.id", "team", "key.id", "key.file"].map { reader.string(forKey: ConfigKey($0)) }
    guard let clientID = values[0] else { return nil }
    guard let teamID = values[1], let keyID = values[2], let path = values[3] else {
      throw StartRefusal("IDP_APPLE_CLIENT_ID needs IDP_APPLE_TEAM, _KEY_ID and _KEY_FILE")
    }
    return AppleSettings(
      clientID: clientID, teamID: teamID,
      key: try SigningKey(pemRepresentation: text(path), algorithm: .es256, keyID: keyID),
      transport: URLSessionTransport().send)
  }

  private static func text(_ path: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw StartRefusal("\(path) can't be read")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
