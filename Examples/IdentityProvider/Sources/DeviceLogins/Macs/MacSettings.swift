import PlatformSSOKit

/// Settings of the Macs' SSO extension and of their logins.
package struct MacSettings: Sendable {
  /// The OpenID client that Macs are.
  package var clientID = "platform-sso"
  /// The developer's team that signed the extension.
  package var teamIdentifier = "ABCDE12345"
  /// The extension's bundle identifier.
  package var extensionIdentifier = "com.example.mac.ssoe"
  /// The bundle identifier of the app that the extension comes with.
  package var applicationIdentifier: String? = "com.example.mac"
  /// How users log in.
  package var method = ExtensibleSSOProfile.AuthenticationMethod.password
  /// The product that the Macs' extension comes from.
  package var preset = PlatformSSOPreset.macOS
  /// Apple's Enterprise Attestation Root CA in PEM. If nil, a registration needs the profile's token and no
  /// attestation.
  package var attestationRoots: String?
  /// Seconds for which a Mac stays logged in without a password.
  package var refreshTokenLifetime = 28_800
  /// The name that System Settings shows.
  package var displayName = "Company account"
  /// The organization that made the profile.
  package var organization: String?

  /// Settings for an extension that has yet to be named.
  package init() {}

  /// How the preset's extension writes registrations.
  var registrationFormat: RegistrationFormat {
    switch preset {
    case .keycloak: .keycloak
    case .authentik: .authentik
    case .fleet: .fleet
    case .twocanoes: .twocanoes
    default: .standard
    }
  }
}
