import JOSE
import JOSEHTTP
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
    return entries
  }

  private var tokenToUserMapping: [PropertyListValue.Entry] {
    [("AccountName", accountNameClaim), ("FullName", fullNameClaim)].compactMap { key, claim in
      claim.map { Entry(key, .string($0)) }
    }
  }

  /// The header fields as the profile writes them.
  private var headerFields: PropertyListValue {
    .dictionary(additionalHTTPHeaders.fields.map { Entry($0.name, .string($0.value)) })
  }

  /// The payload `com.apple.extensiblesso`.
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
    if !extensionData.isEmpty { entries.append(Entry("ExtensionData", .dictionary(extensionData))) }
    if let registrationToken { entries.append(Entry("RegistrationToken", .string(registrationToken))) }
    var inner = platformSSO
    if !additionalHTTPHeaders.fields.isEmpty { inner.append(Entry("AdditionalHTTPHeaders", headerFields)) }
    entries.append(Entry("PlatformSSO", .dictionary(inner)))
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

  /// The declaration `com.apple.configuration.extensible-sso` of the same settings.
  ///
  /// - Parameters:
  ///   - identifier: the declaration's.
  ///   - serverToken: its version, which must change with it. A fresh one if nil.
  public func declaration(identifier: String, serverToken: String? = nil) -> JSONObject {
    func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
    var sso: JSONObject = [
      "AuthenticationMethod": .string(authenticationMethod.rawValue), "UseSharedDeviceKeys": .bool(useSharedDeviceKeys),
    ]
    if let registrationToken { sso["RegistrationToken"] = .string(registrationToken) }
    if let loginFrequency { sso["LoginFrequency"] = .number(JSONNumber(loginFrequency)) }
    if allowDeviceIdentifiersInAttestation { sso["AllowDeviceIdentifiersInAttestation"] = true }
    if let accountDisplayName { sso["Account"] = ["DisplayName": .string(accountDisplayName)] }
    let groups: [(String, JSONObject)] = [
      ("UserCreation", userCreation), ("Authorization", authorization), ("Policies", declaredPolicies),
    ]
    for (name, group) in groups where !group.isEmpty { sso[name] = .object(group) }
    if !webLoginURLAllowList.isEmpty { sso["WebAuthentication"] = ["URLAllowList": list(webLoginURLAllowList)] }
    if !additionalHTTPHeaders.fields.isEmpty {
      sso["AdditionalHTTPHeaders"] = .object(
        JSONObject(additionalHTTPHeaders.fields.map { ($0.name, JSONValue.string($0.value)) }))
    }
    var body: JSONObject = [
      "ExtensionComposedIdentifier": .string("\(extensionIdentifier) (\(teamIdentifier))"), "Type": .string(type),
      "URLs": list(urls),
    ]
    if let screenLockedBehavior { body["ScreenLockedBehavior"] = .string(screenLockedBehavior) }
    if !extensionData.isEmpty { body["ExtensionData"] = PropertyListValue.dictionary(extensionData).jsonValue }
    body["PlatformSSO"] = .object(sso)
    return [
      "Type": "com.apple.configuration.extensible-sso", "Identifier": .string(identifier),
      "ServerToken": .string(serverToken ?? UUIDText.random()), "Payload": .object(body),
    ]
  }

  private var userCreation: JSONObject {
    var object = JSONObject()
    if enableCreateUserAtLogin { object["EnableAtLogin"] = true }
    if let newUserAuthorizationMode { object["NewUserAuthorizationMode"] = .string(newUserAuthorizationMode.rawValue) }
    if !tokenToUserMapping.isEmpty {
      object["TokenToUserMapping"] = PropertyListValue.dictionary(tokenToUserMapping).jsonValue
    }
    return object
  }

  private var authorization: JSONObject {
    var object = JSONObject()
    if enableAuthorization { object["EnableIdentityProviderAccounts"] = true }
    if let userAuthorizationMode { object["UserAuthorizationMode"] = .string(userAuthorizationMode.rawValue) }
    for (name, list) in [("AdministratorGroups", administratorGroups), ("AdditionalGroups", additionalGroups)]
    where !list.isEmpty {
      object[name] = .array(list.map { .string($0) })
    }
    if !authorizationGroups.isEmpty {
      object["AuthorizationGroups"] = PropertyListValue.dictionary(authorizationGroups).jsonValue
    }
    return object
  }

  private var declaredPolicies: JSONObject {
    var object = JSONObject()
    let lists = [
      ("FileVault", policies.fileVault), ("Login", policies.login), ("Unlock", policies.unlock),
      ("NonPlatformSSOAccounts", policies.nonPlatformSSOAccounts),
    ]
    for (name, list) in lists where !list.isEmpty { object[name] = .array(list.map { .string($0) }) }
    for (name, seconds) in [
      ("OfflineGracePeriod", policies.offlineGracePeriod),
      ("AuthenticationGracePeriod", policies.authenticationGracePeriod),
    ] {
      if let seconds { object[name] = .number(JSONNumber(seconds)) }
    }
    return object
  }

  /// The file `/.well-known/apple-app-site-association` that makes Macs trust the extension: served as JSON without a redirect, from
  /// each host that the extension answers for.
  ///
  /// - Parameter hostApplicationIdentifier: the bundle identifier of the application that holds the extension. macOS 15 and later want
  ///   both.
  public func appSiteAssociation(hostApplicationIdentifier: String? = nil) -> JSONObject {
    let identifiers = [hostApplicationIdentifier, extensionIdentifier].compactMap { $0 }
    return ["authsrv": ["apps": .array(identifiers.map { .string("\(teamIdentifier).\($0)") })]]
  }
}

extension PropertyListValue {
  /// The value in terms of JSON; octets become base64.
  var jsonValue: JSONValue {
    switch self {
    case .string(let text), .other(_, let text): .string(text)
    case .integer(let integer): .number(JSONNumber(Int(integer)))
    case .bool(let bool): .bool(bool)
    case .data(let octets): .string(PropertyListValue.data(octets).base64Text)
    case .array(let values): .array(values.map(\.jsonValue))
    case .dictionary(let entries): .object(JSONObject(entries.map { ($0.key, $0.value.jsonValue) }))
    }
  }
}
