import JOSE
import StrictJSON

extension ExtensibleSSOProfile {
  private static let declarationType = "com.apple.configuration.extensible-sso"

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
    let groups: [(String, JSONObject)] = [
      ("Account", account), ("UserCreation", userCreation), ("Authorization", authorization),
      ("AccessKey", declaredAccessKey), ("Policies", declaredPolicies), ("WebAuthentication", webAuthentication),
    ]
    for (name, group) in groups where !group.isEmpty { sso[name] = .object(group) }
    if !additionalHTTPHeaders.fields.isEmpty {
      sso["AdditionalHTTPHeaders"] = .object(
        JSONObject(additionalHTTPHeaders.fields.map { ($0.name, JSONValue.string($0.value)) }))
    }
    var body: JSONObject = [
      "ExtensionComposedIdentifier": .string("\(extensionIdentifier) (\(teamIdentifier))"), "Type": .string(type),
      "URLs": list(urls),
    ]
    if let screenLockedBehavior { body["ScreenLockedBehavior"] = .string(screenLockedBehavior) }
    if !deniedBundleIdentifiers.isEmpty { body["DeniedBundleIdentifiers"] = list(deniedBundleIdentifiers) }
    if !extensionData.isEmpty { body["ExtensionData"] = PropertyListValue.dictionary(extensionData).jsonValue }
    body["PlatformSSO"] = .object(sso)
    return [
      "Type": .string(Self.declarationType), "Identifier": .string(identifier),
      "ServerToken": .string(serverToken ?? UUIDText.random()), "Payload": .object(body),
    ]
  }

  private var account: JSONObject {
    var object = JSONObject()
    if let accountDisplayName { object["DisplayName"] = .string(accountDisplayName) }
    if synchronizeProfilePicture { object["SynchronizeProfilePicture"] = true }
    return object
  }

  private var declaredAccessKey: JSONObject {
    var object = JSONObject()
    guard let accessKey else { return object }
    if let octets = accessKey.readerGroupIdentifier { object["ReaderGroupIdentifier"] = .string(Base64.encode(octets)) }
    if let name = accessKey.terminalIdentity { object["TerminalIdentityAssetReference"] = .string(name) }
    if let name = accessKey.readerIssuerCertificate { object["ReaderIssuerCertificateAssetReference"] = .string(name) }
    if accessKey.allowExpressMode { object["AllowExpressMode"] = true }
    return object
  }

  private var webAuthentication: JSONObject {
    var object = JSONObject()
    if !webLoginURLAllowList.isEmpty { object["URLAllowList"] = .array(webLoginURLAllowList.map { .string($0) }) }
    if allowWebLoginPasswordSync { object["AllowPasswordSync"] = true }
    return object
  }

  private var userCreation: JSONObject {
    var object = JSONObject()
    if enableCreateUserAtLogin { object["EnableAtLogin"] = true }
    if !enableCreateFirstUserDuringSetup { object["EnableFirstUserDuringSetup"] = false }
    if enableRegistrationDuringSetup { object["EnableRegistrationDuringSetup"] = true }
    if temporarySessionQuickLogin { object["TemporarySessionQuickLogin"] = true }
    if !newUserAuthenticationMethods.isEmpty {
      object["NewUserAuthenticationMethods"] = .array(newUserAuthenticationMethods.map { .string($0) })
    }
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
}

