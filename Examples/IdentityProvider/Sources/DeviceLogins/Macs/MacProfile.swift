import Foundation
import JOSE
import PlatformSSOKit
import PureCrypto

/// The files for Macs: the configuration profile, and the file by which they trust the extension.
struct MacProfile: Sendable {
  let addresses: MacAddresses
  let settings: MacSettings

  /// The profile's settings.
  ///
  /// `ExtensionData` is between the provider and its extension: where to register, and what to configure macOS with.
  func profile(registrationToken: String) throws(JOSEError) -> ExtensibleSSOProfile {
    let configuration = addresses.loginConfiguration(settings)
    var profile = ExtensibleSSOProfile(
      for: configuration, extensionIdentifier: settings.extensionIdentifier,
      teamIdentifier: settings.teamIdentifier, authenticationMethod: settings.method)
    try profile.set("RegistrationToken", to: .string(registrationToken))
    try profile.set("AccountDisplayName", to: .string(settings.displayName))
    try profile.set(
      "TokenToUserMapping",
      to: .dictionary([.init("AccountName", .string("preferred_username")), .init("FullName", .string("name"))]))
    try profile.set("AllowDeviceIdentifiersInAttestation", to: .bool(settings.attestationRoots != nil))
    if settings.method == .openID {
      try profile.set("WebLoginURLAllowList", to: .array([.string(addresses.issuer)]))
    }
    try profile.set("ExtensionData", to: PropertyListValue(.object(extensionData(configuration))))
    return profile
  }

  private func extensionData(_ configuration: LoginConfiguration) -> JSONObject {
    var members: JSONObject = [
      "clientID": .string(configuration.clientID), "issuer": .string(configuration.issuer),
      "audience": .string(configuration.audience), "tokenEndpointURL": .string(configuration.tokenEndpointURL),
      "jwksEndpointURL": .string(configuration.jwksEndpointURL), "preset": .string(settings.preset.rawValue),
    ]
    let optional = [
      ("nonceEndpointURL", configuration.nonceEndpointURL), ("refreshEndpointURL", configuration.refreshEndpointURL),
      ("keyEndpointURL", configuration.keyEndpointURL),
      ("federationUserPreauthenticationURL", configuration.federationUserPreauthenticationURL),
    ]
    for (name, url) in optional { if let url { members[name] = .string(url) } }
    if settings.method == .openID {
      members["isFederated"] = ["account_type": "Federated"]
    }
    return [
      "LoginConfiguration": .object(members),
      "RegistrationURL": .string(addresses.issuer + MacAddresses.registration),
      "UserRegistrationURL": .string(addresses.issuer + MacAddresses.userRegistration),
    ]
  }

  /// The profile as a file. Its identifiers stay the same, so that a Mac replaces the one that it has.
  func file(registrationToken: String) throws(JOSEError) -> String {
    try profile(registrationToken: registrationToken).configurationProfile(
      identifier: settings.extensionIdentifier + ".profile", displayName: settings.displayName,
      organization: settings.organization, uuid: Self.uuid(for: addresses.issuer + " profile"),
      payloadUUID: Self.uuid(for: addresses.issuer + " payload"))
  }

  /// The file `apple-app-site-association`.
  var association: JSONObject {
    get throws(JOSEError) {
      try profile(registrationToken: "").appSiteAssociation(hostApplicationIdentifier: settings.applicationIdentifier)
    }
  }

  /// A UUID that is always the same for one text (RFC 9562 §5.8).
  static func uuid(for text: String) -> String {
    var octets = Array(SHA2.SHA256.hash(Array(text.utf8)).prefix(16))
    octets[6] = octets[6] & 0x0F | 0x80
    octets[8] = octets[8] & 0x3F | 0x80
    return UUID(uuid: octets.withUnsafeBytes { $0.load(as: uuid_t.self) }).uuidString
  }
}
