import JOSE
import StrictJSON

extension ExtensibleSSOProfile {
  /// The value of `AccountName` that stands for the part of `preferred_username` before its domain (macOS 15.4).
  private static let accountShortName = "com.apple.PlatformSSO.AccountShortName"

  /// The short name that a Mac gives the new account of a user, by `AccountName` of `TokenToUserMapping`; nil if there
  /// is no mapping, or no such claim.
  ///
  /// - Parameter idToken: the claims of the user's `id_token`.
  public func accountName(of idToken: JSONObject) -> String? {
    guard let claim = accountNameClaim else { return nil }
    guard WireName(claim) == Self.accountShortName else { return idToken[claim]?.stringValue }
    let name = idToken["preferred_username"]?.stringValue?.utf8.prefix { $0 != UInt8(ascii: "@") }
    return name.flatMap { $0.isEmpty ? nil : String(Substring($0)) }
  }

  /// The names of the account that a Mac makes of a user by `TokenToUserMapping`, and the claims that the token lacks
  /// for them; nil if there is no mapping.
  ///
  /// - Parameter idToken: the claims of the user's `id_token`.
  package func account(of idToken: JSONObject) -> (shortName: String?, fullName: String?, missing: [String])? {
    guard let mapping = self["TokenToUserMapping"]?.entries, !mapping.isEmpty else { return nil }
    let missing = mapping.compactMap { entry -> String? in
      guard let name = entry.value.text else { return nil }
      let claim = [Self.accountShortName].wireNames.contains(name) ? "preferred_username" : name
      return idToken[claim]?.stringValue == nil ? claim : nil
    }
    let fullName = self["TokenToUserMapping"]?["FullName"]?.text.flatMap { idToken[$0]?.stringValue }
    return (accountName(of: idToken), fullName, missing)
  }

  /// Where the profile and what the extension configures don't agree. What ``findings(inConfigurationProfile:)`` says
  /// is not said again.
  public func findings(for configuration: LoginConfiguration) -> [ProfileFinding] {
    var findings: [ProfileFinding] = []
    for (name, url) in configuration.endpoints {
      if !PlainHTTP.refused.permits(url) {
        findings.append(ProfileFinding(error: name, "Macs send requests by https only"))
      }
      if !urls.contains(where: { EndpointOrigin.url(url, beginsWith: $0) }) {
        findings.append(ProfileFinding(error: name, "the address begins with none of the profile's URLs"))
      }
    }
    func error(_ key: String, _ reason: StaticString, if holds: Bool) {
      if holds { findings.append(ProfileFinding(error: key, reason)) }
    }
    func warning(_ key: String, _ reason: StaticString, if holds: Bool) {
      if holds { findings.append(ProfileFinding(warning: key, reason)) }
    }
    let isBrowser = authenticationMethod == .openID
    error(
      "AuthenticationMethod", "OpenID needs an authorization URL or a preauthentication URL",
      if: isBrowser && configuration.authorizationURL == nil && configuration.federationUserPreauthenticationURL == nil)
    let page = configuration.authorizationURL.flatMap(EndpointOrigin.of)
    error(
      "WebLoginURLAllowList", "the host of the authorization URL is not among them",
      if: isBrowser && page != nil
        && !texts("WebLoginURLAllowList").compactMap(EndpointOrigin.of).wireNames.contains(page ?? ""))
    warning(
      "UseSharedDeviceKeys", "without it a Mac sends no key requests",
      if: !useSharedDeviceKeys && configuration.keyEndpointURL != nil)
    warning(
      "uniqueIdentifierClaimName", "the account's name follows from the claim that names the user for good",
      if: accountNameClaim.map { WireName($0) == configuration.uniqueIdentifierClaimName } ?? false)
    error(
      "AdditionalHTTPHeaders", "the login configuration has others",
      if: configuration.additionalHTTPHeaders != additionalHTTPHeaders)
    return findings
  }

  /// Where the profile and the provider's configuration don't agree.
  public func findings(for configuration: IdentityProviderConfiguration) -> [ProfileFinding] {
    var findings: [ProfileFinding] = []
    let addresses = configuration.tokenEndpointURLs + (configuration.refreshEndpointURL.map { [$0] } ?? [])
    if !addresses.allSatisfy({ address in urls.contains { EndpointOrigin.url(address, beginsWith: $0) } }) {
      findings.append(ProfileFinding(error: "URLs", "an endpoint of the provider begins with none of them"))
    }
    for required in configuration.requiredHTTPHeaders.fields.fields
    where !additionalHTTPHeaders.fields.fields.contains(where: {
      $0.name.hasSameBytesIgnoringASCIICase(as: required.name) && WireName($0.value) == required.value
    }) {
      findings.append(
        ProfileFinding(error: "AdditionalHTTPHeaders", "the provider demands a field that the profile does not have"))
    }
    if configuration.clientIDs.isEmpty, configuration.deviceClientIDs == nil {
      findings.append(ProfileFinding(error: "clientIDs", "the provider serves no client"))
    }
    return findings
  }

