/// A product whose way with Platform SSO differs from the defaults, as a set of named options.
///
/// ``LoginConfiguration/apply(_:)`` sets what a Mac of the product's extension is configured to send and to take,
/// ``IdentityProviderConfiguration/apply(_:)`` what a provider must do for Macs and extensions that expect the product's server. Names and
/// addresses stay as they are; where they follow from a base address, a function of the product's name makes the whole configuration,
/// such as ``LoginConfiguration/keycloak(realmURL:keys:clientID:)``. Every option that a preset sets may be changed after it.
public enum PlatformSSOPreset: String, Sendable, Hashable, CaseIterable {
  /// A Mac as captured requests show it, down to the text of its JSON.
  case macOS
  /// Microsoft Entra ID, as far as what its extension configures is public.
  case entra
  /// Keycloak with the University of Oslo's extension, and its Mac extension Weblogin.
  case keycloak
  /// authentik's platform agent.
  case authentik
  /// Fleet.
  case fleet
  /// Twocanoes' SDK and demonstration server.
  case twocanoes
}
