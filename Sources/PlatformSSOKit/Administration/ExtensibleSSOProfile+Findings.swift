import JOSE
import StrictJSON

extension ExtensibleSSOProfile {
  /// `AccountName` of `TokenToUserMapping`: the claim with the short name of a new account.
  var accountNameClaim: String? { self["TokenToUserMapping"]?["AccountName"]?.text }

  /// What is wrong with the profile in itself: what Apple's schema and pages forbid. Of a profile that was read from a
  /// file, its `PayloadVersion`, `PayloadUUID`, `PayloadIdentifier` and `PayloadType` as well.
  ///
  /// - Parameter inConfigurationProfile: whether it reaches Macs as a configuration profile, which can't carry all that
  ///   a declaration can.
  public func findings(inConfigurationProfile: Bool = false) -> [ProfileFinding] {
    var findings: [ProfileFinding] = []
    func error(_ key: String, _ reason: StaticString, unless holds: Bool) {
      if !holds { findings.append(ProfileFinding(error: key, reason)) }
    }
    error(
      "ExtensionIdentifier", "the extension has an identifier in reverse DNS",
      unless: PayloadKeys.isIdentifier(extensionIdentifier))
    error(
      "TeamIdentifier", "a team has ten capital letters and digits",
      unless: teamIdentifier.utf8.count == 10
        && teamIdentifier.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
    error("Type", "Platform SSO needs Redirect", unless: self["Type"] == .string("Redirect"))
    error("URLs", "Redirect needs at least one address", unless: !urls.isEmpty)
    error(
      "URLs", "an address is http or https, with a host and without query or fragment",
      unless: urls.allSatisfy(Self.isPrefix))
    error("URLs", "an address is there twice", unless: Set(urls.compactMap(Self.folded)).count == urls.count)
    error("LoginFrequency", "it is 3600 seconds at least", unless: (number("LoginFrequency") ?? 3600) >= 3600)
    let (createsUsers, allowed) = (flag("EnableCreateUserAtLogin"), texts("WebLoginURLAllowList"))
    error(
      "EnableCreateUserAtLogin", "it needs UseSharedDeviceKeys", unless: !createsUsers || useSharedDeviceKeys
    )
    error(
      "EnableCreateUserAtLogin", "it needs a TokenToUserMapping with AccountName",
      unless: !createsUsers || accountNameClaim?.isEmpty == false)
    error(
      "EnableCreateUserAtLogin", "accounts are made by Password, SmartCard or OpenID",
      unless: !createsUsers || authenticationMethod != .userSecureEnclaveKey)
    error(
      "EnableAuthorization", "it needs UseSharedDeviceKeys", unless: !flag("EnableAuthorization") || useSharedDeviceKeys
    )
    error(
      "AuthenticationMethod", "OpenID needs UseSharedDeviceKeys",
      unless: authenticationMethod != .openID || useSharedDeviceKeys)
    error(
      "WebLoginURLAllowList", "OpenID needs the hosts of the login page",
      unless: authenticationMethod != .openID || !allowed.isEmpty)
    error(
      "WebLoginURLAllowList", "each has scheme and host, and no wildcard",
      unless: allowed.allSatisfy { EndpointOrigin.of($0) != nil && !$0.utf8.contains(0x2A) })
    error(
      "NewUserAuthenticationMethods", "the value is not in the schema",
      unless: texts("NewUserAuthenticationMethods").wireNames.allSatisfy(Self.methodsOfNewUsers.contains))
    error(
      "UserAuthorizationMode", "Temporary is for new users only",
      unless: self["UserAuthorizationMode"] != .string("Temporary"))
    var groupCount = texts("AdministratorGroups").count + texts("AdditionalGroups").count
    groupCount += self["AuthorizationGroups"]?.entries?.count ?? 0
    error("AdministratorGroups", "there are at most 100 groups in all", unless: groupCount <= 100)
    let modes = [self["NewUserAuthorizationMode"], self["UserAuthorizationMode"]]
    let usesGroups = modes.contains(.string("Groups"))
    if usesGroups, groupCount == 0 {
      findings.append(ProfileFinding(warning: "AdministratorGroups", "the mode is Groups, and no groups are named"))
    }
    if let behavior = self["ScreenLockedBehavior"]?.text {
      error(
        "ScreenLockedBehavior", "it is Cancel or DoNotHandle",
        unless: ["Cancel", "DoNotHandle"].contains(WireName(behavior)))
    }
    error(
      "AdditionalHTTPHeaders", "a configuration profile has no such key; the declaration has it",
      unless: !inConfigurationProfile || additionalHTTPHeaders == .none)
    return payloadFindings.list + findings + policyFindings() + combinationFindings()
  }

  static let methodsOfNewUsers: [WireName] = ["Password", "SmartCard", "AccessKey", "OpenID"]

  /// The texts that a list of a policy may have.
  static let policies: KeyValuePairs<String, [WireName]> = [
    "FileVaultPolicy": everyPolicy, "LoginPolicy": everyPolicy,
    "UnlockPolicy": everyPolicy + ["AllowTouchIDOrWatchForUnlock"],
  ]

  private static let everyPolicy: [WireName] = [
    "AttemptAuthentication", "RequireAuthentication", "AllowOfflineGracePeriod", "AllowAuthenticationGracePeriod",
    "RequireTouchID", "RequireTouchIDOrWatch", "AllowOpenIDForTouchIDFallback",
  ]

  private func policyFindings() -> [ProfileFinding] {
    var findings: [ProfileFinding] = []
    let passwordOnly: [WireName] = [
      "AttemptAuthentication", "RequireAuthentication", "AllowAuthenticationGracePeriod",
    ]
    for (key, known) in Self.policies {
      let values = texts(key).wireNames
      if !values.allSatisfy(known.contains) {
        findings.append(ProfileFinding(error: key, "the value is not in the schema"))
      }
      if authenticationMethod != .password, values.contains(where: passwordOnly.contains) {
        findings.append(ProfileFinding(error: key, "this value needs the method Password"))
      }
      for period in ["OfflineGracePeriod", "AuthenticationGracePeriod"]
      where values.contains("Allow" + period) && self[period] == nil {
        findings.append(ProfileFinding(error: period, "a policy allows it, and it has no length"))
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
  static func folded(_ url: String) -> [UInt8]? {
    guard let origin = EndpointOrigin.of(url), let path = (try? URIComponents(parsing: url))?.path else { return nil }
    return Array((origin + path.drop { $0 == "/" }).utf8)
  }
}