extension ExtensibleSSOProfile {
  /// Reads a declaration `com.apple.configuration.extensible-sso`, in JSON. Keys that messages and checks have nothing
  /// to do with are passed over.
  ///
  /// - Throws: `ErrorCode.malformed`, `ErrorCode.limitExceeded`,
  ///   `ErrorCode.claimMismatch` for a declaration of another type, `ErrorCode.claimMissing`
  ///   and `ErrorCode.claimInvalid` with the key, `ErrorCode.fieldInvalid` for additional
  ///   header fields.
  public init(declaration octets: [UInt8]) throws(PlatformSSOError) {
    let document = try MessageMembers(parsing: octets, limits: .default)
    try document.require("Type", Self.declarationType)
    guard let payload = document.object["Payload"] else { throw document.missing("Payload") }
    guard let value = PropertyListValue(payload), case .dictionary = value else { throw document.invalid("Payload") }
    let outer = ProfileMembers(value)
    let sso = try outer.nested("PlatformSSO")
    guard let method = AuthenticationMethod(rawValue: try sso.string("AuthenticationMethod")) else {
      throw sso.invalid("AuthenticationMethod")
    }
    let (identifier, team) = try Self.identifiers(outer)
    self.init(
      extensionIdentifier: identifier, teamIdentifier: team, urls: try outer.strings("URLs"),
      authenticationMethod: method, useSharedDeviceKeys: try sso.bool("UseSharedDeviceKeys"))
    type = try outer.string("Type")
    screenLockedBehavior = try outer.string(ifPresent: "ScreenLockedBehavior")
    deniedBundleIdentifiers = try outer.strings("DeniedBundleIdentifiers")
    extensionData = try outer.entries("ExtensionData")
    registrationToken = try sso.string(ifPresent: "RegistrationToken")
    loginFrequency = try sso.integer("LoginFrequency")
    allowDeviceIdentifiersInAttestation = try sso.bool("AllowDeviceIdentifiersInAttestation")
    let account = try sso.nested(ifPresent: "Account")
    accountDisplayName = try account.string(ifPresent: "DisplayName")
    synchronizeProfilePicture = try account.bool("SynchronizeProfilePicture")
    try readUserCreation(sso.nested(ifPresent: "UserCreation"))
    try readAuthorization(sso.nested(ifPresent: "Authorization"))
    try readPolicies(sso.nested(ifPresent: "Policies"))
    let page = try sso.nested(ifPresent: "WebAuthentication")
    webLoginURLAllowList = try page.strings("URLAllowList")
    allowWebLoginPasswordSync = try page.bool("AllowPasswordSync")
    accessKey = try AccessKey(
      sso.nested(ifPresent: "AccessKey"), group: "ReaderGroupIdentifier", terminal: "TerminalIdentityAssetReference",
      issuer: "ReaderIssuerCertificateAssetReference", express: "AllowExpressMode")
    additionalHTTPHeaders = try sso.headerFields()
  }

  /// The parts of `ExtensionComposedIdentifier`: `com.example.mac.ssoe (ABCDE12345)`.
  private static func identifiers(
    _ members: ProfileMembers
  ) throws(PlatformSSOError) -> (extensionIdentifier: String, teamIdentifier: String) {
    let key = "ExtensionComposedIdentifier"
    let parts = try members.string(key).utf8.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[1].count > 2, parts[1].first == 0x28, parts[1].last == 0x29 else {
      throw members.invalid(key)
    }
    return (String(Substring(parts[0])), String(Substring(parts[1].dropFirst().dropLast())))
  }

  private mutating func readUserCreation(_ members: ProfileMembers) throws(PlatformSSOError) {
    enableCreateUserAtLogin = try members.bool("EnableAtLogin")
    enableCreateFirstUserDuringSetup = try members.bool("EnableFirstUserDuringSetup", default: true)
    enableRegistrationDuringSetup = try members.bool("EnableRegistrationDuringSetup")
    temporarySessionQuickLogin = try members.bool("TemporarySessionQuickLogin")
    newUserAuthenticationMethods = try members.strings("NewUserAuthenticationMethods")
    newUserAuthorizationMode = try members.mode("NewUserAuthorizationMode")
    let mapping = try members.nested(ifPresent: "TokenToUserMapping")
    accountNameClaim = try mapping.string(ifPresent: "AccountName")
    fullNameClaim = try mapping.string(ifPresent: "FullName")
  }

  private mutating func readAuthorization(_ members: ProfileMembers) throws(PlatformSSOError) {
    enableAuthorization = try members.bool("EnableIdentityProviderAccounts")
    userAuthorizationMode = try members.mode("UserAuthorizationMode")
    administratorGroups = try members.strings("AdministratorGroups")
    additionalGroups = try members.strings("AdditionalGroups")
    authorizationGroups = try members.entries("AuthorizationGroups")
  }

  private mutating func readPolicies(_ members: ProfileMembers) throws(PlatformSSOError) {
    policies.fileVault = try members.strings("FileVault")
    policies.login = try members.strings("Login")
    policies.unlock = try members.strings("Unlock")
    policies.offlineGracePeriod = try members.integer("OfflineGracePeriod")
    policies.authenticationGracePeriod = try members.integer("AuthenticationGracePeriod")
    policies.nonPlatformSSOAccounts = try members.strings("NonPlatformSSOAccounts")
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
