import JOSE
import StrictJSON

extension ExtensibleSSOProfile {
  /// Settings that need or exclude each other, and those that do nothing without another.
  ///
  /// Source: Apple, device management, ExtensibleSingleSignOn.PlatformSSO.
  func combinationFindings() -> [ProfileFinding] {
    guestFindings() + groupFindings() + accessKeyFindings() + browserFindings() + periodFindings()
  }

  private func guestFindings() -> [ProfileFinding] {
    let (createsUsers, hasGuests) = (
      flag("EnableCreateUserAtLogin"), self["NewUserAuthorizationMode"] == .string("Temporary")
    )
    var findings: [ProfileFinding] = []
    if hasGuests, !createsUsers {
      findings.append(
        ProfileFinding(error: "NewUserAuthorizationMode", "guests (Temporary) need EnableCreateUserAtLogin"))
    }
    if flag("TemporarySessionQuickLogin"), !hasGuests {
      findings.append(
        ProfileFinding(error: "TemporarySessionQuickLogin", "it needs guests: NewUserAuthorizationMode Temporary"))
    }
    let methods = texts("NewUserAuthenticationMethods").wireNames
    if !methods.isEmpty, methods.allSatisfy(Self.methodsOfNewUsers.contains), !createsUsers {
      findings.append(
        ProfileFinding(warning: "NewUserAuthenticationMethods", "no accounts are made: EnableCreateUserAtLogin is off"))
    }
    return findings
  }

  private func groupFindings() -> [ProfileFinding] {
    var findings: [ProfileFinding] = []
    let (administrators, others) = (texts("AdministratorGroups"), texts("AdditionalGroups"))
    for (key, names) in [("AdministratorGroups", administrators), ("AdditionalGroups", others)]
    where Set(names.wireNames).count < names.count {
      findings.append(ProfileFinding(warning: key, "a group is named twice"))
    }
    let modes = [self["NewUserAuthorizationMode"], self["UserAuthorizationMode"]]
    let count = administrators.count + others.count + (self["AuthorizationGroups"]?.entries?.count ?? 0)
    if !administrators.isEmpty, count <= 100, !modes.contains(.string("Groups")) {
      findings.append(
        ProfileFinding(warning: "AdministratorGroups", "they do nothing: no authorization mode is Groups"))
    }
    if self["AuthorizationGroups"] != nil, count <= 100, !flag("EnableAuthorization") {
      findings.append(ProfileFinding(warning: "AuthorizationGroups", "they do nothing: EnableAuthorization is off"))
    }
    return findings
  }

  private func accessKeyFindings() -> [ProfileFinding] {
    var findings: [ProfileFinding] = []
    let isUsed = texts("NewUserAuthenticationMethods").contains("AccessKey" as WireName)
    let reader = self["AccessKeyReaderGroupIdentifier"]
    if isUsed, reader == nil {
      findings.append(ProfileFinding(error: "AccessKeyReaderGroupIdentifier", "access keys need a group of readers"))
    }
    if reader != nil, self["AccessKeyTerminalIdentityUUID"] == nil {
      findings.append(
        ProfileFinding(error: "AccessKeyTerminalIdentityUUID", "a reader needs an identity, by its payload's UUID"))
    }
    for key in ["AccessKeyTerminalIdentityUUID", "AccessKeyReaderIssuerCertificateUUID", "AllowAccessKeyExpressMode"]
    where reader == nil && self[key] != nil && !isUsed {
      findings.append(ProfileFinding(warning: key, "it does nothing without AccessKeyReaderGroupIdentifier"))
    }
    return findings
  }

  private func browserFindings() -> [ProfileFinding] {
    let usesBrowser =
      authenticationMethod == .openID || texts("NewUserAuthenticationMethods").contains("OpenID" as WireName)
      || policies.contains { $0.contains("AllowOpenIDForTouchIDFallback") }
    guard !usesBrowser else { return [] }
    let hasWildcard = texts("WebLoginURLAllowList").contains { $0.utf8.contains(0x2A) }
    return ["WebLoginURLAllowList", "AllowWebLoginPasswordSync"]
      .filter { self[$0] != nil && !hasWildcard }
      .map { ProfileFinding(warning: $0, "it does nothing: no one logs in with OpenID") }
  }

  /// The policies for FileVault, login and unlocking.
  private var policies: [[WireName]] {
    ["FileVaultPolicy", "LoginPolicy", "UnlockPolicy"].map { texts($0).wireNames }
  }

  private func periodFindings() -> [ProfileFinding] {
    var findings: [ProfileFinding] = []
    for key in ["FileVaultPolicy", "LoginPolicy", "UnlockPolicy"] {
      let values = texts(key)
      for (one, other) in [
        ("AttemptAuthentication", "RequireAuthentication"), ("RequireTouchID", "RequireTouchIDOrWatch"),
      ] as [(WireName, WireName)] where values.contains(one) && values.contains(other) {
        findings.append(
          one == "RequireTouchID"
            ? ProfileFinding(error: key, "RequireTouchID and RequireTouchIDOrWatch exclude each other")
            : ProfileFinding(error: key, "AttemptAuthentication and RequireAuthentication exclude each other"))
      }
    }
    for key in ["OfflineGracePeriod", "AuthenticationGracePeriod"] {
      guard let length = number(key) else { continue }
      if length < 0 { findings.append(ProfileFinding(error: key, "it is a number of seconds, and not below 0")) }
      if !policies.contains(where: { $0.contains("Allow" + key) }) {
        findings.append(ProfileFinding(warning: key, "it does nothing: no policy allows it"))
      }
    }
    let accounts = texts("NonPlatformSSOAccounts")
    let requires = policies.contains { $0.contains("RequireAuthentication") }
    if !accounts.isEmpty, policies.allSatisfy(\.isEmpty) {
      findings.append(ProfileFinding(warning: "NonPlatformSSOAccounts", "they do nothing: there is no policy"))
    }
    if requires, authenticationMethod == .password, accounts.isEmpty {
      findings.append(
        ProfileFinding(
          warning: "NonPlatformSSOAccounts", "RequireAuthentication locks every account out that is not named here"))
    }
    return findings
  }
}
