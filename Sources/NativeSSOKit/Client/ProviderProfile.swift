import StrictJSON

/// How one provider's Native SSO differs from the standard, as a client needs to know.
///
/// Take a preset, or make a profile where a provider documents otherwise.
public struct ProviderProfile: Sendable {
  /// When the scope `device_sso` is asked for.
  public enum DeviceSSOScope: Sendable, Hashable {
    /// If discovery announces the draft's own flag, or says nothing because there is no document.
    case byDiscovery
    /// At every login, whatever discovery says.
    case always
    /// Never: the provider decides by client registration, or refuses unknown scopes.
    case never
  }

  /// What the token exchange sends as `audience`.
  public enum Audience: Sendable, Hashable {
    /// The issuer identifier, as the drafts demand.
    case issuer
    /// No `audience` at all, for a provider that refuses one.
    case omitted
    /// A value that the provider documents, such as an API's name.
    case value(String)
  }

  package let deviceSSOScope: DeviceSSOScope
  package let audience: Audience
  package let actorTokenType: WireName
  package let requestedTokenType: WireName?
  package let dsHashRecipe: DSHashRecipe?
  package let usesPairwiseSubjects: Bool
  package let toleratesMissingIssuedTokenType: Bool
  package let acceptsDeviceTokenAlias: Bool
  package let assumesSupport: Bool

  /// A profile of one's own. The defaults are those of ``standard``.
  ///
  /// - Parameters:
  ///   - deviceSSOScope: when the scope `device_sso` is asked for.
  ///   - audience: what the token exchange sends as `audience`.
  ///   - actorTokenType: a URN, the device secret's of the standard or the one that the provider documents instead.
  ///   - requestedTokenType: a URN; omitted if nil.
  ///   - dsHashRecipe: the recipe that this provider is known to use for `ds_hash`. A mismatch is fatal to the pair.
  ///   - usesPairwiseSubjects: whether each app sees another `sub` for the same user.
  ///   - toleratesMissingIssuedTokenType: whether an exchange response may lack `issued_token_type`.
  ///   - acceptsDeviceTokenAlias: whether `device_token` counts where `device_secret` is absent.
  ///   - assumesSupport: whether the exchange is tried although discovery does not announce it.
  public init(
    deviceSSOScope: DeviceSSOScope = .byDiscovery, audience: Audience = .issuer,
    actorTokenType: String = "urn:openid:params:token-type:device-secret", requestedTokenType: String? = nil,
    dsHashRecipe: DSHashRecipe? = nil, usesPairwiseSubjects: Bool = false,
    toleratesMissingIssuedTokenType: Bool = true, acceptsDeviceTokenAlias: Bool = true, assumesSupport: Bool = false
  ) {
    (self.deviceSSOScope, self.audience, self.actorTokenType) = (deviceSSOScope, audience, WireName(actorTokenType))
    (self.requestedTokenType, self.dsHashRecipe) = (requestedTokenType.map { WireName($0) }, dsHashRecipe)
    self.usesPairwiseSubjects = usesPairwiseSubjects
    self.toleratesMissingIssuedTokenType = toleratesMissingIssuedTokenType
    (self.acceptsDeviceTokenAlias, self.assumesSupport) = (acceptsDeviceTokenAlias, assumesSupport)
  }

  /// What drafts 07 and 08 say, lenient where servers are known to differ.
  public static let standard = ProviderProfile()

  /// What draft 07 says, and nothing else.
  public static let strictDraft07 = ProviderProfile(
    deviceSSOScope: .always, toleratesMissingIssuedTokenType: false, acceptsDeviceTokenAlias: false)

  /// Authrim: the registration decides, not a scope, and `ds_hash` has a known recipe.
  public static let authrim = ProviderProfile(deviceSSOScope: .never, dsHashRecipe: .leftHalfSHA256)

  /// Okta: the old URN, and the API's audience instead of the issuer.
  public static func okta(audience: String = "api://default") -> ProviderProfile {
    ProviderProfile(
      deviceSSOScope: .always, audience: .value(audience), actorTokenType: TokenTypeIdentifier.legacyDeviceSecret.text)
  }
}