  /// Where the profile and what a provider asks of attestations don't agree.
  public func findings(for policy: AttestationPolicy) -> [ProfileFinding] {
    guard policy.requiresDeviceIdentifiers, !flag("AllowDeviceIdentifiersInAttestation") else { return [] }
    return [
      ProfileFinding(
        error: "AllowDeviceIdentifiersInAttestation", "the provider asks for serial number and UDID in attestations")
    ]
  }
}

extension LoginConfiguration {
  /// Where a login configuration and a provider don't agree: client, issuer, audience, addresses and keys.
  ///
  /// - Parameters:
  ///   - provider: the provider's configuration.
  ///   - device: the device, where names depend on it.
  public func findings(
    for provider: IdentityProviderConfiguration, device: RegisteredDevice? = nil
  ) -> [ProfileFinding] {
    var findings: [ProfileFinding] = []
    func finding(_ key: String, _ reason: StaticString, if holds: Bool) {
      if holds { findings.append(ProfileFinding(error: key, reason)) }
    }
    let clientIDs = (device.map { provider.clientIDs(of: $0) } ?? provider.clientIDs).wireNames
    finding("clientID", "the provider does not serve this client", if: !clientIDs.contains(clientID))
    finding(
      "issuer", "the provider writes another issuer into id_token", if: WireName(issuer) != provider.issuer
    )
    let audiences =
      device.map { provider.assertionAudiences(of: $0) }
      ?? (provider.assertionAudiences == nil ? [provider.audience] : [audience])
    finding(
      "audience", "the provider expects another audience in assertions", if: !audiences.contains(WireName(audience)))
    finding(
      "tokenEndpointURL", "the provider expects another address as aud",
      if: !provider.tokenEndpointURLs.contains(WireName(tokenEndpointURL)))
    if let refreshEndpointURL, !namesTokenEndpointInRefreshRequests {
      let known = provider.tokenEndpointURLs + (provider.refreshEndpointURL.map { [$0] } ?? [])
      finding(
        "refreshEndpointURL", "the provider expects another address as aud",
        if: !known.contains(WireName(refreshEndpointURL)))
    }
    finding(
      "serverNonceClaimName", "the provider reads the nonce from another claim",
      if: WireName(serverNonceClaimName) != provider.serverNonceClaimName)
    finding(
      "nonceResponseKeypath", "the provider writes the nonce into another member",
      if: WireName(nonceResponseKeypath) != provider.nonceResponseMember)
    finding(
      "customRequestJWTParameterName", "the provider reads requests from other form fields",
      if: !provider.requestParameterNames.contains(WireName(requestParameterName)))
    if let key = loginRequestEncryptionPublicKey {
      finding(
        "loginRequestEncryptionPublicKey", "the provider has no such key",
        if: !provider.loginRequestDecryptionKeys.contains { $0.encryptionKey.x963Representation == key })
      finding(
        "loginRequestEncryptionAPVPrefix", "the provider expects another prefix",
        if: loginRequestEncryptionAPVPrefix.map { $0 != provider.loginRequestEncryptionAPVPrefix } ?? false)
    }
    let (asked, read) = (groupRequestClaimName, provider.groupRequestClaimName)
    let previous = WireName(previousRefreshTokenClaimName)
    finding(
      "groupRequestClaimName", "the provider reads the groups that are asked for from another claim",
      if: [asked].compactMap(\.self).wireNames != [read].compactMap(\.self).wireNames)
    finding(
      "previousRefreshTokenClaimName", "the provider reads the previous refresh token from another claim",
      if: includePreviousRefreshTokenInLoginRequest && previous != provider.previousRefreshTokenClaimName)
    finding(
      "refreshRequestVersion", "the provider expects another version in the form of refresh requests",
      if: refreshEndpointURL != nil && !provider.refreshRequestVersions.wireNames.contains(refreshRequestVersion))
    let keyAudiences =
      device.flatMap { device in provider.keyRequestAudiences.map { $0(device) } } ?? [provider.audience]
    finding(
      "audience", "the provider expects another audience in key requests",
      if: includesAudienceInKeyRequests && audiences.wireNames.contains(audience)
        && (device != nil || provider.keyRequestAudiences == nil) && !keyAudiences.wireNames.contains(audience))
    finding(
      "includesAudienceInKeyRequests", "the provider demands aud in key requests",
      if: provider.requiresAudienceInKeyRequests && !includesAudienceInKeyRequests)
    finding(
      "isBuiltForMacOS13", "the provider refuses the type JWT", if: isBuiltForMacOS13 && !provider.acceptsJWTType)
    finding(
      "additionalHTTPHeaders", "the provider demands a header field that is not sent",
      if: !provider.requiredHTTPHeaders.fields.fields.allSatisfy { required in
        additionalHTTPHeaders.fields.values(required.name).wireNames.contains(required.value)
      })
    return findings
  }
}
