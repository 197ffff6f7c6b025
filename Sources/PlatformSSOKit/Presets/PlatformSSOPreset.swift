/// A product whose way with Platform SSO differs from the defaults, as a set of named options.
///
/// ``LoginConfiguration/apply(_:)`` sets what a Mac of the product's extension is configured to send and to take,
/// ``IdentityProviderConfiguration/apply(_:)`` what a provider must do for Macs and extensions that expect the
/// product's server. Names and addresses stay as they are; where they follow from a base address, a function of the
/// product's name makes the whole configuration, such as ``LoginConfiguration/keycloak(realmURL:keys:clientID:)``.
/// ``LoginConfiguration/customize(_:)`` adds to what a preset sets, and properties may be changed after it.
public enum PlatformSSOPreset: String, Sendable, Hashable, CaseIterable {
  /// A Mac as captured requests show it, down to the text of its JSON.
  case macOS
  /// A Mac with the first release of Platform SSO, or an extension built with its SDK: requests have the type `JWT`
  /// and the form field `request`, and may lack `iss`, `exp` and `sub`.
  case macOS13
  /// Microsoft Entra ID, as far as what its extension configures is public.
  case entra
  /// Keycloak with the University of Oslo's extension, and its Mac extension Weblogin.
  case keycloak
  /// authentik's platform agent.
  case authentik
  /// Fleet's server and its Mac extension, which makes logins of its own besides those of macOS.
  case fleet
  /// Twocanoes' SDK and demonstration server.
  case twocanoes
}

extension PlatformSSOPreset {
  /// How the product's extension writes registrations. Where that is not public, as of Entra, or no product is meant,
  /// it is ``RegistrationFormat/standard``.
  package var registrationFormat: RegistrationFormat {
    switch self {
    case .keycloak: .keycloak
    case .authentik: .authentik
    case .fleet: .fleet
    case .twocanoes: .twocanoes
    case .macOS, .macOS13, .entra: .standard
    }
  }
}

extension IdentityProviderConfiguration {
  /// Sets the options of a product: what its Macs and extensions send is accepted, and what its server checks is
  /// checked. Names and addresses stay as they are.
  ///
  /// A nonce is used once, clocks are checked and a credential must be the user's under every preset, also where the
  /// product's own server doesn't care.
  public mutating func apply(_ preset: PlatformSSOPreset) {
    switch preset {
    case .macOS:
      break
    case .macOS13:
      acceptsJWTType = true
      optionalRequestClaims = ["iss", "exp", "sub"]
    case .entra:
      // The extension overrides the type and the audience of key requests.
      acceptsJWTType = true
      requestParameterNames = ["request", "assertion"]
      keyRequestAudiences = { [audience = audience] _ in ["getkeydata", audience] }
    case .keycloak:
      nonceResponseMember = "nonce"
      clientRequestID = .boundToServerNonce
      checksKeyIdentifierClaims = true
      requiredScopes = ["openid", "urn:apple:platformsso"]
      acceptsJWTType = true
    case .authentik:
      assertionAudiences = { [$0.id] }
      keyRequestAudiences = { [audience = audience] in [$0.id, audience] }
      authorizationURLMember = "authorization_url"
      acceptsJWTType = true
    case .fleet:
      applyFleet()
    case .twocanoes:
      acceptsJWTType = true
      clientRequestID = .notChecked
    }
  }

  /// Fleet's extension makes logins of its own beside those of macOS, with fewer members, and macOS encrypts the
  /// passwords of others.
  private mutating func applyFleet() {
    acceptsJWTType = true
    requiresFormFields = false
    optionalRequestClaims = ["iss", "client_id", "aud", "exp", "sub", "username", "scope"]
    // Of its own assertions there is the password and nothing else: the signed request around them says the rest.
    optionalAssertionClaims = ["iss", "sub", "aud", "iat", "exp", "nonce", serverNonceClaimName, "scope"]
    // The extension names a nonce of its own, macOS the server's.
    assertionPartyVInfo = .eitherNonce
    acceptsSignedClaimsInAssertions = true
    acceptsAnyBase64InKeyExchange = true
    clientRequestID = .notChecked
  }
}
