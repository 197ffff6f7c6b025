import JOSE
import StrictJSON

extension ExtensibleSSOProfile {
  private typealias Entry = PropertyListValue.Entry

  /// The dictionary `PlatformSSO` of the payload.
  private var platformSSO: [PropertyListValue.Entry] {
    var entries: [Entry] = [
      Entry("AuthenticationMethod", .string(authenticationMethod.rawValue)),
      Entry("UseSharedDeviceKeys", .bool(useSharedDeviceKeys)),
    ]
    func append(_ key: String, _ text: String?) { if let text { entries.append(Entry(key, .string(text))) } }
    func append(_ key: String, _ number: Int?) { if let number { entries.append(Entry(key, .integer(Int64(number)))) } }
    func append(_ key: String, _ flag: Bool) { if flag { entries.append(Entry(key, .bool(true))) } }
    func append(_ key: String, _ list: [String]) {
      if !list.isEmpty { entries.append(Entry(key, .array(list.map { .string($0) }))) }
    }
    append("AccountDisplayName", accountDisplayName)
    append("LoginFrequency", loginFrequency)
    append("EnableAuthorization", enableAuthorization)
    append("EnableCreateUserAtLogin", enableCreateUserAtLogin)
    if !tokenToUserMapping.isEmpty { entries.append(Entry("TokenToUserMapping", .dictionary(tokenToUserMapping))) }
    append("NewUserAuthorizationMode", newUserAuthorizationMode?.rawValue)
    append("UserAuthorizationMode", userAuthorizationMode?.rawValue)
    append("AdministratorGroups", administratorGroups)
    append("AdditionalGroups", additionalGroups)
    if !authorizationGroups.isEmpty { entries.append(Entry("AuthorizationGroups", .dictionary(authorizationGroups))) }
    append("FileVaultPolicy", policies.fileVault)
    append("LoginPolicy", policies.login)
    append("UnlockPolicy", policies.unlock)
    append("OfflineGracePeriod", policies.offlineGracePeriod)
    append("AuthenticationGracePeriod", policies.authenticationGracePeriod)
    append("NonPlatformSSOAccounts", policies.nonPlatformSSOAccounts)
    append("AllowDeviceIdentifiersInAttestation", allowDeviceIdentifiersInAttestation)
    append("WebLoginURLAllowList", webLoginURLAllowList)
    append("AllowWebLoginPasswordSync", allowWebLoginPasswordSync)
    append("NewUserAuthenticationMethods", newUserAuthenticationMethods)
    append("EnableRegistrationDuringSetup", enableRegistrationDuringSetup)
    if !enableCreateFirstUserDuringSetup {
      entries.append(Entry("EnableCreateFirstUserDuringSetup", .bool(false)))
    }
    append("TemporarySessionQuickLogin", temporarySessionQuickLogin)
    append("SynchronizeProfilePicture", synchronizeProfilePicture)
    if let accessKey {
      if let octets = accessKey.readerGroupIdentifier {
        entries.append(Entry("AccessKeyReaderGroupIdentifier", .data(octets)))
      }
      append("AccessKeyTerminalIdentityUUID", accessKey.terminalIdentity)
      append("AccessKeyReaderIssuerCertificateUUID", accessKey.readerIssuerCertificate)
      append("AllowAccessKeyExpressMode", accessKey.allowExpressMode)
    }
    return entries
  }

  var tokenToUserMapping: [PropertyListValue.Entry] {
    [("AccountName", accountNameClaim), ("FullName", fullNameClaim)].compactMap { key, claim in
      claim.map { Entry(key, .string($0)) }
    }
  }

  /// The payload `com.apple.extensiblesso`. It has no key for ``additionalHTTPHeaders``, which ``findings(as:)`` says.
  ///
  /// - Parameters:
  ///   - identifier: `PayloadIdentifier`.
  ///   - uuid: `PayloadUUID`, always the same for one payload.
  public func payload(identifier: String, uuid: String) -> PropertyListValue {
    var entries: [PropertyListValue.Entry] = [
      Entry("PayloadType", .string("com.apple.extensiblesso")), Entry("PayloadVersion", .integer(1)),
      Entry("PayloadIdentifier", .string(identifier)), Entry("PayloadUUID", .string(uuid)),
      Entry("ExtensionIdentifier", .string(extensionIdentifier)), Entry("TeamIdentifier", .string(teamIdentifier)),
      Entry("Type", .string(type)), Entry("URLs", .array(urls.map { .string($0) })),
    ]
    if let screenLockedBehavior { entries.append(Entry("ScreenLockedBehavior", .string(screenLockedBehavior))) }
    if !deniedBundleIdentifiers.isEmpty {
      entries.append(Entry("DeniedBundleIdentifiers", .array(deniedBundleIdentifiers.map { .string($0) })))
    }
    if !extensionData.isEmpty { entries.append(Entry("ExtensionData", .dictionary(extensionData))) }
    if let registrationToken { entries.append(Entry("RegistrationToken", .string(registrationToken))) }
    entries.append(Entry("PlatformSSO", .dictionary(platformSSO)))
    return .dictionary(entries)
  }

  /// A configuration profile with this payload in it: what a server of device management delivers as a `.mobileconfig`.
  ///
  /// - Parameters:
  ///   - identifier: `PayloadIdentifier` of the profile; the payload's is this with `.sso` behind it.
  ///   - displayName: what System Settings show.
  ///   - organization: who made the profile.
  ///   - uuid: `PayloadUUID` of the profile: a fresh one if nil. Keep it when the profile changes.
  ///   - payloadUUID: the payload's, alike.
  public func configurationProfile(
    identifier: String, displayName: String, organization: String? = nil, uuid: String? = nil,
    payloadUUID: String? = nil
  ) -> String {
    var entries: [PropertyListValue.Entry] = [
      Entry("PayloadType", .string("Configuration")), Entry("PayloadVersion", .integer(1)),
      Entry("PayloadIdentifier", .string(identifier)), Entry("PayloadUUID", .string(uuid ?? UUIDText.random())),
      Entry("PayloadDisplayName", .string(displayName)), Entry("PayloadScope", .string("System")),
    ]
    if let organization { entries.append(Entry("PayloadOrganization", .string(organization))) }
    entries.append(
      Entry(
        "PayloadContent", .array([payload(identifier: identifier + ".sso", uuid: payloadUUID ?? UUIDText.random())])))
    return PropertyListValue.dictionary(entries).xmlDocument
  }

  /// The file `/.well-known/apple-app-site-association` that makes Macs trust the extension: served as JSON without a
  /// redirect, from each host that the extension answers for.
  ///
  /// - Parameter hostApplicationIdentifier: the bundle identifier of the application that holds the extension. macOS 15
  ///   and later want both.
  public func appSiteAssociation(hostApplicationIdentifier: String? = nil) -> JSONObject {
    let identifiers = [hostApplicationIdentifier, extensionIdentifier].compactMap { $0 }
    return ["authsrv": ["apps": .array(identifiers.map { .string("\(teamIdentifier).\($0)") })]]
  }
}
