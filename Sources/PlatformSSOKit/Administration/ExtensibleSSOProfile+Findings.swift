import JOSE

extension ExtensibleSSOProfile {
  /// What is wrong with the profile in itself: what Apple's schema and pages forbid.
  public func findings() -> [ProfileFinding] {
    var findings: [ProfileFinding] = []
    func error(_ key: String, _ reason: StaticString, unless holds: Bool) {
      if !holds { findings.append(ProfileFinding(.error, key, reason)) }
    }
    error("ExtensionIdentifier", "the extension has no identifier", unless: !extensionIdentifier.isEmpty)
    error(
      "TeamIdentifier", "a team has ten capital letters and digits",
      unless: teamIdentifier.utf8.count == 10
        && teamIdentifier.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
    error("Type", "Platform SSO needs Redirect", unless: type.utf8.elementsEqual("Redirect".utf8))
    error("URLs", "Redirect needs at least one address", unless: !urls.isEmpty)
    error(
      "URLs", "an address is http or https, with a host and without query or fragment",
      unless: urls.allSatisfy(Self.isPrefix))
    error("URLs", "an address is there twice", unless: Set(urls.compactMap(Self.folded)).count == urls.count)
    error("LoginFrequency", "it is 3600 seconds at least", unless: (loginFrequency ?? 3600) >= 3600)
    error(
      "EnableCreateUserAtLogin", "it needs UseSharedDeviceKeys", unless: !enableCreateUserAtLogin || useSharedDeviceKeys
    )
    error(
      "EnableCreateUserAtLogin", "it needs a TokenToUserMapping with AccountName",
      unless: !enableCreateUserAtLogin || accountNameClaim?.isEmpty == false)
    error(
      "EnableCreateUserAtLogin", "accounts are made by Password, SmartCard or OpenID",
      unless: !enableCreateUserAtLogin || authenticationMethod != .userSecureEnclaveKey)
    error("EnableAuthorization", "it needs UseSharedDeviceKeys", unless: !enableAuthorization || useSharedDeviceKeys)
    error(
      "AuthenticationMethod", "OpenID needs UseSharedDeviceKeys",
      unless: authenticationMethod != .openID || useSharedDeviceKeys)
    error(
      "WebLoginURLAllowList", "OpenID needs the hosts of the login page",
      unless: authenticationMethod != .openID || !webLoginURLAllowList.isEmpty)
    error(
      "WebLoginURLAllowList", "each has scheme and host, and no wildcard",
      unless: webLoginURLAllowList.allSatisfy { EndpointOrigin.of($0) != nil && !$0.utf8.contains(0x2A) })
    error(
      "NewUserAuthenticationMethods", "the value is not in the schema",
      unless: newUserAuthenticationMethods.allSatisfy {
        ["Password", "SmartCard", "AccessKey", "OpenID"].containsBytes(of: $0)
      })
    error("UserAuthorizationMode", "Temporary is for new users only", unless: userAuthorizationMode != .temporary)
    let groupCount = administratorGroups.count + additionalGroups.count + authorizationGroups.count
    error("AdministratorGroups", "there are at most 100 groups in all", unless: groupCount <= 100)
    let usesGroups = newUserAuthorizationMode == .groups || userAuthorizationMode == .groups
    if usesGroups, groupCount == 0 {
      findings.append(ProfileFinding(.warning, "AdministratorGroups", "the mode is Groups, and no groups are named"))
    }
    if let screenLockedBehavior {
      error(
        "ScreenLockedBehavior", "it is Cancel or DoNotHandle",
        unless: ["Cancel", "DoNotHandle"].containsBytes(of: screenLockedBehavior))
    }
    return findings + policyFindings()
  }

  /// How settings reach a Mac.
  public enum Form: Sendable, Hashable, CaseIterable {
    /// A configuration profile with the payload `com.apple.extensiblesso`.
    case configurationProfile
    /// The declaration `com.apple.configuration.extensible-sso`.
    case declaration
  }

  /// What is wrong with the profile in itself, and what a form of it can't carry.
  public func findings(as form: Form) -> [ProfileFinding] {
    guard form == .configurationProfile, !additionalHTTPHeaders.fields.isEmpty else { return findings() }
    return findings() + [
      ProfileFinding(.error, "AdditionalHTTPHeaders", "a configuration profile has no such key; the declaration has it")
    ]
  }

  private func policyFindings() -> [ProfileFinding] {
    var findings: [ProfileFinding] = []
    let common = [
      "AttemptAuthentication", "RequireAuthentication", "AllowOfflineGracePeriod", "AllowAuthenticationGracePeriod",
      "RequireTouchID", "RequireTouchIDOrWatch", "AllowOpenIDForTouchIDFallback",
    ]
    let passwordOnly = ["AttemptAuthentication", "RequireAuthentication", "AllowAuthenticationGracePeriod"]
    let lists: [(String, [String], [String])] = [
      ("FileVaultPolicy", policies.fileVault, common), ("LoginPolicy", policies.login, common),
      ("UnlockPolicy", policies.unlock, common + ["AllowTouchIDOrWatchForUnlock"]),
    ]
    for (key, values, known) in lists {
      if !values.allSatisfy({ known.containsBytes(of: $0) }) {
        findings.append(ProfileFinding(.error, key, "the value is not in the schema"))
      }
      if authenticationMethod != .password, values.contains(where: { passwordOnly.containsBytes(of: $0) }) {
        findings.append(ProfileFinding(.error, key, "this value needs the method Password"))
      }
      if values.containsBytes(of: "AllowOfflineGracePeriod"), policies.offlineGracePeriod == nil {
        findings.append(ProfileFinding(.error, "OfflineGracePeriod", "a policy allows it, and it has no length"))
      }
      if values.containsBytes(of: "AllowAuthenticationGracePeriod"), policies.authenticationGracePeriod == nil {
        findings.append(ProfileFinding(.error, "AuthenticationGracePeriod", "a policy allows it, and it has no length"))
      }
    }
    return findings
  }

  private static func isPrefix(_ url: String) -> Bool {
    guard let uri = try? URIComponents(parsing: url), uri.hasScheme("https") || uri.hasScheme("http") else {
      return false
    }
    return uri.host?.isEmpty == false && uri.query == nil && uri.fragment == nil && uri.userInfo == nil
  }

  /// An address with scheme and host in lower case, for comparison; nil if it is no address.
  private static func folded(_ url: String) -> [UInt8]? {
    guard let origin = EndpointOrigin.of(url), let path = (try? URIComponents(parsing: url))?.path else { return nil }
    return Array((origin + path.drop { $0 == "/" }).utf8)
  }
}
