import JOSE

extension ExtensibleSSOProfile {
  /// Where the profile and what the extension configures don't agree. What ``findings()`` says is not said again.
  public func findings(for configuration: LoginConfiguration) -> [ProfileFinding] {
    var findings: [ProfileFinding] = []
    for (name, url) in configuration.endpoints {
      if !PlainHTTP.refused.permits(url) {
        findings.append(ProfileFinding(.error, name, "Macs send requests by https only"))
      }
      if !urls.contains(where: { EndpointOrigin.url(url, beginsWith: $0) }) {
        findings.append(ProfileFinding(.error, name, "the address begins with none of the profile's URLs"))
      }
    }
    func finding(_ severity: ProfileFinding.Severity, _ key: String, _ reason: StaticString, if holds: Bool) {
      if holds { findings.append(ProfileFinding(severity, key, reason)) }
    }
    let isBrowser = authenticationMethod == .openID
    finding(
      .error, "AuthenticationMethod", "OpenID needs a federation type of its own in the login configuration",
      if: isBrowser && configuration.federationType == .none)
    let page = configuration.authorizationURL.flatMap(EndpointOrigin.of)
    finding(
      .error, "WebLoginURLAllowList", "the host of the authorization URL is not among them",
      if: isBrowser && page != nil && !webLoginURLAllowList.compactMap(EndpointOrigin.of).contains(page ?? ""))
    finding(
      .warning, "UseSharedDeviceKeys", "without it a Mac sends no key requests",
      if: !useSharedDeviceKeys && configuration.keyEndpointURL != nil)
    finding(
      .warning, "uniqueIdentifierClaimName", "the account's name follows from the claim that names the user for good",
      if: accountNameClaim.map { $0.utf8.elementsEqual(configuration.uniqueIdentifierClaimName.utf8) } ?? false)
    finding(
      .error, "AdditionalHTTPHeaders", "the login configuration has others",
      if: configuration.additionalHTTPHeaders != additionalHTTPHeaders)
    return findings
  }

  /// Where the profile and the provider's configuration don't agree.
  public func findings(for configuration: IdentityProviderConfiguration) -> [ProfileFinding] {
    var findings: [ProfileFinding] = []
    let addresses = configuration.tokenEndpointURLs + (configuration.refreshEndpointURL.map { [$0] } ?? [])
    if !addresses.allSatisfy({ address in urls.contains { EndpointOrigin.url(address, beginsWith: $0) } }) {
      findings.append(ProfileFinding(.error, "URLs", "an endpoint of the provider begins with none of them"))
    }
    for required in configuration.requiredHTTPHeaders.fields
    where !additionalHTTPHeaders.fields.contains(where: {
      $0.name.asciiLowercased.utf8.elementsEqual(required.name.asciiLowercased.utf8)
        && $0.value.utf8.elementsEqual(required.value.utf8)
    }) {
      findings.append(
        ProfileFinding(.error, "AdditionalHTTPHeaders", "the provider demands a field that the profile does not have"))
    }
    if configuration.clientIDs.isEmpty, configuration.deviceClientIDs == nil {
      findings.append(ProfileFinding(.error, "clientIDs", "the provider serves no client"))
    }
    return findings
  }

  /// Where the profile and what a provider asks of attestations don't agree.
  public func findings(for policy: AttestationPolicy) -> [ProfileFinding] {
    guard policy.requiresDeviceIdentifiers, !allowDeviceIdentifiersInAttestation else { return [] }
    return [
      ProfileFinding(
        .error, "AllowDeviceIdentifiersInAttestation", "the provider asks for serial number and UDID in attestations")
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
      if holds { findings.append(ProfileFinding(.error, key, reason)) }
    }
    let clientIDs = provider.clientIDs + (device.flatMap { provider.deviceClientIDs?($0) } ?? [])
    finding("clientID", "the provider does not serve this client", if: !clientIDs.containsBytes(of: clientID))
    finding(
      "issuer", "the provider writes another issuer into id_token", if: !issuer.utf8.elementsEqual(provider.issuer.utf8)
    )
    let audiences =
      device.map { provider.assertionAudiences(of: $0) }
      ?? (provider.assertionAudiences == nil ? [provider.audience] : [audience])
    finding(
      "audience", "the provider expects another audience in assertions", if: !audiences.containsBytes(of: audience))
    finding(
      "tokenEndpointURL", "the provider expects another address as aud",
      if: !provider.tokenEndpointURLs.containsBytes(of: tokenEndpointURL))
    if let refreshEndpointURL, refreshAudience == .refreshEndpoint {
      let known = provider.tokenEndpointURLs + (provider.refreshEndpointURL.map { [$0] } ?? [])
      finding(
        "refreshEndpointURL", "the provider expects another address as aud",
        if: !known.containsBytes(of: refreshEndpointURL))
    }
    finding(
      "serverNonceClaimName", "the provider reads the nonce from another claim",
      if: !serverNonceClaimName.utf8.elementsEqual(provider.serverNonceClaimName.utf8))
    finding(
      "nonceResponseKeypath", "the provider writes the nonce into another member",
      if: !nonceResponseKeypath.utf8.elementsEqual(provider.nonceResponseMember.utf8))
    finding(
      "customRequestJWTParameterName", "the provider reads requests from other form fields",
      if: !provider.requestParameterNames.containsBytes(of: requestParameterName))
    if let key = loginRequestEncryptionPublicKey {
      finding(
        "loginRequestEncryptionPublicKey", "the provider has no such key",
        if: !provider.loginRequestDecryptionKeys.contains { $0.encryptionKey.x963Representation == key })
      finding(
        "loginRequestEncryptionAPVPrefix", "the provider expects another prefix",
        if: loginRequestEncryptionAPVPrefix.map { $0 != provider.loginRequestEncryptionAPVPrefix } ?? false)
    }
    finding(
      "includesAudienceInKeyRequests", "the provider demands aud in key requests",
      if: provider.requiresAudienceInKeyRequests && !includesAudienceInKeyRequests)
    finding(
      "extensionSDK", "the provider refuses the type JWT", if: extensionSDK == .macOS13 && !provider.acceptsJWTType)
    finding(
      "additionalHTTPHeaders", "the provider demands a header field that is not sent",
      if: !provider.requiredHTTPHeaders.fields.allSatisfy { additionalHTTPHeaders.fields.contains($0) })
    return findings
  }
}
